import KVBytes

/// What is text to the engine, and what looks like text to people.
enum AndroidText {
  /// The most bytes of a text that the engine decodes strictly.
  static let strictLimit = 2048

  /// How the bytes of a text are.
  enum Form: Hashable, Sendable {
    /// Well-formed, and nothing that a person would not type.
    case plain
    /// Well-formed, with control characters.
    case odd
    /// Well-formed, with U+0000 in it.
    case withNUL
    /// Not UTF-8.
    case malformed
  }

  /// The form of the bytes in `range`.
  ///
  /// The last character must end before `limit`; nothing for the end of `range`.
  ///
  /// - Complexity: O(`range.count`).
  static func form(
    _ bytes: Span<UInt8>, _ range: Range<Int>, within limit: Int? = nil
  ) -> Form {
    var form = Form.plain
    var offset = range.lowerBound
    while offset < range.upperBound {
      let byte = bytes[offset]
      if byte == 0 {
        form = .withNUL
      } else if form == .plain, byte < 0x20 && byte != 9 && byte != 10 && byte != 13 || byte == 0x7f
      {
        form = .odd
      }
      let count = characterCount(bytes, at: offset, limit: limit ?? range.upperBound)
      if count == 0 { return .malformed }
      offset += count
    }
    return form
  }

  /// How many zero bytes in a row no app writes into a text: there something was zeroed.
  private static let holeCount = 8

  /// Whether the bytes in `range` are text with a hole in it.
  static func hasHole(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var count = 0
    for offset in range {
      count = bytes[offset] == 0 ? count + 1 : 0
      if count == holeCount { return true }
    }
    return false
  }

  /// How many bytes the character at `offset` takes; 0 where there is none.
  ///
  /// These are the well-formed sequences of UTF-8 (Unicode 15, table 3-7).
  static func characterCount(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Int {
    let first = bytes[offset]
    if first < 0x80 { return 1 }
    let count: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch first {
    case 0xc2...0xdf: count = 2
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: count = 3
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: count = 4
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    default: return 0
    }
    guard limit - offset >= count, second.contains(bytes[offset + 1]) else { return 0 }
    for index in 2..<max(2, count) where bytes[offset + index] & 0xc0 != 0x80 { return 0 }
    return count
  }
}
