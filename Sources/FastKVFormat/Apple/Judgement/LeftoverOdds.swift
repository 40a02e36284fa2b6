import KVBytes
import KVModel

/// The odds, in bits, that the records after a place are leftovers from before a compaction, and not
/// records of the log that ends or continues there.
///
/// Two witnesses speak for leftovers:
///
/// 1. A record sets its key to the value that it has. The engine does not append that.
/// 2. The records end with what the last compaction wrote, because the log that was compacted did.
///    Still older contents may follow, so the place where the records agree best with the
///    compaction counts. By chance, a key has any of the values that it has had.
///
/// A compaction writes each live key once. So the log begins with its records, up to the first
/// removal or repeated key. Keys and values that it did not write speak against this explanation,
/// but not for a continuation: they can be from before an earlier compaction, or from before the
/// store was emptied. Nothing in the bytes speaks for that or against it.
struct LeftoverOdds {
  /// The keys of the records after the place.
  private(set) var keys: Set<Key> = []
  /// The number of bits by which the records agree with the last compaction, where they do best.
  private(set) var agreement = Int.min
  /// Whether the last record gives its key the value of the last compaction again.
  private(set) var endsAsCompacted = false
  /// Whether a record after the place gives a key the value that it already has.
  private(set) var hasRepetition = false

  private var hasNewKey = false
  private var hasRemoval = false
  private let start: Int
  private var sizes = RecordSizes()

  private let reader: AppleRecordReader
  /// The place; `nil` for the first removal or repeated key.
  private var place: Int?
  /// The records of the last compaction.
  private var compacted: [Key: AppleRecordShape] = [:]
  private var isCompacted = true
  /// The newest record of each key since the last damage.
  private var newest: [Key: AppleRecordShape] = [:]
  /// The values that each key has had; a removal counts as an empty one.
  private var values: [Key: Set<Key>] = [:]
  /// The bits of the keys after the place.
  private var bits: [Key: Int] = [:]
  private var sameBits = 0
  private var otherCount = 0
  /// The number of damaged places before the place, each of which explains one key.
  private var damageCount = 0

  /// Weighs the records of `range` after `place`.
  ///
  /// - Complexity: O(`range.count`).
  init(_ reader: AppleRecordReader, in range: Range<Int>, after place: Int? = nil) {
    self.reader = reader
    self.place = place
    start = range.lowerBound
    var walk = AppleWalk(reader, in: range)
    while let step = walk.next() {
      switch step {
      case .record(let shape) where shape.integrity != .contradicted: add(shape)
      case .record(let shape): addDamage(at: shape.range.lowerBound)
      case .gap(let gap): addDamage(at: gap.extent.offset)
      }
    }
  }

  /// Whether the records are leftovers.
  var areLeftovers: Bool { hasRepetition || agreement >= ApplePriors.leftoverBits }

  /// Whether the records are likelier a continuation of the log than leftovers.
  ///
  /// Leftovers begin anywhere, and seldom exactly where a record of the log ends. They contain a key
  /// that the log never had only if it was removed, of which a record mostly remains.
  var areLikelyNewer: Bool {
    sizes.odds(at: (place ?? start) - start)
      <= (haveTellingKey ? ApplePriors.placeOddsOfNewKey : ApplePriors.placeOdds)
  }

  /// Whether the records have a key that the log never had, and no removal is left.
  var haveTellingKey: Bool { hasNewKey && !hasRemoval }

  /// Whether the records may be leftovers, though nothing shows it.
  var mayBeLeftovers: Bool { hasRepetition || agreement > 0 }

  /// Adds a place in which any key may have been set.
  private mutating func addDamage(at offset: Int) {
    newest = [:]
    if place.map({ offset < $0 }) ?? isCompacted { damageCount += 1 }
  }

  private mutating func add(_ shape: AppleRecordShape) {
    let key = Key(reader.image.bytes(in: shape.key))
    let isRemoval = shape.type == AppleType.removed.rawValue
    sizes.add(shape.range.count)
    if isRemoval { hasRemoval = true }
    if isRemoval || compacted[key] != nil { isCompacted = false }
    if shape.range.lowerBound >= place ?? (isCompacted ? .max : 0) {
      compare(shape, key, isRemoval)
    } else if isCompacted {
      compacted[key] = shape
    }
    newest[key] = shape
    if values[key]?.count ?? 0 < ApplePriors.valueCountLimit {
      values[key, default: []].insert(Key(reader.image.bytes(in: shape.value)))
    }
  }

  private mutating func compare(_ shape: AppleRecordShape, _ key: Key, _ isRemoval: Bool) {
    keys.insert(key)
    if values[key] == nil, !isRemoval { hasNewKey = true }
    if reader.repeats(shape, newest[key]) { hasRepetition = true }
    let former = bits[key]
    if let first = compacted[key], reader.isKept(shape, as: first) {
      let count = values[key]?.count ?? 1
      // After damage, a lost record can have changed the value in between.
      bits[key] =
        count == 1 && reader.repeats(shape, first)
        ? ApplePriors.repeatedBits : Int.bitWidth - 1 - count.leadingZeroBitCount
    } else {
      // A key that was removed is not in the compaction.
      bits[key] = isRemoval && compacted[key] == nil ? 0 : -1
    }
    for (bits, sign) in [(former, -1), (bits[key], 1)] {
      if let bits, bits < 0 { otherCount += sign } else { sameBits += sign * (bits ?? 0) }
    }
    endsAsCompacted = bits[key] ?? 0 > 0
    let unexplained = max(0, otherCount - damageCount)
    agreement = max(agreement, sameBits - unexplained * ApplePriors.otherValueBits)
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
  fileprivate func isKept(_ shape: AppleRecordShape, as kept: AppleRecordShape) -> Bool {
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
}
