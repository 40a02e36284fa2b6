import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// Compares what is found in the files that a crash left with what may be found.
protocol StateJudge: Sendable {
  /// The settings of the store.
  var settings: StoreSettings { get }

  /// Notes what an operation left.
  ///
  /// - Returns: The entries that the app has at the next launch. Some engines bring back cleared
  ///   entries then.
  mutating func note(_ step: SimulationStep) -> [Key: [UInt8]]

  /// Returns the result for the files that a crash during `step` left.
  func judge(_ image: DiskImage, _ step: SimulationStep, _ truth: CrashTruth) -> CrashFinding
}

/// The result for one state that a crash left.
struct CrashFinding {
  var tally = CrashTally()
  var problems: [(CrashProblem.Kind, Key)] = []
}

/// Reads the files that a crash left of a format with a log.
struct CrashJudge: StateJudge {
  let settings: StoreSettings
  /// The records of all values so far.
  private(set) var records = RecordBytes()

  init(_ settings: StoreSettings) { self.settings = settings }

  /// Adds the records of the files that an operation left.
  mutating func note(_ step: SimulationStep) -> [Key: [UInt8]] {
    note(format(step.keyAfter, step.now), step)
  }

  private mutating func note<F: StoreFormat>(
    _ format: F, _ step: SimulationStep
  ) -> [Key: [UInt8]] {
    records.note(format.open(files(of: step.after)).corrected(), now: step.now)
  }

  /// Reads a state with each key that it may have, and returns the result of the reading that finds
  /// the most.
  func judge(
    _ image: DiskImage, _ step: SimulationStep, _ truth: CrashTruth
  ) -> CrashFinding {
    var best: CrashFinding?
    for key in step.keys {
      let finding = judge(format(key, step.now), image, step.now, truth)
      if finding.tally.kept >= best?.tally.kept ?? 0 || best == nil { best = finding }
    }
    return best ?? CrashFinding()
  }

  private func judge<F: StoreFormat>(
    _ format: F, _ image: DiskImage, _ now: UInt32, _ truth: CrashTruth
  ) -> CrashFinding {
    let opened = format.open(files(of: image))
    let store = opened.corrected()
    let diagnosis = Diagnosis(of: store, now: now)
    var planner = RepairPlanner(strategy: .recover)
    planner.leastProbability = .evenOdds
    let plan = planner.plan(store, given: diagnosis)
    var finding = CrashFinding()
    finding.tally.states = 1
    let found = entries(plan?.kept, of: store)
    let aside = entries(plan?.aside, of: store).mapValues { store.value(of: $0.record) }
    for (key, acceptable) in truth.acceptable {
      let entry = found[key]
      let value = entry.map { store.value(of: $0.record) }
      if acceptable.contains(value) {
        if value != nil { finding.tally.kept += 1 }
      } else if let guess = aside[key], acceptable.contains(guess) {
        finding.tally.setAside += 1
      } else {
        // If all checksums hold and the store still omits an entry, the engine itself had omitted
        // it at that moment.
        let isThere =
          diagnosis.verdict != .clean
          && acceptable.contains { $0.map { records.isThere(key, $0, in: store) } ?? false }
        count(key, value, entry, isThere: isThere, truth, &finding)
      }
    }
    for (key, entry) in found where truth.acceptable[key] == nil {
      count(key, store.value(of: entry.record), entry, isThere: false, truth, &finding)
    }
    for (index, prediction) in diagnosis.predictions.enumerated() {
      finding.tally.engine[index] = engineTally(prediction, opened, truth)
    }
    return finding
  }

  /// The entries by their keys.
  private func entries(
    _ entries: [RepairPlan.KeptEntry]?, of store: some Store
  ) -> [Key: RepairPlan.KeptEntry] {
    Dictionary((entries ?? []).map { (store.key(of: $0.record), $0) }) { $1 }
  }

  /// Counts an entry that was not found, or was found with an unacceptable value.
  private func count(
    _ key: Key, _ value: [UInt8]?, _ entry: RepairPlan.KeptEntry?, isThere: Bool,
    _ truth: CrashTruth, _ finding: inout CrashFinding
  ) {
    guard let entry, let value else {
      finding.tally.missed += isThere ? 1 : 0
      finding.tally.destroyed += isThere ? 0 : 1
      if isThere { finding.problems.append((.missed, key)) }
      return
    }
    guard truth.written[key]?.contains(value) ?? false else {
      finding.tally.invented += 1
      return finding.problems.append((.invented, key))
    }
    finding.tally.stale += isThere ? 0 : 1
    finding.tally.staleThoughThere += isThere ? 1 : 0
    if isThere { finding.problems.append((.staleThoughThere, key)) }
    if entry.evidence >= .corrected, entry.cautions.isEmpty {
      finding.tally.staleAsSound += 1
      finding.problems.append((.staleAsSound, key))
    }
  }

  private func engineTally<S: Store>(
    _ prediction: EnginePrediction, _ store: S, _ truth: CrashTruth
  ) -> CrashTally.EngineTally {
    var found: [Key: [UInt8]] = [:]
    for record in prediction.snapshot.live {
      found[store.key(of: record)] = store.value(of: record)
    }
    return CrashTally.EngineTally(found, truth)
  }

  // MARK: Opening

  private func format(_ key: StoreKey?, _ now: UInt32) -> any StoreFormat {
    settings.format.format.storeFormat(key: key, now: now)
  }

  /// Returns the files as discovery would return them.
  ///
  /// Beside a `.kvc`, the temporary file that was to replace it is not a copy.
  private func files(of image: DiskImage) -> [StoreFile] {
    let hasC = image[settings.name + ".kvc"] != nil
    return image.storeFiles().map { file in
      file.path.string.hasSuffix(".tmp") && hasC
        ? StoreFile(.external, at: file.path, file.image) : file
    }
  }
}
