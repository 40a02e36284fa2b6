import KVBytes
package import KVModel

/// The records of a part of a file of FastKV for iOS, in order.
///
/// They are read by their lengths, or with the engine's limits, by cutting at every separator.
package struct AppleRecords: Sequence, IteratorProtocol, Sendable {
  private let reader: AppleRecordReader
  private let end: Int
  private var gaps: KnownGaps
  private var position: Int
  private var pieces: EnginePieces?
  private var pending: RecordEvent?

  /// Creates a scan of `range`, around `gaps`.
  init(_ reader: AppleRecordReader, in range: Range<Int>, mode: ScanMode, gaps: [Gap]) {
    self.reader = reader
    self.gaps = KnownGaps(gaps)
    position = range.lowerBound
    end = range.upperBound
    if mode.appliesEngineLimits {
      pieces = EnginePieces(
        reader.image, width: reader.dialect.width, in: range, corrected: reader.corrected)
    }
  }

  /// Returns the next event; `nil` at the end of the range.
  package mutating func next() -> RecordEvent? {
    if pieces != nil { return nextPiece() }
    guard position < end else { return nil }
    let limit: Int
    switch gaps.step(at: position, before: end) {
    case .pass(let gap):
      position = gap.extent.end
      return .gap(gap)
    case .read(let end): limit = end
    }
    let start = position
    if let shape = reader.shape(at: start, limit: limit) {
      position = shape.range.upperBound
      return .record(shape.record)
    }
    // Read what the walk that finds the gaps reads, so that both agree.
    var walk = AppleWalk(reader, in: start..<limit)
    if case .record(let shape) = walk.next() {
      position = shape.range.upperBound
      return .record(shape.record)
    }
    position = limit
    return .gap(Gap(Extent(.data, start..<limit), .implausible))
  }

  /// Returns the engine's next piece.
  ///
  /// If a record does not fill its piece, the rest follows as a gap.
  private mutating func nextPiece() -> RecordEvent? {
    if let event = pending {
      pending = nil
      return event
    }
    guard let piece = pieces?.next() else { return nil }
    guard case .record(let record) = piece.event, record.extent.end < piece.range.upperBound else {
      return piece.event
    }
    let rest = Extent(.data, record.extent.end..<piece.range.upperBound)
    pending = .gap(Gap(rest, record.operation == .remove ? .zeros : .implausible))
    return piece.event
  }
}
