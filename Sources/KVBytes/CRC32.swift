/// The CRC-32 of zlib, PNG and IEEE 802.3, fed in pieces.
///
/// The polynomial is 0xEDB88320, reflected; the initial value and the final XOR are 0xFFFFFFFF.
package struct CRC32: Hashable, Sendable {
  /// The digest of all bytes so far; 0 for none.
  package private(set) var value: UInt32

  /// The digest of no bytes, or a digest to go on from.
  package init(resuming value: UInt32 = 0) { self.value = value }

  /// Takes in the bytes of `range` of `bytes`.
  ///
  /// - Precondition: `range` lies within `bytes`.
  package mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>) {
    value = Zlib.crc32(value, bytes, range)
  }

  /// The digest of `range` of `image`.
  ///
  /// - Precondition: `range` lies within `image`.
  package static func digest(of image: FileImage, in range: Range<Int>) -> UInt32 {
    var digest = CRC32()
    digest.update(image.storageSpan, in: range)
    return digest.value
  }
}
