import KVBytes
import KVModel

/// The trace of a power loss in a log: pages that were stored to and did not reach the disk.
///
/// They begin in the middle of a record, mostly. What is there instead is what stood there before: zeros,
/// or pieces of older logs. So a record that reaches into another page, behind which nothing decodes, is
/// not whole. And what is found behind it is older, unless reading is in step again at the log's end.
struct MissingPages<S: Store> {
  /// The most gaps that an older log leaves where it shows through.
  private static var gapLimit: Int { 3 }

  private let store: S
  private let log: Extent
  /// Up to where a checksum says that nothing is missing.
  private let settledEnd: Int

  init(in log: Extent, of store: S, settledEnd: Int) {
    self.store = store
    self.log = log
    self.settledEnd = settledEnd
  }

  /// `gaps` with the records that are not whole, and without what is older.
  func gaps(_ gaps: [Gap]) -> [Gap] {
    guard !store.hasRecordChecksums else { return gaps }
    var result: [Gap] = []
    /// Where reading first met a page that is missing, or the end of what is settled.
    var start: Int?
    var last: Record?
    for event in store.records(in: log, scan: .plain, around: gaps) {
      switch event {
      case .filler: continue
      case .record(let record): last = record
      case .gap(let gap):
        let torn = last.flatMap { isTorn($0, before: gap) ? $0.extent.offset : nil }
        let offset = torn ?? gap.extent.offset
        result.append(Gap(Extent(log.file, offset..<gap.extent.end), gap.cause))
        // Behind other damage, reading out of step is no sign of a page.
        let isBehindSettled = settledEnd > log.offset && gap.extent.offset == settledEnd
        if result.count == 1, torn != nil || isBehindSettled { start = offset }
        last = nil
      }
    }
    if let last, last.extent.end == log.end, isBlankFromPage(last.extent) {
      result.append(Gap(last.extent, .zeros))
    }
    guard let start, result.count <= Self.gapLimit, let end = result.last,
      end.extent.end == log.end
    else { return result }
    return result.filter { $0.extent.end <= start } + [
      Gap(Extent(log.file, start..<log.end), end.cause)
    ]
  }

  private func isTorn(_ record: Record, before gap: Gap) -> Bool {
    guard record.extent.end == gap.extent.offset, record.extent.offset >= settledEnd,
      DiskPage.divides(record.extent)
    else { return false }
    return gap.cause != .zeros || isBlankFromPage(record.extent)
  }

  /// Whether nothing but zeros stands in the last page that `extent` reaches into.
  private func isBlankFromPage(_ extent: Extent) -> Bool {
    guard extent.offset >= settledEnd, let start = DiskPage.lastStart(in: extent) else {
      return false
    }
    return store.stored(log.file).isZero(in: start..<extent.end)
  }
}
