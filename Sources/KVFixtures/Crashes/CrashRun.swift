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
    package var firstOperation = 1

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
    var simulation = try Simulation(script, seed: seed)
    var watch = CrashWatch(script.settings, seed: seed, limits: limits, from: simulation.opening)
    progress(0)
    while let step = try simulation.next() {
      watch.follow(step)
      progress(watch.report.operations)
    }
    return watch.report
  }
}

/// Follows a simulation step by step, and looks at what a crash would leave at every moment.
private struct CrashWatch {
  private(set) var report = CrashRun.Report()
  private let limits: CrashRun.Limits
  private var judge: CrashJudge
  private var generator: SeededGenerator
  private var power = PowerLoss()
  private var image: DiskImage
  /// What a killed process may leave.
  private var written = CrashTruth()
  /// What a power loss may leave.
  private var settled = CrashTruth()
  /// What the app has when it starts again before the operation.
  private var before: [Key: [UInt8]] = [:]

  init(
    _ settings: StoreSettings, seed: UInt64, limits: CrashRun.Limits, from opening: [DiskEvent]
  ) {
    self.limits = limits
    judge = CrashJudge(settings)
    generator = SeededGenerator(seed: seed)
    image = power.image(after: opening)
  }

  /// Whether the states of the current operation are looked at.
  private var isLooking: Bool { report.operations >= limits.firstOperation }

  /// Carries out `step`, and looks at the states that a crash in it leaves.
  mutating func follow(_ step: SimulationStep) {
    report.operations += 1
    let after = judge.note(step)
    written.settle(before)
    for entries in [step.entriesBefore, step.entriesAfter, after] { written.admit(entries) }
    if isLooking {
      for state in KillStates(of: step) { look(at: state, step, written, \.kills) }
    }
    settled.admit(step.entriesAfter)
    settled.admit(after)
    for index in step.events.indices { follow(step, event: index, after) }
    before = after
  }

  /// Carries out the event of `step` with that index, and looks at what a power loss then leaves.
  private mutating func follow(_ step: SimulationStep, event index: Int, _ after: [Key: [UInt8]]) {
    let event = step.events[index]
    image.apply(event)
    power.follow(event, to: image)
    if case .sync = event, power.dirtyParts(of: image).isEmpty {
      settled.settle(before)
      for entries in [step.entriesBefore, step.entriesAfter, after] { settled.admit(entries) }
    }
    guard isLooking, limits.isThorough || index == step.events.count - 1 else { return }
    let states = power.states(
      of: image, events: index + 1, limit: limits.powerLosses, using: &generator)
    for state in states { look(at: state, step, settled, \.powerLosses) }
  }

  /// Looks at what a crash leaves of `step`, and counts what is read of it.
  private mutating func look(
    at state: CrashState, _ step: SimulationStep, _ truth: CrashTruth,
    _ tally: WritableKeyPath<CrashRun.Report, CrashTally>
  ) {
    let keys = step.keyBefore == step.keyAfter ? [step.keyAfter] : [step.keyBefore, step.keyAfter]
    let finding = judge.judge(state.image, keys: keys, now: step.now, truth)
    report[keyPath: tally] += finding.tally
    for (kind, key) in finding.problems
    where report.problems.count < CrashRun.Report.problemLimit {
      report.problems.append(
        CrashProblem(
          kind: kind, key: key, line: step.statement.line ?? report.operations, state: state))
    }
  }
}
