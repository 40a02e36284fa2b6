/// An entry of the engine's map: where the record of a key is.
struct MMKVEntry: Hashable {
  /// The offset of the record in the payload.
  var offset: Int
  /// The number of bytes before its value.
  let headCount: Int
  /// The number of bytes in the record.
  let count: Int

  /// The range of the record in the payload.
  var record: Range<Int> { offset..<offset + count }
  /// The range of the value in the payload.
  var value: Range<Int> { offset + headCount..<offset + count }

  /// Returns the entry for the same record at another offset.
  func moved(to offset: Int) -> MMKVEntry {
    var entry = self
    entry.offset = offset
    return entry
  }
}
