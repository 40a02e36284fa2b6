import KVBytes

extension Span where Element == UInt8 {
  /// Returns the varint at `offset` and its end; `nil` if it is not in its shortest form.
  func minimalVarint(at offset: Int) -> (value: UInt64, end: Int)? {
    guard offset >= 0, offset < count else { return nil }
    if self[offset] < 0x80 { return (UInt64(self[offset]), offset + 1) }
    var cursor = ByteCursor(self, in: offset..<count)
    do {
      let value = try cursor.readVarint()
      let taken = cursor.offset - offset
      guard taken == ByteWriter.varintCount(value) else { return nil }
      // The tenth byte can only be 1; the reader drops its other bits.
      guard taken < 10 || self[cursor.offset - 1] == 1 else { return nil }
      return (value, cursor.offset)
    } catch {
      return nil
    }
  }

  /// Returns the little-endian integer at `offset`; `nil` if it does not lie within the bytes.
  func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type, at offset: Int) -> T? {
    let width = T.bitWidth / 8
    guard offset >= 0, offset <= count, width <= count - offset else { return nil }
    var value: T = 0
    for index in 0..<width {
      value |= T(truncatingIfNeeded: self[offset + index]) << T(truncatingIfNeeded: 8 * index)
    }
    return value
  }

  /// Returns the characters within the first `limit` bytes; `nil` if any byte is not part of valid
  /// UTF-8.
  func text(keeping limit: Int) -> String? {
    guard count > limit else { return text }
    guard text != nil else { return nil }
    var end = limit
    while end > 0, self[end] & 0xc0 == 0x80 { end -= 1 }
    return extracting(first: end).text
  }

  /// A copy of the bytes.
  var copy: [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for offset in indices { copy.append(self[offset]) }
    return copy
  }

  /// The number of control characters, other than tabs and line breaks, in bytes that are UTF-8.
  var controlCount: Int {
    var controls = 0
    for offset in indices {
      switch self[offset] {
      case 0x09, 0x0a, 0x0d: break
      case 0x00..<0x20, 0x7f: controls += 1
      // U+0080 to U+009F.
      case 0xc2 where offset + 1 < count && self[offset + 1] < 0xa0: controls += 1
      default: break
      }
    }
    return controls
  }
}
