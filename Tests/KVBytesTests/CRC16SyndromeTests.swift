import KVBytes
import KVFixtures
import KVTestSupport
import Testing

/// Finding the changed bit from the syndrome of a CRC-16.
///
/// Every result is compared with a CRC that is computed anew.
@Suite struct CRC16SyndromeTests {
  /// Returns `count` bytes followed by their checksum, low byte first.
  private func word(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    let image = FileImage(random.bytes(count))
    let digest = CRC16.digest(of: image, in: image.range)
    return image.bytes + [UInt8(digest & 0xff), UInt8(digest >> 8)]
  }

  private func syndrome(_ word: [UInt8]) -> CRC16Syndrome {
    let image = FileImage(word)
    let count = word.count - 2
    return CRC16Syndrome(
      computed: CRC16.digest(of: image, in: 0..<count),
      stored: UInt16(word[count]) | UInt16(word[count + 1]) << 8, count: count)
  }

  @Test(arguments: [0, 1, 2, 36, 300])
  func everyBitIsFoundAlsoInTheDigest(count: Int) {
    let original = word(count, seed: 1)
    for bit in 0..<original.count * 8 {
      var changed = original
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = syndrome(changed).bit
      #expect(found?.offset == bit / 8)
      #expect(found?.mask == 1 << UInt8(bit % 8))
    }
    #expect(syndrome(original).value == 0)
    #expect(syndrome(original).bit == nil)
  }

  @Test func bitsAreToldApartUpToTheLimitAndNotBeyond() {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    let original = word(CRC16Syndrome.countLimit, seed: seed)
    for bit in [0, 1, 7, 8]
      + (0..<60).map({ _ in Int.random(in: 0..<original.count * 8, using: &random) })
    {
      var changed = original
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = syndrome(changed).bit
      #expect(found?.offset == bit / 8, "seed \(seed), bit \(bit)")
      #expect(found?.mask == 1 << UInt8(bit % 8), "seed \(seed), bit \(bit)")
    }
    var longer = word(CRC16Syndrome.countLimit + 1, seed: seed)
    longer[40] ^= 1
    #expect(syndrome(longer).value != 0)
    #expect(syndrome(longer).bit == nil)
  }

  @Test func twoBitsAreNeverTakenForOne() {
    let original = word(40, seed: 3)
    for first in 0..<original.count * 8 {
      for second in 0..<first {
        var changed = original
        changed[first / 8] ^= 1 << UInt8(first % 8)
        changed[second / 8] ^= 1 << UInt8(second % 8)
        let found = syndrome(changed)
        if found.value == 0 || found.bit != nil {
          Issue.record("bits \(first) and \(second)")
        }
      }
    }
  }

  @Test func otherDamageLooksLikeOneBitAsOftenAsIsSaid() {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    let original = word(498, seed: seed)
    let rounds = 4000
    var found = 0
    for _ in 0..<rounds {
      var changed = original
      for offset in 100..<140 { changed[offset] = .random(in: .min ... .max, using: &random) }
      if syndrome(changed).bit != nil { found += 1 }
    }
    // Of 65,536 syndromes, 4,000 belong to one bit, which is one in 16.4. So 244 are expected, with
    // a standard deviation of 15.
    #expect(syndrome(original).confidence == 4)
    #expect((140...350).contains(found), "\(found) of \(rounds), seed \(seed)")
  }

  @Test func confidenceIsWhatTheBitsLeaveOver() {
    let confidences = [1: 11, 30: 8, 62: 7, 63: 6, 510: 4, 511: 3, 4093: 1]
    for (count, confidence) in confidences {
      #expect(
        CRC16Syndrome(computed: 1, stored: 0, count: count).confidence == confidence, "\(count)")
    }
  }
}
