/// The bytes of one file, in memory and immutable.
///
/// Offsets into an image are offsets from the start of the file it was read from. An image holds at
/// most 2³² − 1 bytes, the limit of the 32-bit sizes that the formats store, so that an offset fits
/// in a `UInt32`.
package struct FileImage: Hashable, Sendable {
  /// The largest image, in bytes.
  package static let maximumCount = Int(UInt32.max)

  @usableFromInline let storage: [UInt8]

  /// An image of `bytes`.
  ///
  /// - Precondition: `bytes.count <= FileImage.maximumCount`.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count <= FileImage.maximumCount)
    storage = bytes
  }

  /// How many bytes the image has.
  @inlinable package var count: Int { storage.count }

  /// The range of all offsets.
  @inlinable package var range: Range<Int> { 0..<storage.count }

  /// All bytes, without copying them.
  package var storageSpan: Span<UInt8> {
    @inlinable @_lifetime(borrow self)
    get { storage.storageSpan }
  }

  /// All bytes as an array; shares the image's storage.
  package var bytes: [UInt8] { storage }

  /// The byte at `offset`.
  ///
  /// - Precondition: `range.contains(offset)`.
  @inlinable package subscript(offset: Int) -> UInt8 { storage[offset] }

  /// A copy of the bytes in `range`.
  ///
  /// - Precondition: `range` lies within the image.
  /// - Complexity: O(`range.count`).
  package func bytes(in range: Range<Int>) -> [UInt8] { Array(storage[range]) }

  /// The image followed by as many zero bytes as `count` asks for; itself if it is that long.
  ///
  /// - Precondition: `count <= FileImage.maximumCount`.
  package func zeroExtended(to count: Int) -> FileImage {
    guard count > storage.count else { return self }
    return FileImage(storage + [UInt8](repeating: 0, count: count - storage.count))
  }

  /// Whether every byte in `range` is zero.
  ///
  /// - Precondition: `range` lies within the image.
  package func isZero(in range: Range<Int>) -> Bool { storageSpan.isZero(in: range) }

  /// The offset of the last byte in `range` that is not zero.
  ///
  /// - Precondition: `range` lies within the image.
  package func lastNonzero(in range: Range<Int>) -> Int? { storageSpan.lastNonzero(in: range) }
}
