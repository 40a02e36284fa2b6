import FastKVFormat
import KVCalibration
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import MMKVFormat
import Testing

/// Judging and counting the claims about damaged stores.
@Suite("Calibration")
struct CalibrationTests {
  // MARK: Counting

  @Test(
    "gives the interval of Wilson's score",
    arguments: [
      // The values of Wilson (1927), and the tables of Newcombe (1998).
      (0, 10, 0.0, 0.27753), (10, 10, 0.72247, 1.0), (5, 10, 0.23659, 0.76341),
      (1, 100, 0.00177, 0.05449), (81, 263, 0.25529, 0.36621), (0, 0, 0.0, 1.0),
    ])
  func wilson(count: Int, total: Int, lower: Double, upper: Double) {
    let interval = WilsonInterval(count, of: total)
    #expect(abs(interval.lower - lower) < 0.00005)
    #expect(abs(interval.upper - upper) < 0.00005)
  }

  private static func table(_ bits: Int?, claims: Int, false falseClaims: Int) -> CalibrationTable {
    var table = CalibrationTable()
    for index in 0..<claims { table.add(bits: bits, isTrue: index >= falseClaims) }
    return table
  }

  @Test("marks a claim of 16 bits of which one in a hundred is false")
  func overconfidentClaimIsMarked() throws {
    let bin = try #require(Self.table(16, claims: 1000, false: 10).bins.first)
    #expect(bin.claims == 1000 && bin.falseClaims == 10 && bin.bits == 16)
    #expect(bin.claimedRate == 1.0 / 65536)
    #expect(bin.isOverconfident)
  }

  @Test(
    "does not mark claims that hold, nor what claims nothing",
    arguments: [
      (16, 1000, 0), (16, 3, 0), (4, 1000, 60), (4, 1000, 20), (0, 1000, 1000), (nil, 1000, 1000),
    ] as [(Int?, Int, Int)])
  func trueClaimsAreNotMarked(bits: Int?, claims: Int, falseClaims: Int) {
    let bins = Self.table(bits, claims: claims, false: falseClaims).bins
    #expect(bins.map(\.isOverconfident) == [false])
  }

  @Test("puts four bits into a bin, and claims what they claim on average")
  func binsAreFourBitsWide() {
    var table = CalibrationTable()
    for bits in [11, 12, 15, 16, 40] { table.add(bits: bits, isTrue: true) }
    table.add(bits: nil, isTrue: false)
    #expect(table.bins.map(\.bits) == [nil, 8, 12, 16, 40])
    #expect(table.bins.map(\.claims) == [1, 1, 2, 1, 1])
    #expect(table.bins[2].claimedRate == (1.0 / 4096 + 1.0 / 32768) / 2)
    #expect(table.claims == 6)
  }

  // MARK: Truth

  private static let token = Key(Array("token".utf8))
  private static let count = Key(Array("count".utf8))

  /// Returns a store with a string and a number.
  private static func store(
    _ text: String, in format: SimulatedFormat = .fastkvApple
  ) throws -> (image: DiskImage, truth: [Key: [UInt8]]) {
    var settings = StoreSettings()
    settings.format = format
    if format == .fastkvApple { settings.capacity = 512 }
    let script = Script(settings) {
      ScriptOperation.set(token, .string(text))
      ScriptOperation.set(count, .int32(7))
    }
    var simulation = try Simulation(script, seed: 1)
    try simulation.finish()
    return (simulation.image, simulation.entries)
  }

  private static func offset(of text: String, in image: DiskImage) throws -> Int {
    let bytes = Array(text.utf8)
    let file = try #require(image["kv"]?.bytes)
    return try #require(
      (0..<file.count - bytes.count).first { Array(file[$0..<$0 + bytes.count]) == bytes })
  }

  @Test("calls a correction true that gives the healthy byte back, and one that does not false")
  func correctionsAreHeldAgainstTheBytes() throws {
    let (image, truth) = try Self.store("a text of some length", in: .mmkv)
    let place = try Self.offset(of: "some", in: image)
    let byte = try #require(image["kv"]?.bytes[place])
    let damage = Damage([FileEdit("kv", place..<place + 1, [byte ^ 0x04])])
    let judge = StoreJudge(healthy: image, damage: damage, truth: truth, now: 0)
    let judged = judge.judge(damage.applied(to: image), as: MMKVFormat(now: 0))
    #expect(judged.claims.map(\.code) == ["mmkv.corrected"])
    #expect(judged.claims.map(\.size) == [.bit])
    #expect(judged.claims.map(\.isTrue) == [true])
    #expect(judged.tally.right == 2 && judged.tally.corrected == 2)
    #expect(judged.tally.asSound == 0 && judged.tally.storesLostUnsaid == 0)

    // If the healthy store had held another string, the correction of the same files would be
    // false.
    var other = image
    var bytes = try #require(image["kv"]?.bytes)
    bytes[place] = byte ^ 0x40
    other.replace("kv", with: bytes)
    var otherTruth = truth
    otherTruth[Self.token] =
      [21] + Array("a text of".utf8) + [0x20, byte ^ 0x40] + Array("ome length".utf8)
    let doubter = StoreJudge(
      healthy: other, damage: damage, truth: otherTruth, now: 0)
    let doubted = doubter.judge(damage.applied(to: image), as: MMKVFormat(now: 0))
    #expect(doubted.claims.map(\.isTrue) == [false])
    #expect(doubted.tally.right == 1 && doubted.tally.wrong == 1)
    #expect(doubted.tally.correctedWrong == 1)
    #expect(doubted.tally.asSound == 1 && doubted.tally.storesAsSound == 1)
  }

  @Test("counts an older value under a checksum as shown as sound, and a loss that is not said")
  func olderValuesAreCounted() throws {
    let (image, truth) = try Self.store("old")
    var newer = truth
    newer[Self.token] = Array("new".utf8)
    let history: [Key: Set<[UInt8]>] = [
      Self.token: [Array("old".utf8), Array("new".utf8)],
      Self.count: Set([truth[Self.count]].compactMap { $0 }),
    ]
    var damage = Damage([])
    func judge(_ damage: Damage) -> StoreJudge.Judgement {
      StoreJudge(
        healthy: image, damage: damage, truth: newer, history: history, earlier: truth, now: 0
      ).judge(image, as: AppleFastKVFormat())
    }
    let judged = judge(damage)
    #expect(judged.verdict == .clean)
    #expect(judged.tally.right == 1 && judged.tally.stale == 1 && judged.tally.missing == 0)
    #expect(judged.tally.asSound == 1 && judged.tally.storesLostUnsaid == 1)
    // If the damage restored a complete earlier state, it cannot be detected.
    damage.isFromEarlier = true
    let older = judge(damage)
    #expect(older.tally.asSound == 0 && older.tally.storesLostUnsaid == 0)
    #expect(older.tally.storesOlder == 1 && older.tally.stale == 1)
  }

  @Test("counts keys that never were as invented, and those that are not read as missing")
  func inventedAndMissingKeys() throws {
    let (image, truth) = try Self.store("text")
    let other = Key(Array("other".utf8))
    let judged = StoreJudge(
      healthy: image, damage: Damage([]), truth: [other: [1], Self.count: truth[Self.count] ?? []],
      now: 0
    ).judge(image, as: AppleFastKVFormat())
    #expect(judged.tally.invented == 1 && judged.tally.missing == 1 && judged.tally.right == 1)
    #expect(judged.tally.asSound == 1)
  }

  // MARK: Runs

  @Test(
    "is the same for a seed and another one for another", arguments: SimulatedFormat.allCases)
  func seedDecides(format: SimulatedFormat) {
    let report = Calibration(seed: 11, formats: [format]).report(stores: 24)
    #expect(report == Calibration(seed: 11, formats: [format]).report(stores: 24))
    #expect(report != Calibration(seed: 12, formats: [format]).report(stores: 24))
    #expect(report.stores == 24 && report.byteCount > 0)
    for group in report.totals.keys { #expect(group.format == format && group.damage == "all") }
    let counted = report.totals.values.reduce(0) { $0 + $1.stores }
    let misread = report.tallies.values.reduce(0) { $0 + $1.storesMisread }
    #expect(counted + report.omitted + misread == 24)
    let listed = report.problems.filter { $0.kind == .healthy }
    #expect(listed.count == misread)
    // Each store is counted in the row of each of its operators.
    let byOperator = report.tallies.filter { $0.key.damage != "none" }.values
    #expect(byOperator.reduce(0) { $0 + $1.stores } >= counted)
    for tally in byOperator { #expect(tally.right <= tally.entries) }
  }

  @Test("makes a store again by its own seed, alone and among others")
  func aStoreIsMadeAgainByItsSeed() throws {
    var seeds = SeededGenerator(seed: 5)
    var report = CalibrationReport()
    let calibration = Calibration(seed: 5, damage: .heavy)
    var stores = 0
    var counts: Set<Int> = []
    // The first store has the seed of the run, and the others have seeds that the run draws.
    for seed in [5] + (0..<11).map({ _ in seeds.next() }) {
      let alone = Calibration(seed: seed, damage: .heavy)
      let found = alone.damagedCase(seed: seed)
      #expect(found?.image == calibration.damagedCase(seed: seed)?.image)
      report = alone.report(stores: 1)
      stores += report.totals.values.reduce(0) { $0 + $1.stores }
      if let found {
        #expect(found.image != found.target.image)
        counts.insert(found.damages.count)
        #expect(found.store.answer.damage == found.damages.joined(separator: "+"))
      }
    }
    // In an almost empty store, fewer than two operators find something to damage.
    #expect(counts.isSubset(of: [1, 2, 3]) && counts.isSuperset(of: [2, 3]))
    let together = calibration.report(stores: 12)
    #expect(together.totals.values.reduce(0) { $0 + $1.stores } == stores)
  }

  @Test("says so of a healthy store that is read with other entries than it has")
  func misreadStoresAreCounted() {
    // Some of many small stores may be misread, or none. Either way, the counts must agree.
    let report = Calibration(seed: 1, formats: [.mmkv]).report(stores: 60)
    let healthy = report.tallies.filter { $0.key.damage == "none" }.values
    let misread = healthy.reduce(0) { $0 + $1.storesMisread }
    let clean = healthy.reduce(0) { $0 + $1.stores } - misread
    let damaged = report.totals.values.reduce(0) { $0 + $1.stores }
    #expect(clean == damaged)
    #expect(report.problems.contains { $0.kind == .healthy } == (misread > 0))
    #expect(!report.isSound || misread == 0)
  }

  @Test(
    "draws everything that an app can ask of the engine",
    arguments: [
      (
        .mmkv,
        [
          "string", "bytes", "remove", "fullwriteback", "trim", "clearall", "clearallkeep",
          "rekey", "enableexpire", "now",
        ]
      ), (.fastkvApple, ["string", "bytes", "remove", "open"]),
      (.fastkvAndroid, ["string", "bytes", "remove", "clearall", "open"]),
    ] as [(SimulatedFormat, Set<String>)])
  func everyOperationIsDrawn(_ format: SimulatedFormat, _ expected: Set<String>) throws {
    var words: Set<String> = []
    for seed in 0..<UInt64(150) {
      var random = RandomStore(format, SeededGenerator(seed: seed))
      for line in try random.script().text().split(separator: "\n") {
        words.insert(String(line.prefix { $0 != " " }))
      }
    }
    // Without a cipher, no store is given another key.
    let missing = expected.subtracting(words)
    #expect(missing == (Cryptography.isAvailable ? [] : expected.intersection(["rekey"])))
  }

  @Test("stops where it is told to, and counts what was looked at")
  func cancelledRunsCountWhatWasLookedAt() {
    var asked = 0
    let report = Calibration(seed: 3, formats: [.fastkvApple]).report(stores: 1000) {
      asked += 1
      return asked > 5
    }
    #expect(report.stores == 5)
  }

  @Test("damages by one operator alone where it is named")
  func oneOperatorAlone() {
    let report = Calibration(seed: 9, formats: [.mmkv], damage: .named("two-bits")).report(
      stores: 12)
    let names = Set(report.tallies.keys.map(\.damage))
    #expect(names.isSubset(of: ["two-bits", "none"]) && names.contains("two-bits"))
  }

  @Test("knows where each byte of a damaged file was")
  func bytesAreFoundAgain() throws {
    var moved = 0
    for seed in 100..<UInt64(160) {
      let calibration = Calibration(seed: seed, damage: .heavy)
      guard let found = calibration.damagedCase(seed: seed) else { continue }
      for file in found.image.files {
        guard let healthy = found.target.image[file.name]?.bytes else { continue }
        let replaced = found.damage.edits.filter {
          $0.file == file.name && $0.range.count == $0.bytes.count
        }
        for offset in file.bytes.indices {
          guard let origin = found.damage.originalOffset(of: offset, in: file.name) else {
            continue
          }
          guard origin < healthy.count else {
            Issue.record("seed \(seed): \(offset) was at \(origin) of \(healthy.count)")
            break
          }
          if origin != offset { moved += 1 }
          if replaced.contains(where: { $0.range.contains(origin) }) { continue }
          #expect(file.bytes[offset] == healthy[origin], "seed \(seed), \(offset)")
        }
      }
    }
    #expect(moved > 0)
  }

  #if Encryption
    @Test("tries wrong keys on stores of few and many entries, and refuses most")
    func wrongKeys() {
      let report = WrongKeys(seed: 21).report(keys: 200, stores: 20)
      #expect(report.keys == 200 && report.stores == 20 && report.entries.count == 20)
      #expect((report.entries.min() ?? 0) >= 1 && (report.entries.max() ?? 0) > 30)
      #expect(report.refused.values.reduce(0, +) + report.acceptedCount == 200)
      #expect(report.acceptedCount <= 2)
      #expect(report == WrongKeys(seed: 21).report(keys: 200, stores: 20))
    }
  #endif
}
