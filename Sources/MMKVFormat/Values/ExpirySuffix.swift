import KVBytes
import KVModel

/// The time at which an entry expires: the last four bytes of its value, in stores with the expiry
/// flag.
///
/// Seconds since 1970, little-endian; 0 for never.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Expiry.
struct ExpirySuffix: Hashable, Sendable {
  static let byteCount = 4

  let time: UInt32

  /// Reads the suffix of `record`'s value; `nil` if the value is too short to have one.
  init?(of record: Record, in image: FileImage) {
    let value = record.value
    guard value.count >= ExpirySuffix.byteCount else { return nil }
    var cursor = ByteCursor(image.storageSpan, in: value.suffix(ExpirySuffix.byteCount))
    guard let time = try? cursor.readInteger(UInt32.self, as: .little) else { return nil }
    self.time = time
  }
}
