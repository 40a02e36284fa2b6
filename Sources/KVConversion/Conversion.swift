import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The conversion of a store's entries to another format.
package struct Conversion {
  /// The counts that a conversion results in.
  package struct Summary: Hashable, Sendable {
    /// The number of entries that are written.
    package var written = 0
    /// The number of entries that are left out.
    package var leftOut = 0
    /// The number of losses: notes that something is lost, and findings that content was lost
    /// when the source was read.
    package var losses = 0
    /// The number of notes that something is different but nothing is lost.
    package var notes = 0
    /// The number of values that got the likeliest of several fitting types; 0 for a format without
    /// types.
    package var likely = 0
    /// The number of values written as bytes because their type is neither stored nor decided, or
    /// because the schema's type does not fit them.
    ///
    /// It is 0 for a format without types, in which the bytes are the value.
    package var undecided = 0
    /// The data files of the converted stores.
    package var stores: [FilePath] = []

    /// Counts `loss`; `keepsTypes` is whether the format stores types.
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

  let source: TypedSource
  let encoder: any EntryEncoder
  private let listsTypes: Bool

  /// Creates a conversion of `source` to the format of `encoder`.
  ///
  /// If `listsTypes` is `false`, types that are not stored but were taken are counted, and there are
  /// no notes about them, of which a large store can have a million.
  package init(of source: TypedSource, by encoder: any EntryEncoder, listsTypes: Bool = true) {
    self.source = source
    self.encoder = encoder
    self.listsTypes = listsTypes
  }

  /// Passes a note to `body` for everything that would be lost or different, without writing.
  ///
  /// In a format with a log, an entry that the app's engine would not return unchanged is a loss.
  ///
  /// - Throws: The errors of reading the source; `.encoding` if there are too many entries.
  /// - Complexity: Every value is read once. Memory use does not grow with the number of values,
  ///   except in a format with a log, whose files are built in memory.
  package func survey(
    _ body: @escaping (ConversionNote) -> Void
  ) throws(ConversionError) -> Summary {
    let listing = ConversionListing(of: source, by: encoder, listsTypes: listsTypes, body)
    if let encoder = encoder as? any StoreEncoder {
      _ = try files(of: encoder, named: source.name, listedIn: listing)
    } else {
      try entries(listedIn: listing) { _ in }
    }
    return listing.summary
  }

  /// Returns a rule with the type of each entry as it is written, with which the new files can be
  /// read if their format stores no types.
  ///
  /// - Throws: The errors of reading the source.
  package func writtenTypes() throws(ConversionError) -> [TypeSchema.Rule] {
    var rules: [TypeSchema.Rule] = []
    try source.forEachEntry { (entry, _) throws(ConversionError) in
      guard let fitted = encoder.fit(entry).entry else { return }
      rules.append(TypeSchema.Rule(.key(fitted.key), fitted.value.kind))
    }
    return rules
  }

  /// Writes the entries to temporary files beside `path`, and passes a note to `body` for
  /// everything that is lost or different.
  ///
  /// The folder of `path` is created if its parent exists. Each value is read, and its type decided, only once.
  ///
  /// - Returns: The files, which still have temporary names, and the summary.
  /// - Throws: The errors of reading the source; `.encoding` and `.library` if the format cannot
  ///   hold the entries; `.file`. No file is left then.
  package func write(
    to path: FilePath, permissions: FilePermissions,
    _ body: @escaping (ConversionNote) -> Void
  ) throws(ConversionError) -> ConvertedFiles {
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    let folder = path.parent
    if !folder.isEmpty, !Folder.isTaken(folder) {
      do throws(FileError) {
        try pending.makeFolder(at: folder, permissions: FilePermissions(rawValue: 0o777))
      } catch {
        throw .file(error)
      }
    }
    let listing = ConversionListing(of: source, by: encoder, listsTypes: listsTypes, body)
    if let encoder = encoder as? any StoreEncoder {
      let files = try files(of: encoder, named: path.lastName ?? "", listedIn: listing)
      try pending.add(files, in: folder)
    } else {
      guard let encoder = encoder as? any EntryWriter else {
        preconditionFailure("a format without a log writes its entries")
      }
      try write(by: encoder, to: path, into: &pending, listedIn: listing)
    }
    return ConvertedFiles(pending, listing.summary)
  }

  /// Returns the files of a new store called `name`, and reports what an engine would lose of them.
  private func files(
    of encoder: some StoreEncoder, named name: FilePath, listedIn listing: ConversionListing
  ) throws(ConversionError) -> [EncodedFile] {
    var entries: [TypedEntry] = []
    try self.entries(listedIn: listing) { entries.append($0) }
    let files: [EncodedFile]
    do throws(EncodingError) {
      files = try encoder.files(named: name, entries)
    } catch {
      throw .encoding(error)
    }
    for entry in EngineCheck(files, of: entries).lost(in: encoder) {
      listing.add(lostByEngine: entry)
    }
    return files
  }

  private func write(
    by encoder: some EntryWriter, to path: FilePath, into files: inout PendingWrite,
    listedIn listing: ConversionListing
  ) throws(ConversionError) {
    let entries: EntrySource.Entries = {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      try self.entries(listedIn: listing, body)
    }
    try encoder.write(
      EntrySource(
        name: source.name.string, formatName: source.formatName, stores: source.stores,
        files: source.files, findings: source.findings, entries: entries,
        records: source.forEachRecord),
      to: path, into: &files)
  }

  /// Passes every entry to `body` as the format holds it, and reports its losses to `listing`.
  private func entries(
    listedIn listing: ConversionListing,
    _ body: (TypedEntry) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    listing.begin()
    if encoder.holdsAll {
      return try source.forEachEntry { (entry, losses) throws(ConversionError) in
        listing.add(entry, losses)
        try body(entry)
      }
    }
    try source.forEachEntry { (entry, losses) throws(ConversionError) in
      let fit = encoder.fit(entry)
      listing.add(entry, losses, fit)
      if let fitted = fit.entry { try body(fitted) }
    }
  }
}

/// The new files of a conversion, under temporary names.
///
/// The files are removed unless ``commit()`` gives them their names.
package struct ConvertedFiles: ~Copyable {
  /// The summary of the conversion.
  package let summary: Conversion.Summary
  /// The paths that the files get.
  package let paths: [FilePath]

  private let pending: PendingWrite

  fileprivate init(_ pending: consuming PendingWrite, _ summary: Conversion.Summary) {
    paths = pending.paths
    self.pending = pending
    self.summary = summary
  }

  /// Gives the files their names.
  ///
  /// - Throws: `.file`. No file is left then.
  package consuming func commit() throws(ConversionError) {
    do throws(FileError) {
      try pending.commit()
    } catch {
      throw .file(error)
    }
  }
}
