import KVBytes
import KVModel

/// Judges the length in a header by the records.
///
/// If a record ends at the length, the length can still include leftovers of an older log, and what
/// follows is leftovers too, records that the length does not count, or undecided. If none ends
/// there, each place where the log may end instead is an explanation with a sum of bits, and the
/// best one decides: how the header came to state another length, and what follows the place.
struct LengthJudge {
  typealias End = LengthJudgement.End

  let reader: AppleRecordReader
  let stated: StatedLength
  let survey: LengthSurvey

  var judgement: LengthJudgement {
    guard let log = stated.log else { return explained(.beyondFile) }
    // A separator ends the log even if the record before it is lost.
    if survey.meetsLength || reader.isAfterSeparator(log.upperBound, from: log.lowerBound) {
      return atBoundary(log)
    }
    guard log.isEmpty else { return explained(.betweenBoundaries) }
    if survey.lastWitnessed == nil { return verdict(.fits, nil, isEndUnverified: false) }
    if stated.header.hasMagic { return verdict(.emptied, nil, isEndUnverified: false) }
    return explained(.betweenBoundaries)
  }

  private func atBoundary(_ log: Range<Int>) -> LengthJudgement {
    if let end = endBeforeLeftovers(in: log) {
      return verdict(.tooLong, end, isEndUnverified: isUnverified(end))
    }
    let tail = LogTail(reader, from: log.upperBound, in: stated.written)
    let odds = LeftoverOdds(reader, in: log.lowerBound..<tail.end, after: log.upperBound)
    guard let last = tail.last, tail.isApart || !odds.areLeftovers else {
      return verdict(.fits, nil, isEndUnverified: false)
    }
    // If nothing was written between the two, the block with the end of the log is older.
    if tail.isApart {
      return verdict(.tooShort(recordCount: tail.count), End(last), isEndUnverified: true)
    }
    return verdict(
      .undecided(odds.keys, recordCount: tail.count), odds.areLikelyNewer ? End(last) : nil,
      isEndUnverified: false)
  }

  /// Returns the judgment by the best explanation of a length at which no record ends.
  private func explained(_ verdict: LengthJudgement.Verdict) -> LengthJudgement {
    let end = explanations.max { $0.bits < $1.bits }?.end
    return self.verdict(verdict, end, isEndUnverified: end.map(isUnverified) ?? true)
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

// MARK: Explanations of a length at which no record ends

extension LengthJudge {
  /// The places where the log may end, each with the bits for it; `nil` for the stated length.
  private var explanations: [(end: End?, bits: Int)] {
    guard let (records, isSplit) = endByRecords else { return [] }
    var found: [(end: End?, bits: Int)] = [
      (nil, bitsAsStated(records.offset, isSplit)), (records, -ApplePriors.otherLengthBits),
    ]
    if stated.header.length >> 32 != 0, let shape = survey.meetsLowHalf {
      found.append((End(shape, by: .lowHalf), 0))
    }
    if let shape = survey.displaced {
      found.append((End(shape), bits(after: shape) - ApplePriors.displacedBits))
    }
    for shape in survey.oneBitOff {
      found.append((End(shape, by: .oneBit), bits(after: shape) - ApplePriors.oneBitBits))
    }
    return found
  }

  /// The end of the log without regard to its length: the start of older contents, or the end of
  /// the last whole record.
  private var endByRecords: (end: End, isSplit: Bool)? {
    guard let last = survey.lastWitnessed else { return nil }
    let split = survey.breaks.first {
      $0.offset < last.range.upperBound && odds(after: $0.offset).mayBeLeftovers
    }
    return split.map { (End($0.last), true) } ?? (End(last), false)
  }

  /// Returns the bits for the stated length, if the records end at `end`, before leftovers or not.
  ///
  /// Then a record before the length is lost, or the rest of the file.
  private func bitsAsStated(_ end: Int, _ isSplit: Bool) -> Int {
    guard let log = stated.log else {
      return end == stated.fileCount || isRecordStart(end)
        ? -ApplePriors.lostRecordBits : -ApplePriors.impossibleBits
    }
    let isLost = (survey.lastWitnessed?.range.lowerBound ?? 0) >= survey.chainEnd
    return end <= log.upperBound && !isSplit && (isLost || isRecordStart(end))
      ? -ApplePriors.lostRecordBits : -ApplePriors.impossibleBits
  }

  /// Returns the bits for a log that ends with `shape`, by what follows.
  private func bits(after shape: AppleRecordShape) -> Int {
    let end = shape.range.upperBound
    // The engine's file is always longer than its log, so a file that ends with the log was cut
    // there.
    if end == stated.fileCount { return -ApplePriors.impossibleBits }
    let next = reader.shape(at: end, limit: stated.written.upperBound)
    return next?.isWitnessed == true && !odds(after: end).areLeftovers
      ? -ApplePriors.impossibleBits : 0
  }

  /// Returns whether a record starts at `offset`.
  private func isRecordStart(_ offset: Int) -> Bool {
    reader.isRecordStart(offset, in: stated.written)
  }

  /// Returns the odds that the records after `place` are leftovers of an older log.
  private func odds(after place: Int) -> LeftoverOdds {
    let end = survey.lastWitnessed?.range.upperBound ?? place
    return LeftoverOdds(reader, in: stated.written.lowerBound..<max(place, end), after: place)
  }
}

// MARK: Whether the log may end elsewhere

extension LengthJudge {
  /// Returns whether the log may end elsewhere than at `end`, which is not the stated length.
  private func isUnverified(_ end: End) -> Bool {
    if end.basis == .lowHalf { return false }
    // Only a separator shows that nothing of the log was cut off after it.
    if end.last.ending != .separator { return true }
    // A record that was cut off can have started in fewer bytes than its fixed part.
    if stated.log == nil, stated.fileCount - end.offset < reader.dialect.fixedCount { return true }
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
