import KVBytes

/// A classification of bytes as text, to the engine and to people.
package enum AndroidText {
  /// The most bytes of a text that the engine decodes strictly.
  package static let strictLimit = 2048

  /// What the bytes of a text contain.
  package enum Form: Hashable, Sendable {
    /// Well-formed, with no unusual control characters.
    case plain
    /// Well-formed, with control characters.
    case odd
    /// Well-formed, with U+0000 in it.
    case withNUL
    /// Not UTF-8.
    case malformed
  }

  /// Returns the form of the bytes in `range`.
  ///
  /// The last character may continue up to `limit`; by default, up to the end of `range`.
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

  /// The number of consecutive zero bytes that is implausible in a text and shows that bytes were
  /// zeroed.
  private static let holeCount = 8

  /// Returns whether the bytes in `range` have a hole of zeros.
  static func hasHole(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var count = 0
    for offset in range {
      count = bytes[offset] == 0 ? count + 1 : 0
      if count == holeCount { return true }
    }
    return false
  }
}
