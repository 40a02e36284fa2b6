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
  ///
  /// Where records of the log are damaged, a key that it seems never to have heard of can be one of
  /// theirs: then only more such keys than that say so.
  func continues(_ log: Range<Int>, to end: Int) -> Bool {
    var isCompacted = true
    let (front, damageCount) = newest(in: log) { isCompacted = false }
    let (behind, _) = newest(in: log.upperBound..<end) {}
    let difference = difference(of: behind, upTo: end, from: front)
    if damageCount > 0 {
      return difference.unknown + difference.removed > damageCount + Self.differenceLimit
    }
    return !difference.isFormer(ifCompacted: isCompacted)
  }

  /// Whether the records behind `log`, up to `end`, look like what a compaction to it left: some say
  /// what it says, which no engine appends again, and no more of their keys are unknown to it than damage
  /// in the log explains.
  func follow(_ log: Range<Int>, to end: Int) -> Bool {
    let (front, damageCount) = newest(in: log) {}
    let (behind, _) = newest(in: log.upperBound..<end) {}
    let difference = difference(of: behind, upTo: end, from: front)
    return difference.same > 0
      && difference.unknown + difference.removed <= damageCount + Self.differenceLimit
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
    return !behind.isEmpty
      && difference(of: behind, upTo: range.upperBound, from: front).isFormer(ifCompacted: true)
  }

  /// How records differ from those of a log in front of them.
  private struct Difference {
    /// Keys with the log's own value.
    var same = 0
    /// Keys with another value, and removals of keys that the log does not know.
    var differing = 0
    /// Keys that the log does not know, and whose removal its file had no room for.
    var removed = 0
    /// Other keys that the log does not know.
    var unknown = 0

    /// Whether the records can be what a compaction to the log left.
    func isFormer(ifCompacted: Bool) -> Bool {
      guard unknown == 0, removed <= FormerContents.differenceLimit else { return false }
      return !ifCompacted || differing + removed <= FormerContents.differenceLimit
    }
  }

  /// How `behind`, of which the last record ends at `end`, differs from `front`.
  private func difference(
    of behind: [Key: AppleRecordShape], upTo end: Int, from front: [Key: AppleRecordShape]
  ) -> Difference {
    var difference = Difference()
    for (key, shape) in behind {
      if let known = front[key] {
        let isSame =
          known.type == shape.type && reader.image.span.isEqual(known.value, shape.value)
        if isSame { difference.same += 1 } else { difference.differing += 1 }
      } else if shape.type == AppleType.removed.rawValue {
        difference.differing += 1
      } else if hasNoRoom(toRemove: shape, behind: end) {
        difference.removed += 1
      } else {
        difference.unknown += 1
      }
    }
    return difference
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

  /// The newest record of each key in `range`, and how many places are damaged; calls `onRewrite` where a
  /// key comes again or is removed.
  private func newest(
    in range: Range<Int>, _ onRewrite: () -> Void
  ) -> (records: [Key: AppleRecordShape], damageCount: Int) {
    var newest: [Key: AppleRecordShape] = [:]
    let damageCount = forEachRecord(in: range) { key, shape in
      let isKnown = newest.updateValue(shape, forKey: key) != nil
      if isKnown || shape.type == AppleType.removed.rawValue { onRewrite() }
    }
    return (newest, damageCount)
  }

  /// Hands the records of `range` that no checksum contradicts to `body`; returns how many others, or
  /// gaps, there are.
  @discardableResult
  private func forEachRecord(
    in range: Range<Int>, _ body: (Key, AppleRecordShape) -> Void
  ) -> Int {
    var damageCount = 0
    var walk = AppleWalk(reader, in: range)
    while let step = walk.next() {
      guard case .record(let shape) = step, shape.integrity != .contradicted else {
        damageCount += 1
        continue
      }
      body(Key(reader.image.bytes(in: shape.key)), shape)
    }
    return damageCount
  }
}
