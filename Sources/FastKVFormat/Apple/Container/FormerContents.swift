import KVBytes
import KVModel

/// Tells the records of a log from those of an older one that a compaction left behind it.
///
/// A compaction writes each live key once, and so does not change what any key is. What it leaves
/// behind its log knows no key that the log has never heard of, and ends with the log's own values, but
/// for one: that of the write which led to the compaction.
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
    return !agree(behind, with: front, ifCompacted: isCompacted)
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
    return !behind.isEmpty && agree(behind, with: front, ifCompacted: true)
  }

  /// Whether `behind` can be what a compaction to `front` left.
  private func agree(
    _ behind: [Key: AppleRecordShape], with front: [Key: AppleRecordShape], ifCompacted: Bool
  ) -> Bool {
    var differing = 0
    for (key, shape) in behind {
      guard let known = front[key] else {
        if shape.type != AppleType.removed.rawValue { return false }
        differing += 1
        continue
      }
      if known.type != shape.type || !reader.image.span.isEqual(known.value, shape.value) {
        differing += 1
      }
    }
    return !ifCompacted || differing <= Self.differenceLimit
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
