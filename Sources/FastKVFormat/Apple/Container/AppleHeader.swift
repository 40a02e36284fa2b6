package import KVBytes

/// The first 18 bytes of a file of FastKV for iOS.
///
///     offset  count  field
///          0      6  magic    "FastKV"
///          6      4  version  always 1; the engine does not look at it, little-endian
///         10      8  length   bytes of the record area that follows, little-endian
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Header.
package struct AppleHeader: Hashable, Sendable {
  /// The number of bytes in a header.
  package static let byteCount = 18
  /// The bytes that a file begins with.
  package static let magic = Array("FastKV".utf8)
  /// The version that every engine writes.
  package static let currentVersion: UInt32 = 1

  /// The ranges of the fields, as file offsets.
  package enum Field {
    package static let magic = 0..<6
    package static let version = 6..<10
    package static let length = 10..<18
  }

  /// The number of bytes of the magic that match.
  let magicMatchCount: Int
  /// The version as stored.
  let version: UInt32
  /// The length of the record area as stored.
  package let length: UInt64

  /// Creates the header at the start of `image`.
  ///
  /// Missing bytes count as zero.
  package init(of image: FileImage) {
    let start = image.zeroExtended(
      to: image.count < AppleHeader.byteCount ? AppleHeader.byteCount : 0)
    magicMatchCount = Field.magic.count { start[$0] == AppleHeader.magic[$0] }
    version = UInt32(start.littleEndian(in: Field.version))
    length = start.littleEndian(in: Field.length)
  }

  /// Whether enough of the magic matches to recognize the header.
  var isRecognizable: Bool { magicMatchCount * 2 >= AppleHeader.magic.count }

  /// Whether the magic matches in full, as the engine requires.
  var hasMagic: Bool { magicMatchCount == AppleHeader.magic.count }
}

extension FileImage {
  /// Returns the little-endian number in up to eight bytes.
  ///
  /// - Precondition: `range` lies within the image.
  package func littleEndian(in range: Range<Int>) -> UInt64 {
    let bytes = storageSpan
    var value: UInt64 = 0
    var offset = range.upperBound
    while offset > range.lowerBound {
      offset -= 1
      value = value << 8 | UInt64(bytes[offset])
    }
    return value
  }
}
