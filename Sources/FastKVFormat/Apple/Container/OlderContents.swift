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
    /// Records of the log itself.
    case continuation
    /// Either: they differ from the log by no more than one compaction can explain, and have
    /// nothing in common with it; or they may be from before several compactions.
    ///
    /// The keys are those that the records would change.
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
    let unexplained = others.count - sequel.damageCount - (isExplained ? Self.differenceLimit : 0)
    if unexplained <= 0 { return sameCount > 0 ? .older : .undecided(others + removed) }
    if sameCount > unexplained { return .older }
    return sequel.mayBeOlder ? .undecided(others + removed) : .continuation
  }

  /// Returns whether a compaction turns `shape` into `kept`.
  ///
  /// The engine stores another double each time, and cuts texts that are not ASCII.
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
        if !isKept(shape, as: first) {
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
      } else if hasNoRoom(for: removalCount(of: shape), after: end) {
        difference.removed += 1
      } else {
        difference.unknown += 1
      }
    }
    return difference
  }

  /// Returns the number of bytes in a record that removes the key of `shape`.
  private func removalCount(of shape: AppleRecordShape) -> Int {
    shape.range.count - shape.className.count - shape.value.count
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

/// A log and the records after it, read as if they continued it.
private struct Sequel {
  /// The records of the log up to the first removal or repeated key.
  private(set) var compacted: [Key: AppleRecordShape] = [:]
  /// The number of damaged places in the log.
  private(set) var damageCount = 0
  /// The newest record of each key after the log.
  private(set) var after: [Key: AppleRecordShape] = [:]
  /// Whether a record after the log gives a key the value that it already has.
  private(set) var hasRepetition = false

  private let reader: AppleRecordReader
  private let log: Range<Int>
  private let end: Int
  private var isCompacted = true
  /// The newest record of each key since the last damage.
  private var newest: [Key: AppleRecordShape] = [:]
  /// The keys after the log whose values are not those of the last compaction.
  private var changed: Set<Key> = []
  /// Whether the records, up to one of them, give several keys the values of the last compaction, and
  /// all others too, as the contents from before it do up to their end.
  private var endsAsCompacted = false
  private var isDamaged = false
  /// The greatest common divisor of the records' sizes: the larger it is, the likelier it is that
  /// leftovers of any age begin where a record of the log ends.
  private var sizeDivisor = 0
  private var count = 0
  /// Whether a record after the log has a key that is not in it.
  private var hasNewKey = false

  /// Reads `log` and the records after it, up to `end`.
  init(_ reader: AppleRecordReader, of log: Range<Int>, to end: Int) {
    self.reader = reader
    self.log = log
    self.end = end
    var walk = AppleWalk(reader, in: log.lowerBound..<end)
    while let step = walk.next() {
      switch step {
      case .record(let shape) where shape.integrity != .contradicted: add(shape)
      case .record(let shape): addDamage(at: shape.range.lowerBound)
      case .gap(let gap): addDamage(at: gap.extent.offset)
      }
    }
  }

  /// Adds a place in which any key may have been set.
  private mutating func addDamage(at offset: Int) {
    newest = [:]
    isDamaged = true
    if offset < log.upperBound { damageCount += 1 }
  }

  private mutating func add(_ shape: AppleRecordShape) {
    let key = Key(reader.image.bytes(in: shape.key))
    sizeDivisor = Self.divisor(of: sizeDivisor, shape.range.count)
    if shape.range.lowerBound < log.upperBound {
      if shape.type == AppleType.removed.rawValue || compacted[key] != nil { isCompacted = false }
      if isCompacted { compacted[key] = shape }
    } else {
      count += 1
      if newest[key] == nil, compacted[key] == nil { hasNewKey = true }
      after[key] = shape
      if reader.repeats(shape, newest[key]) { hasRepetition = true }
      if reader.repeats(shape, compacted[key]) {
        changed.remove(key)
        endsAsCompacted = endsAsCompacted || changed.isEmpty && after.count > 1 && !isDamaged
      } else {
        changed.insert(key)
      }
    }
    newest[key] = shape
  }

  /// Whether the records can be from before several compactions.
  ///
  /// A single record is what a crash leaves between an append and its length, but in a moment that is
  /// far rarer than a launch: a single one with a key of the log can be older too. A length with one
  /// changed bit explains any number.
  var mayBeOlder: Bool {
    let isOneBitOff = (log.count ^ (end - log.lowerBound)).nonzeroBitCount == 1
    if isOneBitOff { return false }
    if count == 1, !hasNewKey { return sizeDivisor >= Self.leastDivisorOfOne }
    return count > 1 && (sizeDivisor >= Self.leastDivisor || endsAsCompacted)
  }

  /// The divisor of all sizes from which leftovers often begin where a record of the log ends.
  private static let leastDivisor = 4
  /// The same for a single record with a key of the log.
  private static let leastDivisorOfOne = 3

  private static func divisor(of one: Int, _ other: Int) -> Int {
    one == 0 ? other : divisor(of: other % one, one)
  }
}

extension AppleRecordReader {
  /// Returns whether `shape` stores the same value as `other`, so that the engine would not have
  /// appended it.
  ///
  /// Data is appended again. The bytes of a double and of a text that is not ASCII do not show its
  /// whole value.
  fileprivate func repeats(_ shape: AppleRecordShape, _ other: AppleRecordShape?) -> Bool {
    guard let other, shape.type == other.type,
      image.storageSpan.isEqual(shape.value, other.value)
    else { return false }
    switch AppleType(rawValue: shape.type) {
    case .bool, .int32, .int64, .float: return true
    case .string: return !image.bytes(in: shape.value).contains { $0 > 0x7f }
    default: return false
    }
  }
}
