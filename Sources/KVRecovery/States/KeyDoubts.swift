import KVModel

/// Which entries may have been set again, or removed, by a record whose own checksum does not hold.
///
/// Its lengths fit what is around it, so its key has as many bytes as it ever had. Which bytes those
/// were cannot be said. So every older entry may be stale whose key is as long.
struct KeyDoubts: Sendable {
  /// The offset of the last such record for each length of a key.
  private var offsets: [Int: Int] = [:]

  /// The doubts that `records` raise, of a log in file order.
  init(_ records: [Record]) {
    for record in records { offsets[record.key.count] = record.offset }
  }

  /// Whether the entry of `record` may be stale.
  func concern(_ record: Record) -> Bool {
    guard let offset = offsets[record.key.count] else { return false }
    return record.offset < offset
  }
}
