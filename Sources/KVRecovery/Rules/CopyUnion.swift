import KVModel

/// Entries that are taken from another damaged copy of the log.
enum CopyUnionRule: EvidenceRule {
  static let id: RuleID = "log.copy-union"
  static let premise = """
    no copy of the log is sound; the fullest copy lacks the key, or another copy has better \
    evidence for it
    """
  static let conclusion = "the entry of the other copy is used as well"
  static let ceiling = Evidence.structure
  static let failure = """
    if the copies differed before they were damaged: a key that was removed in the newer one can \
    come back
    """
}

/// Joins the entries of several damaged copies of one log.
///
/// The copy with the most entries is used as it is. The other copies add the entries that it lacks,
/// and the values of keys for which they have better evidence. A key that the first copy removes,
/// or whose record it marks as deleted, is not added.
struct CopyUnion<S: Store> {
  private let store: S

  init(of store: S) { self.store = store }

  /// Returns `best` with the additional entries of `others`.
  ///
  /// - Complexity: O(*n*) for logs of *n* bytes in total.
  func state(_ best: StoreState, and others: [StoreState]) -> StoreState {
    // A log that decodes to its end lacks no entries.
    guard !others.isEmpty, best.lacksBytes, let log = best.log else { return best }
    var live = best.snapshot.live
    var places: [Key: Int] = [:]
    for (index, record) in live.enumerated() { places[store.key(of: record)] = index }
    let struck = struckKeys(of: best, log)
    var used: [StoreState] = []
    var taken: Set<Record> = []
    var bytes = best.snapshot.bytes
    for other in others where other.log?.file != log.file {
      let before = taken.count
      for record in other.snapshot.live {
        let key = store.key(of: record)
        if let place = places[key] {
          let known = live[place]
          guard known.file == log.file, other.evidence(of: record) > best.evidence(of: known),
            store.value(of: record) != store.value(of: known)
          else { continue }
          live[place] = record
          bytes.live -= known.extent.count
          bytes.superseded += known.extent.count
        } else {
          if struck.contains(key) { continue }
          places[key] = live.count
          live.append(record)
        }
        taken.insert(record)
      }
      if taken.count > before { used.append(other) }
    }
    guard !used.isEmpty else { return best }
    let snapshot = Snapshot(
      live: live, recordCount: best.snapshot.recordCount, gaps: best.snapshot.gaps,
      bytes: bytes, contradicted: best.snapshot.contradicted)
    let limit = Conclusion(.limit(.records(taken), [.mayBeDamaged]), by: CopyUnionRule.self)
    return best.holding(snapshot, [limit] + used.flatMap(\.limits))
  }

  private func struckKeys(of best: StoreState, _ log: Extent) -> Set<Key> {
    var struck: Set<Key> = []
    store.forEachRecord(in: log, scan: best.scan, around: best.gaps) { event in
      guard case .record(let record) = event, record.operation != .put else { return }
      struck.insert(store.key(of: record))
    }
    return struck
  }
}
