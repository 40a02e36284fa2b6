import KVBytes

/// The two bytes that FastKV of 2025-07 leaves where it removes a large object that it has loaded:
/// it takes the value for two bytes shorter than it is.
///
/// The checksum is that of what is left, so that it holds. The engine refuses such a log.
enum StrayBytes {
  /// How many bytes are left.
  private static let count = 2
  /// The most objects that are thought to have been removed between two openings.
  private static let limit = 8

  /// Where such bytes are in the log at `range`, all of which decodes but for them; none where it does not.
  ///
  /// - Complexity: O(`range.count`).
  static func ranges(in copy: DecodedCopy, _ range: Range<Int>) -> [Range<Int>] {
    let bytes = copy.stored.storageSpan
    let test = RecordTest(isEncrypted: copy.isEncrypted, cipher: copy.cipher)
    var found: [Range<Int>] = []
    var position = range.lowerBound
    while position < range.upperBound {
      if case .success(let shape) = AndroidRecordShape.read(
        bytes, at: position, limit: range.upperBound), test.passes(shape, bytes)
      {
        position = shape.range.upperBound
        continue
      }
      guard found.count < limit, found.last?.upperBound != position,
        range.upperBound - position >= count
      else { return [] }
      found.append(position..<position + count)
      position += count
    }
    return found
  }
}
