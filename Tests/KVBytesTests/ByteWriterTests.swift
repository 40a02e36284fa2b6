import KVBytes
import KVFixtures
import KVTestSupport
import Testing

@Suite struct ByteWriterTests {
  @Test func integersAreWrittenInTheOrderAskedFor() {
    var writer = ByteWriter()
    writer.writeInteger(UInt32(0x0102_0304), as: .little)
    writer.writeInteger(UInt16(0x0506), as: .big)
    writer.writeByte(7)
    writer.writeZeros(2)
    writer.writeBytes([8, 9])
    #expect(writer.bytes == [4, 3, 2, 1, 5, 6, 7, 0, 0, 8, 9])
    #expect(writer.count == 11)
  }

  @Test func whatIsWrittenIsReadBack() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let number = random.next()
      var writer = ByteWriter()
      for order in [ByteOrder.little, .big] {
        writer.writeInteger(number, as: order)
        writer.writeInteger(UInt32(truncatingIfNeeded: number), as: order)
        writer.writeInteger(UInt16(truncatingIfNeeded: number), as: order)
      }
      let bytes = writer.bytes
      var cursor = ByteCursor(bytes.storageSpan, in: 0..<bytes.count)
      for order in [ByteOrder.little, .big] {
        #expect(try cursor.readInteger(UInt64.self, as: order) == number)
        #expect(
          try cursor.readInteger(UInt32.self, as: order) == UInt32(truncatingIfNeeded: number))
        #expect(
          try cursor.readInteger(UInt16.self, as: order) == UInt16(truncatingIfNeeded: number))
      }
      #expect(cursor.remaining == 0)
    }
  }
}

@Suite struct HexadecimalTests {
  @Test func everyByteRoundTrips() {
    let bytes = (0...255).map { UInt8($0) }
    let text = Hexadecimal.text(bytes)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
    #expect(Hexadecimal.bytes(text) == bytes)
    #expect(Hexadecimal.bytes(text.uppercased()) == bytes)
  }

  /// Tests every value of a byte at every place of four, and lengths that are no multiple of four.
  @Test func digitsOfSeveralBytesAreThoseOfEach() {
    for start in 0..<4 {
      for count in [0, 1, 2, 3, 4, 5, 7, 8, 257, 261] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + start) }
        var text = Array("x".utf8)
        Hexadecimal.append(bytes.storageSpan, to: &text)
        var expected = Array("x".utf8)
        for byte in bytes { Hexadecimal.append(byte, to: &expected) }
        #expect(text == expected, "\(count) bytes from \(start)")
      }
    }
  }

  @Test func numbersAreFilledUpWithZeros() {
    #expect(Hexadecimal.text(0x1f4) == "0x000001f4")
    #expect(Hexadecimal.text(UInt64.max, digits: 2) == "0xffffffffffffffff")
    #expect(Hexadecimal.text(0, digits: 1) == "0x0")
  }

  @Test func onlyDigitsAreDigits() {
    #expect(Hexadecimal.bytes("") == [])
    #expect(Hexadecimal.bytes("abc") == nil)
    for code in UInt8(0)..<128 {
      let character = Character(Unicode.Scalar(code))
      let isDigit = character.isHexDigit
      #expect((Hexadecimal.bytes("0\(character)") != nil) == isDigit, "character \(code)")
    }
    #expect(Hexadecimal.bytes("１２") == nil)
  }
}
