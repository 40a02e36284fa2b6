/// The byte order of a fixed-width integer.
package enum ByteOrder: Sendable {
  /// Least significant byte first.
  case little
  /// Most significant byte first.
  case big
}

extension ByteCursor {
  /// Reads a fixed-width integer of at most 64 bits.
  ///
  /// - Throws: `.truncated` if too few bytes are left.
  package mutating func readInteger<T: FixedWidthInteger & UnsignedInteger>(
    _ type: T.Type, as order: ByteOrder
  ) throws(ByteError) -> T {
    let start = offset
    guard remaining >= T.bitWidth / 8 else { throw ByteError(.truncated, at: start) }
    // Assemble the value in a concrete type: in unspecialized code, each step with `T` would be a
    // call.
    var value: UInt64 = 0
    for index in 0..<(T.bitWidth / 8) {
      let byte = UInt64(try readByte())
      switch order {
      case .little: value |= byte << UInt64(8 * index)
      case .big: value = value << 8 | byte
      }
    }
    return T(truncatingIfNeeded: value)
  }
}
