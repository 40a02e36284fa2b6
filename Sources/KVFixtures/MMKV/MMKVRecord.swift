import KVBytes
import KVModel

/// A record as MMKV writes it: in four pieces.
struct MMKVRecord {
  /// The length of the key, the key, and the length of the value, each of them stored for itself.
  let head: [[UInt8]]
  /// The value; empty for a removal.
  let value: [UInt8]

  /// The record that sets `key` to `value`, or removes it where that is empty.
  init(_ key: Key, _ value: [UInt8]) {
    var keyCount = ByteWriter()
    keyCount.writeVarint(UInt64(key.bytes.count))
    var valueCount = ByteWriter()
    valueCount.writeVarint(UInt64(value.count))
    head = [keyCount.bytes, key.bytes, valueCount.bytes]
    self.value = value
  }

  /// How many bytes stand before the value.
  var headCount: Int { head.reduce(0) { $0 + $1.count } }
  /// How many bytes the record takes.
  var count: Int { headCount + value.count }
  /// The pieces in the order in which they are stored.
  var pieces: [[UInt8]] { head + [value] }
  /// The record in one piece.
  var bytes: [UInt8] { pieces.flatMap { $0 } }
}
