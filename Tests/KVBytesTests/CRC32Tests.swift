import KVBytes
import KVFixtures
import KVTestSupport
import Testing

@Suite struct CRC32Tests {
  /// Returns the CRC by its definition, one bit at a time.
  private static func reference(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var register = UInt32.max
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xedb8_8320) }
    }
    return ~register
  }

  @Test(
    arguments: [
      ("", 0), ("123456789", 0xcbf4_3926), ("a", 0xe8b7_be43),
      ("The quick brown fox jumps over the lazy dog", 0x414f_a339),
    ] as [(String, UInt32)])
  func digestIsThatOfTheStandard(_ text: String, _ digest: UInt32) {
    let image = FileImage(Array(text.utf8))
    #expect(CRC32.digest(of: image, in: image.range) == digest)
    #expect(MMKVFixtureBuilder.crc32(text.utf8) == digest)
  }

  @Test func piecesGiveTheDigestOfTheWhole() {
    let bytes = Array("123456789".utf8)
    for first in 0...9 {
      for second in first...9 {
        var digest = CRC32()
        digest.update(bytes.storageSpan, in: 0..<first)
        digest.update(bytes.storageSpan, in: first..<second)
        var resumed = CRC32(resuming: digest.value)
        resumed.update(bytes.storageSpan, in: second..<9)
        #expect(resumed.value == 0xcbf4_3926)
      }
    }
  }

  @Test func nothingChangesNoDigest() {
    var digest = CRC32(resuming: 0x1234_5678)
    let none: [UInt8] = []
    digest.update(none.storageSpan, in: 0..<0)
    #expect(digest.value == 0x1234_5678)
  }

  /// Compares the digest with its definition for all lengths up to 680 bytes.
  ///
  /// These lengths cover every part that the folding treats separately: 16 bytes, the remainder,
  /// and 256 bytes.
  @Test func digestIsWhatItsDefinitionGivesForAllShortLengths() {
    let seed = RandomSeeds.run
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<700).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let image = FileImage(bytes)
    for count in 0...680 {
      let start = count % 19
      #expect(
        CRC32.digest(of: image, in: start..<start + count)
          == Self.reference(bytes[start..<start + count]), "seed \(seed), \(count) bytes")
    }
  }

  @Test func longPiecesGiveTheDigestOfTheWhole() {
    let seed = RandomSeeds.run
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let image = FileImage(bytes)
    let whole = Self.reference(bytes[...])
    #expect(CRC32.digest(of: image, in: image.range) == whole)
    for _ in 0..<50 {
      var digest = CRC32()
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + Int.random(in: 0...9000, using: &generator))
        digest.update(image.storageSpan, in: start..<end)
        start = end
      }
      #expect(digest.value == whole, "seed \(seed)")
    }
  }

  /// Compares digests that two threads compute with those of parts that one does.
  @Test func millionsOfBytesHaveTheDigestOfTheirParts() {
    let seed = RandomSeeds.run
    var generator = SeededGenerator(seed: seed)
    let words = (0..<1_200_000).map { _ in generator.next() }
    let image = FileImage(words.flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) } })
    for _ in 0..<8 {
      let start = Int.random(in: 0...1_000_000, using: &generator)
      let end = Int.random(in: 6_000_000...image.count, using: &generator)
      var digest = CRC32(resuming: UInt32(truncatingIfNeeded: generator.next()))
      var whole = digest
      whole.update(image.storageSpan, in: start..<end)
      for part in stride(from: start, to: end, by: 1 << 20) {
        digest.update(image.storageSpan, in: part..<min(end, part + 1 << 20))
      }
      #expect(digest == whole, "seed \(seed), \(start)..<\(end)")
    }
  }

  /// Searches for the checksums at some of many ends, near and far from one another, of which some
  /// occur twice; the first end with the checksum is found, and none for another checksum.
  @Test func theFirstEndWithAChecksumIsFound() {
    let seed = RandomSeeds.run
    var generator = SeededGenerator(seed: seed)
    for round in 0..<40 {
      let longest = [3, 17, 70, 400][round % 4]
      let start = Int.random(in: 0...20, using: &generator)
      var ends: [Int] = []
      for _ in 0..<Int.random(in: 1...3000, using: &generator) {
        ends.append((ends.last ?? start) + Int.random(in: 0...longest, using: &generator))
      }
      let image = FileImage(generator.bytes(ends.last ?? start))
      let digests = ends.map { CRC32.digest(of: image, in: start..<$0) }
      func end(with digest: UInt32) -> Int? {
        var search = CRC32EndSearch(for: digest, from: start)
        for end in ends { search.add(end, in: image.storageSpan) }
        return search.end(in: image.storageSpan)
      }
      for index in [0, ends.count - 1, ends.indices.randomElement(using: &generator) ?? 0] {
        let first = digests.firstIndex(of: digests[index]).map { ends[$0] }
        #expect(end(with: digests[index]) == first, "seed \(seed), round \(round)")
      }
      let other = generator.next(upperBound: UInt32.max)
      #expect(end(with: other) == digests.firstIndex(of: other).map { ends[$0] })
    }
  }
}
