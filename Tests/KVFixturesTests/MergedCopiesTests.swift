import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import SystemPackage
import Testing

/// A store, and copies of it that were damaged.
struct DamagedCopies {
  /// How bytes are damaged.
  enum Damage: CaseIterable {
    case noise, zeros, bits, cut
  }

  let format: any StoreFormat
  let now: UInt32
  let truth: [Key: [UInt8]]
  let original: [StoreFile]
  private(set) var copies: [[StoreFile]] = []

  /// Makes a store from a random script; MMKV is encrypted if `isEncrypted`.
  init(_ simulated: SimulatedFormat, isEncrypted: Bool, seed: UInt64) throws {
    var settings = StoreSettings()
    settings.format = simulated
    if isEncrypted { settings.key = StoreKey(Array("0123456789abcdef".utf8)) }
    let script = RandomScript(settings, operations: 60, keys: 30, longCount: 300).script(seed: seed)
    var simulation = try Simulation(script, seed: seed)
    try simulation.finish()
    // Whoever merges an encrypted store need not have its key.
    format = simulation.format.format.storeFormat(key: nil, now: simulation.now)
    now = simulation.now
    truth = simulation.entries
    original = simulation.image.storeFiles(in: "original")
  }

  /// Adds a copy for each list of runs; in each, bytes of the written part of the first file change.
  mutating func damage(
    _ count: Int, _ damage: Damage, copies number: Int = 2, longest: Int = 40,
    _ generator: inout SeededGenerator
  ) {
    let file = original[0]
    let end = (file.image.lastNonzero(in: file.image.range) ?? 0) + 1
    let slot = max(1, end / max(1, count * number))
    let owners = (0..<count * number).map { $0 % number }.shuffled(using: &generator)
    var bytes = [[UInt8]](repeating: file.image.bytes, count: number)
    for (place, owner) in owners.enumerated() {
      let length = Int.random(in: 1...min(longest, max(1, slot - 1)), using: &generator)
      let start = place * slot + Int.random(in: 0...max(0, slot - 1 - length), using: &generator)
      for offset in start..<min(start + length, end) {
        switch damage {
        case .noise: bytes[owner][offset] = .random(in: 0 ... 255, using: &generator)
        case .zeros, .cut: bytes[owner][offset] = 0
        case .bits:
          if Int.random(in: 0..<4, using: &generator) == 0 {
            bytes[owner][offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
          }
        }
      }
    }
    if damage == .cut, let last = owners.last {
      bytes[last].removeLast(bytes[last].count - (count * number - 1) * slot)
    }
    copies = bytes.enumerated().map { index, bytes in
      [StoreFile(file.role, at: FilePath("copy\(index)").appending(file.path.lastComponent!), FileImage(bytes))]
        + original.dropFirst()
    }
  }
}

/// Stores merged from damaged copies.
@Suite("Merged copies")
struct MergedCopiesTests {
  @Test("measure")
  func measure() throws {
    for (simulated, isEncrypted) in [(SimulatedFormat.mmkv, false), (.mmkv, true), (.fastkvAndroid, false), (.fastkvApple, false)] {
      for damage in DamagedCopies.Damage.allCases {
        var exact = 0, proven = 0, wrong = 0
        let count = 12
        var generator = SeededGenerator(seed: RandomSeeds.run)
        let clock = ContinuousClock()
        let time = try clock.measure {
          for number in 0..<count {
            let seed = generator.next()
            var made = try DamagedCopies(simulated, isEncrypted: isEncrypted, seed: seed)
            made.damage(1 + number % 10, damage, &generator)
            let (same, isProven) = merge(made, made.format)
            exact += same ? 1 : 0
            proven += isProven ? 1 : 0
            if isProven, !same { wrong += 1; print("wrong", seed, number) }
            if !same { print(" no", seed, 1 + number % 10, isProven) }
          }
        }
        print(simulated, isEncrypted, damage, "exact", exact, "proven", proven, "false", wrong, "of", count, time)
      }
    }
  }

  private func merge<F: StoreFormat>(_ made: DamagedCopies, _ format: F) -> (Bool, Bool) {
    let template = format.open(made.copies[0])
    let merged = MergedCopies(made.copies, like: template)
    let same = zip(merged.files, made.original).allSatisfy { $0.image == $1.image }
    return (same && merged.files.count == made.original.count, merged.isProven)
  }
}
