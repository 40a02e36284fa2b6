import KVBytes
import KVModel

/// Which of two logs is the newer one.
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
  /// In the blocking mode, only a `.kvc` is written, and the pair stays as it was before. The app can
  /// empty that store and set the same keys again, or compact it. So if the `.kvc` is the shorter
  /// log, or the deleted records of the longer one may have led to a compaction, nothing shows which
  /// is newer. The same goes for logs of which either is not believed.
  ///
  /// - Complexity: O(count of the logs).
  init(of first: AndroidCopy, to second: AndroidCopy) {
    guard let one = first.believed, let other = second.believed else {
      self = .undecided
      return
    }
    let (bytes, others) = (first.decoded.stored, second.decoded.stored)
    if bytes.bytes[one.range] == others.bytes[other.range] {
      self = .same
      return
    }
    let walk = CopyComparison(of: first, one, with: second, until: other.end)
    if !walk.isInStep {
      let isShared = CopyContents(first).shares(with: CopyContents(second))
      self = isShared ? .undecided : .unrelated
    } else if one.end == other.end {
      self = walk.isAhead == walk.isBehind ? .undecided : walk.isAhead ? .newer : .older
    } else {
      let isLonger = one.end > other.end
      let rest =
        isLonger
        ? AndroidShapes(bytes, in: other.end..<one.end)
        : AndroidShapes(others, in: one.end..<other.end)
      let mayBeRestarted = (isLonger ? second : first).file.role == .copyC
      let isUnknown =
        isLonger ? walk.isBehind : walk.isAhead
      self =
        isUnknown || mayBeRestarted || DeletedRecords(rest).mayHaveLedToCompaction
        ? .undecided : isLonger ? .newer : .older
    }
  }
}

/// A log compared with another copy, record by record.
///
/// A log only grows: records are appended, marked as deleted in place, and overwritten in place by
/// values of the same size. So the records at the same offsets show which is newer: the copy in which
/// one more is deleted, or that continues after the other ends. A value that differs, bytes that no
/// longer decode, and zeros say nothing about age. Only a compaction makes a log shorter, and it
/// needs many deleted records.
struct CopyComparison {
  /// Whether a record is deleted in the copy, and not in the other one.
  private(set) var isAhead = false
  /// Whether a record is deleted in the other copy, and not in this one.
  private(set) var isBehind = false
  /// Whether each record has one with its key and type at the same place, as far as both logs go.
  private(set) var isInStep = true
  /// The entries of the log.
  private(set) var live: [AndroidRecordShape] = []
  /// The entries for which the other copy has other bytes, and not only zeros.
  private(set) var differing: [AndroidRecordShape] = []
  /// Those of them for which the other copy has a plausible record with another value.
  private(set) var changed: [AndroidRecordShape] = []

  /// Compares the records of `log` with those that `other` has before `end`.
  ///
  /// - Complexity: O(count of the log).
  init(of copy: AndroidCopy, _ log: Extent, with other: AndroidCopy, until end: Int) {
    let (mine, theirs) = (copy.decoded.stored, other.decoded.stored)
    for shape in AndroidShapes(mine, in: log.range) {
      if !shape.isStruck { live.append(shape) }
      guard shape.range.upperBound <= end else {
        if shape.range.lowerBound < end { isInStep = false }
        continue
      }
      if mine.bytes[shape.range] == theirs.bytes[shape.range] { continue }
      let its = Self.record(of: theirs, at: shape, mine)
      if its?.type.base != shape.type.base { isInStep = false }
      if theirs.isZero(in: shape.range) { continue }
      let isPlausible = its.map(other.decoded.isPlausible) ?? false
      if let its, shape.isStruck, !its.isStruck, other.whole != nil || isPlausible {
        isAhead = true
      }
      guard !shape.isStruck else { continue }
      differing.append(shape)
      if its?.isStruck == true { isBehind = true }
      if isPlausible, its?.info == shape.info { changed.append(shape) }
    }
  }

  /// Returns the record of `image` at the same place and with the same key as `shape`.
  private static func record(
    of image: FileImage, at shape: AndroidRecordShape, _ own: FileImage
  ) -> AndroidRecordShape? {
    guard
      case .success(let its) = AndroidRecordShape.read(
        image.storageSpan, at: shape.range.lowerBound, limit: shape.range.upperBound),
      its.range == shape.range, image.bytes[its.key] == own.bytes[shape.key]
    else { return nil }
    return its
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

  init() {}

  /// Counts the deleted records among `shapes`.
  init(_ shapes: AndroidShapes) {
    for shape in shapes where shape.isStruck { add(byteCount: shape.range.count) }
  }

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
