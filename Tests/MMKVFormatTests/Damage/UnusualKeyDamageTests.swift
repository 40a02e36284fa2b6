import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Damage elsewhere in a store with a key that is not text, which is all that makes its record odd.
@Suite struct UnusualKeyDamageTests {
  private static let keys: [[UInt8]] = [
    Array("a\rb".utf8), Array("\n".utf8), [0x61, 0, 0x62, 0x64], [0xff, 0x80, 0xfe, 0x61],
  ]

  /// Tests that the record is kept wherever it is; as the last one, it is followed by zeros, with
  /// which its value could be a removal.
  @Test(arguments: keys, [3, 20])
  func aRecordWithAnOddKeyIsKept(key: [UInt8], position: Int) throws {
    for seed in RandomSeeds.fresh(20) {
      var generator = SeededGenerator(seed: seed)
      var builder = MMKVFixtureBuilder()
      var changed = 0
      for index in 0...20 {
        if index == 10 { changed = 4 + builder.payload.count + 10 }
        let text = String(generator.next(), radix: 36)
        if index == position {
          builder.put(key, [UInt8(text.utf8.count)] + Array(text.utf8))
        } else {
          builder.put("name\(index)", text: index == 10 ? "0123456789abcdef" : text)
        }
      }
      var data = builder.data
      // Too many bytes for a correction.
      for offset in changed..<changed + 5 { data[offset] ^= 0x05 }
      let store = MMKVFormat(now: 0).open(
        MMKVFixtureBuilder.files(data: data, meta: builder.meta)
      ).corrected()
      let best = try #require(expectSound(store, now: 0, "seed \(seed)").best)
      #expect(best.entryCount == 21, "seed \(seed)")
      let record = try #require(
        best.snapshot.live.first { store.key(of: $0) == Key(key) }, "seed \(seed)")
      #expect(best.assessment(of: record).evidence == .guess, "seed \(seed)")
    }
  }
}
