import KVBytes
import KVModel

/// Tells the records of a log from those of an older one that a compaction left after it.
///
/// A compaction writes each live key once, and so does not change what any key is. What it leaves
/// after its log knows no key that the log has never heard of, and ends with the log's own values, but
/// for one: that of the write which led to the compaction. Where that was a removal, the log does not
/// know the key either: the removal was written nowhere, as the file had no room for it.
struct OlderContents {
  /// How many keys a compaction may find with another value after it.
  private static let differenceLimit = 1

  private let reader: AppleRecordReader

  init(_ reader: AppleRecordReader) { self.reader = reader }

  /// What records after a log are.
  enum Relation: Hashable {
    /// What was there before a compaction.
    case older
    /// Records of the log itself.
    case continuation
    /// Either: they differ from the log in no more than one compaction can explain, and have nothing
    /// in common with it. The keys are those that they would change.
    case undecided([Key])
  }

  /// What the records after `log`, up to `end`, are, by what a compaction would have made of them.
  ///
  /// The log begins with the live records of its last compaction, each key once. Records that were there
  /// before it end with the same values. Records that were appended after it mostly have others, and keys
  /// that the log does not have.
  ///
  /// Where records of the log are damaged, a key that it does not seem to have can be one of theirs.
  func relation(of log: Range<Int>, to end: Int) -> Relation {
    let (compacted, damageCount) = compacted(in: log)
    let (after, _) = newest(in: log.upperBound..<end) {}
    var sameCount = 0
    var isExplained = false
    var others: [Key] = []
    var removed: [Key] = []
    for (key, shape) in after {
      if let first = compacted[key] {
        if isKept(shape, as: first) {
          sameCount += 1
          continue
        }
        others.append(key)
        isExplained = isExplained || hasNoRoom(for: first.range.count, after: end)
      } else if shape.type == AppleType.removed.rawValue {
        removed.append(key)
      } else {
        others.append(key)
        isExplained = isExplained || hasNoRoom(for: removalCount(of: shape), after: end)
      }
    }
    let unexplained = others.count - damageCount - (isExplained ? Self.differenceLimit : 0)
    if unexplained > 0 { return sameCount > unexplained ? .older : .continuation }
    return sameCount > 0 ? .older : .undecided(others + removed)
  }

  /// The records that `log` begins with up to the first removal, or the first key that it has already,
  /// and how many places in `log` are damaged.
  private func compacted(
    in log: Range<Int>
  ) -> (records: [Key: AppleRecordShape], damageCount: Int) {
    var compacted: [Key: AppleRecordShape] = [:]
    var isAfter = false
    let damageCount = forEachRecord(in: log) { key, shape in
      if shape.type == AppleType.removed.rawValue || compacted[key] != nil { isAfter = true }
      if !isAfter { compacted[key] = shape }
    }
    return (compacted, damageCount)
  }

  /// Whether a compaction makes `kept` of `shape`: the engine stores another double each time, and cuts
  /// texts that are not ASCII.
  private func isKept(_ shape: AppleRecordShape, as kept: AppleRecordShape) -> Bool {
    guard shape.type == kept.type else { return false }
    if reader.image.storageSpan.isEqual(shape.value, kept.value) { return true }
    switch AppleType(rawValue: shape.type) {
    case .double: return shape.value.count == kept.value.count
    case .string:
      let text = reader.image.bytes(in: shape.value)
      return text.starts(with: reader.image.bytes(in: kept.value)) && text.contains { $0 > 0x7f }
    default: return false
    }
  }

  /// Whether the records after `log`, up to `end`, look like what a compaction to it left: some say
  /// what it says, which no engine appends again, and no more of their keys are unknown to it than damage
  /// in the log explains.
  func follow(_ log: Range<Int>, to end: Int) -> Bool {
    let (front, damageCount) = newest(in: log) {}
    let (after, _) = newest(in: log.upperBound..<end) {}
    let difference = difference(of: after, upTo: end, from: front)
    return difference.same > 0
      && difference.unknown + difference.removed <= damageCount + Self.differenceLimit
  }

  /// Whether the records of `range` can be a compacted log and, directly after it, older contents.
  func mayFollow(in range: Range<Int>) -> Bool {
    let (front, rest) = divided(range)
    var after: [Key: AppleRecordShape] = [:]
    for (key, shape) in rest { after[key] = shape }
    return !after.isEmpty
      && difference(of: after, upTo: range.upperBound, from: front).isOlder(ifCompacted: true)
  }

  /// Whether some of the last records of `range` end as its first ones begin, as older contents do that
  /// stand directly after a log, whatever was appended to it.
  func mayEnd(_ range: Range<Int>) -> Bool {
    let (front, rest) = divided(range)
    var seen: Set<Key> = []
    var sameCount = 0
    var otherCount = 0
    for (key, shape) in rest.reversed() where seen.insert(key).inserted {
      if let first = front[key] {
        if !isKept(shape, as: first) {
          otherCount += 1
        } else if shape.type != AppleType.bool.rawValue {
          // Half of all switches are as they once were.
          sameCount += 1
        }
      } else if shape.type != AppleType.removed.rawValue {
        otherCount += 1
      }
      if sameCount > 0, sameCount >= otherCount { return true }
    }
    return false
  }

  /// The records of `range` up to the first removal, or the first key that comes again, and the rest.
  private func divided(
    _ range: Range<Int>
  ) -> (front: [Key: AppleRecordShape], rest: [(key: Key, shape: AppleRecordShape)]) {
    var front: [Key: AppleRecordShape] = [:]
    var rest: [(key: Key, shape: AppleRecordShape)] = []
    forEachRecord(in: range) { key, shape in
      let isCompacted = shape.type != AppleType.removed.rawValue && front[key] == nil
      if rest.isEmpty, isCompacted { front[key] = shape } else { rest.append((key, shape)) }
    }
    return (front, rest)
  }

  /// How records differ from those of a log before them.
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
    func isOlder(ifCompacted: Bool) -> Bool {
      guard unknown == 0, removed <= OlderContents.differenceLimit else { return false }
      return !ifCompacted || differing + removed <= OlderContents.differenceLimit
    }
  }

  /// How `after`, of which the last record ends at `end`, differs from `front`.
  private func difference(
    of after: [Key: AppleRecordShape], upTo end: Int, from front: [Key: AppleRecordShape]
  ) -> Difference {
    var difference = Difference()
    for (key, shape) in after {
      if let known = front[key] {
        let isSame =
          known.type == shape.type && reader.image.storageSpan.isEqual(known.value, shape.value)
        if isSame { difference.same += 1 } else { difference.differing += 1 }
      } else if shape.type == AppleType.removed.rawValue {
        difference.differing += 1
      } else if hasNoRoom(for: removalCount(of: shape), after: end) {
        difference.removed += 1
      } else {
        difference.unknown += 1
      }
    }
    return difference
  }

  /// How many bytes the record takes that removes what `shape` sets.
  private func removalCount(of shape: AppleRecordShape) -> Int {
    shape.range.count - shape.className.count - shape.value.count
  }

  /// Whether a log that ended at `end` had no room for `count` more bytes, and was compacted.
  ///
  /// The file may have grown since, by the one of the engine's two formulas that leads to its size. An
  /// engine's log never ends where its file does.
  private func hasNoRoom(for count: Int, after end: Int) -> Bool {
    var size = reader.image.count
    let isDoubled = size.nonzeroBitCount == 1
    // Backwards, the formula that adds an eighth gives the size but for a rounded byte.
    while size > end + count { size = isDoubled ? size / 2 : (size - 6) * 8 / 9 }
    return end < size
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
