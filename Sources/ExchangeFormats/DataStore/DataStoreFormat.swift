/// Jetpack Preferences DataStore: one protobuf message without header or checksum.
///
///     offset  count  field
///          0         entry     0x0a, varint count, then:
///                      key     0x0a, varint count, UTF-8
///                      value   0x12, varint count, then one of:
///                        1 bool    0x08, varint 0 or 1
///                        2 float   0x15, four bytes, little-endian
///                        3 int32   0x18, varint; ten bytes if negative
///                        4 int64   0x20, varint
///                        5 string  0x2a, varint count, UTF-8
///                        6 set     0x32, varint count, then texts: 0x0a, varint count, UTF-8
///                        7 double  0x39, eight bytes, little-endian
///                        8 bytes   0x42, varint count, bytes
///                    entry …
///
/// Only newer releases of the library know `bytes`. To an older release, such an entry is damaged,
/// because no member that the release knows is set. For a repeated key, the last value counts.
///
/// Reference: `PreferencesProto` of `androidx.datastore`.
package struct DataStoreFormat: Hashable, Sendable {
  /// The format's name.
  package static let name = "datastore"
  /// The suffix of a file's name.
  package static let suffix = ".preferences_pb"

  /// The suffix of a file that is being written.
  static let temporarySuffix = ".tmp"
  /// The maximum number of bytes that a protobuf library accepts in one message.
  static let maximumCount = Int(Int32.max)

  /// Creates the format.
  package init() {}
}
