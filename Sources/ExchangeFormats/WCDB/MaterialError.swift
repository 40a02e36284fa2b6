package import KVBytes

/// The reason why a WCDB material is not used, and the bytes that show it.
package struct MaterialError: Error, Hashable {
  /// The bytes that are wrong.
  package let range: Range<Int>
  /// A description for people to read.
  package let words: String

  /// Creates an error for the bytes at `range`.
  package init(_ words: String, at range: Range<Int>) {
    self.words = words
    self.range = range
  }

  /// Creates an error for a material, or its content, that ends before `what` does.
  package init(_ error: ByteError, _ what: String, end: Int) {
    self.init(
      "its \(what) is truncated or has an impossible length", at: min(error.offset, end)..<end)
  }
}
