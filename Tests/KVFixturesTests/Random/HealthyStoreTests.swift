import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Stores of all ``AppShape``s, healthy and with a data file that is newer than the meta file.
@Suite struct HealthyStoreTests {
  /// Returns the files and entries of a store after each operation of an app.
  private func steps(
    _ shape: AppShape, _ seed: UInt64, _ generator: inout SeededGenerator
  ) throws -> [(image: DiskImage, entries: [Key: [UInt8]], now: UInt32)] {
    var settings = StoreSettings()
    settings.page = 4096
    let script = Script(settings, shape.operations(&generator))
    var simulation = try Simulation(script, seed: seed)
    var steps: [(DiskImage, [Key: [UInt8]], UInt32)] = []
    while let step = try simulation.next() {
      steps.append((step.after, step.entriesAfter, step.now))
    }
    return steps
  }

  private func diagnosed(_ image: DiskImage, now: UInt32) -> (MMKVStore, Diagnosis) {
    let store = MMKVFormat(now: now).open(image.storeFiles()).corrected()
    return (store, Diagnosis(of: store, now: now))
  }

  /// Tests that none of these stores is called damaged, and that a repair keeps exactly what the app
  /// has.
  ///
  /// `KVFSCK_STORES` is the number of stores of each shape.
  @Test(arguments: AppShape.allCases)
  func aRepairKeepsWhatTheAppHas(shape: AppShape) throws {
    let seeds = RandomSeeds.fresh(TestExtent.storeCount ?? TestExtent.count(60, of: 600))
    var damaged: [UInt64] = []
    var (count, cautionCount, newerCount) = (0, 0, 0)
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      let steps = try steps(shape, seed, &generator)
      for _ in 0..<min(5, steps.count) {
        guard let step = steps.randomElement(using: &generator) else { continue }
        let (store, diagnosis) = diagnosed(step.image, now: step.now)
        if diagnosis.verdict != .clean { damaged.append(seed) }
        let kept =
          RepairPlanner(strategy: FixedStrategy.recover)
          .plan(store, given: diagnosis)?.kept ?? []
        #expect(store.entries(kept.map(\.record)) == step.entries, "seed \(seed)")
        count += 1
        if kept.contains(where: { !$0.cautions.isEmpty }) { cautionCount += 1 }
        if diagnosis.state(.appended) != nil { newerCount += 1 }
      }
    }
    print(
      "of \(count) healthy stores, \(shape), \(damaged.count) called damaged, \(cautionCount) "
        + "with a caution, \(newerCount) with the state appended")
    #expect(damaged.count <= count / 50_000, "seeds \(damaged)")
    #expect(cautionCount <= 5 + count / 50)
    #expect(newerCount <= 1 + count / 10_000)
  }

  /// Tests how many of the values that are older than those in the data file have a caution, if the
  /// meta file is of an earlier time and its checksum still matches.
  @Test func oldValuesHaveACautionIfTheDataFileIsNewer() throws {
    var total = (stores: 0, newer: 0, whole: 0, stale: 0, cautioned: 0)
    for shape in AppShape.allCases {
      var part = (stores: 0, newer: 0, whole: 0, stale: 0, cautioned: 0)
      for seed in RandomSeeds.fresh(TestExtent.storeCount ?? TestExtent.count(60, of: 600)) {
        var generator = SeededGenerator(seed: seed)
        let steps = try steps(shape, seed, &generator)
        for _ in 0..<3 where steps.count > 1 {
          let first = Int.random(in: 0..<steps.count - 1, using: &generator)
          let last = min(
            steps.count - 1, first + Int.random(in: 1...20, using: &generator))
          let (old, new) = (steps[first], steps[last])
          var image = new.image
          guard old.entries != new.entries, let meta = old.image["kv.crc"] else { continue }
          image.replace("kv.crc", with: meta.bytes)
          let (store, diagnosis) = diagnosed(image, now: new.now)
          guard let current = diagnosis.state(.current), current.isSound, current.entryCount > 0
          else { continue }
          part.stores += 1
          for record in current.snapshot.live
          where new.entries[store.key(of: record)] != store.value(of: record) {
            part.stale += 1
            if current.cautions(of: record).contains(.mayBeStale) { part.cautioned += 1 }
          }
          guard let appended = diagnosis.state(.appended) else { continue }
          part.newer += 1
          if store.entries(appended.snapshot.live) == new.entries { part.whole += 1 }
        }
      }
      print("newer data file, \(shape): \(part)")
      total.stores += part.stores
      total.newer += part.newer
      total.whole += part.whole
      total.stale += part.stale
      total.cautioned += part.cautioned
    }
    print("newer data file: \(total)")
    #expect(total.newer * 100 >= total.stores * 15)
    #expect(total.cautioned * 100 >= total.stale * 60)
    #expect(total.whole * 100 >= total.newer * 90)
  }
}
