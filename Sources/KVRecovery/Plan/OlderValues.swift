import KVModel

/// The values that keys had before newer ones that are unlikely to be right.
///
/// A record that was torn, or that only looks like one, must not cost the value before it.
struct OlderValues<S: Store> {
  private let store: S
  private let state: StoreState
  private let judgement: Judgement<S>

  init(of store: S, _ state: StoreState, _ judgement: Judgement<S>) {
    self.store = store
    self.state = state
    self.judgement = judgement
  }

  /// Returns the value before each of `newer`, the unlikely ones, that is right with `least` or more.
  ///
  /// - Complexity: O(*n*) for a log of *n* bytes.
  func entries(
    before newer: [RepairPlan.KeptEntry], atLeast least: Probability
  ) -> [RepairPlan.KeptEntry] {
    guard let log = state.log, !newer.isEmpty else { return [] }
    var unlikely: [Key: RepairPlan.KeptEntry] = [:]
    for entry in newer where entry.record.file == log.file {
      unlikely[store.key(of: entry.record)] = entry
    }
    var older: [Key: Record] = [:]
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      guard case .record(let record) = event else { return }
      let key = store.key(of: record)
      guard let newest = unlikely[key]?.record, record.offset < newest.offset else { return }
      older[key] = record.operation == .put ? record : nil
    }
    return unlikely.compactMap { key, newest in
      guard let record = older[key], store.obstacle(to: record, scan: .plain) == nil else {
        return nil
      }
      let assessment = judgement.assessment(of: record, before: newest.assessment)
      guard let probability = assessment.probability, probability >= least else { return nil }
      return RepairPlan.KeptEntry(record: record, assessment: assessment)
    }
  }
}
