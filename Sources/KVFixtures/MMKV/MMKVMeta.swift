import KVBytes

/// The fields of MMKV's meta file, as the engine has them in memory.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Meta file.
struct MMKVMeta: Hashable {
  /// The offsets of the two fields that every append stores.
  static let digestOffset = 0
  static let actualCountOffset = 28
  /// The format version that MMKV v2.4.2 writes.
  static let currentVersion: UInt32 = 4
  private static let reservedCount = 64
  /// The number of bytes of all fields.
  static let byteCount = MMKVMeta().bytes.count

  var digest: UInt32 = 0
  var version: UInt32 = 0
  var sequence: UInt32 = 0
  var vector = [UInt8](repeating: 0, count: 16)
  var actualCount = 0
  var confirmedCount = 0
  var confirmedDigest: UInt32 = 0
  var flags: UInt64 = 0

  /// The stored bytes of all fields.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.writeInteger(digest, as: .little)
    writer.writeInteger(version, as: .little)
    writer.writeInteger(sequence, as: .little)
    writer.writeBytes(vector)
    writer.writeInteger(UInt32(actualCount), as: .little)
    writer.writeInteger(UInt32(confirmedCount), as: .little)
    writer.writeInteger(confirmedDigest, as: .little)
    writer.writeZeros(Self.reservedCount)
    writer.writeInteger(flags, as: .little)
    return writer.bytes
  }
}
