import KVBytes
import KVModel

/// What one walk over all that was ever written shows of where the log ends.
struct LengthSurvey: Sendable {
  /// What a damaged header was, and of which key.
  struct RestoredHeader: Sendable {
    let type: UInt64
    let className: [UInt8]
    let key: Range<Int>
  }

  /// Where damage begins that no record was begun at, and the last whole record before it.
  struct Break: Sendable {
    let offset: Int
    let last: AppleRecordShape
  }

  /// Where the records that follow each other from the start end.
  fileprivate(set) var chainEnd: Int
  /// The last of those records.
  fileprivate(set) var lastInChain: AppleRecordShape?
  /// The last record that is whole.
  fileprivate(set) var lastWitnessed: AppleRecordShape?
  /// Whether a record ends where the length says.
  fileprivate(set) var meetsLength = false
  /// The whole record that ends where the low half of the length says.
  fileprivate(set) var meetsLowHalf: AppleRecordShape?
  /// The records that end one changed bit away from the length.
  fileprivate(set) var oneBitOff: [AppleRecordShape] = []
  /// The record after damage that ends the nearest to where the log should.
  fileprivate(set) var displaced: AppleRecordShape?
  /// The first places where older contents can begin.
  fileprivate(set) var breaks: [Break] = []
  /// Whether there are bytes without a record that is whole, among all that were ever written.
  fileprivate(set) var hasDamage = false
  /// Whether a record of the log by the header is damaged, so that it may have had any key.
  fileprivate(set) var isLogDamaged = false
  /// Where records begin that were found without one of their own lengths; in order.
  fileprivate(set) var dividedOffsets: [Int] = []
  /// What the CRCs say that damaged headers were, by where their records begin.
  fileprivate(set) var restoredHeaders: [Int: RestoredHeader] = [:]

  /// What the records that `reader` reads show, beside what is `stated`.
  ///
  /// - Complexity: O(count of the file).
  init(_ reader: AppleRecordReader, _ stated: StatedLength) {
    var surveyor = LengthSurveyor(reader, stated)
    surveyor.walk()
    self = surveyor.survey
  }

  fileprivate init(from start: Int) { chainEnd = start }
}

/// The walk over the records, and what it has seen so far.
private struct LengthSurveyor {
  /// How many bytes put in or taken out are looked for where no record ends as the length says.
  private static let displacementLimit = 64
  /// How many bytes may be read for each that was written, to tell damaged types.
  private static let budgetFactor = 8
  /// How many places of damage are asked whether older contents begin there.
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
    // The CRC can tell a damaged type also where the lengths are whole.
    if let restored = reader.restored(in: shape.range, budget: &budget),
      restored.key == shape.key, restored.value == shape.value
    {
      keepHeader(of: restored, at: shape.range.lowerBound)
    }
  }

  private mutating func noteEnd(of shape: AppleRecordShape) {
    let end = shape.range.upperBound
    // A last separator that is cut or damaged still ends the log where it would.
    if end == stated.log?.upperBound { survey.meetsLength = true }
    if shape.isWitnessed, end == stated.lowHalfEnd { survey.meetsLowHalf = shape }
    if shape.ending == .separator, stated.isOneBitOff(end) { survey.oneBitOff.append(shape) }
  }

  /// Returns whether no record before it ends as near to where the log should as at `end`.
  private func isNearest(_ end: Int) -> Bool {
    guard let expected = stated.expectedEnd else { return false }
    let nearest = survey.displaced.map { abs($0.range.upperBound - expected) } ?? .max
    return abs(end - expected) <= min(Self.displacementLimit, nearest)
  }

  /// Takes in a record whose header is restored.
  ///
  /// The log may have been written over the header of an older record: for the log's end, it shows no
  /// more than a gap does.
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
  /// Returns whether only its CRC tells where the parts of `shape` are: too little is left of its
  /// header.
  func isRestored(_ shape: AppleRecordShape) -> Bool {
    guard shape.restoredClassName != nil else { return false }
    return shape.ending != .separator
      || divided(shape.range.lowerBound..<shape.checksumOffset + 2) == nil
  }

  /// Returns whether a record was begun at `offset`, where `written` is all that was ever written.
  func isRecordStart(_ offset: Int, in written: Range<Int>) -> Bool {
    guard let fields = fields(at: offset, limit: image.count) else {
      return offset < written.upperBound
    }
    return fields.isUsual && !image.isZero(in: offset..<offset + dialect.fixedCount)
  }
}
