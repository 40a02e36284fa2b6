import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Bytes that do not change the lanes, and copies of which nothing is left.
@Suite struct AndroidIdleBytesTests {
  /// Returns whether an entry of the best state of `store` is presented as sound.
  private func hasSoundEntry(_ store: AndroidFastKVStore) throws -> Bool {
    let best = try #require(expectSound(store, now: 0).best)
    return best.snapshot.live.contains { record in
      let assessment = best.assessment(of: record)
      return assessment.evidence >= .corrected
        || assessment.evidence == .structure && assessment.cautions.isEmpty
    }
  }

  /// Returns a file with one text and one deleted number, in which a byte of the first key is exchanged
  /// with the length of the second, in the same lane; `rest` follows the log.
  ///
  /// The second record then reaches far over the bytes after the log.
  private func exchanged(rest: [UInt8]) -> [UInt8] {
    var builder = AndroidBuilder()
    builder.text("cfg211", "")
    builder.add(0x85, Array("k444".utf8), [0x58, 0xd6, 0x10, 0x9a, 0x0c, 0x2b, 0xec, 0x40])
    var image = builder.bytes
    image.swapAt(15, 23)
    let end = 12 + builder.data.count
    image.replaceSubrange(end..<end + rest.count, with: rest)
    return image
  }

  /// Tests that a checksum that matches over zeros, or over bytes that cancel out, proves no end.
  @Test(arguments: [
    [], [UInt8](repeating: 0x5a, count: 16), [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8],
  ])
  func bytesThatChangeNoLaneProveNoEnd(rest: [UInt8]) throws {
    let damaged = exchanged(rest: rest)
    #expect(try !hasSoundEntry(AndroidBuilder.open(a: damaged, b: damaged)))
  }

  /// Tests that a number whose bytes are zeros does not hide the end.
  @Test func aZeroAtTheEndIsPartOfTheLog() throws {
    var builder = AndroidBuilder()
    builder.text("name", "Ada")
    builder.add(0x04, Array("zero".utf8), [UInt8](repeating: 0, count: 8))
    var image = builder.bytes
    image[0] ^= 0x40
    let best = try #require(expectSound(AndroidBuilder.open(a: image, b: image), now: 0).best)
    #expect(best.isSound && best.snapshot.live.count == 2)
  }

  /// Tests that a copy without a byte of the store is damage, whatever its header seems to say.
  @Test(arguments: [0xff, 0x55, 0x20, 0xaa] as [UInt8])
  func aCopyOfOneByteIsLost(byte: UInt8) throws {
    let whole = AndroidBuilder.small.bytes
    let filled = [UInt8](repeating: byte, count: whole.count)
    for (a, b) in [(filled, whole), (whole, filled)] {
      let store = AndroidBuilder.open(a: a, b: b)
      let diagnosis = expectSound(store, now: 0)
      #expect(diagnosis.verdict != .clean && diagnosis.best?.entryCount == 5)
      let finding = diagnosis.findings.first { $0.code == "fastkv-android.copy-lost" }
      #expect(finding?.severity == .damage, "\(diagnosis.findings)")
    }
  }

  /// Tests the same for text and for noise.
  @Test func aCopyOfForeignContentIsLost() throws {
    let whole = AndroidBuilder.small.bytes
    let text = Array(String(repeating: "<html><body>not found</body>", count: 20).utf8)
    for seed in RandomSeeds.fresh(20) {
      var random = SeededGenerator(seed: seed)
      for other in [Array(text.prefix(whole.count)), [0xff, 0xff, 0xff, 0xff] + random.bytes(60)] {
        let diagnosis = expectSound(AndroidBuilder.open(a: other, b: whole), now: 0, "seed \(seed)")
        #expect(diagnosis.best?.entryCount == 5, "seed \(seed)")
        if other.first == UInt8(ascii: "<") { #expect(diagnosis.verdict != .clean, "seed \(seed)") }
      }
    }
  }

  /// Tests that a prediction compares the types of values, not only their bytes.
  @Test(
    arguments: [
      (0x06, [0, 0], 0x08, [5, 0, 4, 0x42, 0x6c, 0x6f, 0x62]),
      (0x06, [0, 0], 0x07, [0, 0]), (0x02, [0, 0, 0, 0], 0x03, [0, 0, 0, 0]),
      (0x04, [1, 0, 0, 0, 0, 0, 0, 0], 0x05, [1, 0, 0, 0, 0, 0, 0, 0]),
      (0x08, [2, 0, 1, 0x41], 0x08, [2, 0, 1, 0x42]),
    ] as [(UInt8, [UInt8], UInt8, [UInt8])])
  func aValueOfAnotherTypeIsLost(
    _ info: UInt8, _ value: [UInt8], _ otherInfo: UInt8, _ other: [UInt8]
  ) throws {
    let key = Array("k".utf8)
    var older = AndroidBuilder()
    older.add(info, key, value)
    var newer = AndroidBuilder()
    newer.add(info | 0x80, key, value)
    newer.add(otherInfo, key, other)
    newer.add(0x02, Array("n".utf8), [1, 0, 0, 0])
    // The engine reads copy A, although copy B is newer.
    let diagnosis = expectSound(AndroidBuilder.open(a: older.bytes, b: newer.bytes), now: 0)
    let prediction = try #require(diagnosis.predictions.first)
    #expect(diagnosis.best?.log?.file == .copyB && prediction.load.log?.file == .copyA)
    #expect(prediction.lostKeys == [Key(key), Key(Array("n".utf8))])
    #expect(prediction.unsupportedCount == 1)
  }
}
