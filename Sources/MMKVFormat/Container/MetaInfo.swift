package import KVBytes
import KVModel

/// The fields of MMKV's `.crc` file.
///
///     offset  count  field                                        since version
///          0      4  digest          CRC-32 of the payload                    0
///          4      4  version                                                  1
///          8      4  sequence        number of full rewrites                  1
///         12     16  vector          AES initialisation vector                2
///         28      4  actual size     payload length                           3
///         32      4  confirmed size  payload length at the last rewrite       3
///         36      4  confirmed digest                                         3
///         40     64  reserved        zero                                     3
///        104      8  flags           bit 0: values carry an expiry suffix     4
///
/// All integers are little-endian. The engine extends a short file with zeros before it reads it, so
/// a field that is not there reads as zero.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Meta file.
package struct MetaInfo: Hashable, Sendable {
  /// Where each field is, in bytes from the start of the file.
  package enum Field {
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

  /// The versions at which the layout changed, and the one at which the engine gives up on it.
  package enum Version {
    static let sequence: UInt32 = 1
    static let vector: UInt32 = 2
    static let actualCount: UInt32 = 3
    static let flags: UInt32 = 4
    static let suspicious: UInt32 = 7
  }

  /// How many bytes the fields take.
  package static let byteCount = 112

  package let digest: UInt32
  package let version: UInt32
  package let sequence: UInt32
  package let vector: [UInt8]
  package let actualCount: UInt32
  package let confirmedCount: UInt32
  package let confirmedDigest: UInt32
  package let flags: UInt64

  /// Reads the fields; `cursor` must stand at the start of at least ``byteCount`` bytes.
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

  /// A meta file of these fields, for writing.
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

  /// The version that the engine goes by: one that it does not know counts as 3, without flags.
  package var effectiveVersion: UInt32 {
    version >= Version.suspicious ? Version.actualCount : version
  }

  /// Whether the engine takes every value to end in an expiry suffix.
  package var hasExpiry: Bool {
    version >= Version.flags && version < Version.suspicious && flags & 1 == 1
  }

  /// Returns whether `image` may be a meta file, with nothing else to go by: a version that engines know,
  /// and zeros where they write nothing.
  static func isPlausible(_ image: FileImage) -> Bool {
    let whole = image.zeroExtended(to: max(image.count, byteCount))
    var cursor = ByteCursor(whole.storageSpan, in: whole.range)
    guard image.count >= Field.version.upperBound, let info = try? MetaInfo(parsing: &cursor) else {
      return false
    }
    return info.version < Version.suspicious && whole.isZero(in: Field.reserved)
  }

  /// Whether no engine ever wrote a log's digest here.
  ///
  /// A meta file of version 0 holds a digest and nothing else. With a digest of 0, it is that of a log
  /// without bytes, or one that was zeroed: it says nothing, whatever stands in the fields that later
  /// versions have.
  package var isBlank: Bool { digest == 0 && version == 0 }

  /// Whether no engine ever wrote a record into the log that this is about.
  ///
  /// The first write of all counts the sequence up, and emptying a store does, too. Where the log holds
  /// bytes all the same, these are the fields of another store, or of one whose meta file was lost and
  /// made anew.
  package var isUnwritten: Bool {
    version != 0 && effectiveVersion >= Version.actualCount && digest == 0 && sequence == 0
      && actualCount == 0 && confirmedCount == 0 && confirmedDigest == 0
  }
}
