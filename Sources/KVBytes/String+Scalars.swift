extension String {
  /// Returns the text with `replacement` in the place of each `scalar`.
  ///
  /// Unlike `replacing(_:with:)`, which compares characters, this also finds a quote that is one
  /// character with an accent after it, as a reader of CSV, a shell or a browser does.
  package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
    unicodeScalars.reduce(into: "") { text, next in
      if next == scalar {
        text += replacement
      } else {
        text.unicodeScalars.append(next)
      }
    }
  }
}
