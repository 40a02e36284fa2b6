package import KVBytes

/// Why a material of WCDB is not used, and which bytes of it show that.
package struct MaterialError: Error, Hashable {
  /// The bytes.
  package let range: Range<Int>
  /// What is wrong with them, for people.
  package let words: String

  /// A material with `words` wrong at `range`.
  package init(_ words: String, at range: Range<Int>) {
    self.words = words
    self.range = range
  }

  /// A material that ends, or whose content ends, before `what` does.
  package init(_ error: ByteError, _ what: String, end: Int) {
    self.init(
      "its \(what) is cut off or has an impossible length", at: min(error.offset, end)..<end)
  }
}
