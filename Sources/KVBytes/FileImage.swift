/// The bytes of one file, in memory and immutable.
///
/// Offsets into an image are offsets from the start of the file it was read from. An image holds at
/// most 2³² − 1 bytes, the limit of the 32-bit sizes that the formats store, so every offset fits
/// in a `UInt32`.
public struct FileImage: Hashable, Sendable {
  /// The size of the largest possible image, in bytes.
  package static let maximumCount = Int(UInt32.max)

  /// A `ContiguousArray`, whose span is available on older systems too.
  @usableFromInline let storage: ContiguousArray<UInt8>

  /// Creates an image of `bytes`.
  ///
  /// - Precondition: `bytes.count <= FileImage.maximumCount`.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count <= FileImage.maximumCount)
    storage = ContiguousArray(bytes)
  }

  /// The number of bytes.
  @inlinable public var count: Int { storage.count }

  /// The range of all offsets.
  @inlinable public var range: Range<Int> { 0..<storage.count }

  /// All bytes, without copying them.
  public var storageSpan: Span<UInt8> {
    @inlinable @_lifetime(borrow self)
    get { storage.span }
  }

  /// Passes all bytes to `body`, without copying them.
  @inlinable package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span)
  }

  /// All bytes as an array; shares the image's storage.
  package var bytes: [UInt8] { Array(storage) }

  /// Accesses the byte at `offset`.
  ///
  /// - Precondition: `range.contains(offset)`.
  @inlinable public subscript(offset: Int) -> UInt8 { storage[offset] }

  /// Returns a copy of the bytes in `range`.
  ///
  /// - Precondition: `range` lies within the image.
  /// - Complexity: O(`range.count`).
  package func bytes(in range: Range<Int>) -> [UInt8] { Array(storage[range]) }

  /// Returns the image extended with zero bytes to `count` bytes, or unchanged if it is at least
  /// that long.
  ///
  /// - Precondition: `count <= FileImage.maximumCount`.
  package func zeroExtended(to count: Int) -> FileImage {
    guard count > storage.count else { return self }
    return FileImage([UInt8](copyingIntoLargePages: storageSpan, zeroCount: count - storage.count))
  }

  /// Returns whether every byte in `range` is zero.
  ///
  /// - Precondition: `range` lies within the image.
  package func isZero(in range: Range<Int>) -> Bool { storageSpan.isZero(in: range) }

  /// Returns the offset of the last nonzero byte in `range`; `nil` if all are zero.
  ///
  /// - Precondition: `range` lies within the image.
  package func lastNonzero(in range: Range<Int>) -> Int? { storageSpan.lastNonzero(in: range) }
}
