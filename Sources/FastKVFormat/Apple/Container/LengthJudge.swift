import KVBytes
import KVModel

/// Judges the length in a header by the records.
///
/// The first step that applies decides:
///
/// 1. The length is beyond the file. Its low half may be right, or all but one of its bits;
///    otherwise the records show the end.
/// 2. The length is 0. If there are whole records, the store was emptied or the header is damaged.
/// 3. A record ends at the length. What follows is leftovers of an older log, records that the
///    length does not count, or undecided.
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
    let tail = LogTail(reader, from: log.upperBound, in: stated.written)
    guard let last = tail.last else { return fits(log) }
    switch older.relation(of: log, to: tail.end, apart: tail.isApart) {
    case .older: return fits(log)
    case .likelyOlder(let keys) where !tail.isApart, .undecided(let keys) where !tail.isApart:
      return verdict(
        .undecided(Set(keys), recordCount: tail.count), nil,
        isEndUnverified: reachesOlderContents(log))
    case .likelyOlder, .undecided, .continuation:
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
    let whole = stated.written.lowerBound..<end.offset
    return isOneBitOff || older.mayFollow(in: whole) || older.mayEnd(whole)
  }

  /// Returns whether a record that starts at `end` is lost.
  private func isCut(at end: Int) -> Bool {
    if isRecordStart(end), reader.shape(at: end, limit: stated.fileCount)?.isWitnessed != true {
      return true
    }
    // A record that was cut off can have started in fewer bytes than its fixed part.
    return stated.log == nil && stated.fileCount - end < reader.dialect.fixedCount
  }

  /// Returns whether the log, whose length is too short for `tail`, may end elsewhere than after
  /// it.
  ///
  /// A key that seems new to the log can be that of its damaged record. A record that starts after
  /// the last whole one is lost. A crash leaves one record; several can be leftovers from before more
  /// than one compaction, unless one bit of the length explains them.
  private func isUnverified(_ tail: LogTail, after log: Range<Int>) -> Bool {
    let isOneBitOff = (log.count ^ (tail.end - log.lowerBound)).nonzeroBitCount == 1
    return survey.isLogDamaged || tail.isDamaged || isRecordStart(tail.end)
      || tail.count > 1 && !isOneBitOff || mayBeCompacted(log, with: tail)
  }

  /// Returns whether the engine may have compacted the log after it appended everything in `tail`.
  ///
  /// Then the length is from an older block of the file, and the compaction is lost. A crash
  /// between an append and its length leaves only one record.
  private func mayBeCompacted(_ log: Range<Int>, with tail: LogTail) -> Bool {
    guard tail.count > 1 else { return false }
    let count = (tail.end - log.upperBound) / tail.count
    return stated.fileCount - tail.end <= 2 * count
  }

  /// Returns whether the length can be from before a compaction and include its leftovers.
  private func reachesOlderContents(_ log: Range<Int>) -> Bool {
    survey.breaks.contains {
      guard $0.offset < log.upperBound else { return false }
      return switch older.relation(of: log.lowerBound..<$0.offset, to: log.upperBound) {
      case .older, .likelyOlder: true
      case .undecided, .continuation: false
      }
    }
  }
}
