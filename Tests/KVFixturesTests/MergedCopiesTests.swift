import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import SystemPackage
import Testing

/// A store, and copies of it that are damaged in different places.
private struct DamagedCopies {
  let format: any StoreFormat
  /// The format with the key of the store.
  let keyed: any StoreFormat
  let now: UInt32
  let original: [StoreFile]
  /// The log of the first file.
  let log: Range<Int>

  init(_ simulated: SimulatedFormat, isEncrypted: Bool, seed: UInt64) throws {
    var settings = StoreSettings()
    settings.format = simulated
    let key = isEncrypted ? StoreKey(Array("0123456789abcdef".utf8)) : nil
    settings.key = key
    let script = RandomScript(settings, operations: 60).script(seed: seed)
    var simulation = try Simulation(script, seed: seed)
    try simulation.finish()
    // Whoever merges an encrypted store need not have its key.
    format = simulation.format.format.storeFormat(key: nil, now: simulation.now)
    keyed = simulation.format.format.storeFormat(key: key, now: simulation.now)
    now = simulation.now
    let files = simulation.image.storeFiles(in: "original")
    original = Array(simulated == .fastkvAndroid ? files.prefix(1) : files[...])
    log = Self.log(original, format)
  }

  private static func log<F: StoreFormat>(_ files: [StoreFile], _ format: F) -> Range<Int> {
    format.open(files).lengthClaims.first?.log?.range ?? 0..<0
  }

  /// Returns two copies, in each of which `count` runs of bytes of the log are damaged.
  func copies(_ count: Int, _ generator: inout SeededGenerator) -> [[StoreFile]] {
    var bytes = [original[0].image.bytes, original[0].image.bytes]
    let slot = log.count / (2 * count)
    let owners = (0..<2 * count).map { $0 % 2 }.shuffled(using: &generator)
    for (place, owner) in owners.enumerated() where slot > 1 {
      let length = Int.random(in: 1...min(24, slot - 1), using: &generator)
      let start = log.lowerBound + place * slot
      for offset in start..<start + length {
        bytes[owner][offset] = .random(in: 0...255, using: &generator)
      }
    }
    return bytes.enumerated().map { number, bytes in
      [StoreFile(original[0].role, at: FilePath("copy\(number)/kv"), FileImage(bytes))]
        + original.dropFirst()
    }
  }
}

/// Stores merged from damaged copies.
@Suite("Merged copies")
struct MergedCopiesTests {
  @Test(
    "are the original, byte for byte, if each difference is right in one of them",
    arguments: [
      (SimulatedFormat.mmkv, false), (.mmkv, true), (.fastkvAndroid, false), (.fastkvApple, false),
    ])
  func originalIsRestored(format: SimulatedFormat, isEncrypted: Bool) throws {
    #if !Encryption
      guard !isEncrypted else { return }
    #endif
    let count = TestExtent.storeCount ?? TestExtent.count(12, of: 40)
    var generator = SeededGenerator(seed: RandomSeeds.run)
    var (exact, totals) = (0, EntryTotals())
    for number in 0..<count {
      let seed = generator.next()
      let made = try DamagedCopies(format, isEncrypted: isEncrypted, seed: seed)
      let copies = made.copies(1 + number % 9, &generator)
      let merged = merge(copies, made.format)
      let isSame = zip(merged.files, made.original).allSatisfy { $0.image == $1.image }
      exact += isSame ? 1 : 0
      totals.add(made, copies)
      // What is called proven must never be wrong.
      #expect(!merged.isProven || isSame, "seed \(RandomSeeds.run), store \(seed)")
    }
    print(
      "merged copies of \(format.rawValue)\(isEncrypted ? ", encrypted" : ""): \(exact) of \(count) byte for byte, "
        + "\(totals), seed \(RandomSeeds.run)")
    #expect(exact >= count * 2 / 3, "\(exact) of \(count), seed \(RandomSeeds.run)")
    #expect(totals.merged >= totals.better, "\(totals), seed \(RandomSeeds.run)")
  }

  /// How many entries are right: in the original, in the better of two copies, and in what is merged.
  private struct EntryTotals: CustomStringConvertible {
    var (all, better, merged, wrong) = (0, 0, 0, 0)

    var description: String {
      "of \(all) entries \(better) right in the better copy, \(merged) merged, \(wrong) wrong"
    }

    mutating func add(_ made: DamagedCopies, _ copies: [[StoreFile]]) {
      let original = Set(Self.entries([made.original], made.keyed, now: made.now))
      let alone = copies.map {
        Self.entries([$0], made.keyed, now: made.now).count(where: original.contains)
      }
      let joined = Self.entries(copies, made.keyed, now: made.now)
      let right = joined.count(where: original.contains)
      all += original.count
      better += alone.max() ?? 0
      merged += right
      wrong += joined.count - right
    }

    struct Pair: Hashable {
      let key: Key
      let value: [UInt8]
    }

    static func entries<F: StoreFormat>(
      _ copies: [[StoreFile]], _ format: F,
      by planner: RepairPlanner = RepairPlanner(
        strategy: FixedStrategy(EngineAnswers(always: .recover))), now: UInt32
    ) -> [Pair] {
      let template = format.open(copies[0])
      let merged = MergedCopies(copies, like: template)
      let entries = MergedEntries(
        of: merged, and: merged.isLikely ? [] : copies, like: template, by: planner, now: now)
      return entries?.contents.entries.map { Pair(key: $0.key, value: $0.value) } ?? []
    }
  }

  @Test("of which one is older and whole lose nothing of the newer one")
  func newerIsKept() throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    for _ in 0..<TestExtent.count(6, of: 30) {
      let text = (0..<40).map { "string key\($0 % 16) \(generator.text(20))\n" }
      let older = try simulated(text.prefix(20).joined())
      let newer = try simulated(text.joined())
      // Damage what both copies have.
      var bytes = newer[0].image.bytes
      for offset in 200..<240 { bytes[offset] = .random(in: 0...255, using: &generator) }
      let damaged =
        [StoreFile(.data, at: "newer/kv", FileImage(bytes))] + newer.dropFirst()
      let format = SimulatedFormat.mmkv.format.storeFormat(key: nil, now: 0)
      for copies in [[older, damaged], [damaged, older]] {
        let merged = merge(copies, format)
        #expect(merged.isProven, "seed \(RandomSeeds.run)")
        #expect(merged.files.map(\.image) == newer.map(\.image), "seed \(RandomSeeds.run)")
      }
    }
  }

  /// The older copy has the header of its own moment, and what was appended since is zeros in it.
  @Test("whose data and meta files are of different moments are the newer one")
  func momentsAreToldApart() throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let format = SimulatedFormat.mmkv.format.storeFormat(key: nil, now: 0)
    for _ in 0..<TestExtent.count(6, of: 30) {
      let text = (0..<40).map { "string key\($0 % 16) \(generator.text(20))\n" }
      let older = try simulated(text.prefix(20).joined())
      let newer = try simulated(text.joined())
      let mixed = [[older[0], newer[1]], [newer[0], older[1]]]
      for copies in [mixed, mixed.reversed()] {
        let merged = merge(copies, format)
        #expect(merged.files.map(\.image) == newer.map(\.image), "seed \(RandomSeeds.run)")
      }
    }
  }

  @Test("are restored from three, each right in a third, one with a damaged meta file")
  func threeAreMerged() throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    var exact = 0
    let count = TestExtent.count(8, of: 40)
    for _ in 0..<count {
      let made = try DamagedCopies(.mmkv, isEncrypted: false, seed: generator.next())
      var bytes = [[UInt8]](repeating: made.original[0].image.bytes, count: 3)
      let slot = made.log.count / 6
      for place in 0..<6 where slot > 2 {
        // Only one copy is right in each place.
        for copy in 0..<3 where copy != place % 3 {
          let start = made.log.lowerBound + place * slot
          for offset in start..<start + min(20, slot - 1) {
            bytes[copy][offset] = .random(in: 0...255, using: &generator)
          }
        }
      }
      var meta = made.original[1].image.bytes
      // The checksum, and both sizes.
      for offset in [0, 1, 2, 3, 28, 29, 32] {
        meta[offset] ^= .random(in: 1...255, using: &generator)
      }
      let copies = bytes.enumerated().map { number, bytes in
        [
          StoreFile(.data, at: FilePath("copy\(number)/kv"), FileImage(bytes)),
          number == 1
            ? StoreFile(made.original[1].role, at: "copy1/kv.crc", FileImage(meta))
            : made.original[1],
        ]
      }
      for order in [[0, 1, 2], [1, 2, 0]] {
        let merged = merge(order.map { copies[$0] }, made.format)
        let isSame = zip(merged.files, made.original).allSatisfy { $0.image == $1.image }
        exact += isSame ? 1 : 0
        #expect(!merged.isProven || isSame, "seed \(RandomSeeds.run)")
      }
    }
    #expect(exact >= count, "\(exact) of \(2 * count), seed \(RandomSeeds.run)")
  }

  /// FastKV does not say how often it has rewritten a log.
  @Test(
    "get back keys that only an older copy has, whose log was rewritten since",
    arguments: [SimulatedFormat.fastkvAndroid, .fastkvApple])
  func lostKeysComeFromARewrittenLog(format: SimulatedFormat) throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    var (alone, joined, wrong) = (0, 0, 0)
    for _ in 0..<TestExtent.count(8, of: 40) {
      let first = (0..<40).map { "string key\($0) \(generator.text(60))\n" }
      // Enough garbage for several rewrites, and some keys that are removed.
      let more = (0..<600).map { "string key\($0 % 4) \(generator.text(90))\n" }
      let header = "format \(format.rawValue)\n"
      let older = try simulated(header + first.joined())
      let newer = try simulated(header + first.joined() + "remove key38\n" + more.joined())
      let store = format.format.storeFormat(key: nil, now: 0)
      let truth = Set(EntryTotals.entries([newer], store, now: 0))
      var damaged = newer
      for index in damaged.indices where damaged[index].image.count > 3000 {
        var bytes = damaged[index].image.bytes
        for offset in 600..<1400 { bytes[offset] = .random(in: 0...255, using: &generator) }
        damaged[index] = StoreFile(damaged[index].role, at: damaged[index].path, FileImage(bytes))
      }
      let single = EntryTotals.entries([damaged], store, now: 0)
      let merged = EntryTotals.entries([older, damaged], store, now: 0)
      alone += single.count(where: truth.contains)
      joined += merged.count(where: truth.contains)
      wrong += merged.count { !truth.contains($0) } - single.count { !truth.contains($0) }
    }
    print("rewritten \(format.rawValue): \(alone) alone, \(joined) merged, \(wrong) wrong")
    #expect(joined > alone && wrong <= (joined - alone) / 2, "seed \(RandomSeeds.run)")
  }

  /// Tests entries of which the older copy is likely right, and the newer one is not, but has them alike.
  @Test("keep what an older copy has alike")
  func whatBothHaveIsKept() throws {
    // An entry of each of the first three was lost before.
    let seeds = [156, 180, 194] + RandomSeeds.fresh(TestExtent.count(10, of: 300))
    let found = try seeds.map { seed in
      let (alike, merged) = try alike(seed: seed)
      #expect(alike.isSubset(of: merged), "seed \(seed)")
      return alike.count
    }
    #expect(found.prefix(3).allSatisfy { $0 > 0 })
  }

  private func alike(seed: UInt64) throws -> (Set<EntryTotals.Pair>, merged: [EntryTotals.Pair]) {
    var generator = SeededGenerator(seed: seed)
    let text = (0..<20).map { "string key\($0 % 10) \(generator.text(16))\n" }
    let copies = try [text.prefix(16), text[...]].map { lines in
      var files = try simulated(lines.joined())
      var bytes = files[0].image.bytes
      let end = try #require(files[0].image.lastNonzero(in: files[0].image.range))
      for _ in 0..<3 {
        let start = Int.random(in: 4..<end - 40, using: &generator)
        for offset in start..<start + Int.random(in: 1...40, using: &generator) {
          bytes[offset] = .random(in: 0...255, using: &generator)
        }
      }
      files[0] = StoreFile(.data, at: "copy/kv", FileImage(bytes))
      return files
    }
    let format = SimulatedFormat.mmkv.format.storeFormat(key: nil, now: 0)
    var planner = RepairPlanner(strategy: FixedStrategy(EngineAnswers(always: .recover)))
    planner.leastProbability = .evenOdds
    let plans = copies.map { planned($0, format, by: planner) }
    let merged = EntryTotals.entries(copies, format, by: planner, now: 0)
    return (plans[0].kept.intersection(plans[1].unlikely), merged)
  }

  /// Returns what `planner` keeps of a copy, and what it sets aside as unlikely.
  private func planned<F: StoreFormat>(
    _ files: [StoreFile], _ format: F, by planner: RepairPlanner
  ) -> (kept: Set<EntryTotals.Pair>, unlikely: Set<EntryTotals.Pair>) {
    let (store, diagnosis) = format.open(files).examined(now: 0)
    func pairs(_ entries: [RepairPlan.KeptEntry]?) -> Set<EntryTotals.Pair> {
      let pairs = entries?.map {
        EntryTotals.Pair(key: store.key(of: $0.record), value: store.value(of: $0.record))
      }
      return Set(pairs ?? [])
    }
    let plan = planner.plan(store, given: diagnosis)
    return (pairs(plan?.kept), pairs(plan?.unlikely))
  }

  private func simulated(_ text: String) throws -> [StoreFile] {
    var simulation = try Simulation(Script(parsing: text), seed: 1)
    try simulation.finish()
    return simulation.image.storeFiles(in: "store")
  }

  /// What became of copies.
  private struct Merged {
    let files: [StoreFile]
    let isProven: Bool
  }

  private func merge<F: StoreFormat>(_ copies: [[StoreFile]], _ format: F) -> Merged {
    let merged = MergedCopies(copies, like: format.open(copies[0]))
    return Merged(files: merged.files, isProven: merged.isProven)
  }
}
