package import KVModel

/// A comparison, key by key, of the two answers to a question about damage.
///
/// The number of entries that an answer keeps says little, because an older log can contain more of
/// them. What counts is how many of the values are the newest in the files.
package struct AnswerComparison: Sendable {
  /// The status of an entry, compared with everything else in the files that is about its key.
  package enum Standing: Hashable, Sendable, CaseIterable {
    /// The value is the newest in the files.
    case newest
    /// The files contain a newer value.
    case older
    /// The files contain a newer value, but it is an unlikely guess.
    case beforeGuess
    /// The files contain a later removal of the key.
    case removed
    /// The entry is an unlikely guess, or no checksum verifies it and nothing else in the files is about its
    /// key.
    case unsupported
  }

  /// An entry that an answer keeps.
  package struct Choice: Sendable {
    /// The entry.
    package let entry: RepairPlan.KeptEntry
    /// The status of the entry.
    package let standing: Standing
  }

  /// The entries that the two answers keep for a key; at least one of them keeps an entry.
  package struct Row: Sendable {
    /// The key.
    package let key: Key
    /// The entry that `recover` keeps; `nil` if it keeps none.
    package let recovered: Choice?
    /// The entry that `discard` keeps; `nil` if it keeps none.
    package let discarded: Choice?
    /// Whether both answers keep the same value.
    package let isSame: Bool
  }

  /// The totals for one answer.
  package struct Tally: Hashable, Sendable {
    /// The number of entries that the answer keeps.
    package private(set) var kept = 0
    private var standings: [Standing: Int] = [:]
    private var cautions: [Caution: Int] = [:]

    /// Returns the number of entries with this standing.
    package func count(_ standing: Standing) -> Int { standings[standing, default: 0] }
    /// Returns the number of entries with this caution.
    package func count(_ caution: Caution) -> Int { cautions[caution, default: 0] }

    /// The number of entries that the app is known to have replaced or removed later.
    var outdated: Int { count(.older) + count(.removed) }

    fileprivate mutating func add(_ choice: Choice?) {
      guard let choice else { return }
      kept += 1
      standings[choice.standing, default: 0] += 1
      for caution in choice.entry.cautions { cautions[caution, default: 0] += 1 }
    }
  }

  /// The plan that results from `recover`.
  package let recovering: RepairPlan
  /// The plan that results from `discard`.
  package let discarding: RepairPlan
  /// The rows: first the keys that `recover` keeps, in file order, then those that only `discard`
  /// keeps.
  package let rows: [Row]
  /// The totals for `recover`.
  package private(set) var recovered = Tally()
  /// The totals for `discard`.
  package private(set) var discarded = Tally()

  /// Compares two plans for `store`.
  ///
  /// - Complexity: O(size of the log).
  package init<S: Store>(
    _ recovering: RepairPlan, _ discarding: RepairPlan, of store: S, given diagnosis: Diagnosis
  ) {
    self.recovering = recovering
    self.discarding = discarding
    let judge = StandingJudge(store, diagnosis.best, of: [recovering, discarding])
    func choices(_ plan: RepairPlan) -> [(key: Key, choice: Choice)] {
      plan.kept.map { entry in
        let key = store.key(of: entry.record)
        return (key, Choice(entry: entry, standing: judge.standing(of: entry, under: key)))
      }
    }
    let first = choices(recovering)
    let second = choices(discarding)
    var others = Dictionary(second) { $1 }
    var rows = first.map { key, choice in
      let other = others.removeValue(forKey: key)
      return Row(
        key: key, recovered: choice, discarded: other,
        isSame: other.map {
          $0.entry.record == choice.entry.record
            || store.hasSameValue($0.entry.record, as: choice.entry.record, in: store)
        } ?? false)
    }
    for (key, choice) in second where others[key] != nil {
      rows.append(Row(key: key, recovered: nil, discarded: choice, isSame: false))
    }
    self.rows = rows
    for row in rows {
      recovered.add(row.recovered)
      discarded.add(row.discarded)
    }
  }

  /// Whether both answers lead to the same entries.
  package var isSameStore: Bool { rows.allSatisfy(\.isSame) }

  /// Returns the totals for `answer`.
  package func tally(_ answer: RecoveryDecision) -> Tally {
    answer == .recover ? recovered : discarded
  }

  /// The answer that keeps more of the newest values.
  ///
  /// If both keep equally many, it is the answer with fewer values that are known to be outdated,
  /// and then the one that keeps more entries. If these are equal too, it is `recover`.
  package var recommended: RecoveryDecision {
    let first = (recovered.count(.newest), -recovered.outdated, recovered.kept)
    let second = (discarded.count(.newest), -discarded.outdated, discarded.kept)
    return first >= second ? .recover : .discard
  }
}

/// Determines the status of an entry by comparing it with the newest record of its key in the best
/// state.
private struct StandingJudge<S: Store> {
  private let store: S
  private let best: StoreState?
  private var newest: [Key: Record] = [:]
  private var removed: Set<Key> = []

  /// Creates a judge of the entries that `plans` keep.
  init(_ store: S, _ best: StoreState?, of plans: [RepairPlan]) {
    self.store = store
    self.best = best
    guard let best else { return }
    for record in best.snapshot.live { newest[store.key(of: record)] = record }
    var unknown: Set<Key> = []
    for plan in plans {
      for entry in plan.kept {
        let key = store.key(of: entry.record)
        if newest[key] == nil { unknown.insert(key) }
      }
    }
    guard let log = best.log, !unknown.isEmpty else { return }
    var found: Set<Key> = []
    store.forEachRecord(in: log, scan: best.scan, around: best.gaps) { event in
      guard case .record(let record) = event, record.operation == .remove else { return }
      let key = store.key(of: record)
      if unknown.contains(key) { found.insert(key) }
    }
    removed = found
  }

  func standing(of entry: RepairPlan.KeptEntry, under key: Key) -> AnswerComparison.Standing {
    guard let best, let record = newest[key] else {
      if removed.contains(key) { return .removed }
      // No other record in the files is about this key.
      return entry.evidence >= .corrected ? .newest : .unsupported
    }
    if record == entry.record || store.hasSameValue(record, as: entry.record, in: store) {
      return entry.evidence == .guess && entry.isUnlikely ? .unsupported : .newest
    }
    let isGuess = best.evidence(of: record) == .guess && best.isUnlikely(record)
    return isGuess ? .beforeGuess : .older
  }
}
