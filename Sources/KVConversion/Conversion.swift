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
    _ body: (ConversionNote) -> Void
  ) throws(ConversionError) -> Summary {
    var summary = Summary()
    summary.stores = source.stores
    summary.losses = source.findings.count { $0.finding.losesContent }
    let keepsTypes = type(of: encoder).keepsTypes
    func note(_ note: ConversionNote) {
      summary.add(note.loss, inTypes: keepsTypes)
      body(note)
    }
    for omitted in source.omitted {
      summary.leftOut += 1
      note(omitted)
    }
    let keepsEvidence = type(of: encoder).keepsEvidence
    let store = encoder as? any StoreEncoder
    var fitted: [TypedEntry] = []
    try source.forEachEntry { (entry, losses) throws(ConversionError) in
      let fit = encoder.fit(entry)
      var all = losses
      if !keepsEvidence, entry.origin.isUnverified, fit.entry != nil {
        all.append(.unverified(entry.origin))
      }
      for loss in all + fit.losses {
        note(
          ConversionNote(entry.key, loss, at: entry.origin.extent, in: entry.origin.store))
      }
      if fit.entry == nil { summary.leftOut += 1 } else { summary.written += 1 }
      if store != nil, let entry = fit.entry { fitted.append(entry) }
    }
    if let store { for loss in try engineLosses(fitted, store) { note(loss) } }
    return summary
  }

  /// What the engine of `format` does not give back of `entries`.
  private func engineLosses(
    _ entries: [TypedEntry], _ format: any StoreEncoder
  ) throws(ConversionError) -> [ConversionNote] {
    do throws(EncodingError) {
      return try EngineCheck(entries).lost(in: format).map {
        ConversionNote($0.key, .engineLoss, at: nil, in: $0.origin.store)
      }
    } catch {
      throw .encoding(error)
    }
  }

  /// Writes the entries to `path`.
  ///
  /// - Returns: The paths of the files.
  /// - Throws: `.encoding` and `.library` when the format cannot hold them, `.file`; then nothing is
  ///   left.
  package func write(
    to path: FilePath, permissions: FilePermissions
  ) throws(ConversionError) -> [FilePath] {
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    let entries: EntrySource.Entries = {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      try source.forEachEntry { (unfitted, _) throws(ConversionError) in
        guard let entry = encoder.fit(unfitted).entry else { return }
        try body(entry)
      }
    }
    try encoder.write(
      EntrySource(
        name: source.name, formatName: source.formatName, stores: source.stores,
        files: source.files, findings: source.findings, entries: entries,
        records: source.forEachRecord),
      to: path, into: &pending)
    let paths = pending.paths
    do throws(FileError) {
      try pending.commit()
      return paths
    } catch {
      throw .file(error)
    }
  }
}

extension EntryOrigin {
  /// Whether whoever reads the entry should know that it is not sure.
  fileprivate var isUnverified: Bool { evidence == .guess || !cautions.isEmpty }
}
