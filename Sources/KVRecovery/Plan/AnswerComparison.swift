package import KVModel

/// How the two answers to a question about damage compare, key by key.
///
/// How many entries an answer keeps says little: an older log can hold more of them. What counts is how
/// many of the values are the newest that the files hold.
package struct AnswerComparison: Sendable {
  /// What an entry is, measured by what else the files hold of its key.
  package enum Standing: Hashable, Sendable, CaseIterable {
    /// Its value is the newest that the files hold.
    case newest
    /// The files hold a newer value.
    case older
    /// The files hold a newer value, but that is a guess.
    case beforeGuess
    /// The files hold a later removal of its key.
    case removed
    /// It is a guess, or nothing else in the files is about its key and no checksum verifies it.
    case unsupported
  }

  /// An entry that an answer keeps.
  package struct Choice: Sendable {
    /// The entry.
    package let entry: RepairPlan.KeptEntry
    /// What it is, measured by what else the files hold.
    package let standing: Standing
  }

  /// What the answers make of a key; at least one of them keeps an entry for it.
  package struct Row: Sendable {
    /// The key.
    package let key: Key
    /// What `recover` keeps; `nil` for nothing.
    package let recovered: Choice?
    /// What `discard` keeps; `nil` for nothing.
    package let discarded: Choice?
    /// Whether both keep the same value.
    package let isSame: Bool
  }

  /// What an answer comes to.
  package struct Tally: Hashable, Sendable {
    /// How many entries it keeps.
    package private(set) var kept = 0
    private var standings: [Standing: Int] = [:]
    private var cautions: [Caution: Int] = [:]

    /// How many of them have this standing.
    package func count(_ standing: Standing) -> Int { standings[standing, default: 0] }
    /// How many of them carry this caution.
    package func count(_ caution: Caution) -> Int { cautions[caution, default: 0] }

    /// How many of them are known not to be what the app had last.
    var outdated: Int { count(.older) + count(.removed) }

    fileprivate mutating func add(_ choice: Choice?) {
      guard let choice else { return }
      kept += 1
      standings[choice.standing, default: 0] += 1
      for caution in choice.entry.cautions { cautions[caution, default: 0] += 1 }
    }
  }

  /// The plan that `recover` leads to.
  package let recovering: RepairPlan
  /// The plan that `discard` leads to.
  package let discarding: RepairPlan
  /// The keys: those that `recover` keeps in file order, then those that `discard` alone keeps.
  package let rows: [Row]
  /// What `recover` comes to.
  package private(set) var recovered = Tally()
  /// What `discard` comes to.
  package private(set) var discarded = Tally()

  /// The comparison of two plans for `store`.
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
            || store.value(of: $0.entry.record) == store.value(of: choice.entry.record)
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

  /// What `answer` comes to.
  package func tally(_ answer: RecoveryDecision) -> Tally {
    answer == .recover ? recovered : discarded
  }

  /// The answer that keeps more of the newest values; of two that keep as many, the one with fewer that
  /// are known to be outdated, and then the one that keeps more.
  package var recommended: RecoveryDecision {
    let first = (recovered.count(.newest), -recovered.outdated, recovered.kept)
    let second = (discarded.count(.newest), -discarded.outdated, discarded.kept)
    return first >= second ? .recover : .discard
  }
}

/// Tells what an entry is, by the newest record of its key in the state that the files support best.
private struct StandingJudge<S: Store> {
  private let store: S
  private let best: StoreState?
  private var newest: [Key: Record] = [:]
  private var removed: Set<Key> = []

  /// A judge of the entries that `plans` keep.
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
      // The only value that the files hold.
      return entry.evidence >= .corrected ? .newest : .unsupported
    }
    if record == entry.record || store.value(of: record) == store.value(of: entry.record) {
      return entry.evidence == .guess ? .unsupported : .newest
    }
    return best.evidence(of: record) == .guess ? .beforeGuess : .older
  }
}
