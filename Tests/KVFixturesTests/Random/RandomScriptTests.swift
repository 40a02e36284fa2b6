import FastKVFormat
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// The guarantees of every simulator for any script.
@Suite("Random scripts")
struct RandomScriptTests {
  /// The seeds that rules were tuned on.
  private static let chosenSeeds: [UInt64] = [1, 2, 11_253_007_201_904_944_999]
  /// Some of the chosen seeds, and different ones in each run.
  private static let seeds =
    TestExtent.share(1, of: chosenSeeds)
    + RandomSeeds.fresh(TestExtent.count(1, of: 6))

  /// The findings about older records that happen to start where the log ends.
  ///
  /// If their keys were removed since and the log was compacted or cleared, nothing in a file
  /// distinguishes them from an append that did not finish.
  private static let tails: Set = ["fastkv-apple.length-too-short"]

  /// A finding that such a record can have, after the end of the log that the header states.
  private static let recordInTail = "fastkv-apple.record-header"

  /// Opens the files after each operation, and compares their contents with what the app reads.
  ///
  /// `isSound` returns whether a store with the right contents is also reported as clean. With the
  /// seeds that rules were tuned on, it always is. With new seeds, it may be reported as damaged
  /// `limit` times in a script, each time until the log is written to again. Of 100,000 healthy
  /// stores of any size, this happens to 4 of FastKV for iOS. Of those that are cleared and filled
  /// again, as here, it happens to one in 870.
  private func carryOut(
    _ script: Script, seed: UInt64, limit: Int = 1, _ isSound: (Simulation, String) throws -> Bool
  ) throws {
    var simulation = try Simulation(script, seed: seed)
    var places: [Int] = []
    var count = 0
    while try simulation.next() != nil {
      count += 1
      if try !isSound(simulation, "seed \(seed), operation \(count)") { places.append(count) }
    }
    // Consecutive places are one store whose log did not change.
    let storeCount = places.indices.count { $0 == 0 || places[$0 - 1] + 1 < places[$0] }
    print("seed \(seed): of \(count) healthy stores \(places) called damaged")
    #expect(storeCount <= (Self.chosenSeeds.contains(seed) ? 0 : limit), "seed \(seed): \(places)")
  }

  /// Requires that the log contains `entries`, that the engine finds them, and that nothing is
  /// damaged.
  ///
  /// Returns `false` if older records are mistaken for newer ones.
  private func isSound<S: Store>(
    _ store: S, holds entries: [Key: [UInt8]], _ place: String
  ) throws -> Bool {
    let diagnosis = Diagnosis(of: store, now: StoreSettings().now)
    let current = try #require(diagnosis.state(.current), "\(place)")
    try #require(store.entries(current.snapshot.live) == entries, "\(place)")
    for prediction in diagnosis.predictions {
      try #require(prediction.load.outcome == .loaded, "\(place)")
      try #require(store.entries(prediction.snapshot.live) == entries, "\(place)")
    }
    let damage = diagnosis.findings.filter { $0.severity == .damage }
    // Some of the older records that are mistaken for newer ones can be truncated.
    let logEnd = try #require(store.lengthClaims.first?.log?.end, "\(place)")
    let others = damage.filter { !Self.tails.contains($0.code) }
    let isOfTail =
      damage.count > others.count
      && others.allSatisfy { $0.code == Self.recordInTail && $0.extent?.offset ?? 0 >= logEnd }
    try #require(others.isEmpty || isOfTail, "\(place): \(diagnosis.findings)")
    return diagnosis.verdict == .clean
  }

  @Test("of MMKV leave a store that holds what the app reads", arguments: seeds)
  func mmkv(seed: UInt64) throws {
    var scripts = RandomScripts(seed: seed)
    try carryOut(scripts.mmkv(StoreSettings()), seed: seed, limit: 0) { simulation, place in
      let format = MMKVFormat(now: simulation.now)
      return try isSound(
        format.open(simulation.image.storeFiles()).corrected(), holds: simulation.entries, place)
    }
  }

  @Test(
    "of FastKV for iOS leave a store that holds what the app reads",
    arguments: seeds, [(8, 0), (4, 1)])
  func apple(seed: UInt64, _ process: (width: Int, growth: Int)) throws {
    var settings = StoreSettings()
    settings.format = .fastkvApple
    (settings.width, settings.growth, settings.capacity) = (process.width, process.growth, 512)
    var scripts = RandomScripts(seed: seed)
    // Of 1,600 scripts, 1,279 had none, 273 had one and 48 had two. At that rate, one in 10^8 has
    // seven.
    try carryOut(scripts.apple(settings), seed: seed, limit: 6) { simulation, place in
      let store = AppleFastKVFormat().open(simulation.image.storeFiles()).corrected()
      return try isSound(store, holds: simulation.entries, place)
    }
  }

  @Test(
    "of FastKV for Android leave a store that holds what the app reads",
    arguments: seeds, [StoreSettings.WritingMode.nonBlocking, .sync])
  func android(seed: UInt64, mode: StoreSettings.WritingMode) throws {
    for key in [nil, StoreKey(Array("sixteen bytes ok".utf8))]
    where key == nil || Cryptography.isAvailable {
      var settings = StoreSettings()
      settings.format = .fastkvAndroid
      (settings.mode, settings.key) = (mode, key)
      var scripts = RandomScripts(seed: seed)
      try carryOut(scripts.android(settings), seed: seed) { simulation, place in
        let format = AndroidFastKVFormat(
          key: key?.bytes, mode: mode == .nonBlocking ? .nonBlocking : .blocking)
        let files = simulation.image.storeFiles()
        // In the modes that replace a file, there is no file before the first entry.
        if files.isEmpty { return simulation.entries.isEmpty }
        return try isSound(format.open(files).corrected(), holds: simulation.entries, place)
      }
    }
  }
}
