import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// Entries on their way into a format.
package struct Conversion {
  /// What a conversion comes to.
  package struct Summary: Hashable, Sendable {
    /// How many entries are written.
    package var written = 0
    /// How many are left out.
    package var leftOut = 0
    /// How many notes say that something is lost, and how many findings that it was lost in reading.
    package var losses = 0
    /// How many say that something is different, and nothing lost.
    package var notes = 0
    /// How many values have the likeliest of several types that fit.
    package var likely = 0
    /// How many are written as bytes because their type is not stored and not decided; none in a format
    /// without types, in which the bytes are the value.
    package var undecided = 0
    /// The data files of the stores that are converted.
    package var stores: [FilePath] = []

    /// Counts `loss`, in a format that says what types values have, or does not.
    mutating func add(_ loss: Loss, inTypes keepsTypes: Bool) {
      if loss.severity > .note { losses += 1 } else { notes += 1 }
      switch loss.kind {
      case _ where !keepsTypes: break
      case ConversionFindings.likelyType: likely += 1
      case ConversionFindings.ambiguousType, ConversionFindings.schemaMismatch: undecided += 1
      default: break
      }
    }
  }

  private let source: TypedSource
  private let encoder: any EntryEncoder

  /// The conversion of `source` into the format of `encoder`.
  package init(of source: TypedSource, by encoder: any EntryEncoder) {
    self.source = source
    self.encoder = encoder
  }

  /// Hands everything that is lost or different to `body`, without writing.
  ///
  /// In a format with a log, what the app's engine would not give back is lost.
  ///
  /// - Throws: What reading the source throws; `.encoding` where the entries are too many.
  /// - Complexity: every value is read once. The memory taken does not grow with them, but for a format
  ///   with a log, which is put together in memory.
  package func survey(
    _ body: @escaping (ConversionNote) -> Void
  ) throws(ConversionError) -> Summary {
    let listing = ConversionListing(of: source, by: encoder, body)
    try entries(listedIn: listing) { _ in }
    try listing.end()
    return listing.summary
  }

  /// Writes the entries beside `path`, and hands everything that is lost or different to `body` on the way:
  /// each value is read, and its type decided, once.
  ///
  /// - Returns: The files, which have no names yet, and what the conversion comes to.
  /// - Throws: `.encoding` and `.library` when the format cannot hold them, `.file`; then nothing is
  ///   left.
  package func write(
    to path: FilePath, permissions: FilePermissions,
    _ body: @escaping (ConversionNote) -> Void
  ) throws(ConversionError) -> ConvertedFiles {
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    let listing = ConversionListing(of: source, by: encoder, body)
    let entries: EntrySource.Entries = {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      try self.entries(listedIn: listing, body)
    }
    try encoder.write(
      EntrySource(
        name: source.name, formatName: source.formatName, stores: source.stores,
        files: source.files, findings: source.findings, entries: entries,
        records: source.forEachRecord),
      to: path, into: &pending)
    try listing.end()
    return ConvertedFiles(pending, listing.summary)
  }

  /// Hands every entry to `body` as the format holds it, and to `listing` what becomes of it.
  private func entries(
    listedIn listing: ConversionListing,
    _ body: (TypedEntry) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    listing.begin()
    try source.forEachEntry { (entry, losses) throws(ConversionError) in
      let fit = encoder.fit(entry)
      listing.add(entry, losses, fit)
      if let fitted = fit.entry { try body(fitted) }
    }
  }
}

/// New files of a conversion, which wait for their names: dropped, they are removed.
package struct ConvertedFiles: ~Copyable {
  /// What the conversion comes to.
  package let summary: Conversion.Summary
  /// The names that the files get.
  package let paths: [FilePath]

  private let pending: PendingWrite

  fileprivate init(_ pending: consuming PendingWrite, _ summary: Conversion.Summary) {
    paths = pending.paths
    self.pending = pending
    self.summary = summary
  }

  /// Gives the files their names.
  ///
  /// - Throws: `.file`; then nothing is left.
  package consuming func commit() throws(ConversionError) {
    do throws(FileError) {
      try pending.commit()
    } catch {
      throw .file(error)
    }
  }
}
