/// Other bytes in the place of some of a file's.
///
/// What is put in has the same length in most cases; an empty range is an insertion, empty `bytes` a
/// deletion.
package struct FileEdit: Hashable, Sendable {
  /// The file, by its name below the folder of the store.
  package let file: String
  /// The bytes that go, by their offsets in the healthy file.
  package let range: Range<Int>
  /// The bytes that come in their place.
  package let bytes: [UInt8]

  /// An edit of `file`.
  package init(_ file: String, _ range: Range<Int>, _ bytes: [UInt8]) {
    self.file = file
    self.range = range
    self.bytes = bytes
  }
}
