package import KVBytes
import KVModel

/// The fields of MMKV's `.crc` file.
///
///     offset  count  field                                        since version
///          0      4  digest          CRC-32 of the payload                    0
///          4      4  version                                                  1
///          8      4  sequence        number of full rewrites                  1
///         12     16  vector          AES initialization vector                2
///         28      4  actual size     payload length                           3
///         32      4  confirmed size  payload length at the last rewrite       3
///         36      4  confirmed digest                                         3
///         40     64  reserved        zero                                     3
///        104      8  flags           bit 0: values carry an expiry suffix     4
///
/// All integers are little-endian. The engine extends a short file with zeros before reading it, so
/// a missing field reads as zero.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Meta file.
package struct MetaInfo: Hashable, Sendable {
  /// The offsets of the fields from the start of the file.
  enum Field {
    static let digest = 0..<4
    static let version = 4..<8
    static let sequence = 8..<12
    static let vector = 12..<28
    static let actualCount = 28..<32
    static let confirmedCount = 32..<36
    static let confirmedDigest = 36..<40
    static let reserved = 40..<104
    static let flags = 104..<112
  }

  /// The versions at which the layout changed, and the first one that the engine does not accept.
  enum Version {
    static let sequence: UInt32 = 1
    static let vector: UInt32 = 2
    static let actualCount: UInt32 = 3
    static let flags: UInt32 = 4
    static let suspicious: UInt32 = 7
  }

  /// The size of the fields in bytes.
  static let byteCount = 112

  package let digest: UInt32
  package let version: UInt32
  package let sequence: UInt32
  package let vector: [UInt8]
  package let actualCount: UInt32
  package let confirmedCount: UInt32
  package let confirmedDigest: UInt32
  package let flags: UInt64

  /// Reads the fields from `cursor`, which must be at the start of at least ``byteCount`` bytes.
  package init(parsing cursor: inout ByteCursor) throws(ByteError) {
    digest = try cursor.readInteger(UInt32.self, as: .little)
    version = try cursor.readInteger(UInt32.self, as: .little)
    sequence = try cursor.readInteger(UInt32.self, as: .little)
    var vector: [UInt8] = []
    for _ in Field.vector { vector.append(try cursor.readByte()) }
    self.vector = vector
    actualCount = try cursor.readInteger(UInt32.self, as: .little)
    confirmedCount = try cursor.readInteger(UInt32.self, as: .little)
    confirmedDigest = try cursor.readInteger(UInt32.self, as: .little)
    _ = try cursor.readRange(count: Field.reserved.count)
    flags = try cursor.readInteger(UInt64.self, as: .little)
  }

  /// Creates a meta file with these fields, for writing.
  package init(
    digest: UInt32, sequence: UInt32, vector: [UInt8], actualCount: UInt32, hasExpiry: Bool
  ) {
    self.digest = digest
    version = Version.flags
    self.sequence = sequence
    self.vector = vector
    self.actualCount = actualCount
    confirmedCount = actualCount
    confirmedDigest = digest
    flags = hasExpiry ? 1 : 0
  }

  /// Writes the fields; the inverse of ``init(parsing:)``.
  package func write(to writer: inout ByteWriter) {
    writer.writeInteger(digest, as: .little)
    writer.writeInteger(version, as: .little)
    writer.writeInteger(sequence, as: .little)
    writer.writeBytes(vector)
    writer.writeInteger(actualCount, as: .little)
    writer.writeInteger(confirmedCount, as: .little)
    writer.writeInteger(confirmedDigest, as: .little)
    writer.writeZeros(Field.reserved.count)
    writer.writeInteger(flags, as: .little)
  }

  /// The version by which the engine reads the file: an unknown one counts as 3, without flags.
  var effectiveVersion: UInt32 {
    version >= Version.suspicious ? Version.actualCount : version
  }

  /// Whether the engine takes every value to end in an expiry suffix.
  var hasExpiry: Bool {
    version >= Version.flags && version < Version.suspicious && flags & 1 == 1
  }

  /// Returns whether `image` alone may be a meta file: it has a known version, and zeros in the
  /// reserved field.
  static func isPlausible(_ image: FileImage) -> Bool {
    let whole = image.zeroExtended(to: max(image.count, byteCount))
    var cursor = ByteCursor(whole.storageSpan, in: whole.range)
    guard image.count >= Field.version.upperBound, let info = try? MetaInfo(parsing: &cursor) else {
      return false
    }
    return info.version < Version.suspicious && whole.isZero(in: Field.reserved)
  }

  /// Returns whether `head` begins a meta file that is complete and was written to.
  static func isCertain(_ head: FileImage) -> Bool {
    var cursor = ByteCursor(head.storageSpan, in: head.range)
    guard head.count >= byteCount, isPlausible(head), let info = try? MetaInfo(parsing: &cursor)
    else { return false }
    return !info.isBlank
  }

  /// Whether no engine ever wrote a log's digest here.
  ///
  /// A meta file of version 0 has only a digest. If that is 0 too, it is the digest of an empty
  /// log, or the file was zeroed: it says nothing, whatever is in the fields of later versions.
  var isBlank: Bool { digest == 0 && version == 0 }

  /// Whether no engine ever wrote a record to the log that this file describes.
  ///
  /// The first write increments the sequence, and so does clearing the store. If the log holds
  /// bytes nevertheless, these fields are those of another store, or of one whose meta file was
  /// lost and created anew.
  var isUnwritten: Bool {
    version != 0 && effectiveVersion >= Version.actualCount && digest == 0 && sequence == 0
      && actualCount == 0 && confirmedCount == 0 && confirmedDigest == 0
  }
}
