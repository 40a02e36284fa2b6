import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Healthy stores in which leftovers look most like newer records: a few keys of one length, with
/// values of one size, so that every older log is in sync with the end of the current one.
@Suite struct HealthyStoreTests {
  /// Returns a store of one to four such keys after up to 40 operations of the app.
  private func store(_ seed: UInt64) throws -> Simulation {
    var generator = SeededGenerator(seed: seed)
    var settings = StoreSettings()
    settings.page = 4096
    let keys = (0..<Int.random(in: 1...4, using: &generator)).map { Key(Array("key0\($0)".utf8)) }
    let count = Int.random(in: 1...24, using: &generator)
    let operations = (0..<Int.random(in: 1...40, using: &generator)).map { _ -> ScriptOperation in
      let key = keys[Int.random(in: keys.indices, using: &generator)]
      return switch Int.random(in: 0..<20, using: &generator) {
      case 0: .compact
      case 1: .reopen
      case 2: .trim
      case 3: .remove(Array(keys.prefix(2)))
      case 4...7: .remove([key])
      default: .set(key, .string(generator.text(count)), lifetime: nil)
      }
    }
    var simulation = try Simulation(Script(settings, operations), seed: seed)
    try simulation.finish()
    return simulation
  }

  /// Tests that none of these stores is called damaged, and that a repair keeps exactly what the app
  /// has.
  ///
  /// `KVFSCK_STORES` is the number of stores.
  @Test func aRepairKeepsWhatTheAppHas() throws {
    let seeds = RandomSeeds.fresh(TestExtent.storeCount ?? TestExtent.count(300, of: 3000))
    var damaged: [UInt64] = []
    var cautioned = 0
    for seed in seeds {
      let simulation = try store(seed)
      let store = MMKVFormat(now: simulation.now).open(simulation.image.storeFiles()).corrected()
      let diagnosis = Diagnosis(of: store, now: simulation.now)
      if diagnosis.verdict != .clean { damaged.append(seed) }
      let planner = RepairPlanner(strategy: FixedStrategy.recover)
      let kept = planner.plan(store, given: diagnosis)?.kept ?? []
      #expect(store.entries(kept.map(\.record)) == simulation.entries, "seed \(seed)")
      if kept.contains(where: { !$0.cautions.isEmpty }) { cautioned += 1 }
    }
    print(
      "of \(seeds.count) healthy stores of one to four keys, \(damaged.count) called damaged and "
        + "\(cautioned) with a caution")
    #expect(damaged.count <= seeds.count / 50_000, "seeds \(damaged)")
  }
}
