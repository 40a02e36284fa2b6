import KVBytes

/// The header of MMKV's data file.
///
///     offset  count  field
///          0      4  payload count, little-endian; not kept up to date since version 2.4.0
///          4      …  payload: prefix, then records; after it slack
///
/// Reference: `Docs/FORMAT-MMKV.md` § Data file.
struct DataHeader: Hashable, Sendable {
  /// The size of the header in bytes; the payload begins after it.
  static let byteCount = 4
  /// The size, in bytes, of the payload's prefix as current engines write it.
  static let prefixCount = 4

  let payloadCount: UInt32

  /// Reads the header.
  init(parsing cursor: inout ByteCursor) throws(ByteError) {
    payloadCount = try cursor.readInteger(UInt32.self, as: .little)
  }
}
