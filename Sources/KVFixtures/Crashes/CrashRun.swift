package import KVModel

/// Carries out a script, stops it at every moment, and reads the files left each time.
package struct CrashRun: Sendable {
  /// Limits on the states that are examined.
  package struct Limits: Hashable, Sendable {
    /// The maximum number of power-loss states that are examined at one moment.
    var powerLosses: Int
    /// Whether power losses are examined after each store to memory, and not only after each
    /// operation.
    var isThorough: Bool
    /// The first operation whose states are examined, counted from 1.
    package var firstOperation = 1
    /// One in this many states is kept with what may be found in it; 0 for none.
    package var sampleDistance = 0

    /// Creates limits.
    package init(powerLosses: Int = 16, isThorough: Bool = false) {
      self.powerLosses = powerLosses
      self.isThorough = isThorough
    }
  }

  /// The results of a run.
  package struct Report: Hashable, Sendable {
    /// The number of operations carried out.
    package var operations = 0
    /// The tally of the states after a kill.
    package var kills = CrashTally()
    /// The tally of the states after a power loss.
    package var powerLosses = CrashTally()
    /// The entries that were read incorrectly, at most ``problemLimit`` of them.
    package var problems: [CrashProblem] = []
    /// The sample of the states.
    package var sample: [CrashSample] = []

    /// The maximum number of problems listed.
    package static let problemLimit = 100
  }

  private let script: Script
  private let seed: UInt64
  private let limits: Limits
  private let judge: any StateJudge

  /// Creates a run of `script`.
  ///
  /// `seed` determines the random choices of the engine and the samples.
  package init(_ script: Script, seed: UInt64, limits: Limits = Limits()) {
    self.script = script
    self.seed = seed
    self.limits = limits
    judge = CrashJudge(script.settings)
  }

  /// Creates a run of `script`, which writes `format`, whose files `reader` reads.
  package init(
    _ script: Script, as format: TableFormat, readBy reader: any EntryReader, seed: UInt64,
    limits: Limits = Limits()
  ) {
    self.script = script
    self.seed = seed
    self.limits = limits
    judge = TableJudge(script.settings, format, reader: reader)
  }

  /// Examines all states, and returns the results.
  ///
  /// `progress` is called with the number of operations done, at the start and after each
  /// operation.
  ///
  /// - Throws: ``ScriptError`` if the script cannot be carried out.
  package func report(progress: (Int) -> Void = { _ in }) throws(ScriptError) -> Report {
    var simulation = try Simulation(script, seed: seed)
    var watch = CrashWatch(judge, seed: seed, limits: limits, from: simulation.opening)
    progress(0)
    while let step = try simulation.next() {
      watch.follow(step)
      progress(watch.report.operations)
    }
    return watch.report
  }
}

/// Follows a simulation step by step, and examines what a crash would leave at every moment.
private struct CrashWatch {
  private(set) var report = CrashRun.Report()
  private let limits: CrashRun.Limits
  private var judge: any StateJudge
  private var generator: SeededGenerator
  private var power = PowerLoss()
  private var image: DiskImage
  /// What a killed process may leave.
  private var written = CrashTruth()
  /// What a power loss may leave.
  private var settled = CrashTruth()
  /// The entries that the app has at a launch before the current operation.
  private var before: [Key: [UInt8]] = [:]
  /// The number of states so far, of those that one key opens.
  private var seen = 0

  init(
    _ judge: any StateJudge, seed: UInt64, limits: CrashRun.Limits, from opening: [DiskEvent]
  ) {
    self.limits = limits
    self.judge = judge
    generator = SeededGenerator(seed: seed)
    image = power.image(after: opening)
  }

  /// Whether the states of the current operation are examined.
  private var isLooking: Bool { report.operations >= limits.firstOperation }

  /// Follows `step`, and examines the states that a crash during it can leave.
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

  /// Follows the event of `step` at that index, and examines the states that a power loss can then
  /// leave.
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

  /// Examines a state that a crash during `step` left, and adds the result to the report.
  private mutating func look(
    at state: CrashState, _ step: SimulationStep, _ truth: CrashTruth,
    _ tally: WritableKeyPath<CrashRun.Report, CrashTally>
  ) {
    if step.keys.count == 1, limits.sampleDistance > 0 {
      seen += 1
      if seen % limits.sampleDistance == 0 {
        report.sample.append(
          CrashSample(
            format: judge.settings.formatName, state: state, key: step.keyAfter, now: step.now,
            entries: truth.acceptable))
      }
    }
    let finding = judge.judge(state.image, step, truth)
    report[keyPath: tally] += finding.tally
    for (kind, key) in finding.problems
    where report.problems.count < CrashRun.Report.problemLimit {
      report.problems.append(
        CrashProblem(
          kind: kind, key: key, line: step.statement.line ?? report.operations, state: state))
    }
  }
}
