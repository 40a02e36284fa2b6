package import KVBytes

/// The header of each copy of the log.
///
///     offset  count  field
///          0      4  word      count (bits 0–29) | encrypted (30) | being written (31), little-endian
///          4      8  checksum  XOR lanes of the data, see `XORLanes`
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Header.
package struct AndroidHeader: Hashable, Sendable {
  /// The number of bytes in a header; the records begin after it.
  package static let byteCount = 12
  package static let countField = 0..<4
  package static let checksumField = 4..<12
  /// The bit that marks the data as encrypted.
  static let encryptedBit: UInt32 = 1 << 30

  /// The first word as stored.
  package let word: UInt32
  /// The stored checksum.
  package let checksum: UInt64

  /// Creates the header of `image`.
  ///
  /// Missing bytes count as zero, as in the blocking loader.
  package init(of image: FileImage) {
    var word: UInt32 = 0
    var checksum: UInt64 = 0
    for offset in 0..<min(AndroidHeader.byteCount, image.count) {
      if offset < 4 {
        word |= UInt32(image[offset]) << UInt32(8 * offset)
      } else {
        checksum |= UInt64(image[offset]) << UInt64(8 * (offset - 4))
      }
    }
    self.word = word
    self.checksum = checksum
  }

  /// Creates a header with these fields.
  package init(count: Int, isEncrypted: Bool, checksum: UInt64) {
    word = UInt32(truncatingIfNeeded: count) | (isEncrypted ? AndroidHeader.encryptedBit : 0)
    self.checksum = checksum
  }

  /// Whether the header states that the data is encrypted.
  var isEncrypted: Bool { !isBeingWritten && word & AndroidHeader.encryptedBit != 0 }

  /// Whether the copy was being written.
  ///
  /// The mark is -1; the engine refuses every negative number.
  var isBeingWritten: Bool { word >> 31 != 0 }

  /// The number of data bytes; `nil` if it is negative.
  package var count: Int? { isBeingWritten ? nil : Int(word & ~AndroidHeader.encryptedBit) }

  /// Whether the header is that of an empty store, the encryption bit aside.
  var isBlank: Bool { word & ~AndroidHeader.encryptedBit == 0 && checksum == 0 }

  /// The bytes as stored.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.writeInteger(word, as: .little)
    writer.writeInteger(checksum, as: .little)
    return writer.bytes
  }
}
