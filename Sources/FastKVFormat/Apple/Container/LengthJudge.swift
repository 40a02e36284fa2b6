import KVBytes
import KVModel

/// Judges the length in a header by the records.
///
/// The steps, in order; the first that judges decides:
///
/// 1. The length is beyond the file. Its low half can be right, or all but one bit of it; else the
///    records show the end.
/// 2. The length is 0. Where whole records stand, the store was emptied, or the header is damaged.
/// 3. A record ends there. What follows can be older contents, records that the length does not know of,
///    or either of them.
/// 4. No record ends there: bytes were put in or taken out before, one bit is wrong, or the records show
///    the end.
struct LengthJudge {
  let reader: AppleRecordReader
  let stated: StatedLength
  let survey: LengthSurvey

  var judgement: LengthJudgement { beyondFile ?? ofNothing ?? atBoundary ?? betweenBoundaries }

  private var beyondFile: LengthJudgement? {
    guard stated.log == nil else { return nil }
    return verdict(.beyondFile, lowHalfEnd ?? oneBitEnd ?? displacedEnd ?? remainingEnd)
  }

  private var ofNothing: LengthJudgement? {
    guard let log = stated.log, log.isEmpty else { return nil }
    guard let last = survey.lastWitnessed else { return fits(log) }
    if stated.header.hasMagic { return verdict(.emptied, nil, isEndUnverified: false) }
    return verdict(.betweenBoundaries, chainEnd ?? End(last))
  }

  private var atBoundary: LengthJudgement? {
    // A separator ends the log also where the record before it is lost.
    guard let log = stated.log,
      survey.meetsLength || reader.isAfterSeparator(log.upperBound, from: log.lowerBound)
    else { return nil }
    let tail = LogTail(reader, from: log.upperBound, in: stated.written)
    guard let last = tail.last else { return fits(log) }
    switch older.relation(of: log, to: tail.end) {
    case .older: return fits(log)
    case .undecided(let keys) where !tail.isApart:
      return verdict(.undecided(Set(keys)), nil, isEndUnverified: reachesOlderContents(log))
    case .undecided, .continuation:
      return verdict(
        .tooShort(recordCount: tail.count), End(last),
        isEndUnverified: isUnverified(tail, after: log))
    }
  }

  private var betweenBoundaries: LengthJudgement {
    verdict(.betweenBoundaries, oneBitChainEnd ?? displacedEnd ?? oneBitEnd ?? plausibleEnd)
  }

  private func fits(_ log: Range<Int>) -> LengthJudgement {
    verdict(.fits, nil, isEndUnverified: reachesOlderContents(log))
  }

  /// Returns a judgement on a length that is wrong.
  private func verdict(_ verdict: LengthJudgement.Verdict, _ end: End?) -> LengthJudgement {
    self.verdict(verdict, end, isEndUnverified: end.map(isUnverified) ?? true)
  }

  /// Returns a judgement; its end is unverified also where the header is lost.
  ///
  /// Without its header, nothing shows that what is left of a file stands where it stood, or that it was
  /// empty.
  private func verdict(
    _ verdict: LengthJudgement.Verdict, _ end: End?, isEndUnverified: Bool
  ) -> LengthJudgement {
    LengthJudgement(
      verdict: verdict, end: end, isEndUnverified: isEndUnverified || !stated.hasHeader)
  }
}

// MARK: Whether the log may end elsewhere

extension LengthJudge {
  /// Returns whether the log may end elsewhere than at `end`, which the records say, and not the length.
  private func isUnverified(_ end: End) -> Bool {
    if end.basis == .lowHalf { return false }
    // Only a separator shows that nothing of the log is cut off after it.
    if end.last.range.upperBound != end.offset || end.last.ending != .separator { return true }
    if isCut(at: end.offset) { return true }
    // Where the length says more than there is, what there was more may be lost.
    if let expected = stated.expectedEnd, end.offset < expected { return true }
    let isOneBitOff = end.basis == .oneBit
    // Of a length beyond the file, a single bit is wrong: there is only one that leads back into it.
    if isOneBitOff, stated.log == nil, end.offset == stated.expectedEnd { return false }
    // A damaged record, or what is left of one, can be of the log or of what was there before it.
    if survey.hasDamage { return true }
    if isOneBitOff, end.offset == survey.chainEnd { return false }
    let whole = stated.written.lowerBound..<end.offset
    return isOneBitOff || older.mayFollow(in: whole) || older.mayEnd(whole)
  }

  /// Returns whether what was begun at `end` is lost.
  private func isCut(at end: Int) -> Bool {
    if isRecordStart(end), reader.shape(at: end, limit: stated.fileCount)?.isWitnessed != true {
      return true
    }
    // In fewer bytes than a record takes, one can have begun that was cut off.
    return stated.log == nil && stated.fileCount - end < reader.dialect.fixedCount
  }

  /// Returns whether the log, whose length is too short for `tail`, may end elsewhere than with it.
  ///
  /// A key that the log seems never to have heard of can be that of its damaged record; and what was
  /// begun after the last whole record is lost.
  private func isUnverified(_ tail: LogTail, after log: Range<Int>) -> Bool {
    survey.isLogDamaged || tail.isDamaged || isRecordStart(tail.end)
      || mayBeCompacted(log, with: tail)
  }

  /// Returns whether the engine may have compacted the log after it had appended all that follows it:
  /// the length is that of an older block, with which the compaction is lost.
  ///
  /// A crash between an append and its length leaves one record.
  private func mayBeCompacted(_ log: Range<Int>, with tail: LogTail) -> Bool {
    guard tail.count > 1 else { return false }
    let count = (tail.end - log.upperBound) / tail.count
    return stated.fileCount - tail.end <= 2 * count
  }

  /// Returns whether the length can be one of before a compaction, and reach into what that left.
  private func reachesOlderContents(_ log: Range<Int>) -> Bool {
    survey.breaks.contains {
      $0.offset < log.upperBound
        && older.relation(of: log.lowerBound..<$0.offset, to: log.upperBound) == .older
    }
  }
}
