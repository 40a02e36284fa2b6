import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Reading logs with a wrong size before leftover records of an older log.
struct EndBesideOlderLogTests {
  /// The offset of the actual size in MMKV's meta file.
  private static let sizeOffset = 28

  /// Returns a store that was compacted to fewer entries, so that leftover records follow the log.
  private func simulate(_ seed: UInt64) throws -> Simulation {
    var generator = SeededGenerator(seed: seed)
    var operations: [ScriptOperation] = []
    func set(_ index: Int, _ count: Int) {
      operations.append(
        .set(Key(Array("key\(index)".utf8)), .string(generator.text(count))))
    }
    for count in 0..<150 { set(count % 60, 60 + count) }
    operations.append(.remove((40..<60).map { Key(Array("key\($0)".utf8)) }))
    operations.append(.compact)
    for count in 0..<60 { set(count % 40, count % 9 + 1) }
    var simulation = try Simulation(Script(StoreSettings(), operations), seed: seed)
    try simulation.finish()
    return simulation
  }

  @Test(arguments: UInt64(1)...6) func theChecksumFindsTheEnd(seed: UInt64) throws {
    let simulation = try simulate(seed)
    let meta = try #require(simulation.image.files.first { $0.role == .meta })
    for difference in [1, 2, 7, -1, -2, -60] as [Int8] {
      var image = simulation.image
      var bytes = meta.bytes
      bytes[Self.sizeOffset] &+= UInt8(bitPattern: difference)
      image.replace(meta.name, with: bytes)
      let store = MMKVFormat(now: simulation.now).open(image.storeFiles()).corrected()
      let best = try #require(Diagnosis(of: store, now: simulation.now).best)
      #expect(best.isSound, "\(difference)")
      #expect(store.entries(best.snapshot.live) == simulation.entries, "\(difference)")
    }
  }
}
