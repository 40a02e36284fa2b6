import KVBytes

/// What is text to the engine, and what looks like text to people.
package enum AndroidText {
  /// The most bytes of a text that the engine decodes strictly.
  package static let strictLimit = 2048

  /// How the bytes of a text are.
  package enum Form: Hashable, Sendable {
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
  /// The last character must end before `limit`; `nil` for the end of `range`.
  ///
  /// - Complexity: O(`range.count`).
  package static func form(
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
      let count = bytes.utf8Count(at: offset, limit: limit ?? range.upperBound)
      if count == 0 { return .malformed }
      offset += count
    }
    return form
  }

  /// How many zero bytes in a row are implausible in a text: they show that bytes were zeroed.
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
}
