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
    let table = CRC16.table.storageSpan
    var value = self.value
    var offset = range.lowerBound
    while offset < range.upperBound {
      value = value << 8 ^ table[Int(value >> 8 ^ UInt16(bytes[offset]))]
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

  /// The contribution of each value of the high byte.
  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { value, _ in
      value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
    }
  }
}
