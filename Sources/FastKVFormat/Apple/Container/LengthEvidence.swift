import KVBytes
import KVModel

/// What the records say about where the log ends, held against the length in the header.
///
/// An engine ends the log after a record's separator, always. So a length that ends elsewhere is
/// wrong; and where whole records go on directly after it, it may be: they are what was there before a
/// compaction, or what the length does not know of. A compaction keeps every live key. What stands
/// after it can hold no key that the log has never heard of, and no value but the log's own, but
/// for one: that of the write which led to the compaction.
struct LengthEvidence: Sendable {
  /// What the length turns out to be.
  enum Judgement: Hashable, Sendable {
    /// It ends after a record, and nothing speaks against it.
    case fits
    /// It is 0, and whole records stand there.
    case emptied
    /// It ends where no record does.
    case betweenBoundaries
    /// Records after it belong to the log.
    case tooShort
    /// It ends after the end of the file.
    case beyondFile
  }

  /// What a damaged header was, and of which key.
  struct RestoredHeader: Sendable {
    let type: UInt64
    let className: [UInt8]
    let key: Range<Int>
  }

  /// The dialect's reader.
  private let reader: AppleRecordReader
  private let header: AppleHeader
  /// The bytes that were ever written after the header.
  private let written: Range<Int>
  /// The log by the header, if so many bytes are there.
  let log: Range<Int>?
  /// What the length turns out to be.
  private(set) var judgement: Judgement = .fits
  /// Where the log ends by its records, and the last of them, if the length is wrong.
  private(set) var other: (end: Int, last: AppleRecordShape)?
  /// Whether ``other`` is what the low half of the length says.
  private(set) var isLowHalf = false
  /// Whether ``other`` is one changed bit away from the length.
  private(set) var isOneBitOff = false
  /// Whether records of before a compaction may be among those of the log: its length is wrong, and
  /// nothing says where it ends but that records do.
  private(set) var isEndUnverified = false
  /// The keys that records after the log would change, if they belong to it: nothing says so, and nothing
  /// says that they do not.
  private(set) var undecidedKeys: Set<Key> = []
  /// Whether there are bytes without a record that is whole, among all that were ever written.
  private var hasDamage = false
  /// Where records begin that were found without one of their own lengths; in order.
  private(set) var dividedOffsets: [Int] = []
  /// What the CRCs say that damaged headers were, by where their records begin.
  private(set) var restoredHeaders: [Int: RestoredHeader] = [:]
  /// How many whole records stand directly after the log, and where they end.
  private(set) var tail: (count: Int, end: Int, isDamaged: Bool)

  /// The evidence in the file that `reader` reads.
  init(_ reader: AppleRecordReader, _ header: AppleHeader) {
    self.reader = reader
    self.header = header
    let start = min(AppleHeader.byteCount, reader.image.count)
    let last = reader.image.lastNonzero(in: start..<reader.image.count)
    written = start..<(last.map { $0 + 1 } ?? start)
    let length = Int(exactly: header.length)
    log = length.flatMap { $0 <= reader.image.count - start ? start..<start + $0 : nil }
    tail = (0, log?.upperBound ?? start, false)
    judge()
    // Without its header, nothing says that what is left of a file stands where it stood, or that it was
    // empty.
    if !header.isRecognizable || reader.image.count < AppleHeader.byteCount {
      isEndUnverified = true
    }
  }

  /// Where records of the log can be damaged; `nil` where all that was ever written is whole.
  var damaged: Range<Int>? {
    guard hasDamage else { return nil }
    return judgement == .fits ? log : written
  }

  /// Where the records that follow each other from the start end, and what comes after.
  private struct Survey {
    var chainEnd: Int
    var isChain = true
    var lastInChain: AppleRecordShape?
    var lastWitnessed: AppleRecordShape?
    var meetsLength = false
    var meetsLowHalf: AppleRecordShape?
    /// The records that end one changed bit away from the length.
    var oneBitOff: [AppleRecordShape] = []
    /// The record after damage that ends the nearest to where the log should.
    var displaced: AppleRecordShape?
    /// Where damage begins that no record was begun at, and the last whole record before it.
    var breaks: [(offset: Int, last: AppleRecordShape)] = []
    /// Whether a record of the log by the header is damaged, so that it may have had any key.
    var isLogDamaged = false
  }

  private mutating func judge() {
    let low = AppleHeader.byteCount + Int(header.length & 0xffff_ffff)
    var survey = Survey(chainEnd: written.lowerBound)
    var hasGap = false
    var budget = max(written.count, 1 << 17) * Self.budgetFactor
    var walk = AppleWalk(reader, in: written)
    while let step = walk.next() {
      let shape: AppleRecordShape
      switch step {
      case .record(let record) where !isRestored(record): shape = record
      case .record(let record):
        // Of a older record, the log may have been written over the header: for its end, it shows no
        // more than a gap does.
        note(record)
        if record.range.upperBound == log?.upperBound { survey.meetsLength = true }
        note(gapAt: record.range.lowerBound, in: &survey)
        hasGap = true
        continue
      case .gap(let gap):
        note(gapAt: gap.extent.offset, in: &survey)
        hasGap = true
        continue
      }
      if shape.integrity == .contradicted {
        hasDamage = true
        survey.isLogDamaged = survey.isLogDamaged || !isAfterLog(shape.range.lowerBound)
        // The CRC can tell a damaged type also where the lengths are whole.
        if let restored = reader.restored(in: shape.range, budget: &budget),
          restored.key == shape.key, restored.value == shape.value
        {
          keepHeader(of: restored, at: shape.range.lowerBound)
        }
      }
      if shape.lengths == .divided { dividedOffsets.append(shape.range.lowerBound) }
      let end = shape.range.upperBound
      // A last separator that is cut or damaged still ends the log where it would.
      if end == log?.upperBound { survey.meetsLength = true }
      if shape.isWitnessed, end == low { survey.meetsLowHalf = shape }
      if shape.ending == .separator,
        (UInt64(end - AppleHeader.byteCount) ^ header.length).nonzeroBitCount == 1
      {
        survey.oneBitOff.append(shape)
      }
      guard shape.isWitnessed || shape.ending != .missingSeparator else {
        survey.isChain = false
        continue
      }
      if survey.isChain {
        survey.chainEnd = end
        survey.lastInChain = shape
      }
      guard shape.integrity != .contradicted else { continue }
      survey.lastWitnessed = shape
      if hasGap, let expected = expectedEnd,
        abs(end - expected)
          <= min(
            Self.displacementLimit,
            survey.displaced.map { abs($0.range.upperBound - expected) } ?? .max)
      {
        survey.displaced = shape
      }
    }
    judge(survey)
    switch judgement {
    case .fits:
      // A length of before a compaction reaches into what that left.
      guard let log else { return }
      isEndUnverified = survey.breaks.contains { offset, _ in
        offset < log.upperBound
          && former.relation(of: log.lowerBound..<offset, to: log.upperBound) == .former
      }
    case .emptied, .tooShort: return
    case .betweenBoundaries, .beyondFile:
      guard let other else {
        isEndUnverified = true
        return
      }
      if isLowHalf { return }
      isEndUnverified = isUnverified(other.end, other.last, survey)
    }
  }

  private mutating func note(gapAt offset: Int, in survey: inout Survey) {
    survey.isChain = false
    if let last = survey.lastWitnessed, survey.breaks.count < Self.breakLimit,
      !isRecordStart(offset)
    {
      survey.breaks.append((offset, last))
    }
    survey.isLogDamaged = survey.isLogDamaged || !isAfterLog(offset)
    hasDamage = true
  }

  /// Whether nothing but its CRC tells where the parts of `shape` are: too little is left of its header.
  private func isRestored(_ shape: AppleRecordShape) -> Bool {
    guard shape.restoredClassName != nil else { return false }
    return shape.ending != .separator
      || reader.divided(shape.range.lowerBound..<shape.checksumOffset + 2) == nil
  }

  /// Takes in a record whose header is restored.
  private mutating func note(_ restored: AppleRecordShape) {
    dividedOffsets.append(restored.range.lowerBound)
    keepHeader(of: restored, at: restored.range.lowerBound)
  }

  private mutating func keepHeader(of restored: AppleRecordShape, at start: Int) {
    restoredHeaders[start] = RestoredHeader(
      type: restored.type, className: restored.restoredClassName ?? [], key: restored.key)
  }

  /// Whether the log may end elsewhere than at `end`, which the records say, and not the length; `last` is
  /// the last whole one.
  private func isUnverified(_ end: Int, _ last: AppleRecordShape, _ survey: Survey) -> Bool {
    // Only a separator shows that nothing of the log is cut off after it.
    if last.range.upperBound != end || last.ending != .separator { return true }
    // What was begun after it is lost.
    if isRecordStart(end), reader.shape(at: end, limit: reader.image.count)?.isWitnessed != true {
      return true
    }
    // In fewer bytes than a record takes, one can have begun that was cut off.
    if judgement == .beyondFile, reader.image.count - end < reader.dialect.fixedCount {
      return true
    }
    // Where the length says more than there is, what there was more may be lost.
    if let expected = expectedEnd, end < expected { return true }
    // Of a length beyond the file, a single bit is wrong: there is only one that leads back into it.
    if isOneBitOff, log == nil, end == expectedEnd { return false }
    // A damaged record, or what is left of one, can be of the log or of what was there before it.
    if hasDamage { return true }
    if isOneBitOff, end == survey.chainEnd { return false }
    let whole = written.lowerBound..<end
    return isOneBitOff || former.mayFollow(in: whole) || former.mayEnd(whole)
  }

  /// How many bytes put in or taken out are looked for where no record ends as the length says.
  private static let displacementLimit = 64
  /// How many bytes may be read for each that was written, to tell damaged types.
  private static let budgetFactor = 8
  /// How many places of damage are asked whether older contents begin there.
  private static let breakLimit = 16

  /// Where the log ends by the header: by its length, or if that is beyond the file, by the length
  /// without its highest bit.
  private var expectedEnd: Int? {
    if let log { return log.upperBound }
    guard header.length > 0 else { return nil }
    let highest = UInt64.bitWidth - 1 - header.length.leadingZeroBitCount
    let length = Int(header.length & ~(1 << UInt64(highest)))
    guard length > 0, length <= reader.image.count - AppleHeader.byteCount else { return nil }
    return AppleHeader.byteCount + length
  }

  private mutating func judge(_ survey: Survey) {
    guard let log else {
      judgement = .beyondFile
      if header.length >> 32 != 0, let shape = survey.meetsLowHalf {
        isLowHalf = true
        other = (shape.range.upperBound, shape)
      } else if !takeOneBitOff(survey), !takeDisplaced(survey), let likely = likelyEnd(survey),
        likely.end < reader.image.count
      {
        // Records that go on to the end of the file are what is left of one that was cut.
        if !isRecordStart(likely.end) {
          other = (likely.end, likely.last)
        } else if header.length / 16 > UInt64(max(reader.image.count, 256)) {
          // A length that is many times the file says nothing about it.
          other = (written.upperBound, likely.last)
        }
      }
      return
    }
    if log.isEmpty {
      guard let last = survey.lastWitnessed else { return }
      if header.hasMagic {
        judgement = .emptied
        if survey.lastInChain != nil { measureTail(after: log.upperBound) }
      } else {
        judgement = .betweenBoundaries
        other = survey.lastInChain.map { (survey.chainEnd, $0) } ?? (last.range.upperBound, last)
      }
      return
    }
    // A separator ends the log also where the record before it is lost.
    if survey.meetsLength || reader.isAfterSeparator(log.upperBound, from: log.lowerBound) {
      measureTail(after: log.upperBound)
      guard tail.count > 0, let last = lastOfTail else { return }
      switch former.relation(of: log, to: tail.end) {
      case .former: return
      case .undecided(let keys) where !isTailApart:
        undecidedKeys = Set(keys)
        return
      case .undecided, .continuation: break
      }
      // A key that the log seems never to have heard of can be that of its damaged record; and what was
      // begun after the last whole record is lost.
      isEndUnverified =
        survey.isLogDamaged || tail.isDamaged || isRecordStart(tail.end) || mayBeCompacted
      judgement = .tooShort
      other = (tail.end, last)
      return
    }
    judgement = .betweenBoundaries
    let isChainOneBitOff = survey.oneBitOff.contains { $0.range.upperBound == survey.chainEnd }
    if isChainOneBitOff, isFormer(after: survey.chainEnd, survey), takeOneBitOff(survey) { return }
    if takeDisplaced(survey) || takeOneBitOff(survey) { return }
    guard let likely = likelyEnd(survey) else { return }
    // Where records go on after damage in the log, its length is the best that there is.
    let hasMore = (survey.lastWitnessed?.range.lowerBound ?? 0) >= survey.chainEnd
    if likely.end > log.upperBound || likely.isSplit || !hasMore && !isRecordStart(likely.end) {
      other = (likely.end, likely.last)
    }
  }

  /// Whether no more whole records stand after `end`, or what a compaction to the log left.
  private func isFormer(after end: Int, _ survey: Survey) -> Bool {
    guard let last = survey.lastWitnessed?.range.upperBound, last > end else { return true }
    return former.follow(written.lowerBound..<end, to: last)
  }

  /// Where the log ends if its length says nothing: where older contents begin, or with the last whole
  /// record.
  private func likelyEnd(
    _ survey: Survey
  ) -> (end: Int, last: AppleRecordShape, isSplit: Bool)? {
    guard let last = survey.lastWitnessed else { return nil }
    let end = last.range.upperBound
    for (offset, last) in survey.breaks where offset < end {
      if former.follow(written.lowerBound..<offset, to: end) {
        return (last.range.upperBound, last, true)
      }
    }
    return (end, last, false)
  }

  /// Goes by the record after a gap that ends nearly where the log should, if no record that belongs to
  /// the log follows directly: bytes were put in or taken out before it.
  private mutating func takeDisplaced(_ survey: Survey) -> Bool {
    guard let shape = survey.displaced else { return false }
    let end = shape.range.upperBound
    let next = reader.shape(at: end, limit: written.upperBound)
    guard next?.isWitnessed != true || isFormer(after: end, survey) else { return false }
    other = (shape.range.upperBound, shape)
    return true
  }

  /// Goes by a record that ends one changed bit away from the length: the one after which no more
  /// follow, or else the only one, if what follows it can be older contents.
  private mutating func takeOneBitOff(_ survey: Survey) -> Bool {
    let atEnd = survey.oneBitOff.first { $0.range.upperBound == survey.chainEnd }
    // An engine's file is always longer than its log: one that ends with it was cut there.
    guard let shape = atEnd ?? survey.oneBitOff.first,
      shape.range.upperBound < reader.image.count,
      atEnd != nil
        || survey.oneBitOff.count == 1
          && (shape.range.upperBound > survey.chainEnd
            || former.mayFollow(in: written.lowerBound..<survey.chainEnd))
    else { return false }
    other = (shape.range.upperBound, shape)
    isOneBitOff = true
    return true
  }

  /// Whether `offset` is after the log by the header.
  private func isAfterLog(_ offset: Int) -> Bool { offset >= log?.upperBound ?? .max }

  /// Whether a record was begun at `offset`.
  private func isRecordStart(_ offset: Int) -> Bool {
    guard let fields = reader.fields(at: offset, limit: reader.image.count) else {
      return offset < written.upperBound
    }
    return fields.isUsual && !reader.image.isZero(in: offset..<offset + reader.dialect.fixedCount)
  }

  private var former: FormerContents { FormerContents(reader) }

  private var lastOfTail: AppleRecordShape?
  /// Whether the records after the log are apart from it by bytes that were never written.
  private var isTailApart = false

  /// The size of the blocks in which what was written reaches the disk, and in which it is older where
  /// one did not.
  private static let blockCount = 512
  /// How many zeros between the log and the next block show that nothing was ever written there.
  private static let unwrittenCount = 16

  /// Whether zeros begin at `offset` that end with a block, though more was written to the next one: the
  /// block with the end of the log is an older one.
  private func isUnwritten(at offset: Int) -> Bool {
    let next = (offset / Self.blockCount + 1) * Self.blockCount
    return next - offset >= Self.unwrittenCount && next < written.upperBound
      && reader.image.isZero(in: offset..<next)
  }

  /// Whether the engine may have compacted the log after it had appended all that follows it: the length is
  /// that of an older block, with which the compaction is lost.
  ///
  /// A crash between an append and its length leaves one record.
  private var mayBeCompacted: Bool {
    guard tail.count > 1, let log else { return false }
    let count = (tail.end - log.upperBound) / tail.count
    return reader.image.count - tail.end <= 2 * count
  }

  private mutating func measureTail(after end: Int) {
    tail = (0, end, false)
    var isDamaged = false
    var gapEnd: Int?
    var walk = AppleWalk(reader, in: end..<written.upperBound)
    while let step = walk.next() {
      switch step {
      case .record(let shape) where shape.isWitnessed:
        tail = (tail.count + 1, shape.range.upperBound, isDamaged)
        lastOfTail = shape
      case .record(let shape) where isRestored(shape):
        // Of one that stands in a gap, that has been asked.
        guard shape.range.lowerBound == gapEnd || isRecordStart(shape.range.lowerBound) else {
          return
        }
        isDamaged = true
      case .record(let shape):
        guard shape.ending == .separator else { return }
        isDamaged = true
      case .gap(let gap):
        // Former contents begin with what is left of a record, if not with a whole one.
        if tail.count == 0, !isDamaged, isUnwritten(at: gap.extent.offset) {
          isTailApart = true
        } else if !isRecordStart(gap.extent.offset) {
          return
        }
        isDamaged = true
        gapEnd = gap.extent.end
      }
    }
  }
}
