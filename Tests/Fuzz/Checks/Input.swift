/// The bytes of a fuzzer, consumed from the start.
struct Input {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Returns the next byte, or 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns the number in the next two bytes, little-endian.
  mutating func count() -> Int { Int(byte()) | Int(byte()) << 8 }

  /// Returns the next `count` bytes, or as many as are left.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Returns bytes after their count, which takes two bytes.
  mutating func countedBytes() -> [UInt8] { bytes(count()) }

  /// Returns all remaining bytes.
  mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

extension Array where Element == UInt8 {
  /// Returns the number in up to eight bytes from `offset`, little-endian.
  ///
  /// Missing bytes are zero.
  func littleEndian(at offset: Int, count: Int) -> UInt64 {
    (0..<count).reduce(0) { value, index in
      let byte = offset + index < self.count ? self[offset + index] : 0
      return value | UInt64(byte) << UInt64(8 * index)
    }
  }

  /// Stores `value` at `offset`, little-endian.
  ///
  /// Bytes beyond the end are dropped.
  mutating func setLittleEndian(_ value: UInt64, at offset: Int, count: Int) {
    for index in 0..<count where offset + index < self.count {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
  }
}
