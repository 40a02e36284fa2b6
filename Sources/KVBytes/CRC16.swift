/// The CRC-16/XMODEM checksum, computed incrementally.
///
/// The polynomial is 0x1021, not reflected; the initial value and the final XOR are 0.
package struct CRC16: Hashable, Sendable {
  /// The checksum of all bytes so far; 0 for none.
  package private(set) var value: UInt16 = 0

  /// Creates the checksum of no bytes.
  package init() {}

  /// Adds `range` of `bytes` to the checksum.
  ///
  /// - Precondition: `range` lies within `bytes`.
  package mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>) {
    let tables = CRC16.tables.storageSpan
    var value = self.value
    var offset = range.lowerBound
    while range.upperBound - offset >= CRC16.stride {
      // The checksum so far counts for the first two bytes.
      var sum = tables[(CRC16.stride - 1) << 8 | Int(bytes[offset] ^ UInt8(value >> 8))]
      sum ^=
        tables[(CRC16.stride - 2) << 8 | Int(bytes[offset + 1] ^ UInt8(truncatingIfNeeded: value))]
      for step in 2..<CRC16.stride {
        sum ^= tables[(CRC16.stride - 1 - step) << 8 | Int(bytes[offset + step])]
      }
      value = sum
      offset += CRC16.stride
    }
    while offset < range.upperBound {
      value = value << 8 ^ tables[Int(value >> 8 ^ UInt16(bytes[offset]))]
      offset += 1
    }
    self.value = value
  }

  /// Returns the checksum of `range` of `image`.
  ///
  /// - Precondition: `range` lies within `image`.
  package static func digest(of image: FileImage, in range: Range<Int>) -> UInt16 {
    var digest = CRC16()
    digest.update(image.storageSpan, in: range)
    return digest.value
  }

  /// The number of bytes that are taken at a time: their contributions do not depend on each other.
  private static let stride = 8

  /// The contribution of each value of a byte, with none to seven bytes behind it.
  private static let tables: [UInt16] = {
    var tables = (0..<256).map { byte in
      (0..<8).reduce(UInt16(byte) << 8) { value, _ in
        value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
      }
    }
    for index in 256..<(stride * 256) {
      let nearer = tables[index - 256]
      tables.append(nearer << 8 ^ tables[Int(nearer >> 8)])
    }
    return tables
  }()
}
