import KVBytes
import KVModel

/// Tells the records of a log from those of an older one that a compaction left behind it.
///
/// A compaction writes each live key once, and so does not change what any key is. What it leaves
/// behind its log knows no key that the log has never heard of, and ends with the log's own values, but
/// for one: that of the write which led to the compaction. Where that was a removal, the log does not
/// know the key either: the removal was written nowhere, as the file had no room for it.
struct FormerContents {
  /// How many keys a compaction may find with another value behind it.
  private static let differenceLimit = 1

  private let reader: AppleRecordReader

  init(_ reader: AppleRecordReader) { self.reader = reader }

  /// Whether the records behind `log`, up to `end`, are no former contents, but go on with it.
  func continues(_ log: Range<Int>, to end: Int) -> Bool {
    var isCompacted = true
    let front = newest(in: log) { isCompacted = false }
    let behind = newest(in: log.upperBound..<end) {}
    return !agree(behind, upTo: end, with: front, ifCompacted: isCompacted)
  }

  /// Whether the records of `range` can be a compacted log and, directly behind it, former contents.
  func mayFollow(in range: Range<Int>) -> Bool {
    var front: [Key: AppleRecordShape] = [:]
    var behind: [Key: AppleRecordShape] = [:]
    forEachRecord(in: range) { key, shape in
      if behind.isEmpty, front[key] == nil, shape.type != AppleType.removed.rawValue {
        front[key] = shape
      } else {
        behind[key] = shape
      }
    }
    return !behind.isEmpty && agree(behind, upTo: range.upperBound, with: front, ifCompacted: true)
  }

  /// Whether `behind`, of which the last record ends at `end`, can be what a compaction to `front` left.
  private func agree(
    _ behind: [Key: AppleRecordShape], upTo end: Int, with front: [Key: AppleRecordShape],
    ifCompacted: Bool
  ) -> Bool {
    var differing = 0
    var removed = 0
    for (key, shape) in behind {
      if let known = front[key] {
        let isSame =
          known.type == shape.type && reader.image.span.isEqual(known.value, shape.value)
        differing += isSame ? 0 : 1
      } else if shape.type == AppleType.removed.rawValue {
        differing += 1
      } else {
        guard hasNoRoom(toRemove: shape, behind: end) else { return false }
        removed += 1
      }
    }
    guard removed <= Self.differenceLimit else { return false }
    return !ifCompacted || differing + removed <= Self.differenceLimit
  }

  /// Whether a log that ended at `end` had no room for removing what `shape` sets, and was compacted.
  ///
  /// The file may have doubled since. An engine's log never ends where its file does.
  private func hasNoRoom(toRemove shape: AppleRecordShape, behind end: Int) -> Bool {
    var count = reader.image.count
    while count / 2 > end { count /= 2 }
    let removal = shape.range.count - shape.className.count - shape.value.count
    return end < count && end + removal >= count
  }

  /// The newest record of each key in `range`; calls `onRewrite` where a key comes again or is removed.
  private func newest(
    in range: Range<Int>, _ onRewrite: () -> Void
  ) -> [Key: AppleRecordShape] {
    var newest: [Key: AppleRecordShape] = [:]
    forEachRecord(in: range) { key, shape in
      let isKnown = newest.updateValue(shape, forKey: key) != nil
      if isKnown || shape.type == AppleType.removed.rawValue { onRewrite() }
    }
    return newest
  }

  private func forEachRecord(in range: Range<Int>, _ body: (Key, AppleRecordShape) -> Void) {
    var walk = AppleWalk(reader, in: range)
    while let step = walk.next() {
      guard case .record(let shape) = step else { continue }
      body(Key(reader.image.bytes(in: shape.key)), shape)
    }
  }
}
