import KVBytes

/// The CRC-32 of the payload's first bytes, for several lengths.
struct PayloadDigests: Sendable {
  private var byCount: [Int: UInt32] = [:]

  /// Computes the checksums of the first `counts` bytes after the header of `image` in one pass;
  /// lengths beyond the image are left out.
  ///
  /// - Complexity: O(*n*), where *n* is the largest of `counts` within the image.
  init(of image: FileImage, counts: [Int]) {
    var digest = CRC32()
    var position = DataHeader.byteCount
    for count in counts.sorted() where count <= image.count - DataHeader.byteCount {
      digest.update(image.storageSpan, in: position..<DataHeader.byteCount + count)
      position = DataHeader.byteCount + count
      byCount[count] = digest.value
    }
  }

  /// Accesses the checksum of the first `count` bytes; `nil` for a length that was not computed.
  subscript(count: Int) -> UInt32? { byCount[count] }

  /// Adds the checksums of `other`.
  mutating func merge(_ other: PayloadDigests) {
    byCount.merge(other.byCount) { known, _ in known }
  }
}
