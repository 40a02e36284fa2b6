package import KVBytes

extension ByteCursor {
  /// Reads a SQLite varint.
  ///
  /// The most significant bits come first, seven in each byte, and eight in a ninth byte.
  ///
  /// - Throws: `.truncated` if the bytes end first.
  package mutating func readBigEndianVarint() throws(ByteError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    for ordinal in 0..<9 {
      guard !isAtEnd else {
        rewind(to: start)
        throw ByteError(.truncated, at: start)
      }
      let byte = try readByte()
      if ordinal == 8 { return value << 8 | UInt64(byte) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { break }
    }
    return value
  }

  /// Reads a count, and returns the range of as many bytes after it.
  ///
  /// - Throws: `.truncated` if there are fewer bytes.
  mutating func readCountedRange() throws(ByteError) -> Range<Int> {
    let start = offset
    let count = try readBigEndianVarint()
    guard let count = Int(exactly: count), count <= remaining else {
      rewind(to: start)
      throw ByteError(.truncated, at: start)
    }
    return try readRange(count: count)
  }
}
