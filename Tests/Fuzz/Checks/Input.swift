/// The bytes of a fuzzer, taken from the front.
struct Input {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next byte; 0 where none is left.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The next two bytes, little-endian.
  mutating func count() -> Int { Int(byte()) | Int(byte()) << 8 }

  /// The next `count` bytes, or as many as are left.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Bytes after their number, which takes two bytes.
  mutating func countedBytes() -> [UInt8] { bytes(count()) }

  /// All that is left.
  mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

extension Array where Element == UInt8 {
  /// The number in up to eight bytes from `offset`, little-endian; bytes that are missing are zero.
  func littleEndian(at offset: Int, count: Int) -> UInt64 {
    (0..<count).reduce(0) { value, index in
      let byte = offset + index < self.count ? self[offset + index] : 0
      return value | UInt64(byte) << UInt64(8 * index)
    }
  }

  /// Puts `value` there, little-endian; what would be after the end is left out.
  mutating func setLittleEndian(_ value: UInt64, at offset: Int, count: Int) {
    for index in 0..<count where offset + index < self.count {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
  }
}
