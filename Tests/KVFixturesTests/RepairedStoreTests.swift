import KVBytes
import KVCalibration
import KVFixtures
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// The entries that the app's engine reads from a repaired store.
@Suite("Repaired stores")
struct RepairedStoreTests {
  private static let storeCount = 60

  @Test(
    "are loaded by the engine's model without a callback, with every entry that the plan keeps",
    arguments: SimulatedFormat.allCases)
  func engineHasWhatThePlanKeeps(format: SimulatedFormat) throws {
    var repaired = 0
    _ = try DamagedCases.forEach(of: format, count: Self.storeCount) { found, place in
      if try isLoadedAsPlanned(found, as: found.format, place) { repaired += 1 }
    }
    #expect(repaired > Self.storeCount / 2, "seed \(RandomSeeds.run)")
  }

  /// Repairs a store in memory, and compares what the engine's model reads from the result with the
  /// plan.
  ///
  /// Returns `false` if there is no plan.
  private func isLoadedAsPlanned<F: StoreFormat>(
    _ found: Calibration.Case, as format: F, _ place: String
  ) throws -> Bool {
    let store = format.open(found.image.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: found.now)
    var planner = RepairPlanner(strategy: .recover)
    planner.appliesEngineLimits = true
    // The engine also drops expired entries.
    planner.dropsExpiredAt = found.now
    guard let plan = planner.plan(store, given: diagnosis) else { return false }
    let files = try format.encode(plan.contents(of: store), like: store, cipher: .keep)
    let written = format.open(
      files.map { StoreFile($0.role, at: FilePath($0.name), FileImage($0.bytes)) })
    for answers in [EngineAnswers(always: .recover), EngineAnswers(always: .discard)] {
      let load = written.engineLoad(answering: answers)
      #expect(load.outcome == .loaded && load.callbacks.isEmpty, "\(place)")
      let loaded = values(written.engineMap(answering: answers), of: written)
      let kept = values(plan.kept.map(\.record), of: store)
      for key in Set(loaded.keys).union(kept.keys) {
        // A damaged NaN must be kept as it is.
        let isSame = loaded[key].flatMap { one in kept[key].map(one.isSame) } ?? false
        #expect(isSame, "\(place): \(key.bytes)")
      }
    }
    return true
  }

  /// Returns the first reading of the value of each key.
  private func values<S: Store>(_ records: [Record], of store: S) -> [Key: Value] {
    var values: [Key: Value] = [:]
    for record in records {
      values[store.key(of: record)] = store.readings(of: record).first?.value
    }
    return values
  }
}
