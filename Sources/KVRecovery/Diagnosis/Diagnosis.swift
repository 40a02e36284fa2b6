import KVBytes
package import KVModel

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

  /// Diagnoses `store`, and checks expiry times against `now`, in seconds since 1970.
  ///
  /// - Complexity: O(*n*) for files of *n* bytes in total.
  package init<S: Store>(of store: S, now: UInt32) {
    var states: [StoreState] = []
    if case .readable = store.access { states = StateFinder(store).states() }
    let best = Diagnosis.best(of: states)
    predictions = EnginePredictor(store, states).predictions()
    self.states = states
    coverage = Diagnosis.coverage(of: store, by: best)
    var findings = store.check() + store.files.flawFindings
    if let current = states.first, current.isVerified, !current.snapshot.gaps.isEmpty,
      let log = current.log, let undecodable = store.traits.undecodable
    {
      findings.append(
        Finding(
          undecodable.code, at: log,
          "the checksum over \(log.count.grouped) bytes matches, but not every record decodes: "
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

  /// Returns whether `store` is undamaged but was emptied, and former entries can be recovered.
  package func isEmptied<S: Store>(_ store: S) -> Bool {
    verdict == .clean && state(.beforeReset) != nil && recoverableCount(of: store) > 0
  }

  /// The number of entries in the best state, without those whose value is missing.
  package var entryCount: Int { best?.entryCount ?? 0 }

  /// Returns the number of entries that the app will lose or has lost, but that a repair of `store`
  /// or its state before it was emptied contains.
  ///
  /// The app is assumed to answer as its engine does by default.
  package func recoverableCount<S: Store>(of store: S) -> Int {
    let valueless = best?.keysWithoutValue(in: store) ?? []
    let lost = (predictions.first { $0.answer == .discard }?.lostKeys ?? [])
      .filter { !valueless.contains($0) }
    guard let older = state(.beforeReset)?.snapshot.live else { return lost.count }
    let held = Set((best?.snapshot.live ?? []).map { store.key(of: $0) })
    return Set(lost).union(older.map { store.key(of: $0) }.filter { !held.contains($0) }).count
  }

  /// Returns the state with this name, if the files hold evidence for it.
  package func state(_ name: StateName) -> StoreState? { states.first { $0.name == name } }

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
      tally.slack = own.count - (state?.log?.count ?? 0)
    }
    return tally
  }
}
