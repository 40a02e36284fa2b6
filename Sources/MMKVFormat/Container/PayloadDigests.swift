import KVBytes

/// The CRC-32 of the payload's first bytes, for as many lengths as are asked for.
struct PayloadDigests: Sendable {
  private var byCount: [Int: UInt32] = [:]

  /// The digests of the first `counts` bytes after the header of `image`, in one pass; lengths that
  /// the image does not have are left out.
  ///
  /// - Complexity: O(the longest of `counts`).
  init(of image: FileImage, counts: [Int]) {
    var digest = CRC32()
    var position = DataHeader.byteCount
    for count in counts.sorted() where count <= image.count - DataHeader.byteCount {
      digest.update(image.storageSpan, in: position..<DataHeader.byteCount + count)
      position = DataHeader.byteCount + count
      byCount[count] = digest.value
    }
  }

  /// The digest of the first `count` bytes; `nil` for a length that was not asked for or is not
  /// there.
  subscript(count: Int) -> UInt32? { byCount[count] }

  /// Adds the digests of `other`.
  mutating func merge(_ other: PayloadDigests) {
    byCount.merge(other.byCount) { known, _ in known }
  }
}
