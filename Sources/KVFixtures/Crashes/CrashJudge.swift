import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// Reads the files that a crash left, and compares what is found with what may be found.
struct CrashJudge {
  let settings: StoreSettings
  /// The records of all values so far.
  private(set) var records = RecordBytes()

  init(_ settings: StoreSettings) { self.settings = settings }

  /// The result for one state.
  struct Finding {
    var tally = CrashTally()
    var problems: [(CrashProblem.Kind, Key)] = []
  }

  /// Adds the records of the files that an operation left.
  ///
  /// - Returns: The entries that the app has at the next launch. Some engines bring back cleared
  ///   entries then.
  mutating func note(_ step: SimulationStep) -> [Key: [UInt8]] {
    note(format(step.keyAfter, step.now), step)
  }

  private mutating func note<F: StoreFormat>(
    _ format: F, _ step: SimulationStep
  ) -> [Key: [UInt8]] {
    records.note(format.open(files(of: step.after)).corrected(), now: step.now)
  }

  /// Reads a state with each of `keys`, and returns the result of the reading that finds the most.
  func judge(_ image: DiskImage, keys: [StoreKey?], now: UInt32, _ truth: CrashTruth) -> Finding {
    var best: Finding?
    for key in keys {
      let finding = judge(format(key, now), image, now, truth)
      if finding.tally.kept >= best?.tally.kept ?? 0 || best == nil { best = finding }
    }
    return best ?? Finding()
  }

  private func judge<F: StoreFormat>(
    _ format: F, _ image: DiskImage, _ now: UInt32, _ truth: CrashTruth
  ) -> Finding {
    let opened = format.open(files(of: image))
    let store = opened.corrected()
    let diagnosis = Diagnosis(of: store, now: now)
    var planner = RepairPlanner(strategy: .recover)
    planner.leastProbability = .evenOdds
    let plan = planner.plan(store, given: diagnosis)
    var finding = Finding()
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
    _ truth: CrashTruth, _ finding: inout Finding
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
    var tally = CrashTally.EngineTally()
    var found: [Key: [UInt8]] = [:]
    for record in prediction.snapshot.live {
      found[store.key(of: record)] = store.value(of: record)
    }
    for (key, acceptable) in truth.acceptable where !acceptable.contains(found[key]) {
      if found[key] == nil { tally.lost += 1 }
    }
    for (key, value) in found {
      if truth.acceptable[key]?.contains(value) ?? false {
        tally.kept += 1
      } else if truth.written[key]?.contains(value) ?? false {
        tally.stale += 1
      } else {
        tally.invented += 1
      }
    }
    return tally
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
