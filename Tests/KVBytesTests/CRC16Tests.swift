import KVBytes
import KVFixtures
import Testing

@Suite struct CRC16Tests {
  /// Returns the remainder as the polynomial defines it, bit by bit.
  private func remainder(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var value: UInt16 = 0
    for byte in bytes {
      value ^= UInt16(byte) << 8
      for _ in 0..<8 { value = value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021 }
    }
    return value
  }

  /// The check value is that of CRC-16/XMODEM in Greg Cook's catalogue of CRC algorithms.
  @Test func itIsXMODEM() {
    let image = FileImage(Array("123456789".utf8))
    #expect(CRC16.digest(of: image, in: image.range) == 0x31c3)
    #expect(CRC16().value == 0)
  }

  @Test func everyPartOfABufferHasItsRemainder() {
    var random = SeededGenerator(seed: 16)
    let image = FileImage(random.bytes(48))
    for start in 0...image.count {
      for end in start...image.count {
        let digest = CRC16.digest(of: image, in: start..<end)
        #expect(digest == remainder(image.bytes(in: start..<end)), "\(start)..<\(end)")
      }
    }
  }

  @Test func partsCanBeAddedOneByOne() {
    var random = SeededGenerator(seed: 17)
    let image = FileImage(random.bytes(40))
    for middle in 0...image.count {
      var digest = CRC16()
      digest.update(image.storageSpan, in: 0..<middle)
      digest.update(image.storageSpan, in: middle..<image.count)
      #expect(digest.value == remainder(image.bytes), "\(middle)")
    }
  }
}
