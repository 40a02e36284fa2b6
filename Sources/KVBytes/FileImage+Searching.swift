extension FileImage {
  /// Returns the offset of the first occurrence of `pattern` in `range`; `nil` if there is none or
  /// `pattern` is empty.
  ///
  /// - Precondition: `range` lies within the image.
  /// - Complexity: O(`range.count`) if partial matches of `pattern` are rare.
  package func firstOccurrence(of pattern: [UInt8], in range: Range<Int>) -> Int? {
    pattern.isEmpty ? nil : storageSpan.firstOccurrence(of: pattern.storageSpan, in: range)
  }
}
