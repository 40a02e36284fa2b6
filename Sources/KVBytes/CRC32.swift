/// The CRC-32 checksum of zlib, PNG and IEEE 802.3, computed incrementally.
///
/// The polynomial is 0xEDB88320, reflected; the initial value and the final XOR are 0xFFFFFFFF.
package struct CRC32: Hashable, Sendable {
  /// The checksum of all bytes so far; 0 for none.
  package private(set) var value: UInt32

  /// Creates the checksum of no bytes, or continues from an earlier checksum.
  package init(resuming value: UInt32 = 0) { self.value = value }

  /// Adds `range` of `bytes` to the checksum.
  ///
  /// - Precondition: `range` lies within `bytes`.
  package mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>) {
    value = Zlib.crc32(value, bytes, range)
  }

  /// Returns the checksum that `count` bytes must have so that this checksum, continued over them, is
  /// `whole`.
  ///
  /// - Complexity: O(log `count`).
  package func rest(of whole: UInt32, count: Int) -> UInt32 {
    whole ^ Zlib.crc32(value, followedBy: 0, count: count)
  }

  /// Returns the checksum of `range` of `image`.
  ///
  /// - Precondition: `range` lies within `image`.
  package static func digest(of image: FileImage, in range: Range<Int>) -> UInt32 {
    var digest = CRC32()
    digest.update(image.storageSpan, in: range)
    return digest.value
  }
}
