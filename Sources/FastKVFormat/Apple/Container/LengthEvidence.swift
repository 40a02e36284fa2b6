import KVBytes
import KVModel

/// What the records say about where the log ends, held against the length in the header.
///
/// An engine ends the log behind a record's separator, always. So a length that ends elsewhere is
/// wrong; and where whole records go on directly behind it, it may be: they are what was there before a
/// compaction, or what the length does not know of. A compaction keeps every live key. What stands
/// behind it can hold no key that the log has never heard of, and no value but the log's own, but
/// for one: that of the write which led to the compaction.
struct LengthEvidence: Sendable {
  /// What the length turns out to be.
  enum Judgement: Hashable, Sendable {
    /// It ends behind a record, and nothing speaks against it.
    case fits
    /// It is 0, and whole records stand there.
    case emptied
    /// It ends where no record does.
    case betweenBoundaries
    /// Records behind it belong to the log.
    case tooShort
    /// It ends behind the end of the file.
    case beyondFile
  }

  /// The dialect's reader.
  private let reader: AppleRecordReader
  private let header: AppleHeader
  /// The bytes that were ever written behind the header.
  private let written: Range<Int>
  /// The log by the header, if so many bytes are there.
  let log: Range<Int>?
  /// What the length turns out to be.
  private(set) var judgement: Judgement = .fits
  /// Where the log ends by its records, and the last of them, if the length is wrong.
  private(set) var other: (end: Int, last: AppleRecordShape)?
  /// Whether ``other`` is what the low half of the length says.
  private(set) var isLowHalf = false
  /// How many whole records stand directly behind the log, and where they end.
  private(set) var tail: (count: Int, end: Int)

  /// The evidence in the file that `reader` reads.
  init(_ reader: AppleRecordReader, _ header: AppleHeader) {
    self.reader = reader
    self.header = header
    let start = min(AppleHeader.byteCount, reader.image.count)
    let last = reader.image.lastNonzero(in: start..<reader.image.count)
    written = start..<(last.map { $0 + 1 } ?? start)
    let length = Int(exactly: header.length)
    log = length.flatMap { $0 <= reader.image.count - start ? start..<start + $0 : nil }
    tail = (0, log?.upperBound ?? start)
    judge()
  }

  /// Where the records that follow each other from the start end, and what comes behind.
  private struct Survey {
    var chainEnd: Int
    var isChain = true
    var lastInChain: AppleRecordShape?
    var lastWitnessed: AppleRecordShape?
    var meetsLength = false
    var meetsLowHalf: AppleRecordShape?
  }

  private mutating func judge() {
    let low = AppleHeader.byteCount + Int(header.length & 0xffff_ffff)
    var survey = Survey(chainEnd: written.lowerBound)
    var walk = AppleWalk(reader, in: written)
    while let step = walk.next() {
      guard case .record(let shape) = step else {
        survey.isChain = false
        continue
      }
      let end = shape.range.upperBound
      // A last separator that is cut or damaged still ends the log where it would.
      if end == log?.upperBound { survey.meetsLength = true }
      if shape.isWitnessed, end == low { survey.meetsLowHalf = shape }
      guard shape.isWitnessed || shape.ending != .missingSeparator else {
        survey.isChain = false
        continue
      }
      if survey.isChain {
        survey.chainEnd = end
        survey.lastInChain = shape
      }
      if shape.integrity != .contradicted { survey.lastWitnessed = shape }
    }
    judge(survey)
  }

  private mutating func judge(_ survey: Survey) {
    guard let log else {
      judgement = .beyondFile
      if header.length >> 32 != 0, let shape = survey.meetsLowHalf {
        isLowHalf = true
        other = (shape.range.upperBound, shape)
      } else if survey.chainEnd < reader.image.count, !isRecordStart(survey.chainEnd),
        let shape = survey.lastInChain
      {
        // Records that go on to the end of the file are what is left of one that was cut.
        other = (survey.chainEnd, shape)
      }
      return
    }
    if log.isEmpty {
      guard let last = survey.lastWitnessed else { return }
      if header.hasMagic {
        judgement = .emptied
        if survey.lastInChain != nil { measureTail(behind: log.upperBound) }
      } else {
        judgement = .betweenBoundaries
        other = survey.lastInChain.map { (survey.chainEnd, $0) } ?? (last.range.upperBound, last)
      }
      return
    }
    if survey.meetsLength {
      measureTail(behind: log.upperBound)
      guard tail.count > 0, isContinued(by: tail.end, log), let last = lastOfTail else { return }
      judgement = .tooShort
      other = (tail.end, last)
      return
    }
    judgement = .betweenBoundaries
    guard let last = survey.lastInChain else { return }
    // Where records go on behind damage in the log, its length is the best that there is.
    let hasMore = (survey.lastWitnessed?.range.lowerBound ?? 0) >= survey.chainEnd
    if survey.chainEnd > log.upperBound || !hasMore && !isRecordStart(survey.chainEnd) {
      other = (survey.chainEnd, last)
    }
  }

  /// Whether a record was begun at `offset`.
  private func isRecordStart(_ offset: Int) -> Bool {
    guard let fields = reader.fields(at: offset, limit: reader.image.count) else {
      return offset < written.upperBound
    }
    return fields.isUsual && !reader.image.isZero(in: offset..<offset + reader.dialect.fixedCount)
  }

  private var lastOfTail: AppleRecordShape?

  private mutating func measureTail(behind end: Int) {
    tail = (0, end)
    while let shape = reader.shape(at: tail.end, limit: written.upperBound), shape.isWitnessed {
      tail = (tail.count + 1, shape.range.upperBound)
      lastOfTail = shape
    }
  }

  /// Whether the records up to `end` behind `log` are no former contents, but its continuation.
  private func isContinued(by end: Int, _ log: Range<Int>) -> Bool {
    var isCompacted = true
    let front = newest(in: log) { isCompacted = false }
    let behind = newest(in: log.upperBound..<end) {}
    var differing = 0
    for (key, shape) in behind {
      guard let known = front[key] else {
        if shape.type != AppleType.removed.rawValue { return true }
        differing += 1
        continue
      }
      if known.type != shape.type || !reader.image.span.isEqual(known.value, shape.value) {
        differing += 1
      }
    }
    return isCompacted && differing > 1
  }

  /// The newest record of each key in `range`; calls `onRewrite` where a key comes again or is removed.
  private func newest(
    in range: Range<Int>, _ onRewrite: () -> Void
  ) -> [Key: AppleRecordShape] {
    var newest: [Key: AppleRecordShape] = [:]
    var walk = AppleWalk(reader, in: range)
    while let step = walk.next() {
      guard case .record(let shape) = step else { continue }
      let isKnown =
        newest.updateValue(shape, forKey: Key(reader.image.bytes(in: shape.key))) != nil
      if isKnown || shape.type == AppleType.removed.rawValue { onRewrite() }
    }
    return newest
  }
}
