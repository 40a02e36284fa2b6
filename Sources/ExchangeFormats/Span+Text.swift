import KVBytes

extension Span where Element == UInt8 {
  /// Returns the text in `range`, or `nil` if the bytes are not UTF-8.
  ///
  /// - Precondition: `range` lies within the span.
  func text(in range: Range<Int>) -> String? { extracting(range).text }

  /// Returns a copy of the bytes in `range`.
  ///
  /// - Precondition: `range` lies within the span.
  func copy(of range: Range<Int>) -> [UInt8] {
    [UInt8](capacity: range.count) { output in
      for offset in range { output.append(self[offset]) }
    }
  }

  /// Returns the range of the zeros around the zero at `offset`.
  ///
  /// - Precondition: There is a zero at `offset`.
  func zeros(around offset: Int) -> Range<Int> {
    var (start, end) = (offset, offset + 1)
    while start > 0, self[start - 1] == 0 { start -= 1 }
    while end < count, self[end] == 0 { end += 1 }
    return start..<end
  }
}
