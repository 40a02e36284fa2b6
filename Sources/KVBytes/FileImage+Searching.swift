extension FileImage {
  /// The offset of the first occurrence of `pattern` in `range`.
  ///
  /// - Precondition: `range` lies within the image.
  /// - Complexity: O(`range.count`) for patterns whose first byte does not recur in them early.
  package func firstOccurrence(of pattern: [UInt8], in range: Range<Int>) -> Int? {
    guard let first = pattern.first, range.count >= pattern.count else { return nil }
    let bytes = span
    var offset = range.lowerBound
    let last = range.upperBound - pattern.count
    while offset <= last {
      if bytes[offset] == first, pattern.indices.allSatisfy({ bytes[offset + $0] == pattern[$0] }) {
        return offset
      }
      offset += 1
    }
    return nil
  }
}
