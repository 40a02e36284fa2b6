import KVBytes

/// The candidate ends of a log whose length is wrong; each is `nil` without evidence.
extension LengthJudge {
  typealias End = LengthJudgement.End

  /// Returns whether a record starts at `offset`.
  func isRecordStart(_ offset: Int) -> Bool { reader.isRecordStart(offset, in: stated.written) }

  /// The end according to the low half of the length.
  ///
  /// The high half is what a 32-bit process had on its stack.
  var lowHalfEnd: End? {
    guard stated.header.length >> 32 != 0 else { return nil }
    return survey.meetsLowHalf.map { End($0, by: .lowHalf) }
  }

  /// The end of the consecutive records from the start.
  var chainEnd: End? {
    survey.lastInChain.map { End(offset: survey.chainEnd, last: $0, basis: .records) }
  }

  /// The end of a record that differs from the stated length in one bit.
  ///
  /// That is the record that ends the consecutive records from the start. Otherwise it is the only
  /// such record, if it lies after the consecutive ones, or if what follows it can be leftovers of
  /// an older log.
  var oneBitEnd: End? {
    let atEnd = survey.oneBitOff.first { $0.range.upperBound == survey.chainEnd }
    // The engine's file is always longer than its log, so a file that ends with the log was cut
    // there.
    guard let shape = atEnd ?? survey.oneBitOff.first,
      shape.range.upperBound < stated.fileCount,
      atEnd != nil
        || survey.oneBitOff.count == 1
          && (shape.range.upperBound > survey.chainEnd
            || LeftoverOdds(reader, in: stated.written.lowerBound..<survey.chainEnd).mayBeLeftovers)
    else { return nil }
    return End(shape, by: .oneBit)
  }

  /// The same end, if it is also the end of the consecutive records from the start, and what
  /// follows can be leftovers of an older log.
  var oneBitChainEnd: End? {
    guard survey.oneBitOff.contains(where: { $0.range.upperBound == survey.chainEnd }),
      isOlder(after: survey.chainEnd)
    else { return nil }
    return oneBitEnd
  }

  /// The end of a record after a gap, near the stated end: bytes were inserted or deleted before
  /// it.
  ///
  /// `nil` if a record that belongs to the log follows directly.
  var displacedEnd: End? {
    guard let shape = survey.displaced else { return nil }
    let end = shape.range.upperBound
    let next = reader.shape(at: end, limit: stated.written.upperBound)
    guard next?.isWitnessed != true || isOlder(after: end) else { return nil }
    return End(shape)
  }

  /// The end of what is left of a log whose length is beyond the file.
  var remainingEnd: End? {
    // Records up to the end of the file are what is left of a log that was cut.
    guard let (end, _) = likelyEnd, end.offset < stated.fileCount else { return nil }
    if !isRecordStart(end.offset) { return end }
    // A length that is many times the file's size is no evidence.
    guard stated.header.length / 16 > UInt64(max(stated.fileCount, 256)) else { return nil }
    return End(offset: stated.written.upperBound, last: end.last, basis: .records)
  }

  /// The end that the records show for a log whose length does not end at a record.
  var plausibleEnd: End? {
    guard let log = stated.log, let (end, isSplit) = likelyEnd else { return nil }
    // If records continue after damage in the log, the stated length is the best estimate.
    let hasMore = (survey.lastWitnessed?.range.lowerBound ?? 0) >= survey.chainEnd
    guard end.offset > log.upperBound || isSplit || !hasMore && !isRecordStart(end.offset) else {
      return nil
    }
    return end
  }

  /// The end of the log without regard to its length: the start of older contents, or the end of
  /// the last whole record.
  private var likelyEnd: (end: End, isSplit: Bool)? {
    guard let last = survey.lastWitnessed else { return nil }
    let end = last.range.upperBound
    let split = survey.breaks.first {
      $0.offset < end && odds(after: $0.offset).mayBeLeftovers
    }
    return split.map { (End($0.last), true) } ?? (End(last), false)
  }

  /// Returns whether all whole records after `end`, if any, are leftovers.
  private func isOlder(after end: Int) -> Bool {
    survey.lastWitnessed?.range.upperBound ?? 0 <= end || odds(after: end).areLeftovers
  }

  /// Returns the odds that the records after `place` are leftovers of an older log.
  func odds(after place: Int) -> LeftoverOdds {
    let end = survey.lastWitnessed?.range.upperBound ?? place
    return LeftoverOdds(reader, in: stated.written.lowerBound..<max(place, end), after: place)
  }
}

extension LengthJudgement.End {
  /// Creates the end of `last`.
  init(_ last: AppleRecordShape, by basis: LengthJudgement.Basis = .records) {
    self.init(offset: last.range.upperBound, last: last, basis: basis)
  }
}
