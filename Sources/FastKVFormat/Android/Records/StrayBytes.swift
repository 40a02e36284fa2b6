import KVBytes

/// The two bytes that FastKV of 2025-07 leaves behind when it removes a large object that it has
/// loaded, because it takes the value to be two bytes shorter than it is.
///
/// The checksum covers what is left, so it matches. The engine refuses such a log.
enum StrayBytes {
  /// The number of bytes left behind.
  private static let count = 2
  /// The most objects that are assumed to have been removed between two launches.
  private static let limit = 8

  /// Returns where such bytes are in the log at `range`; empty unless all the rest of it decodes.
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
