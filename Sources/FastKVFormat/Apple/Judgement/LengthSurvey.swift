import KVBytes
import KVModel

/// What one walk over everything that was ever written shows about the end of the log.
struct LengthSurvey: Sendable {
  /// The restored fields of a record with a damaged header.
  struct RestoredHeader: Sendable {
    let type: UInt64
    let className: [UInt8]
    let key: Range<Int>
  }

  /// A place where damage begins and no record starts, and the last whole record before it.
  struct Break: Sendable {
    let offset: Int
    let last: AppleRecordShape
  }

  /// The end of the consecutive records from the start.
  private(set) var chainEnd: Int
  /// The last of those records.
  private(set) var lastInChain: AppleRecordShape?
  /// The last whole record.
  private(set) var lastWitnessed: AppleRecordShape?
  /// Whether a record ends at the stated length.
  private(set) var meetsLength = false
  /// The whole record that ends at the low half of the length.
  private(set) var meetsLowHalf: AppleRecordShape?
  /// The records whose ends differ from the stated length in one bit.
  private(set) var oneBitOff: [AppleRecordShape] = []
  /// The record after damage that ends nearest to the expected end.
  private(set) var displaced: AppleRecordShape?
  /// The first places where leftovers of an older log can begin.
  private(set) var breaks: [Break] = []
  /// Whether any bytes that were ever written are not in a whole record.
  private(set) var hasDamage = false
  /// Whether a record of the log, by the header, is damaged and so may have any key.
  private(set) var isLogDamaged = false
  /// The offsets of records that were found without one of their own lengths, in order.
  private(set) var dividedOffsets: [Int] = []
  /// The damaged headers that CRCs restore, by the offset of the record.
  private(set) var restoredHeaders: [Int: RestoredHeader] = [:]

  /// The most inserted or deleted bytes that are assumed if no record ends at the length.
  private static let displacementLimit = 64
  /// The most bytes that are read for each byte that was written, to find damaged types.
  private static let budgetFactor = 8
  /// The most places of damage at which leftovers of an older log are looked for.
  private static let breakLimit = 16

  private let reader: AppleRecordReader
  private let stated: StatedLength
  private var isChain = true
  private var isAfterGap = false
  private var budget: Int

  /// Surveys the records that `reader` reads, given the `stated` length.
  ///
  /// - Complexity: O(count of the file).
  init(_ reader: AppleRecordReader, _ stated: StatedLength) {
    self.reader = reader
    self.stated = stated
    chainEnd = stated.written.lowerBound
    budget = max(stated.written.count, 1 << 17) * Self.budgetFactor
    var walk = AppleWalk(reader, in: stated.written)
    while let step = walk.next() {
      if case .record(let shape) = step, [.divided, .restored].contains(shape.lengths) {
        noteHeader(of: shape)
      }
      switch step {
      case .record(let shape) where shape.lengths == .restored: noteRestored(shape)
      case .record(let shape): note(shape)
      case .gap(let gap): noteGap(at: gap.extent.offset)
      }
    }
  }

  private mutating func note(_ shape: AppleRecordShape) {
    if shape.integrity == .contradicted { noteContradicted(shape) }
    noteEnd(of: shape)
    guard shape.isWitnessed || shape.ending != .missingSeparator else {
      isChain = false
      return
    }
    if isChain {
      chainEnd = shape.range.upperBound
      lastInChain = shape
    }
    guard shape.integrity != .contradicted else { return }
    lastWitnessed = shape
    if isAfterGap, isNearest(shape.range.upperBound) { displaced = shape }
  }

  private mutating func noteContradicted(_ shape: AppleRecordShape) {
    noteDamage(at: shape.range.lowerBound)
    // The CRC can show a damaged type even if the lengths are whole.
    if let restored = reader.restored(in: shape.range, budget: &budget),
      restored.key == shape.key, restored.value == shape.value
    {
      keepHeader(of: restored, at: shape.range.lowerBound)
    }
  }

  private mutating func noteHeader(of shape: AppleRecordShape) {
    dividedOffsets.append(shape.range.lowerBound)
    if shape.restoredClassName != nil { keepHeader(of: shape, at: shape.range.lowerBound) }
  }

  private mutating func keepHeader(of restored: AppleRecordShape, at start: Int) {
    restoredHeaders[start] = RestoredHeader(
      type: restored.type, className: restored.restoredClassName ?? [], key: restored.key)
  }

  private mutating func noteDamage(at offset: Int) {
    hasDamage = true
    if !stated.isAfterLog(offset) { isLogDamaged = true }
  }

  private mutating func noteEnd(of shape: AppleRecordShape) {
    let end = shape.range.upperBound
    // A damaged or cut separator still ends the log at the same place.
    if end == stated.log?.upperBound { meetsLength = true }
    if shape.isWitnessed, end == stated.lowHalfEnd { meetsLowHalf = shape }
    if shape.ending == .separator, stated.isOneBitOff(end) { oneBitOff.append(shape) }
  }

  /// Returns whether `end` is nearer to the expected end than that of any record before.
  private func isNearest(_ end: Int) -> Bool {
    guard let expected = stated.expectedEnd else { return false }
    let nearest = displaced.map { abs($0.range.upperBound - expected) } ?? .max
    return abs(end - expected) <= min(Self.displacementLimit, nearest)
  }

  /// Takes in a record whose header is restored.
  ///
  /// The log may have overwritten the header of an older record, so as to the end of the log, it is
  /// no better evidence than a gap.
  private mutating func noteRestored(_ shape: AppleRecordShape) {
    if shape.range.upperBound == stated.log?.upperBound { meetsLength = true }
    noteGap(at: shape.range.lowerBound)
  }

  private mutating func noteGap(at offset: Int) {
    isChain = false
    isAfterGap = true
    noteDamage(at: offset)
    if let last = lastWitnessed, breaks.count < Self.breakLimit,
      !reader.isRecordStart(offset, in: stated.written)
    {
      breaks.append(Break(offset: offset, last: last))
    }
  }
}

extension AppleRecordReader {
  /// Returns whether a record starts at `offset`; `written` is the range of everything that was
  /// ever written.
  func isRecordStart(_ offset: Int, in written: Range<Int>) -> Bool {
    guard let fields = fields(at: offset, limit: image.count) else {
      return offset < written.upperBound
    }
    return fields.isUsual && !image.isZero(in: offset..<offset + dialect.fixedCount)
  }
}
