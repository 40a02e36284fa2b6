import KVBytes
import KVModel

/// A log and the records after it, read as if they continued it.
///
/// If they do not, they are the rest of an older log, for which there are two explanations:
///
/// 1. They are the end of the log that was compacted, which has grown beyond the log that there is
///    now. Then they end with the values that the log begins with, and with the removal of keys
///    that it does not begin with. Still older contents may follow.
/// 2. They are from before that. Then the log that was compacted ended before them: it began with
///    their values, and the values that the log of now begins with had room after those.
struct Sequel {
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
  /// The keys of ``compacted``, in the order of the log.
  private var order: [Key] = []
  private var isCompacted = true
  /// The newest record of each key since the last damage.
  private var newest: [Key: AppleRecordShape] = [:]
  /// The keys after the log whose values are those of the last compaction.
  private var same: Set<Key> = []
  /// The keys after the log that have other values.
  private var changed: Set<Key> = []
  /// Whether the records, up to one of them, give several keys the values of the last compaction, and
  /// all others too, as the contents from before it do up to their end.
  private var endsAsCompacted = false
  /// Whether the records, up to one of them, give no key another value than the last compaction.
  private var mayEndAsCompacted = false
  private var isDamaged = false
  private var hasRemoval = false
  private var sizes = RecordSizes()
  private var count = 0
  /// Whether a record after the log has a key that is not in it.
  private var hasNewKey = false
  /// The first record after the log.
  private var first: AppleRecordShape?

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
    sizes.add(shape.range.count)
    if shape.type == AppleType.removed.rawValue { hasRemoval = true }
    if shape.range.lowerBound < log.upperBound {
      addToLog(shape, key)
    } else {
      addAfterLog(shape, key)
    }
    newest[key] = shape
  }

  private mutating func addToLog(_ shape: AppleRecordShape, _ key: Key) {
    if shape.type == AppleType.removed.rawValue || compacted[key] != nil { isCompacted = false }
    guard isCompacted else { return }
    compacted[key] = shape
    order.append(key)
  }

  private mutating func addAfterLog(_ shape: AppleRecordShape, _ key: Key) {
    count += 1
    if first == nil { first = shape }
    if newest[key] == nil, compacted[key] == nil { hasNewKey = true }
    after[key] = shape
    if reader.repeats(shape, newest[key]) { hasRepetition = true }
    same.remove(key)
    changed.remove(key)
    if reader.repeats(shape, compacted[key]) {
      same.insert(key)
    } else if shape.type != AppleType.removed.rawValue, !isKeptDouble(shape, key) {
      changed.insert(key)
    }
    guard changed.isEmpty, !isDamaged else { return }
    mayEndAsCompacted = true
    if same.count > 1 { endsAsCompacted = true }
  }

  /// Returns whether the last compaction can have turned `shape` into the double that it wrote.
  private func isKeptDouble(_ shape: AppleRecordShape, _ key: Key) -> Bool {
    shape.type == AppleType.double.rawValue
      && compacted[key].map { reader.isKept(shape, as: $0) } ?? false
  }

  /// Whether the first record after the log was written together with the header.
  ///
  /// A block reaches the disk as a whole, so the length is not older than that record.
  var isOfFirstBlock: Bool {
    first.map { $0.range.upperBound <= LogTail.blockCount } ?? false
  }

  /// Returns whether it is no chance that the records after the log give `keys` the values of the
  /// last compaction.
  ///
  /// By chance, a key has one of the values that it has had. The bytes of a double do not show its
  /// whole value.
  func isTelling(_ keys: Set<Key>) -> Bool {
    var values: [Key: Set<Key>] = [:]
    var walk = AppleWalk(reader, in: log.lowerBound..<end)
    while let step = walk.next() {
      guard case .record(let shape) = step, shape.integrity != .contradicted,
        shape.type != AppleType.removed.rawValue, shape.type != AppleType.double.rawValue
      else { continue }
      let key = Key(reader.image.bytes(in: shape.key))
      guard keys.contains(key), values[key]?.count ?? 0 < Self.leastOdds else { continue }
      values[key, default: []].insert(Key(reader.image.bytes(in: shape.value)))
    }
    var odds = 1
    for count in values.values.map(\.count) where odds < Self.leastOdds { odds *= count }
    return odds >= Self.leastOdds
  }

  /// Once in how many times records have the values of the last compaction by chance, if they are
  /// believed to be from before it.
  private static let leastOdds = 8

  // MARK: Records from before several compactions

  /// Whether the records can be from before several compactions.
  ///
  /// A single record is what a crash leaves between an append and its length, but in a moment that is
  /// far rarer than a launch: a single one with a key of the log can be older too. A length with one
  /// changed bit explains any number.
  var mayBeOlder: Bool {
    let isOneBitOff = (log.count ^ (end - log.lowerBound)).nonzeroBitCount == 1
    if isOneBitOff { return false }
    let isWellPlaced = isOfFirstBlock || meetsBoundary
    guard count > 1 else {
      if first?.type == AppleType.removed.rawValue { return isWellPlaced }
      if hasNewKey { return false }
      return sizes.divisor >= RecordSizes.leastDivisorOfOne || isWellPlaced && fitsIntoLog
    }
    if sizes.divisor >= RecordSizes.leastDivisor || endsAsCompacted { return true }
    if isOfFirstBlock, !hasNewKey { return true }
    return isWellPlaced && (mayEndAsCompacted || fitsIntoLog)
  }

  /// Whether older contents often begin where the log ends.
  private var meetsBoundary: Bool {
    sizes.meetingOdds(at: log.count) >= RecordSizes.leastOdds
  }

  /// Whether a log that began with the values after `log`, and ended with those that `log` begins
  /// with, is not longer than `log`.
  ///
  /// If no removal is left in the file, no key was removed.
  private var fitsIntoLog: Bool {
    let live = after.filter { $0.value.type != AppleType.removed.rawValue }
    if !hasRemoval, live.contains(where: { compacted[$0.key] == nil }) { return false }
    var count = live.values.reduce(0) { $0 + $1.range.count + reader.removalCount(of: $1) }
    var least = hasRemoval ? count : .max
    for (index, key) in order.enumerated() {
      guard let shape = compacted[key] else { continue }
      if let former = live[key] {
        count -= reader.removalCount(of: former)
        if !reader.isKept(former, as: shape) { count += shape.range.count }
      } else {
        count += shape.range.count
      }
      if hasRemoval || index == order.count - 1 { least = min(least, count) }
    }
    return least <= log.count
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

  /// Returns whether a compaction turns `shape` into `kept`.
  ///
  /// The engine stores another double each time, and cuts texts that are not ASCII.
  func isKept(_ shape: AppleRecordShape, as kept: AppleRecordShape) -> Bool {
    guard shape.type == kept.type else { return false }
    if image.storageSpan.isEqual(shape.value, kept.value) { return true }
    switch AppleType(rawValue: shape.type) {
    case .double: return shape.value.count == kept.value.count
    case .string:
      let text = image.bytes(in: shape.value)
      return text.starts(with: image.bytes(in: kept.value)) && text.contains { $0 > 0x7f }
    default: return false
    }
  }

  /// Returns the number of bytes in a record that removes the key of `shape`.
  func removalCount(of shape: AppleRecordShape) -> Int {
    shape.range.count - shape.className.count - shape.value.count
  }
}
