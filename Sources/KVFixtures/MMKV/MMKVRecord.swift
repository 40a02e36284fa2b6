import KVBytes
import KVModel

/// A record in the four pieces in which MMKV writes it.
struct MMKVRecord {
  /// The length of the key, the key, and the length of the value, each of which is stored
  /// separately.
  let head: [[UInt8]]
  /// The value, which is empty for a removal.
  let value: [UInt8]

  /// Creates the record that sets `key` to `value`, or removes it if `value` is empty.
  init(_ key: Key, _ value: [UInt8]) {
    var keyCount = ByteWriter()
    keyCount.writeVarint(UInt64(key.bytes.count))
    var valueCount = ByteWriter()
    valueCount.writeVarint(UInt64(value.count))
    head = [keyCount.bytes, key.bytes, valueCount.bytes]
    self.value = value
  }

  /// The number of bytes before the value.
  var headCount: Int { head.reduce(0) { $0 + $1.count } }
  /// The number of bytes in the record.
  var count: Int { headCount + value.count }
  /// The pieces, in the order in which they are stored.
  var pieces: [[UInt8]] { head + [value] }
  /// The bytes of the record.
  var bytes: [UInt8] { pieces.flatMap { $0 } }
}
