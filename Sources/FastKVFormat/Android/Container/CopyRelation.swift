import KVBytes
import KVModel

/// What the log of one copy is to that of another, when both hold.
///
/// A log only grows: records are appended, struck out where they stand, and overwritten in place by
/// values of the same size. So of two logs that begin with the same records, the one with more of
/// them, or with more of them struck out, is newer. Only a compaction makes a log shorter, and it
/// needs many struck records.
enum CopyRelation: Hashable, Sendable {
  /// The logs are the same.
  case same
  /// The first goes on where the second ends.
  case newer
  /// The second goes on where the first ends.
  case older
  /// They differ, and nothing tells which is newer.
  case undecided
  /// They have no entry in common: one of them was begun from nothing.
  case unrelated

  /// So many struck bytes or records after the end of the shorter log, and that may be the other's
  /// compaction: half of what makes an engine compact.
  private static let struckByteLimit = 2048
  private static let struckRecordLimit = 40

  /// What the log of `first` is to that of `second`.
  ///
  /// - Precondition: both have a log that is believed.
  /// - Complexity: O(count of the logs).
  init(of first: AndroidCopy, to second: AndroidCopy) {
    guard let one = first.believed, let other = second.believed else {
      self = .undecided
      return
    }
    let isSame =
      first.decoded.stored.bytes[one.range] == second.decoded.stored.bytes[other.range]
    self = isSame ? .same : CopyRelation.growth(first, one, second, other)
  }

  private static func growth(
    _ first: AndroidCopy, _ one: Extent, _ second: AndroidCopy, _ other: Extent
  ) -> CopyRelation {
    let (bytes, others) = (first.decoded.stored.bytes, second.decoded.stored.bytes)
    var left = AndroidShapes(first.decoded.stored, in: one.range)
    var right = AndroidShapes(second.decoded.stored, in: other.range)
    var isAhead = false
    var isAfter = false
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil):
        if isAhead == isAfter { return .undecided }
        return isAhead ? .newer : .older
      case (let surplus?, nil):
        return isAfter || isCompactable(left, surplus) ? .undecided : .newer
      case (nil, let surplus?):
        return isAhead || isCompactable(right, surplus) ? .undecided : .older
      case (let mine?, let theirs?):
        guard mine.range == theirs.range, mine.type.base == theirs.type.base,
          bytes[mine.key] == others[theirs.key]
        else {
          let isShared = CopyContents(first).shares(with: CopyContents(second))
          return isShared ? .undecided : .unrelated
        }
        if mine.isStruck && !theirs.isStruck { isAhead = true }
        if theirs.isStruck && !mine.isStruck { isAfter = true }
      }
    }
  }

  private static func isCompactable(_ rest: AndroidShapes, _ first: AndroidRecordShape) -> Bool {
    var byteCount = 0
    var recordCount = 0
    for shape in [first] + Array(rest) where shape.isStruck {
      byteCount += shape.range.count
      recordCount += 1
    }
    return byteCount >= struckByteLimit || recordCount >= struckRecordLimit
  }
}

/// The live entries of a copy that is believed, by key.
struct CopyContents {
  private let values: [Key: [UInt8]]

  /// The entries of `copy`.
  ///
  /// - Complexity: O(count of the log), in time and memory.
  init(_ copy: AndroidCopy) {
    var values: [Key: [UInt8]] = [:]
    let judge = RecordJudge(copy: copy.decoded)
    let image = copy.decoded.plain
    for shape in AndroidShapes(copy.decoded.stored, in: copy.believed?.range ?? 0..<0) {
      guard case .whole(let record) = judge.verdict(on: shape), record.operation == .put else {
        continue
      }
      values[Key(image.bytes(in: record.key))] =
        [shape.type.base.rawValue] + image.bytes(in: record.value)
    }
    self.values = values
  }

  /// How many entries there are.
  var count: Int { values.count }

  /// Whether an entry of `other` is here with the same value.
  func shares(with other: CopyContents) -> Bool {
    values.contains { other.values[$0.key] == $0.value }
  }

  /// The keys that only one of the two has, or that have two values.
  func keys(notSameIn other: CopyContents) -> Set<Key> {
    keys(notIn: other).union(other.keys(notIn: self))
  }

  /// The keys that `other` does not have, or has with another value.
  func keys(notIn other: CopyContents) -> Set<Key> {
    Set(values.filter { other.values[$0.key] != $0.value }.keys)
  }
}
