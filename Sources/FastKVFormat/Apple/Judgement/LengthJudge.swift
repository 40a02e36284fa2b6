import KVBytes
import KVModel

/// Judges the length in a header by the records.
///
/// The first step that applies decides:
///
/// 1. The length is beyond the file. Its low half may be right, or all but one of its bits;
///    otherwise the records show the end.
/// 2. The length is 0. If there are whole records, the store was emptied or the header is damaged.
/// 3. A record ends at the length. The length can include leftovers of an older log. What follows is
///    leftovers too, records that the length does not count, or undecided.
/// 4. No record ends there. Bytes were inserted or deleted before it, one bit is wrong, or the
///    records show the end.
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
    // A separator ends the log even if the record before it is lost.
    guard let log = stated.log,
      survey.meetsLength || reader.isAfterSeparator(log.upperBound, from: log.lowerBound)
    else { return nil }
    if let end = endBeforeLeftovers(in: log) { return verdict(.tooLong, end) }
    let tail = LogTail(reader, from: log.upperBound, in: stated.written)
    guard let last = tail.last else { return fits(log) }
    let odds = LeftoverOdds(reader, in: log.lowerBound..<tail.end, after: log.upperBound)
    if odds.areLeftovers, !tail.isApart { return fits(log) }
    let isLogDamaged = survey.isLogDamaged || !stated.header.hasMagic
    // Leftovers can contain the rest of a record that looks like a damaged one.
    let isTelling = odds.haveTellingKey && (isLogDamaged || tail.isDamaged)
    if tail.isApart || isTelling || isLogDamaged && odds.areLikelyNewer {
      return verdict(.tooShort(recordCount: tail.count), End(last), isEndUnverified: true)
    }
    let isNewer = odds.areLikelyNewer && !tail.isDamaged
    return verdict(
      .undecided(odds.keys, recordCount: tail.count), isNewer ? End(last) : nil,
      isEndUnverified: false)
  }

  private var betweenBoundaries: LengthJudgement {
    verdict(.betweenBoundaries, oneBitChainEnd ?? displacedEnd ?? oneBitEnd ?? plausibleEnd)
  }

  private func fits(_ log: Range<Int>) -> LengthJudgement {
    verdict(.fits, nil, isEndUnverified: false)
  }

  /// Returns a judgment that the length is wrong.
  private func verdict(_ verdict: LengthJudgement.Verdict, _ end: End?) -> LengthJudgement {
    self.verdict(verdict, end, isEndUnverified: end.map(isUnverified) ?? true)
  }

  /// Returns a judgment, whose end is also unverified if the header is lost.
  ///
  /// Without the header, nothing shows that the rest of a file is at its original place, or that
  /// the store was empty.
  private func verdict(
    _ verdict: LengthJudgement.Verdict, _ end: End?, isEndUnverified: Bool
  ) -> LengthJudgement {
    LengthJudgement(
      verdict: verdict, end: end, isEndUnverified: isEndUnverified || !stated.hasHeader)
  }
}

// MARK: Whether the log may end elsewhere

extension LengthJudge {
  /// Returns whether the log may end elsewhere than at `end`, which is not the stated length.
  private func isUnverified(_ end: End) -> Bool {
    if end.basis == .lowHalf { return false }
    // Only a separator shows that nothing of the log was cut off after it.
    if end.last.range.upperBound != end.offset || end.last.ending != .separator { return true }
    if isCut(at: end.offset) { return true }
    // If the stated length is longer, the difference may be lost.
    if let expected = stated.expectedEnd, end.offset < expected { return true }
    let isOneBitOff = end.basis == .oneBit
    // Only one bit leads from a length beyond the file back into it.
    if isOneBitOff, stated.log == nil, end.offset == stated.expectedEnd { return false }
    // A damaged record, or the rest of one, can belong to the log or to older contents.
    if survey.hasDamage { return true }
    if isOneBitOff, end.offset == survey.chainEnd { return false }
    let odds = LeftoverOdds(reader, in: stated.written.lowerBound..<end.offset)
    return isOneBitOff || odds.mayBeLeftovers || odds.endsAsCompacted
  }

  /// Returns whether a record that starts at `end` is lost.
  private func isCut(at end: Int) -> Bool {
    if isRecordStart(end), reader.shape(at: end, limit: stated.fileCount)?.isWitnessed != true {
      return true
    }
    // A record that was cut off can have started in fewer bytes than its fixed part.
    return stated.log == nil && stated.fileCount - end < reader.dialect.fixedCount
  }

  /// The end of the log before leftovers that its length includes; `nil` if there are none.
  ///
  /// A log ends with a whole separator. If there is none, a compaction was interrupted there, and the
  /// records after it are still needed.
  private func endBeforeLeftovers(in log: Range<Int>) -> End? {
    survey.breaks.first {
      $0.offset < log.upperBound && $0.last.range.upperBound == $0.offset
        && $0.last.ending == .separator && odds(after: $0.offset).areLeftovers
    }.map { End($0.last) }
  }
}
