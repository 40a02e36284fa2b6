import KVBytes
import KVModel

/// Distinguishes the records of a log from leftovers of an older log that a compaction left after
/// it.
///
/// A compaction writes each live key once, so it changes no value. Its leftovers contain no key
/// that the log has never had, and end with the log's own values, with one exception: that of the
/// write that led to the compaction. If that write was a removal, the log does not have the key
/// either, because the removal was never written: the file had no room for it.
///
/// Every launch compacts the log, so its leftovers can be from before several compactions, and then
/// have any keys and any values. But the engine does not append a value that a key already has. So
/// if a record after the log repeats the value of its key, it is a leftover.
struct OlderContents {
  /// The most keys whose leftovers may have another value.
  private static let differenceLimit = 1

  private let reader: AppleRecordReader

  init(_ reader: AppleRecordReader) { self.reader = reader }

  /// What the records after a log are.
  enum Relation: Hashable {
    /// Leftovers from before a compaction.
    case older
    /// Leftovers by their values, which they can have by chance.
    ///
    /// The keys are those of the records.
    case likelyOlder([Key])
    /// Records of the log itself.
    case continuation
    /// Either: they differ from the log by no more than one compaction can explain, and have
    /// nothing in common with it; or they may be from before several compactions.
    ///
    /// The keys are those of the records.
    case undecided([Key])
  }

  /// Returns what the records after `log`, up to `end`, are.
  ///
  /// The log begins with the live records of its last compaction, each key once. Leftovers from
  /// before the compaction end with the same values. Records that were appended later mostly have
  /// other values, and keys that the log does not have.
  ///
  /// If records of the log are damaged, a key that the log seems to lack can be one of theirs. If the
  /// records are `apart` from the log, the block with its end is of an older state.
  func relation(of log: Range<Int>, to end: Int, apart isApart: Bool = false) -> Relation {
    let sequel = Sequel(reader, of: log, to: end)
    if sequel.hasRepetition, !isApart { return .older }
    let (compacted, after) = (sequel.compacted, sequel.after)
    var same: Set<Key> = []
    var isExplained = false
    var otherCount = 0
    for (key, shape) in after {
      let first = compacted[key]
      if let first, reader.isKept(shape, as: first) {
        same.insert(key)
      } else if first != nil || shape.type != AppleType.removed.rawValue {
        otherCount += 1
        let count = first?.range.count ?? reader.removalCount(of: shape)
        isExplained = isExplained || hasNoRoom(for: count, after: end)
      }
    }
    let unexplained = otherCount - sequel.damageCount - (isExplained ? Self.differenceLimit : 0)
    if same.count > max(unexplained, 0) {
      let isOlder = sequel.isOfFirstBlock || sequel.isTelling(same)
      return isOlder ? .older : .likelyOlder(Array(after.keys))
    }
    let mayBeOlder = unexplained <= 0 || sequel.mayBeOlder
    return mayBeOlder ? .undecided(Array(after.keys)) : .continuation
  }

  /// Returns whether the records after `log`, up to `end`, look like leftovers of a compaction to
  /// it.
  ///
  /// That is so if some repeat what the log says, which the engine never appends again, and if no
  /// more of their keys are unknown to the log than damage in it explains.
  func follow(_ log: Range<Int>, to end: Int) -> Bool {
    let (front, damageCount) = newest(in: log)
    let (after, _) = newest(in: log.upperBound..<end)
    let difference = difference(of: after, upTo: end, from: front)
    return difference.same > 0
      && difference.unknown + difference.removed <= damageCount + Self.differenceLimit
  }

  /// Returns whether the records of `range` can be a compacted log directly followed by leftovers.
  func mayFollow(in range: Range<Int>) -> Bool {
    let (front, rest) = divided(range)
    var after: [Key: AppleRecordShape] = [:]
    for (key, shape) in rest { after[key] = shape }
    return !after.isEmpty
      && difference(of: after, upTo: range.upperBound, from: front).isOlder(ifCompacted: true)
  }

  /// Returns whether some of the last records of `range` have the same values as its first ones.
  ///
  /// Leftovers directly after a log do, whatever was appended to the log.
  func mayEnd(_ range: Range<Int>) -> Bool {
    let (front, rest) = divided(range)
    var seen: Set<Key> = []
    var sameCount = 0
    var otherCount = 0
    for (key, shape) in rest.reversed() where seen.insert(key).inserted {
      if let first = front[key] {
        if !reader.isKept(shape, as: first) {
          otherCount += 1
        } else if shape.type != AppleType.bool.rawValue {
          // Half of all Boolean values are as they once were.
          sameCount += 1
        }
      } else if shape.type != AppleType.removed.rawValue {
        otherCount += 1
      }
      if sameCount > 0, sameCount >= otherCount { return true }
    }
    return false
  }

  /// Splits the records of `range` at the first removal or repeated key.
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

  /// The difference between records and those of a log before them.
  private struct Difference {
    /// The number of keys with the log's own value.
    var same = 0
    /// The number of keys with another value, and of removals of keys that the log does not have.
    var differing = 0
    /// The number of keys that the log does not have, and whose removal had no room in its file.
    var removed = 0
    /// The number of other keys that the log does not have.
    var unknown = 0

    /// Returns whether the records can be leftovers of a compaction to the log.
    func isOlder(ifCompacted: Bool) -> Bool {
      guard unknown == 0, removed <= OlderContents.differenceLimit else { return false }
      return !ifCompacted || differing + removed <= OlderContents.differenceLimit
    }
  }

  /// Returns how `after`, whose last record ends at `end`, differs from `front`.
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
      } else if hasNoRoom(for: reader.removalCount(of: shape), after: end) {
        difference.removed += 1
      } else {
        difference.unknown += 1
      }
    }
    return difference
  }

  /// Returns whether a log that ended at `end` had no room for `count` more bytes, and was
  /// compacted.
  ///
  /// The file may have grown since. Which of the engine's two growth formulas applies shows in its
  /// size. The engine's log never fills its file.
  private func hasNoRoom(for count: Int, after end: Int) -> Bool {
    var size = reader.image.count
    let isDoubled = size.nonzeroBitCount == 1
    // The formula that adds an eighth gives the previous size except for a rounded byte.
    while size > end + count { size = isDoubled ? size / 2 : (size - 6) * 8 / 9 }
    return end < size
  }

  /// Returns the newest record of each key in `range`, and the number of damaged places.
  private func newest(
    in range: Range<Int>
  ) -> (records: [Key: AppleRecordShape], damageCount: Int) {
    var newest: [Key: AppleRecordShape] = [:]
    let damageCount = forEachRecord(in: range) { key, shape in newest[key] = shape }
    return (newest, damageCount)
  }

  /// Calls `body` with the records of `range` that no checksum contradicts; returns the number of
  /// other records and gaps.
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
