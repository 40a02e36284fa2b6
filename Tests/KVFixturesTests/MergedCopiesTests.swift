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
  let now: UInt32
  let original: [StoreFile]
  /// The log of the first file.
  let log: Range<Int>

  init(_ simulated: SimulatedFormat, isEncrypted: Bool, seed: UInt64) throws {
    var settings = StoreSettings()
    settings.format = simulated
    if isEncrypted { settings.key = StoreKey(Array("0123456789abcdef".utf8)) }
    let script = RandomScript(settings, operations: 60).script(seed: seed)
    var simulation = try Simulation(script, seed: seed)
    try simulation.finish()
    // Whoever merges an encrypted store need not have its key.
    format = simulation.format.format.storeFormat(key: nil, now: simulation.now)
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
    var exact = 0
    for number in 0..<count {
      let seed = generator.next()
      let made = try DamagedCopies(format, isEncrypted: isEncrypted, seed: seed)
      let copies = made.copies(1 + number % 9, &generator)
      let merged = merge(copies, made.format)
      let isSame = zip(merged.files, made.original).allSatisfy { $0.image == $1.image }
      exact += isSame ? 1 : 0
      // What is called proven must never be wrong.
      #expect(!merged.isProven || isSame, "seed \(RandomSeeds.run), store \(seed)")
    }
    #expect(exact >= count * 2 / 3, "\(exact) of \(count), seed \(RandomSeeds.run)")
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
