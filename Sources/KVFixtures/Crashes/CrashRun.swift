import KVModel

/// Carries out a script, stops it at every moment, and reads what is left each time.
package struct CrashRun: Sendable {
  /// How much is looked at.
  package struct Limits: Hashable, Sendable {
    /// The most states of a power loss that are looked at at one moment.
    package var powerLosses: Int
    /// Whether the power is lost after each store to memory, and not only after each operation.
    package var isThorough: Bool
    /// The operation from which on it is looked, counted from 1.
    var firstOperation = 1

    /// Limits.
    package init(powerLosses: Int = 16, isThorough: Bool = false) {
      self.powerLosses = powerLosses
      self.isThorough = isThorough
    }
  }

  /// What was found.
  package struct Report: Hashable, Sendable {
    /// How many operations were stopped.
    package var operations = 0
    /// After a process was killed.
    package var kills = CrashTally()
    /// After the power was lost.
    package var powerLosses = CrashTally()
    /// The entries that were not read as they should have been, at most ``problemLimit`` of them.
    package var problems: [CrashProblem] = []

    /// How many problems are listed.
    package static let problemLimit = 100
  }

  private let script: Script
  private let seed: UInt64
  private let limits: Limits

  /// A run of `script`; `seed` decides what the engine and the samples draw by chance.
  package init(_ script: Script, seed: UInt64, limits: Limits = Limits()) {
    self.script = script
    self.seed = seed
    self.limits = limits
  }

  /// Looks at all states, and calls `progress` before each operation with the number of those done.
  ///
  /// - Throws: Where the script cannot be carried out.
  package func report(progress: (Int) -> Void = { _ in }) throws(ScriptError) -> Report {
    var report = Report()
    var simulation = try Simulation(script, seed: seed)
    var judge = CrashJudge(script.settings)
    var generator = SeededGenerator(seed: seed)
    var power = PowerLoss()
    var image = power.image(after: simulation.opening)
    var written = CrashTruth()
    var settled = CrashTruth()
    /// What the app has when it starts again before the operation.
    var before: [Key: [UInt8]] = [:]
    progress(0)
    while let step = try simulation.next() {
      report.operations += 1
      let after = judge.note(step)
      written.settle(before)
      for entries in [step.entriesBefore, step.entriesAfter, after] { written.admit(entries) }
      let isLookedAt = report.operations >= limits.firstOperation
      for state in KillStates(of: step) where isLookedAt {
        look(
          at: state, step, judge, written, &report.kills, &report.problems, report.operations)
      }
      settled.admit(step.entriesAfter)
      settled.admit(after)
      for (index, event) in step.events.enumerated() {
        image.apply(event)
        power.follow(event, to: image)
        if case .sync = event, power.dirtyParts(of: image).isEmpty {
          settled.settle(before)
          for entries in [step.entriesBefore, step.entriesAfter, after] { settled.admit(entries) }
        }
        guard isLookedAt, limits.isThorough || index == step.events.count - 1 else { continue }
        let states = power.states(
          of: image, events: index + 1, limit: limits.powerLosses, using: &generator)
        for state in states {
          look(
            at: state, step, judge, settled, &report.powerLosses, &report.problems,
            report.operations)
        }
      }
      before = after
      progress(report.operations)
    }
    return report
  }

  /// Looks at what a crash leaves of `step`, and counts what is read of it.
  private func look(
    at state: CrashState, _ step: SimulationStep, _ judge: CrashJudge, _ truth: CrashTruth,
    _ tally: inout CrashTally, _ problems: inout [CrashProblem], _ operation: Int
  ) {
    let keys = step.keyBefore == step.keyAfter ? [step.keyAfter] : [step.keyBefore, step.keyAfter]
    let finding = judge.judge(state.image, keys: keys, now: step.now, truth)
    tally += finding.tally
    for (kind, key) in finding.problems where problems.count < Report.problemLimit {
      problems.append(
        CrashProblem(
          kind: kind, key: key, line: step.statement.line ?? operation, state: state))
    }
  }
}
