import KVBytes
import KVModel

/// How the log of one copy relates to that of another.
///
/// A log only grows: records are appended, marked as deleted in place, and overwritten in place by
/// values of the same size. So of two logs that begin with the same records, the one with more
/// records, or with more of them deleted, is newer. Only a compaction makes a log shorter, and it
/// needs many deleted records.
///
/// In the blocking mode, only a `.kvc` is written, and the pair stays as it was before. The app can
/// empty that store and set the same keys again, or compact it: if the `.kvc` is the shorter log,
/// nothing shows which is newer.
enum CopyRelation: Hashable, Sendable {
  /// The logs are the same.
  case same
  /// The first log continues where the second ends.
  case newer
  /// The second log continues where the first ends.
  case older
  /// The logs differ, and neither is known to be newer.
  case undecided
  /// The logs have no entry in common: one of them was started empty.
  case unrelated

  /// Compares the log of `first` with that of `second`.
  ///
  /// The relation is ``undecided`` if either copy has no believed log.
  ///
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
    func mayBeRestarted(_ shorter: AndroidCopy) -> Bool { shorter.file.role == .copyC }
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil):
        if isAhead == isAfter { return .undecided }
        return isAhead ? .newer : .older
      case (let surplus?, nil):
        return isAfter || isCompactable(left, surplus) || mayBeRestarted(second)
          ? .undecided : .newer
      case (nil, let surplus?):
        return isAhead || isCompactable(right, surplus) || mayBeRestarted(first)
          ? .undecided : .older
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
    var deleted = DeletedRecords()
    for shape in [first] + Array(rest) where shape.isStruck { deleted.add(shape) }
    return deleted.mayHaveLedToCompaction
  }
}

/// The deleted records of a log, compared with those that make the engine compact it.
struct DeletedRecords {
  /// The smallest numbers of deleted bytes and of deleted records with which any version compacts.
  private static let byteLimit = 4096
  private static let recordLimit = 80
  /// The same for FastKV of 2025-07.
  private static let byteLimitOf2025 = 8192
  private static let recordLimitOf2025 = 100

  private var byteCount = 0
  private var recordCount = 0

  /// Adds the deleted record `shape`.
  mutating func add(_ shape: AndroidRecordShape) { add(byteCount: shape.range.count) }

  /// Adds a deleted record of `count` bytes.
  mutating func add(byteCount count: Int) {
    byteCount += count
    recordCount += 1
  }

  /// Whether they make some version of the engine compact the log.
  var sufficeForCompaction: Bool {
    byteCount >= Self.byteLimit || recordCount >= Self.recordLimit
  }

  /// Whether they make FastKV of 2025-07 compact the log.
  var leadToCompaction: Bool {
    byteCount >= Self.byteLimitOf2025 || recordCount >= Self.recordLimitOf2025
  }

  /// Whether they may have done so if as many others are not among them.
  var mayHaveLedToCompaction: Bool {
    byteCount * 2 >= Self.byteLimit || recordCount * 2 >= Self.recordLimit
  }
}

/// The live entries of a believed log, by key.
struct CopyContents {
  private let values: [Key: [UInt8]]

  /// Reads the entries of `copy`.
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

  /// The number of entries.
  var count: Int { values.count }

  /// Returns whether `other` has at least one entry with the same key and value.
  func shares(with other: CopyContents) -> Bool {
    values.contains { other.values[$0.key] == $0.value }
  }

  /// Returns the keys that only one of the two has, or that have different values.
  func keys(notSameIn other: CopyContents) -> Set<Key> {
    keys(notIn: other).union(other.keys(notIn: self))
  }

  /// Returns the keys that `other` lacks or has with another value.
  func keys(notIn other: CopyContents) -> Set<Key> {
    Set(values.filter { other.values[$0.key] != $0.value }.keys)
  }
}
