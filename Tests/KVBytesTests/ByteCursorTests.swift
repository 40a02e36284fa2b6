import KVBytes
import KVTestSupport
import Testing

@Suite struct ByteCursorTests {
  @Test func readsStayWithinTheirRange() throws {
    let bytes: [UInt8] = [1, 2, 3, 4]
    var cursor = ByteCursor(bytes.storageSpan, in: 1..<3)
    #expect(cursor.offset == 1 && cursor.remaining == 2)
    #expect(try cursor.readByte() == 2)
    #expect(try cursor.readByte() == 3)
    let isAtEnd = cursor.isAtEnd
    #expect(isAtEnd && cursor.remaining == 0)
    #expect(throws: ByteError(.truncated, at: 3)) { try cursor.readByte() }
    #expect(cursor.offset == 3)
  }

  @Test func byteOrderIsWhatWasAskedFor() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    var little = ByteCursor(bytes.storageSpan, in: 0..<8)
    #expect(try little.readInteger(UInt32.self, as: .little) == 0x0403_0201)
    #expect(try little.readInteger(UInt16.self, as: .big) == 0x0506)
    #expect(try little.readInteger(UInt8.self, as: .big) == 7)
    var whole = ByteCursor(bytes.storageSpan, in: 0..<8)
    #expect(try whole.readInteger(UInt64.self, as: .big) == 0x0102_0304_0506_0708)
  }

  @Test(arguments: 0..<8)
  func integerThatDoesNotFitConsumesNothing(_ count: Int) {
    let bytes = [UInt8](repeating: 0xff, count: 2 + count)
    var cursor = ByteCursor(bytes.storageSpan, in: 2..<2 + count)
    #expect(throws: ByteError(.truncated, at: 2)) {
      try cursor.readInteger(UInt64.self, as: .little)
    }
    #expect(cursor.offset == 2)
  }

  @Test(arguments: [-1, 4, Int.max, .min])
  func rangeThatIsNotThereConsumesNothing(_ count: Int) {
    let bytes: [UInt8] = [1, 2, 3]
    var cursor = ByteCursor(bytes.storageSpan, in: 0..<3)
    #expect(throws: ByteError(.truncated, at: 0)) { try cursor.readRange(count: count) }
    #expect(cursor.offset == 0)
  }

  @Test func rangesAreInFileOffsets() throws {
    let bytes: [UInt8] = [9, 9, 1, 2, 3]
    var cursor = ByteCursor(bytes.storageSpan, in: 2..<5)
    #expect(try cursor.readRange(count: 2) == 2..<4)
    #expect(try cursor.readRange(count: 0) == 4..<4)
    #expect(cursor.remaining == 1)
  }

  @Test(arguments: 0..<40)
  func zerosAreConsumedUpToTheFirstOtherByte(_ count: Int) {
    // The counts are on both sides of a machine word, and the offset is unaligned.
    let bytes = [1] + [UInt8](repeating: 0, count: count) + [7, 0]
    var cursor = ByteCursor(bytes.storageSpan, in: 1..<bytes.count)
    #expect(cursor.readZeros() == 1..<1 + count)
    var inside = ByteCursor(bytes.storageSpan, in: 1..<1 + count)
    #expect(inside.readZeros() == 1..<1 + count)
    #expect(inside.remaining == 0)
  }

  @Test func rewindingReadsTheSameAgain() throws {
    let bytes: [UInt8] = [5, 6]
    var cursor = ByteCursor(bytes.storageSpan, in: 0..<2)
    _ = try cursor.readByte()
    cursor.rewind(to: 0)
    #expect(try cursor.readByte() == 5)
  }
}

@Suite struct VarintTests {
  private func read(_ bytes: [UInt8]) throws(ByteError) -> (value: UInt64, end: Int) {
    var cursor = ByteCursor(bytes.storageSpan, in: 0..<bytes.count)
    let value = try cursor.readVarint()
    return (value, cursor.offset)
  }

  @Test(
    arguments: [
      ([0x00], 0), ([0x7f], 127), ([0x80, 0x01], 128), ([0xac, 0x02], 300),
      ([0xff, 0xff, 0xff, 0x07], 0xff_ffff), ([0xff, 0xff, 0xff, 0xff, 0x0f], 0xffff_ffff),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], .max),
      // An encoding longer than necessary, of the same number.
      ([0x81, 0x80, 0x80, 0x00], 1),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0], 0),
      // Bits beyond the 64th are dropped.
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7e], 0),
    ] as [([UInt8], UInt64)])
  func bytesGiveTheNumber(_ bytes: [UInt8], _ number: UInt64) throws {
    #expect(try read(bytes + [0x55]) == (number, bytes.count))
  }

  @Test(arguments: 0..<10)
  func truncatedVarintConsumesNothing(_ count: Int) {
    let bytes = [UInt8](repeating: 0x80, count: count)
    var cursor = ByteCursor(bytes.storageSpan, in: 0..<count)
    #expect(throws: ByteError(.truncated, at: 0)) { try cursor.readVarint() }
    #expect(cursor.offset == 0)
  }

  @Test func tenContinuationBytesAreMalformedAndConsumeNothing() {
    let bytes = [UInt8](repeating: 0x80, count: 10) + [0]
    var cursor = ByteCursor(bytes.storageSpan, in: 0..<bytes.count)
    #expect(throws: ByteError(.malformedVarint, at: 0)) { try cursor.readVarint() }
    #expect(cursor.offset == 0)
  }

  @Test func everyWidthRoundTripsInAsFewBytesAsItTakes() throws {
    var numbers: [UInt64] = [0, .max]
    for shift in UInt64(0)..<64 { numbers += [1 << shift, (1 << shift) - 1, (1 << shift) + 1] }
    for number in numbers {
      var writer = ByteWriter()
      writer.writeVarint(number)
      #expect(try read(writer.bytes) == (number, writer.count))
      #expect(writer.count == ByteWriter.varintCount(number))
      #expect(writer.bytes == MMKVFixtureBuilder.varint(number))
    }
  }
}
