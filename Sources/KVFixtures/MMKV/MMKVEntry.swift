/// Where the engine's map says that the record of a key is.
struct MMKVEntry: Hashable {
  /// The offset of the record in the payload.
  var offset: Int
  /// How many bytes stand before its value.
  let headCount: Int
  /// How many bytes it takes.
  let count: Int

  /// The record in the payload.
  var record: Range<Int> { offset..<offset + count }
  /// The value in the payload.
  var value: Range<Int> { offset + headCount..<offset + count }

  /// The same record elsewhere.
  func moved(to offset: Int) -> MMKVEntry {
    var entry = self
    entry.offset = offset
    return entry
  }
}
