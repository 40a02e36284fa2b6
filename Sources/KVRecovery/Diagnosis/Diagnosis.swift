import KVBytes
package import KVModel

extension Store {
  /// Returns the store, read with the corrections that are chosen, and what is known about it.
  ///
  /// This is the way from a store as found to anything that is said about it.
  package func examined(now: UInt32) -> (store: Self, diagnosis: Diagnosis) {
    let store = corrected()
    return (store, Diagnosis(of: store, now: now))
  }
}

/// What is known about a store: findings, states, predictions, and a category for every byte.
package struct Diagnosis: Sendable {
  /// The condition of the store.
  package let verdict: Verdict
  /// The findings, the worst first, and in file order within a severity.
  package let findings: [Finding]
  /// The states that the files hold evidence for; empty if the records cannot be read.
  package let states: [StoreState]
  /// What the engine will do at its next launch, for each of the two answers.
  package let predictions: [EnginePrediction]
  /// The bytes of all files, by category.
  package let coverage: ByteTally
  /// The number of entries that the app will lose or has lost, but that a repair or the state before
  /// the store was emptied contains.
  ///
  /// The app is assumed to answer as its engine does by default.
  package let recoverable: EntryCount
  /// The records that are not live; `nil` if the records cannot be read.
  package let past: PastRecords?

  /// Diagnoses `store`, and checks expiry times against `now`, in seconds since 1970.
  ///
  /// - Complexity: O(*n*) for files of *n* bytes in total.
  package init<S: Store>(of store: S, now: UInt32) {
    var states: [StoreState] = []
    if case .readable = store.access { states = StateFinder(store).states() }
    let best = Diagnosis.best(of: states)
    predictions = EnginePredictor(store, states).predictions(now: now)
    self.states = states
    recoverable = Diagnosis.recoverable(of: store, states, predictions)
    past = best.map { History(of: store, by: $0).pastRecords() }
    coverage = Diagnosis.coverage(of: store, by: best)
    var findings =
      store.check() + store.files.flawFindings
      + store.files.undoneFindings(because: "the stored checksums match")
    // A log whose end is undecided is not damaged by that, and a small store may have no high bits.
    if findings.contains(where: { $0.severity == .damage }),
      states.first.map({ !$0.isVerified || $0.hasContradictedEntry }) ?? true
    {
      findings += store.files.suspectedCopyFindings(mixedCount: store.mixedByteCount)
    }
    if let current = states.first, current.isVerified, !current.snapshot.gaps.isEmpty,
      let log = current.log, let undecodable = store.traits.undecodable
    {
      findings.append(
        Finding(
          undecodable.code, at: log,
          "the checksum over \(log.count.inBytes) matches, but not every record decodes: "
            + undecodable.consequence))
    }
    if let best {
      findings += RecordChecks(store, states, best, predictions, now: now).findings()
    }
    self.findings = findings.sorted {
      ($1.severity, $0.extent?.file.number ?? 0, $0.extent?.offset ?? 0)
        < ($0.severity, $1.extent?.file.number ?? 0, $1.extent?.offset ?? 0)
    }
    verdict = Diagnosis.verdict(findings, best, mayLackEntries: store.traits.mayLackEntries)
  }

  /// The state with everything that a repair can keep; `nil` if the records cannot be read.
  ///
  /// It is the salvaged state if there is one, otherwise the current one.
  package var best: StoreState? { Diagnosis.best(of: states) }

  /// The state with the longest log that a stored checksum verifies; `nil` if there is none.
  package var verified: StoreState? {
    states.filter { $0.isSound && $0.name != .beforeReset }
      .max { $0.log?.count ?? 0 < $1.log?.count ?? 0 }
  }

  /// Whether the store is undamaged but was emptied, and former entries can be recovered.
  package var isEmptied: Bool {
    verdict == .clean && state(.beforeReset) != nil && !recoverable.isEmpty
  }

  /// The number of entries in the best state, without those whose value is missing.
  package var entries: EntryCount { best?.entries ?? EntryCount() }

  /// The number of entries that the app will not have after its next launch; `nil` if the records
  /// cannot be read.
  ///
  /// The app is assumed to answer as its engine does by default.
  var lost: EntryCount? {
    verdict == .unreadable ? nil : predictions.first { $0.answer == .discard }?.lost
  }

  /// Returns the state with this name, if the files hold evidence for it.
  package func state(_ name: StateName) -> StoreState? { states.first { $0.name == name } }

  private static func recoverable<S: Store>(
    of store: S, _ states: [StoreState], _ predictions: [EnginePrediction]
  ) -> EntryCount {
    var count = predictions.first { $0.answer == .discard }?.recoverable ?? EntryCount()
    guard let older = states.first(where: { $0.name == .beforeReset }) else { return count }
    let held = Set((best(of: states)?.snapshot.live ?? []).map { store.key(of: $0) })
    for record in older.snapshot.live where !held.contains(store.key(of: record)) {
      count.add(isGuess: older.isUnlikely(record))
    }
    return count
  }

  static func best(of states: [StoreState]) -> StoreState? {
    states.first { $0.name == .salvaged } ?? states.first
  }

  private static func verdict(
    _ findings: [Finding], _ best: StoreState?, mayLackEntries: Bool
  ) -> Verdict {
    guard let best else { return .unreadable }
    guard findings.contains(where: { $0.severity == .damage }) else { return .clean }
    let isProven =
      best.isFreeOfDoubt && !mayLackEntries && best.snapshot.contradicted.isEmpty
    return isProven ? .repairable : .damaged
  }

  private static func coverage<S: Store>(of store: S, by state: StoreState?) -> ByteTally {
    let all = store.files.reduce(0) { $0 + $1.image.count }
    let areas = store.logAreas.reduce(0) { $0 + $1.count }
    let own = store.logAreas.first { $0.file == state?.log?.file } ?? store.logArea
    var tally = state?.snapshot.bytes ?? ByteTally()
    tally.structure += all - areas
    tally.copies = areas - own.count
    if state == nil {
      // No record can be read, so all of the log is lost.
      func count(_ kind: Region.Kind) -> Int {
        store.layout.filter { $0.kind == kind && own.contains($0.extent) }
          .reduce(0) { $0 + $1.extent.count }
      }
      tally.lost = count(.log)
      tally.slack = count(.slack)
      tally.structure += own.count - tally.lost - tally.slack
    } else {
      // What rules took from outside the log is live.
      let records = state?.takenRecords.filter { $0.file == own.file } ?? []
      let taken = records.reduce(0) { $0 + $1.count }
      tally.live += taken
      tally.slack = own.count - (state?.log?.count ?? 0) - taken
    }
    return tally
  }
}
