import KVBytes
import KVModel

/// The bytes of a log that are still in an earlier state because of a power loss.
enum MissingPage: LogRule {
  static let id: RuleID = "log.missing-page"
  static let premise = """
    a record reaches into another page of 4,096 bytes, after which nothing decodes or which is \
    zero. Or reading fails right after the last full rewrite, or in a record that begins within \
    32 bytes of a page's end
    """
  static let conclusion = """
    the record is torn. If reading is out of sync at the end of that page or of the log, all up \
    to there belongs to an older log
    """
  static let ceiling = Evidence.structure
  static let failure =
    "if other damage begins at the end of a page: the record before it is then lost"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard !investigation.isEndShown, !investigation.store.traits.isReplacedAsWhole,
      let log = investigation.log
    else { return [] }
    let isCutOff =
      investigation.lengthClaim?.log == nil && investigation.isIncomplete
      && log.end == investigation.area.end
    let pages = MissingPages(
      in: log, of: investigation.store, settledEnd: investigation.settledEnd, isCutOff: isCutOff,
      isWhole: log.count > 0 && investigation.current?.isReadWhole(log) == true)
    let known = Set(investigation.gaps)
    return pages.gaps(investigation.gaps).filter { !known.contains($0) }
      .map { Conclusion(.gap($0), by: Self.self) }
  }
}

/// The trace of a power loss in a log: pages that were written in memory but did not reach the
/// disk.
///
/// Such a page usually begins in the middle of a record. The file still has its former contents:
/// zeros, or parts of older logs. So if a record reaches into another page and nothing decodes
/// after it, the record is torn. Whatever is found after it is older, unless reading is in sync
/// again at the log's end.
struct MissingPages<S: Store> {
  /// The largest number of gaps in an older log that remains in several pages.
  private static var gapLimit: Int { 3 }

  /// The number of bytes that the lengths and the key of a record usually take.
  private static var headCount: Int { 32 }

  private let store: S
  private let log: Extent
  /// The offset up to which a checksum shows that no page is missing.
  private let settledEnd: Int
  /// Whether the file, and the log with it, was truncated.
  private let isCutOff: Bool
  /// Whether the log is not empty, and all of it decodes.
  private let isWhole: Bool

  init(in log: Extent, of store: S, settledEnd: Int, isCutOff: Bool, isWhole: Bool) {
    self.store = store
    self.log = log
    self.settledEnd = settledEnd
    self.isCutOff = isCutOff
    self.isWhole = isWhole
  }

  /// Returns `gaps` with torn records added, and with everything older combined into one gap.
  func gaps(_ gaps: [Gap]) -> [Gap] {
    guard !store.traits.hasRecordChecksums else { return gaps }
    // Nothing is missing in a log that decodes, unless zeros end it.
    if isWhole, gaps.isEmpty, store.stored(log.file)[log.end - 1] != 0 { return [] }
    var result: [Gap] = []
    /// The first offset that is affected by a missing page.
    var start: Int?
    /// The end of that page.
    var pageEnd = 0
    var last: Record?
    store.forEachRecord(in: log, scan: .plain, around: gaps) { event in
      switch event {
      case .filler: break
      case .record(let record): last = record
      case .gap(let gap):
        let torn = last.flatMap { isTorn($0, before: gap) ? $0.extent.offset : nil }
        let offset = torn ?? gap.extent.offset
        result.append(Gap(Extent(log.file, offset..<gap.extent.end), gap.cause))
        // After other damage, losing sync is not a sign of a missing page.
        let isAfterSettled = settledEnd > log.offset && gap.extent.offset == settledEnd
        if result.count == 1, torn != nil || isAfterSettled {
          start = offset
          pageEnd = DiskPage.end(at: gap.extent.offset - (torn == nil ? 0 : 1))
        } else if result.count == 1, beginsBeforePage(gap.extent) {
          start = offset
          pageEnd = DiskPage.end(at: DiskPage.end(at: offset))
        }
        last = nil
      }
    }
    if let last, last.extent.end == log.end, isBlankFromPage(last.extent) {
      result.append(Gap(last.extent, .zeros))
    }
    guard let start, let end = end(of: result, from: start, pageEnd) else { return result }
    let missing = Gap(Extent(log.file, start..<end.extent.end), end.cause)
    return result.filter { $0.extent.end <= start } + [missing]
      + result.filter { $0.extent.offset >= end.extent.end }
  }

  /// Returns the last of `gaps` that the missing pages cause, from `start` on; `pageEnd` is the end
  /// of the first page.
  ///
  /// Everything between these gaps belongs to an older log.
  private func end(of gaps: [Gap], from start: Int, _ pageEnd: Int) -> Gap? {
    // Within one page, an older log may leave any number of gaps.
    let isFew = gaps.count <= Self.gapLimit || !DiskPage.divides(Extent(log.file, start..<log.end))
    if isFew, let last = gaps.last, last.extent.end == log.end {
      // If there never was an older log, zeros at the end are only another page that is missing.
      let isApart = store.traits.olderLogCount == 0 && last.cause == .zeros && gaps.count > 1
      return isApart ? nil : last
    }
    // Reading is out of sync on both sides of the page's end, so the bytes after that gap are
    // newer.
    guard let first = gaps.first, first.extent.end < pageEnd else { return nil }
    return gaps.first { $0.extent.offset <= pageEnd && $0.extent.end >= pageEnd }
  }

  /// Returns whether the lengths and the key of the record that begins at `gap` may lie in two
  /// pages.
  private func beginsBeforePage(_ gap: Extent) -> Bool {
    let end = DiskPage.end(at: gap.offset)
    return gap.offset >= settledEnd && end - gap.offset <= Self.headCount && gap.end > end
  }

  private func isTorn(_ record: Record, before gap: Gap) -> Bool {
    guard record.extent.end == gap.extent.offset, record.extent.offset >= settledEnd,
      DiskPage.divides(record.extent)
    else { return false }
    // A truncated file ends within a record. This alone explains the gap, so the record before it
    // is not torn.
    if isCutOff, gap.cause == .lengthBeyondEnd, gap.extent.end == log.end { return false }
    if isInStep(at: gap.extent.offset) { return false }
    return gap.cause != .zeros || isBlankFromPage(record.extent)
  }

  /// Returns whether a plausible record begins at `offset`, so that the record that ends there is
  /// whole.
  private func isInStep(at offset: Int) -> Bool {
    var records = store.records(in: Extent(log.file, offset..<log.end), scan: .plain)
      .makeIterator()
    guard case .record(let record) = records.next() else { return false }
    return store.implausible([record]).isEmpty
  }

  /// Returns whether the last page that `extent` reaches into contains only zeros, up to the end of
  /// `extent`.
  private func isBlankFromPage(_ extent: Extent) -> Bool {
    guard extent.offset >= settledEnd, let start = DiskPage.lastStart(in: extent) else {
      return false
    }
    return store.stored(log.file).isZero(in: start..<extent.end)
  }
}
