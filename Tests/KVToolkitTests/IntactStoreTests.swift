import Foundation
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import KVToolkit
import MMKVFormat
import SystemPackage
import Testing

/// Compares what a scan shows of a store that it takes for intact with what a diagnosis shows.
@Suite struct IntactStoreTests {
  /// Returns the outcomes of a scan of `folder`, as text; if `isDiagnosing`, every store is
  /// diagnosed.
  private static func outcomes(in folder: FilePath, isDiagnosing: Bool) async -> [String] {
    // A scan blocks its thread, which must not be one of those that run the tasks.
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var options = TreeScan.Options(FormatOptions(now: 1_760_000_000))
        options.kept = isDiagnosing ? .all : .none
        options.jobCount = 3
        var outcomes: [String] = []
        TreeScan(.standard, options).run(TreeWalk([folder]), overlapping: false) {
          outcomes.append("\($0)")
          return true
        }
        continuation.resume(returning: outcomes)
      }
    }
  }

  private static func isIntact(_ path: FilePath) -> Bool {
    MMKVFormat(now: 1_760_000_000).intact(at: path, in: DiskSource()) != nil
  }

  @Test("The stores of the engines are shown as a diagnosis shows them")
  func fixtures() async throws {
    let cases = try CorpusCase.mmkv
    let folders = Set(cases.map { $0.path.removingLastComponent() })
    for folder in folders {
      let shown = await Self.outcomes(in: folder, isDiagnosing: false)
      #expect(shown == (await Self.outcomes(in: folder, isDiagnosing: true)), "\(folder)")
    }
    let intact = cases.filter { Self.isIntact($0.path) }
    #expect(intact.count > 20, "so few that the comparison says little")
    #expect(intact.filter { $0.key != nil }.map(\.name) == [])
  }

  @Test(
    "Made stores are shown as a diagnosis shows them",
    arguments: RandomSeeds.fresh(2))
  func madeStores(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    var intactCount = 0
    let count = 1500
    for number in 0..<count {
      let store = Self.store(using: &random)
      let path = try folder.write(Self.changed(store.data, using: &random), to: "store\(number)")
      try folder.write(Self.changed(store.meta, using: &random), to: "store\(number).crc")
      intactCount += Self.isIntact(path) ? 1 : 0
    }
    let shown = await Self.outcomes(in: folder.path, isDiagnosing: false)
    let diagnosed = await Self.outcomes(in: folder.path, isDiagnosing: true)
    #expect(shown.count == diagnosed.count, "seed \(seed)")
    for (shown, diagnosed) in zip(shown, diagnosed) {
      #expect(shown == diagnosed, "seed \(seed)")
    }
    #expect((count / 10..<count).contains(intactCount), "seed \(seed)")
  }

  /// Returns `bytes`, in one of sixteen cases with one of them changed, and in another shortened.
  private static func changed(
    _ bytes: [UInt8], using random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<16, using: &random) {
    case 0: bytes[Int.random(in: 0..<min(200, bytes.count), using: &random)] ^= 1
    case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
    default: break
    }
    return bytes
  }

  /// Returns a store whose checksums match, with one or none of the oddities that a store can have.
  private static func store(using random: inout SeededGenerator) -> MMKVFixtureBuilder {
    var store = MMKVFixtureBuilder()
    let keys = (0..<Int.random(in: 1...12, using: &random)).map { _ in key(using: &random) }
    let isTimed = Int.random(in: 0..<12, using: &random) == 0
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let key = keys.randomElement(using: &random) ?? []
      if Int.random(in: 0..<9, using: &random) == 0 {
        store.put(key, [])
      } else {
        store.put(key, value(using: &random) + (isTimed ? [0x80, 0x32, 0xe5, 0x68] : []))
      }
    }
    switch Int.random(in: 0..<32, using: &random) {
    case 0: store.version = UInt32.random(in: 0...8, using: &random)
    case 1: store.flags = UInt64.random(in: 1...2, using: &random)
    case 2: store.vector = random.bytes(16)
    case 3: store.header = UInt32.random(in: 0...9000, using: &random)
    case 4: store.slack = random.bytes(Int.random(in: 1...40, using: &random))
    case 5: store.slack = Array(store.records.prefix(Int.random(in: 0...400, using: &random)))
    case 6: store.prefix = random.bytes(Int.random(in: 0...6, using: &random))
    case 7: store.records += random.bytes(Int.random(in: 1...30, using: &random))
    case 8: store.records += [UInt8](repeating: 0, count: 5)
    case 9: store.page = 16384
    case 10: store.confirmed = (UInt32(store.payload.count), store.digest ?? 0)
    case 11: store.confirmed = (0, 0)
    case 12: store.put("long", [UInt8](repeating: 7, count: 70_000))
    case 13: store.put([UInt8](repeating: 0x6b, count: 65_532), [1])
    case 14: store.sequence = 0
    case 15: store.records = Array(store.records.dropLast())
    default: break
    }
    if Bool.random(using: &random) {
      // As after a full rewrite.
      let payload = store.payload
      store.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    }
    return store
  }

  private static func key(using random: inout SeededGenerator) -> [UInt8] {
    let count = Int.random(in: 1...20, using: &random)
    return Int.random(in: 0..<8, using: &random) == 0
      ? random.bytes(count) : Array(random.text(count).utf8)
  }

  private static func value(using random: inout SeededGenerator) -> [UInt8] {
    func counted(_ bytes: [UInt8]) -> [UInt8] {
      MMKVFixtureBuilder.varint(UInt64(bytes.count)) + bytes
    }
    let count = Int.random(in: 0...60, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return [UInt8.random(in: 0...1, using: &random)]
    case 1: return MMKVFixtureBuilder.varint(UInt64.random(in: 0 ... .max, using: &random))
    case 2: return random.bytes(8)
    case 3: return random.bytes(count)
    default: return counted(Array(random.text(count).utf8))
    }
  }
}
