extension String {
  /// Returns the text with each occurrence of `scalar` replaced by `replacement`.
  ///
  /// Unlike `replacing(_:with:)`, which compares characters, this also replaces a quotation mark
  /// that a combining accent follows. A CSV reader, a shell or a browser sees that mark too.
  package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
    unicodeScalars.split(separator: scalar, omittingEmptySubsequences: false)
      .map { String($0) }.joined(separator: replacement)
  }
}
