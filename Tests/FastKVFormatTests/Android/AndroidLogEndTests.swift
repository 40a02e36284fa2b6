import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// The end of a log of which no header tells it.
@Suite struct AndroidLogEndTests {
  /// Returns the file of a store with these texts, whose slack holds older values of the same keys, as
  /// after a compaction.
  private func compacted(
    _ texts: [String], _ random: inout SeededGenerator
  ) -> (bytes: [UInt8], end: Int) {
    var (log, older) = (AndroidBuilder(), AndroidBuilder())
    for (index, text) in texts.enumerated() {
      log.text("setting\(index)", text)
      let isStruck = Bool.random(using: &random)
      older.text("setting\(index)", random.text(12), struck: isStruck)
    }
    log.capacity = nil
    let image = log.bytes + older.data
    return (image + [UInt8](repeating: 0, count: 4096 - image.count), log.bytes.count)
  }

  /// Returns how many of `texts` are given, by their keys.
  private func right(_ store: AndroidFastKVStore, _ texts: [String], _ seed: UInt64) -> Int {
    let live = expectSound(store, now: 0, "seed \(seed)").best?.snapshot.live ?? []
    let found = Dictionary(
      live.map { (store.key(of: $0), store.value(of: $0)) }, uniquingKeysWith: { $1 })
    return texts.indices.count {
      found[Key(Array("setting\($0)".utf8))] == Array(texts[$0].utf8)
    }
  }

  /// Tests that bits of both lengths, and of values in both copies, cost the values that they are in,
  /// and that older values after the log do not replace newer ones.
  @Test func theChecksumTellsTheEndThoughBitsAreDamaged() {
    let seeds = RandomSeeds.fresh(TestExtent.count(100, of: 1000))
    var failed: [UInt64] = []
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let texts = (0..<Int.random(in: 6...20, using: &random)).map { _ in random.text(12) }
      let (image, end) = compacted(texts, &random)
      let copies = (0..<2).map { _ in
        var copy = image
        copy[Int.random(in: 0...1, using: &random)] ^= 1 << UInt8.random(in: 0...3, using: &random)
        for _ in 0..<3 {
          // The texts are the second half of each record.
          let record = Int.random(in: 0..<texts.count, using: &random)
          let text = Array(image[12..<end]).firstRange(of: Array(texts[record].utf8))
          let place = 12 + (text?.lowerBound ?? 0) + Int.random(in: 0..<12, using: &random)
          copy[place] ^= 1 << UInt8.random(in: 0...4, using: &random)
        }
        return copy
      }
      let store = AndroidBuilder.open(a: copies[0], b: copies[1])
      if right(store, texts, seed) < texts.count - 6 { failed.append(seed) }
    }
    print("of \(seeds.count) logs with damaged lengths, \(failed.count) end at the wrong place")
    #expect(failed.count * 20 <= seeds.count, "seeds \(failed)")
  }

  /// Tests that an absurd length does not end a log at the first record that does not decode, but in
  /// rare logs.
  @Test func anAbsurdLengthHidesNoRecords() {
    let seeds = RandomSeeds.fresh(60)
    let failed = seeds.filter { seed in
      var random = SeededGenerator(seed: seed)
      let texts = (0..<20).map { _ in random.text(12) }
      var builder = AndroidBuilder()
      for (index, text) in texts.enumerated() { builder.text("setting\(index)", text) }
      builder.capacity = nil
      var image = builder.bytes
      image[2] ^= 1 << UInt8.random(in: 0...7, using: &random)
      let start = Int.random(in: 20..<image.count - 40, using: &random)
      for offset in start..<start + 4 { image[offset] = UInt8.random(in: 0...31, using: &random) }
      // A record that is hit can take the next one with it.
      return right(AndroidBuilder.open(c: image), texts, seed) < 17
    }
    #expect(failed.count * 20 <= seeds.count, "seeds \(failed)")
  }

  /// Tests that records whose keys have one letter are read after damage.
  @Test func keysOfOneLetterAreRecords() {
    var builder = AndroidBuilder()
    builder.add(0x02, [0x61], [2, 0, 0, 0])
    builder.add(0x01, [0x62], [1])
    builder.text("s", "xyz")
    builder.add(0x04, [0x6c], [6, 0, 0, 0, 0, 0, 0, 0])
    builder.capacity = nil
    let image = Array(builder.bytes.dropLast(5))
    let best = expectSound(AndroidBuilder.open(a: image, b: image), now: 0).best
    #expect(best?.snapshot.live.count == 3)
  }
}
