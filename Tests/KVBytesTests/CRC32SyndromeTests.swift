import KVBytes
import KVFixtures
import KVTestSupport
import Testing

/// Finding the changed bytes from the syndrome of a CRC-32.
///
/// Every result is compared with a CRC of the changed bytes that is computed anew.
@Suite struct CRC32SyndromeTests {
  private func digest(_ bytes: [UInt8]) -> UInt32 {
    let image = FileImage(bytes)
    return CRC32.digest(of: image, in: image.range)
  }

  private func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return random.bytes(count)
  }

  private func syndrome(_ changed: [UInt8], _ original: [UInt8]) -> CRC32Syndrome {
    CRC32Syndrome(
      computed: digest(changed), stored: digest(original), count: original.count)
  }

  /// The effect of a changed byte follows from its place alone, so a changed log need not be read.
  @Test func theEffectOfAChangedByteIsThatOfReadingTheChangedBytes() {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let original = random.bytes(Int.random(in: 1...700, using: &random))
      let offset = Int.random(in: 0..<original.count, using: &random)
      let mask = UInt8.random(in: 1...255, using: &random)
      var changed = original
      changed[offset] ^= mask
      #expect(
        CRC32.effect(ofByte: mask, beforeLast: original.count - offset - 1)
          == digest(original) ^ digest(changed), "seed \(seed)")
    }
  }

  @Test func everySingleBitIsFoundAndNoOther() {
    let original = bytes(300, seed: 1)
    for bit in 0..<original.count * 8 {
      var changed = original
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = syndrome(changed, original).bursts(in: 0..<original.count, width: 1)
        .filter { $0.mask.nonzeroBitCount == 1 }
      #expect(found.map(\.offset) == [bit / 8])
      #expect(found.map(\.mask) == [1 << UInt32(bit % 8)])
    }
  }

  /// Compares ``CRC32Syndrome/bits(in:)`` with a search bit by bit, for logs of many lengths.
  ///
  /// Some syndromes are those of one bit, and others are random.
  @Test func bitsAreTheBurstsOfOneBit() {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 1...5000, using: &random)
      let start = Int.random(in: 0..<count, using: &random)
      let range = start..<Int.random(in: start...count, using: &random)
      var changed = bytes(count, seed: .random(in: .min ... .max, using: &random))
      let original = changed
      let bit = Int.random(in: 0..<count * 8, using: &random)
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let any = UInt32.random(in: 1...UInt32.max, using: &random)
      for syndrome in [
        syndrome(changed, original), CRC32Syndrome(computed: any, stored: 0, count: count),
      ] {
        let bits = syndrome.bursts(in: range, width: 1).filter { $0.mask.nonzeroBitCount == 1 }
        #expect(syndrome.bits(in: range) == bits, "seed \(seed)")
      }
    }
  }

  @Test func theFirstBytesHaveASyndromeOfTheirOwn() {
    let original = bytes(300, seed: 4)
    var changed = original
    changed.replaceSubrange(20..<31, with: bytes(11, seed: 5))
    let counts = [31, 32, 32, 170, 300]
    let expected = counts.map { digest(Array(changed[..<$0])) ^ digest(Array(original[..<$0])) }
    #expect(syndrome(changed, original).syndromes(ofFirst: counts) == expected)
    #expect(syndrome(changed, original).syndromes(ofFirst: []) == [])
  }

  @Test(arguments: 1...4)
  func everyBurstIsAmongThoseFound(width: Int) {
    let original = bytes(1000, seed: 2)
    var random = SeededGenerator(seed: UInt64(width))
    for _ in 0..<300 {
      let offset = Int.random(in: 0...original.count - width, using: &random)
      var mask: UInt32 = 0
      while mask & 0xff == 0 || mask >> (8 * UInt32(width - 1)) == 0 {
        mask = UInt32.random(in: .min ... .max, using: &random)
        if width < 4 { mask &= 1 << (8 * UInt32(width)) - 1 }
      }
      var changed = original
      for index in 0..<width {
        changed[offset + index] ^= UInt8(mask >> (8 * UInt32(index)) & 0xff)
      }
      let found = syndrome(changed, original).bursts(in: 0..<original.count, width: width)
      #expect(found.contains { $0.offset == offset && $0.mask == mask })
      for burst in found {
        var back = changed
        for index in 0..<4 where burst.mask >> (8 * UInt32(index)) != 0 {
          back[burst.offset + index] ^= UInt8(burst.mask >> (8 * UInt32(index)) & 0xff)
        }
        #expect(digest(back) == digest(original))
      }
    }
  }

  @Test func burstsBeginWhereTheyAreLookedForAndEndWithTheBytes() {
    let original = bytes(64, seed: 3)
    var changed = original
    changed[40] ^= 0x55
    let syndrome = syndrome(changed, original)
    #expect(syndrome.bursts(in: 40..<41, width: 1).map(\.offset) == [40])
    #expect(syndrome.bursts(in: 0..<40, width: 1).isEmpty)
    #expect(syndrome.bursts(in: 41..<64, width: 1).isEmpty)
    // There is one four-byte pattern for each place. None may extend beyond the last byte.
    for burst in syndrome.bursts(in: 0..<64, width: 4) { #expect(burst.offset <= 63) }
    let last = syndrome.bursts(in: 61..<64, width: 4)
    #expect(last.allSatisfy { $0.offset + (32 - $0.mask.leadingZeroBitCount + 7) / 8 <= 64 })
  }

  @Test func aBitOfTheDigestIsToldFromOneOfTheBytes() {
    let original = bytes(500, seed: 4)
    for bit in 0..<32 {
      let syndrome = CRC32Syndrome(
        computed: digest(original), stored: digest(original) ^ 1 << UInt32(bit), count: 500)
      #expect(syndrome.isOneBitOfDigest)
      #expect(
        !syndrome.bursts(in: 0..<500, width: 1).contains { $0.mask.nonzeroBitCount == 1 })
    }
  }

  @Test(arguments: [
    (0x0000_0001, 1), (0x0000_00ff, 1), (0x8000_0000, 1), (0x0001_8000, 2), (0x0012_3400, 2),
    (0x0100_0010, 4), (0x0012_3456, 3),
  ])
  func bytesOfTheDigestAreCounted(change: UInt32, count: Int) {
    let digest = digest(bytes(10, seed: 4))
    let syndrome = CRC32Syndrome(computed: digest, stored: digest ^ change, count: 10)
    #expect(syndrome.digestByteCount == count)
  }

  @Test func everyPairOfBitsIsAmongThoseFound() {
    let original = bytes(200, seed: 5)
    var random = SeededGenerator(seed: 6)
    for _ in 0..<100 {
      let first = Int.random(in: 0..<800, using: &random)
      let second = Int.random(in: 801..<1600, using: &random)
      var changed = original
      for bit in [first, second] { changed[bit / 8] ^= 1 << UInt8(bit % 8) }
      let found = syndrome(changed, original).bitPairs(in: 0..<200)
      // Up to 371 bytes, no two pairs have the same syndrome.
      #expect(found.count == 1)
      #expect(found.first.map { [$0.first.offset, $0.second.offset] } == [first / 8, second / 8])
      #expect(
        found.first.map { [$0.first.mask, $0.second.mask] }
          == [first, second].map { 1 << UInt32($0 % 8) })
      #expect(syndrome(changed, original).bitPairs(in: 101..<200).isEmpty)
      #expect(syndrome(changed, original).bitPairs(in: 0..<second / 8).isEmpty)
    }
  }

  @Test func pairsAreNotLookedForInLongBytes() {
    let original = bytes(CRC32Syndrome.pairLimit + 1, seed: 7)
    var changed = original
    changed[0] ^= 1
    changed[9] ^= 1
    #expect(syndrome(changed, original).bitPairs(in: 0..<original.count).isEmpty)
  }
}
