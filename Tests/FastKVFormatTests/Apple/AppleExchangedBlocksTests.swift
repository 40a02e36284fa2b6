import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Logs of which disk blocks were stored in each other's place.
///
/// Each record has its own checksum and none covers the log, so only the records that lie across the
/// edges of the blocks show it.
struct AppleExchangedBlocksTests {
  /// Returns a file in which up to 20 keys are set 300 times.
  private func file(_ random: inout SeededGenerator) -> [UInt8] {
    var builder = AppleFixtureBuilder()
    for _ in 0..<300 {
      builder.add(
        7, "key \(Int.random(in: 0..<20, using: &random))",
        Array(random.text(Int.random(in: 1...60, using: &random)).utf8), class: "__NSCFString")
    }
    let pages = (AppleHeader.byteCount + builder.area.count + 4095) / 4096
    return builder.file(zeroFilledTo: pages * 4096)
  }

  private func read(_ bytes: [UInt8]) -> (entries: [Key: [UInt8]], rules: [RuleID]) {
    let store = AppleFastKVStore(bytes)
    let live = Diagnosis(of: store, now: 0).best?.snapshot.live ?? []
    let entries = Dictionary(live.map { (store.key(of: $0), store.value(of: $0)) }) { $1 }
    return (entries, store.corrections.map(\.rule))
  }

  @Test(arguments: [512, 4096])
  func anExchangeIsUndone(count: Int) {
    let seeds = RandomSeeds.fresh(16)
    let failed = seeds.filter { seed in
      var random = SeededGenerator(seed: seed)
      let bytes = file(&random)
      let whole = read(bytes)
      #expect(whole.rules.isEmpty && whole.entries.count == 20)
      // The header is in the first block, and slack may be in the last page.
      let blocks = 1..<(bytes.count - 4096) / count
      let one = Int.random(in: blocks.dropLast(), using: &random)
      let other = Int.random(in: one + 1..<blocks.upperBound, using: &random)
      var damaged = bytes
      damaged.exchangeBlocks(of: count, one, other)
      let found = read(damaged)
      return found.entries != whole.entries || found.rules != ["fastkv-apple.exchanged-blocks"]
    }
    #expect(failed.count <= 1, "seeds \(failed)")
  }

  @Test(arguments: RandomSeeds.fresh(4))
  func twoExchangesAreUndone(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = file(&random)
    let whole = read(bytes)
    var damaged = bytes
    damaged.exchangeBlocks(of: 512, 3, 9)
    damaged.exchangeBlocks(of: 512, 14, 20)
    let found = read(damaged)
    #expect(found.entries == whole.entries)
    #expect(found.rules.count == 2)
  }

  /// The seeds are fixed: with others, two of the three edges may be between records.
  @Test(arguments: [1, 2, 3, 4])
  func anExchangeOfTheHeaderIsDamage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = file(&random)
    var damaged = bytes
    damaged.exchangeBlocks(of: 4096, 0, 2)
    let store = AppleFastKVStore(damaged)
    #expect(read(damaged).entries == read(bytes).entries)
    let finding = store.check().first { $0.code == "fastkv-apple.corrected" }
    #expect(finding?.severity == .damage)
  }

  /// Tests that blocks of noise, and blocks that hold what another one holds, are not exchanged.
  @Test(arguments: [false, true], RandomSeeds.fresh(8))
  func otherBlocksAreNotExchanged(isCopy: Bool, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = file(&random)
    for (block, source) in [(3, 11), (8, 15)] {
      let other = isCopy ? Array(bytes[source * 512..<(source + 1) * 512]) : random.bytes(512)
      bytes.replaceSubrange(block * 512..<(block + 1) * 512, with: other)
    }
    #expect(!read(bytes).rules.contains("fastkv-apple.exchanged-blocks"))
  }
}
