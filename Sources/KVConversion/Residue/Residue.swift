import KVBytes
package import KVModel
package import KVRecovery

/// A value that an app has removed or replaced, and that its files still have.
package struct Residue: Sendable {
  /// The key; `nil` if the bytes belong to no entry.
  package let key: Key?
  /// What became of it.
  package let state: EntryFate
  /// What kind of secret it is, or contains; `nil` for none that is known.
  package let kind: SecretKind?
  /// The bytes of its record; `nil` if the format does not tell.
  package let place: Place?
  /// The value, as it is read likeliest; `nil` for bytes of no entry.
  package let value: Value?
  /// The evidence for the record.
  package let evidence: Evidence
  /// The probability that the record is right; `nil` if it was not weighed.
  package let probability: Probability?
}

/// What is left of former values in a store.
package struct StoreResidue: Sendable {
  /// The largest number of values that are kept of one store.
  private static let limit = 1 << 16

  /// The values, in the order of the file.
  package private(set) var values: [Residue] = []
  /// Whether there were more than are kept.
  package private(set) var isCut = false

  /// The same without values that are no secrets.
  package var secrets: StoreResidue {
    var secrets = self
    secrets.values.removeAll { $0.kind == nil }
    return secrets
  }

  mutating func add(_ residue: Residue) {
    if values.count < Self.limit { values.append(residue) } else { isCut = true }
  }
}

extension StoreResidue {
  /// Opens the documents in a value.
  package typealias Opener = @Sendable (Value) -> ValueContent?

  // MARK: Stores with a log

  /// Finds what is left in `store`, of which `diagnosis` is; of an encrypted store without its key,
  /// nothing is known.
  ///
  /// A value that its key still has is nothing that is left behind, and of the same record in another
  /// copy of the log, the first counts. Where `isIgnored` says so, nothing is looked for.
  ///
  /// - Complexity: O(size of the files).
  package init<S: Store>(
    of store: S, _ diagnosis: Diagnosis, without isIgnored: (Extent) -> Bool = { _ in false },
    opening content: @escaping Opener = { _ in nil }
  ) {
    guard case .readable = store.access, let state = diagnosis.best else { return }
    var pass = ResiduePass(store: store, content: content)
    for record in state.snapshot.live { pass.know(record) }
    History(of: store, by: state).forEachInAllCopies { event, _ in
      switch event {
      case .record(let record, let fate, let assessment) where !isIgnored(record.extent):
        pass.add(record, fate, assessment)
      case .gap(let gap) where !isIgnored(gap.extent): pass.add(gap.extent)
      default: break
      }
    }
    self = pass.result
  }

  // MARK: Files without a log

  /// Finds what is left in the files of `table`.
  package init(of table: EntryTable, opening content: Opener) {
    func include(_ entry: TypedEntry, _ state: EntryFate) {
      add(
        Residue(
          key: entry.key, state: state,
          kind: SecretKind(of: entry.value, named: entry.key, opening: content),
          place: entry.origin.place, value: entry.value, evidence: entry.origin.evidence,
          probability: nil))
    }
    let former = (table.past?() ?? []).compactMap { record in
      record.entry.map { (entry: $0, state: EntryFate(record.state)) }
    }
    let known = Set(former.map(\.entry).entries(notIn: table.entries))
    for (entry, state) in former where known.contains(entry) { include(entry, state) }
    for version in table.versions {
      for entry in version.entries.entries(notIn: table.entries) { include(entry, .residual) }
    }
  }
}

/// The search in the records of a store with a log.
private struct ResiduePass<S: Store> {
  let store: S
  let content: StoreResidue.Opener
  var result = StoreResidue()
  /// The keys and values that are live, or were added.
  private var known: Set<Pair> = []
  private var liveKeys: Set<Key> = []

  /// A key and the bytes of its value.
  private struct Pair: Hashable {
    let key: Key
    let value: [UInt8]
  }

  init(store: S, content: @escaping StoreResidue.Opener) {
    self.store = store
    self.content = content
  }

  mutating func know(_ record: Record) {
    let key = store.key(of: record)
    liveKeys.insert(key)
    known.insert(Pair(key: key, value: store.value(of: record)))
  }

  mutating func add(
    _ record: Record, _ fate: HistoryEvent.RecordState, _ assessment: Assessment
  ) {
    guard record.operation != .remove, store.reasonForNoValue(of: record) == nil else {
      return
    }
    let key = store.key(of: record)
    // FastKV for Android strikes out the value that it replaces.
    let state = fate == .removed && liveKeys.contains(key) ? .superseded : EntryFate(fate)
    guard state != .live else { return }
    let value = store.value(of: record)
    guard !value.isEmpty, known.insert(Pair(key: key, value: value)).inserted else { return }
    let readings = store.readings(of: record)
    var kind: SecretKind?
    for reading in readings where kind == nil {
      kind = SecretKind(of: reading.value, named: key, opening: content)
    }
    result.add(
      Residue(
        key: key, state: state, kind: kind, place: store.files.roleNames.place(record.extent),
        value: readings.first?.value, evidence: assessment.evidence,
        probability: assessment.probability))
  }

  /// Adds a secret in bytes that are no record.
  mutating func add(_ extent: Extent) {
    guard let last = store.lastNonzero(in: extent) else { return }
    let image = store.decoded(extent.file)
    let range = (extent.offset..<last + 1).clamped(to: image.range)
    guard let kind = SecretKind(inBytes: image.bytes(in: range)) else { return }
    result.add(
      Residue(
        key: nil, state: .residual, kind: kind,
        place: store.files.roleNames.place(Extent(extent.file, range)), value: nil,
        evidence: .guess, probability: nil))
  }
}
