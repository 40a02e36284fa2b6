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
  fileprivate(set) var chainEnd: Int
  /// The last of those records.
  fileprivate(set) var lastInChain: AppleRecordShape?
  /// The last whole record.
  fileprivate(set) var lastWitnessed: AppleRecordShape?
  /// Whether a record ends at the stated length.
  fileprivate(set) var meetsLength = false
  /// The whole record that ends at the low half of the length.
  fileprivate(set) var meetsLowHalf: AppleRecordShape?
  /// The records whose ends differ from the stated length in one bit.
  fileprivate(set) var oneBitOff: [AppleRecordShape] = []
  /// The record after damage that ends nearest to the expected end.
  fileprivate(set) var displaced: AppleRecordShape?
  /// The first places where leftovers of an older log can begin.
  fileprivate(set) var breaks: [Break] = []
  /// Whether any bytes that were ever written are not in a whole record.
  fileprivate(set) var hasDamage = false
  /// Whether a record of the log, by the header, is damaged and so may have any key.
  fileprivate(set) var isLogDamaged = false
  /// The offsets of records that were found without one of their own lengths, in order.
  fileprivate(set) var dividedOffsets: [Int] = []
  /// The damaged headers that CRCs restore, by the offset of the record.
  fileprivate(set) var restoredHeaders: [Int: RestoredHeader] = [:]

  /// Surveys the records that `reader` reads, given the `stated` length.
  ///
  /// - Complexity: O(count of the file).
  init(_ reader: AppleRecordReader, _ stated: StatedLength) {
    var surveyor = LengthSurveyor(reader, stated)
    surveyor.walk()
    self = surveyor.survey
  }

  fileprivate init(from start: Int) { chainEnd = start }
}

/// The walk over the records, and its findings so far.
private struct LengthSurveyor {
  /// The most inserted or deleted bytes that are assumed if no record ends at the length.
  private static let displacementLimit = 64
  /// The most bytes that are read for each byte that was written, to find damaged types.
  private static let budgetFactor = 8
  /// The most places of damage at which leftovers of an older log are looked for.
  private static let breakLimit = 16

  private let reader: AppleRecordReader
  private let stated: StatedLength
  private(set) var survey: LengthSurvey
  private var isChain = true
  private var isAfterGap = false
  private var budget: Int

  init(_ reader: AppleRecordReader, _ stated: StatedLength) {
    self.reader = reader
    self.stated = stated
    survey = LengthSurvey(from: stated.written.lowerBound)
    budget = max(stated.written.count, 1 << 17) * Self.budgetFactor
  }

  mutating func walk() {
    var walk = AppleWalk(reader, in: stated.written)
    while let step = walk.next() {
      switch step {
      case .record(let shape) where reader.isRestored(shape): noteRestored(shape)
      case .record(let shape): note(shape)
      case .gap(let gap): noteGap(at: gap.extent.offset)
      }
    }
  }

  private mutating func note(_ shape: AppleRecordShape) {
    if shape.integrity == .contradicted { noteContradicted(shape) }
    if shape.lengths == .divided { survey.dividedOffsets.append(shape.range.lowerBound) }
    noteEnd(of: shape)
    guard shape.isWitnessed || shape.ending != .missingSeparator else {
      isChain = false
      return
    }
    if isChain {
      survey.chainEnd = shape.range.upperBound
      survey.lastInChain = shape
    }
    guard shape.integrity != .contradicted else { return }
    survey.lastWitnessed = shape
    if isAfterGap, isNearest(shape.range.upperBound) { survey.displaced = shape }
  }

  private mutating func noteContradicted(_ shape: AppleRecordShape) {
    survey.hasDamage = true
    if !stated.isAfterLog(shape.range.lowerBound) { survey.isLogDamaged = true }
    // The CRC can show a damaged type even if the lengths are whole.
    if let restored = reader.restored(in: shape.range, budget: &budget),
      restored.key == shape.key, restored.value == shape.value
    {
      keepHeader(of: restored, at: shape.range.lowerBound)
    }
  }

  private mutating func noteEnd(of shape: AppleRecordShape) {
    let end = shape.range.upperBound
    // A damaged or cut separator still ends the log at the same place.
    if end == stated.log?.upperBound { survey.meetsLength = true }
    if shape.isWitnessed, end == stated.lowHalfEnd { survey.meetsLowHalf = shape }
    if shape.ending == .separator, stated.isOneBitOff(end) { survey.oneBitOff.append(shape) }
  }

  /// Returns whether `end` is nearer to the expected end than that of any record before.
  private func isNearest(_ end: Int) -> Bool {
    guard let expected = stated.expectedEnd else { return false }
    let nearest = survey.displaced.map { abs($0.range.upperBound - expected) } ?? .max
    return abs(end - expected) <= min(Self.displacementLimit, nearest)
  }

  /// Takes in a record whose header is restored.
  ///
  /// The log may have overwritten the header of an older record, so as to the end of the log, it is
  /// no better evidence than a gap.
  private mutating func noteRestored(_ shape: AppleRecordShape) {
    survey.dividedOffsets.append(shape.range.lowerBound)
    keepHeader(of: shape, at: shape.range.lowerBound)
    if shape.range.upperBound == stated.log?.upperBound { survey.meetsLength = true }
    noteGap(at: shape.range.lowerBound)
  }

  private mutating func noteGap(at offset: Int) {
    isChain = false
    isAfterGap = true
    survey.hasDamage = true
    if !stated.isAfterLog(offset) { survey.isLogDamaged = true }
    if let last = survey.lastWitnessed, survey.breaks.count < Self.breakLimit,
      !reader.isRecordStart(offset, in: stated.written)
    {
      survey.breaks.append(LengthSurvey.Break(offset: offset, last: last))
    }
  }

  private mutating func keepHeader(of restored: AppleRecordShape, at start: Int) {
    survey.restoredHeaders[start] = LengthSurvey.RestoredHeader(
      type: restored.type, className: restored.restoredClassName ?? [], key: restored.key)
  }
}

extension AppleRecordReader {
  /// Returns whether only its CRC shows the parts of `shape`, because too little is left of its
  /// header.
  func isRestored(_ shape: AppleRecordShape) -> Bool {
    guard shape.restoredClassName != nil else { return false }
    return shape.ending != .separator
      || divided(shape.range.lowerBound..<shape.checksumOffset + 2) == nil
  }

  /// Returns whether a record starts at `offset`; `written` is the range of everything that was
  /// ever written.
  func isRecordStart(_ offset: Int, in written: Range<Int>) -> Bool {
    guard let fields = fields(at: offset, limit: image.count) else {
      return offset < written.upperBound
    }
    return fields.isUsual && !image.isZero(in: offset..<offset + dialect.fixedCount)
  }
}
