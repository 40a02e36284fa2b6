extension FileImage {
  /// The offset of the first occurrence of `pattern` in `range`.
  ///
  /// - Precondition: `range` lies within the image.
  /// - Complexity: O(`range.count`) for patterns whose first byte does not recur in them early.
  package func firstOccurrence(of pattern: [UInt8], in range: Range<Int>) -> Int? {
    pattern.isEmpty ? nil : storageSpan.firstOccurrence(of: pattern.storageSpan, in: range)
  }
}
