import KVBytes
public import KVModel
public import SystemPackage

/// Entries on their way into a format.
public struct Conversion {
  /// What a conversion comes to.
  public struct Summary: Hashable, Sendable {
    /// How many entries are written.
    public var written = 0
    /// How many are left out.
    public var leftOut = 0
    /// How many notes say that something is lost.
    public var losses = 0
    /// How many say that something is different, and nothing lost.
    public var notes = 0
  }

  private let source: TypedSource
  private let encoder: any EntryEncoder

  /// The conversion of `source` into the format of `encoder`.
  public init(of source: TypedSource, by encoder: any EntryEncoder) {
    self.source = source
    self.encoder = encoder
  }

  /// Hands everything that is lost or different to `body`, without writing.
  ///
  /// - Throws: What reading the source throws.
  /// - Complexity: every value is read once; the memory taken does not grow with them, but for the keys
  ///   of formats that compare them as texts.
  public func survey(_ body: (ConversionNote) -> Void) throws(ConversionError) -> Summary {
    var summary = Summary()
    func note(_ key: Key, _ loss: Loss, _ extent: Extent?) {
      if loss.severity > .note { summary.losses += 1 } else { summary.notes += 1 }
      body(ConversionNote(key, loss, at: extent))
    }
    for omitted in source.omitted {
      summary.leftOut += 1
      note(omitted.key, omitted.loss, omitted.extent)
    }
    let keepsEvidence = type(of: encoder).keepsEvidence
    try forEachFit { entry, losses, fit, collision in
      for loss in losses { note(entry.key, loss, entry.origin.extent) }
      if !keepsEvidence, entry.origin.isDoubtful, fit.entry != nil {
        note(entry.key, .doubtful(entry.origin), entry.origin.extent)
      }
      for loss in fit.losses { note(entry.key, loss, entry.origin.extent) }
      if let collision { note(entry.key, .collision(with: collision), entry.origin.extent) }
      if fit.entry == nil || collision != nil {
        summary.leftOut += 1
      } else {
        summary.written += 1
      }
    }
    return summary
  }

  /// The keys that the format takes for another one of the store, with that one.
  public func collisions() throws(ConversionError) -> [(key: Key, other: Key)] {
    guard type(of: encoder).comparesKeysAsText else { return [] }
    var collisions: [(key: Key, other: Key)] = []
    try forEachFit { entry, _, _, collision in
      if let collision { collisions.append((entry.key, collision)) }
    }
    return collisions
  }

  /// Writes the entries to `path`; `progress` is called with how many are written, now and then.
  ///
  /// - Returns: The paths of the files.
  /// - Throws: `.encoding` and `.library` when the format cannot hold them, `.file`; then nothing is
  ///   left behind.
  public func write(
    to path: FilePath, permissions: FilePermissions,
    isCancelled: @escaping @Sendable () -> Bool, progress: @escaping (Int) -> Void
  ) throws(ConversionError) -> [FilePath] {
    var pending = PendingWrite(
      existing: .keep, permissions: permissions, isCancelled: isCancelled)
    let entries: EntrySource.Entries = {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      var count = 0
      try forEachFit { (_, _, fit, collision) throws(ConversionError) in
        guard let entry = fit.entry, collision == nil else { return }
        if count & 0x3fff == 0 {
          if isCancelled() { throw .file(.interrupted) }
          progress(count)
        }
        count += 1
        try body(entry)
      }
    }
    try encoder.write(
      EntrySource(
        name: source.name, formatName: source.formatName, files: source.files,
        findings: source.findings, entries: entries, records: source.forEachRecord),
      to: path, into: &pending)
    let paths = pending.paths
    do throws(FileError) {
      try pending.commit()
      return paths
    } catch {
      throw .file(error)
    }
  }

  private func forEachFit(
    _ body: (TypedEntry, [Loss], EntryFit, _ collision: Key?) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    let comparesText = type(of: encoder).comparesKeysAsText
    var texts: [String: Key] = [:]
    try source.forEachEntry { (entry, losses) throws(ConversionError) in
      let fit = encoder.fit(entry)
      var collision: Key?
      if comparesText, fit.entry != nil, let text = entry.key.text {
        collision = texts[text]
        if collision == nil { texts[text] = entry.key }
      }
      try body(entry, losses, fit, collision)
    }
  }
}

extension EntryOrigin {
  /// Whether whoever reads the entry should know that it is not sure.
  fileprivate var isDoubtful: Bool { evidence == .guess || !cautions.isEmpty }
}
