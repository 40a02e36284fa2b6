import KVBytes
package import KVModel

/// The records of a part of one copy of the log, in order.
///
/// Damage to a length ends the scan, and the rest is one gap. If gaps were found beforehand by the
/// resynchronizer, the scan skips them and continues after each.
package struct AndroidFastKVRecords: Sequence, IteratorProtocol, Sendable {
  private let judge: RecordJudge
  private let end: Int
  private let mode: ScanMode
  private var gaps: KnownGaps
  private var position: Int

  /// Creates a scan of `range` of `copy`.
  init(_ copy: DecodedCopy, in range: Range<Int>, mode: ScanMode, gaps: [Gap] = []) {
    judge = RecordJudge(copy: copy)
    self.mode = mode
    self.gaps = KnownGaps(gaps)
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next event; `nil` at the end of the range.
  package mutating func next() -> RecordEvent? {
    guard position < end else { return nil }
    let limit: Int
    switch gaps.step(at: position, before: end) {
    case .pass(let gap):
      position = gap.extent.end
      return .gap(gap)
    case .read(let end): limit = end
    }
    switch AndroidRecordShape.read(judge.copy.stored.storageSpan, at: position, limit: limit) {
    case .failure(let damage): return gap(to: limit, damage.cause)
    case .success(let shape): return event(shape, limit)
    }
  }

  private mutating func event(_ shape: AndroidRecordShape, _ limit: Int) -> RecordEvent {
    let isStrict = mode.appliesEngineLimits
    switch judge.verdict(on: shape) {
    case .whole(let record):
      position = record.extent.end
      return .record(record)
    case .skipped(let record):
      // The engine leaves the record out of its map and continues after it.
      if isStrict { return gap(to: record.extent.end, .refusedByEngine) }
      position = record.extent.end
      return .record(record)
    case .refused(let record):
      if isStrict { return gap(to: limit, .refusedByEngine) }
      position = record.extent.end
      return .record(record)
    case .broken:
      return gap(to: isStrict ? limit : shape.range.upperBound, .implausible)
    }
  }

  private mutating func gap(to end: Int, _ cause: Gap.Cause) -> RecordEvent {
    let extent = Extent(judge.copy.role, position..<end)
    position = end
    return .gap(Gap(extent, cause))
  }
}
