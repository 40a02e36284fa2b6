/// A replacement of a range of bytes in a file.
///
/// In most edits, the new bytes have the length of the old ones. An empty `range` is an insertion,
/// and empty `bytes` are a deletion.
package struct FileEdit: Hashable, Sendable {
  /// The file, by its path relative to the folder of the store.
  package let file: String
  /// The range of the replaced bytes in the healthy file.
  package let range: Range<Int>
  /// The new bytes.
  package let bytes: [UInt8]

  /// Creates an edit of `file`.
  package init(_ file: String, _ range: Range<Int>, _ bytes: [UInt8]) {
    self.file = file
    self.range = range
    self.bytes = bytes
  }
}
