import KVBytes

/// The ends that a log can have where its length is wrong; each `nil` where nothing speaks for it.
extension LengthJudge {
  typealias End = LengthJudgement.End

  var older: OlderContents { OlderContents(reader) }

  /// Returns whether a record was begun at `offset`.
  func isRecordStart(_ offset: Int) -> Bool { reader.isRecordStart(offset, in: stated.written) }

  /// The end by the low half of the length: the high half is what a 32-bit process had on its stack.
  var lowHalfEnd: End? {
    guard stated.header.length >> 32 != 0 else { return nil }
    return survey.meetsLowHalf.map { End($0, by: .lowHalf) }
  }

  /// The end of the records that follow each other from the start.
  var chainEnd: End? {
    survey.lastInChain.map { End(offset: survey.chainEnd, last: $0, basis: .records) }
  }

  /// The end of a record that is one changed bit away from the length: the one after which no more
  /// follow, or else the only one, if what follows it can be older contents.
  var oneBitEnd: End? {
    let atEnd = survey.oneBitOff.first { $0.range.upperBound == survey.chainEnd }
    // An engine's file is always longer than its log: one that ends with it was cut there.
    guard let shape = atEnd ?? survey.oneBitOff.first,
      shape.range.upperBound < stated.fileCount,
      atEnd != nil
        || survey.oneBitOff.count == 1
          && (shape.range.upperBound > survey.chainEnd
            || older.mayFollow(in: stated.written.lowerBound..<survey.chainEnd))
    else { return nil }
    return End(shape, by: .oneBit)
  }

  /// The same, where it is the end of the records that follow each other from the start, and what follows
  /// can be older contents.
  var oneBitChainEnd: End? {
    guard survey.oneBitOff.contains(where: { $0.range.upperBound == survey.chainEnd }),
      isOlder(after: survey.chainEnd)
    else { return nil }
    return oneBitEnd
  }

  /// The end of the record after a gap that ends nearly where the log should, if no record that belongs
  /// to the log follows directly: bytes were put in or taken out before it.
  var displacedEnd: End? {
    guard let shape = survey.displaced else { return nil }
    let end = shape.range.upperBound
    let next = reader.shape(at: end, limit: stated.written.upperBound)
    guard next?.isWitnessed != true || isOlder(after: end) else { return nil }
    return End(shape)
  }

  /// The end of what is left of a log whose length is beyond the file.
  var remainingEnd: End? {
    // Records that go on to the end of the file are what is left of one that was cut.
    guard let (end, _) = likelyEnd, end.offset < stated.fileCount else { return nil }
    if !isRecordStart(end.offset) { return end }
    // A length that is many times the file says nothing about it.
    guard stated.header.length / 16 > UInt64(max(stated.fileCount, 256)) else { return nil }
    return End(offset: stated.written.upperBound, last: end.last, basis: .records)
  }

  /// The end by the records of a log whose length ends where no record does.
  var plausibleEnd: End? {
    guard let log = stated.log, let (end, isSplit) = likelyEnd else { return nil }
    // Where records go on after damage in the log, its length is the best that there is.
    let hasMore = (survey.lastWitnessed?.range.lowerBound ?? 0) >= survey.chainEnd
    guard end.offset > log.upperBound || isSplit || !hasMore && !isRecordStart(end.offset) else {
      return nil
    }
    return end
  }

  /// Where the log ends if its length says nothing: where older contents begin, or with the last whole
  /// record.
  private var likelyEnd: (end: End, isSplit: Bool)? {
    guard let last = survey.lastWitnessed else { return nil }
    let end = last.range.upperBound
    let split = survey.breaks.first {
      $0.offset < end && older.follow(stated.written.lowerBound..<$0.offset, to: end)
    }
    return split.map { (End($0.last), true) } ?? (End(last), false)
  }

  /// Returns whether no more whole records stand after `end`, or what a compaction to the log left.
  private func isOlder(after end: Int) -> Bool {
    guard let last = survey.lastWitnessed?.range.upperBound, last > end else { return true }
    return older.follow(stated.written.lowerBound..<end, to: last)
  }
}

extension LengthJudgement.End {
  /// The end of `last`.
  init(_ last: AppleRecordShape, by basis: LengthJudgement.Basis = .records) {
    self.init(offset: last.range.upperBound, last: last, basis: basis)
  }
}
