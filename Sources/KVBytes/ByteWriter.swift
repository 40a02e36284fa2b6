/// A buffer to which values are written in file order; the inverse of ``ByteCursor``.
package struct ByteWriter: Hashable, Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  package init() {}

  /// The number of bytes written so far.
  package var count: Int { bytes.count }

  /// Reserves room for `count` bytes in total.
  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// Writes one byte.
  package mutating func writeByte(_ byte: UInt8) { bytes.append(byte) }

  /// Writes `new` unchanged.
  @specialized(where Bytes == [UInt8])
  package mutating func writeBytes<Bytes: Sequence<UInt8>>(_ new: Bytes) {
    bytes.append(contentsOf: new)
  }

  /// Writes `count` zero bytes.
  package mutating func writeZeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Writes a fixed-width integer; the inverse of `ByteCursor.readInteger(_:as:)`.
  @specialized(where T == UInt16)
  @specialized(where T == UInt32)
  @specialized(where T == UInt64)
  package mutating func writeInteger<T: FixedWidthInteger & UnsignedInteger>(
    _ value: T, as order: ByteOrder
  ) {
    for index in 0..<(T.bitWidth / 8) {
      let shift = order == .little ? 8 * index : T.bitWidth - 8 - 8 * index
      bytes.append(UInt8(truncatingIfNeeded: value >> T(truncatingIfNeeded: shift)))
    }
  }

  /// Writes a base-128 integer in the fewest bytes; the inverse of `ByteCursor.readVarint()`.
  package mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Returns the number of bytes that `writeVarint(_:)` writes for `value`.
  package static func varintCount(_ value: UInt64) -> Int {
    max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }
}
