import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Logs of which two disk blocks were stored in each other's place.
struct ExchangedBlocksTests {
  /// Returns a store of up to 20 keys that are set 150 times.
  private func builder(_ random: inout SeededGenerator, isEncrypted: Bool) -> MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    if isEncrypted {
      builder.key = MMKVKey(random.bytes(16))
      builder.vector = random.bytes(16)
    }
    for _ in 0..<150 {
      let key = "key \(Int.random(in: 0..<20, using: &random))"
      builder.put(key, text: random.text(Int.random(in: 1...60, using: &random)))
    }
    return builder
  }

  private func read(
    _ files: [StoreFile], _ key: MMKVKey?
  ) -> (entries: [Key: [UInt8]], rules: [RuleID]) {
    let store = MMKVFormat(key: key, now: 0).open(files).corrected()
    let live = Diagnosis(of: store, now: 0).best?.snapshot.live ?? []
    let entries = Dictionary(live.map { (store.key(of: $0), store.value(of: $0)) }) { $1 }
    return (entries, store.corrections.map(\.rule))
  }

  private static let kinds = Cryptography.isAvailable ? [false, true] : [false]

  /// The first block, which has the header, and the last one, part of which is slack, are among them.
  @Test(arguments: [512, 4096], RandomSeeds.fresh(6))
  func anExchangeIsUndone(count: Int, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for isEncrypted in Self.kinds {
      let builder = builder(&random, isEncrypted: isEncrypted)
      let files = builder.files()
      let whole = read(files, builder.key)
      #expect(whole.rules.isEmpty)
      var data = files[0].image.bytes
      let last = (builder.records.count + 7) / count
      let one = Int.random(in: 0..<last, using: &random)
      let other = Int.random(in: one + 1...last, using: &random)
      data.exchangeBlocks(of: count, one, other)
      let found = read(
        MMKVFixtureBuilder.files(data: data, meta: files[1].image.bytes), builder.key)
      #expect(found.rules == ["mmkv.exchanged-blocks"], "\(one) and \(other) of \(last)")
      #expect(found.entries == whole.entries)
    }
  }

  /// Tests that other damage of two blocks is not taken for an exchange.
  @Test(arguments: RandomSeeds.fresh(6))
  func twoOtherBlocksAreNotExchanged(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for isEncrypted in Self.kinds {
      let builder = builder(&random, isEncrypted: isEncrypted)
      let files = builder.files()
      var data = files[0].image.bytes
      for block in [1, 3] {
        data.replaceSubrange(block * 512..<(block + 1) * 512, with: random.bytes(512))
      }
      let found = read(
        MMKVFixtureBuilder.files(data: data, meta: files[1].image.bytes), builder.key)
      #expect(!found.rules.contains("mmkv.exchanged-blocks"))
    }
  }
}
