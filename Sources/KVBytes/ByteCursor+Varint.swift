extension ByteCursor {
  /// Reads a base-128 variable-length integer of up to ten bytes.
  ///
  /// Bits above the 64th are dropped, as protobuf's readers do.
  ///
  /// - Throws: `.truncated` if the bytes end first; `.malformedVarint` if the tenth byte says that
  ///   more bytes follow.
  @inlinable @inline(__always)
  public mutating func readVarint() throws(ByteError) -> UInt64 {
    // Nearly all lengths have one byte: this part is worth its place in every caller.
    if position < end, bytes[position] < 0x80 {
      let byte = bytes[position]
      position += 1
      return UInt64(byte)
    }
    return try readLongVarint()
  }

  @usableFromInline mutating func readLongVarint() throws(ByteError) -> UInt64 {
    let start = offset
    var value = UInt64(try readByte() & 0x7f)
    for shift in stride(from: UInt64(7), through: 63, by: 7) {
      guard !isAtEnd else { return try fail(.truncated, from: start) }
      let byte = try readByte()
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    return try fail(.malformedVarint, from: start)
  }

  /// Rewinds to `start` and throws `cause`.
  @usableFromInline mutating func fail<T>(
    _ cause: ByteError.Cause, from start: Int
  ) throws(ByteError) -> T {
    rewind(to: start)
    throw ByteError(cause, at: start)
  }
}
