import KVBytes

extension Span where Element == UInt8 {
  /// The varint at `offset` and where it ends, if it takes no more bytes than it needs.
  func minimalVarint(at offset: Int) -> (value: UInt64, end: Int)? {
    guard offset >= 0, offset < count else { return nil }
    if self[offset] < 0x80 { return (UInt64(self[offset]), offset + 1) }
    var cursor = ByteCursor(self, in: offset..<count)
    do {
      let value = try cursor.readVarint()
      let taken = cursor.offset - offset
      guard taken == ByteWriter.varintCount(value) else { return nil }
      // The tenth byte has one bit to give; the reader drops the others.
      guard taken < 10 || self[cursor.offset - 1] == 1 else { return nil }
      return (value, cursor.offset)
    } catch {
      return nil
    }
  }

  /// The little-endian integer at `offset`, if it lies within the bytes.
  func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type, at offset: Int) -> T? {
    let width = T.bitWidth / 8
    guard offset >= 0, offset <= count, width <= count - offset else { return nil }
    var value: T = 0
    for index in 0..<width {
      value |= T(truncatingIfNeeded: self[offset + index]) << T(truncatingIfNeeded: 8 * index)
    }
    return value
  }

  /// The byte at `offset`, or `nil` past the end.
  func byte(at offset: Int) -> UInt8? { offset < count ? self[offset] : nil }

  /// The characters of the text within the first `limit` bytes, if all bytes are UTF-8.
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

  /// How many bytes begin a control character that texts seldom have, in bytes that are UTF-8.
  ///
  /// Tabs and line breaks do not count.
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
