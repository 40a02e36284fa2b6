import KVBytes
import KVModel

/// Entries whose own records are lost, and of which an older log after this one has the originals.
enum LeftoverRecords: LogRule {
  static let id: RuleID = "log.leftover-records"
  static let premise = """
    records of the log are lost, and the log that it was rewritten from still follows it; a key is \
    live there, and no readable record of this log has it; all such records together are at most \
    16 bytes larger than what is lost, or each is next to a record whose copy is next to a gap
    """
  static let conclusion =
    "the lost bytes held the key, with the value in the older log or a newer one"
  static let ceiling = Evidence.guess
  static let failure = """
    if the key was removed since and the removal is lost as well, or if the records belong to a \
    log before that one
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.log, !investigation.holds(InterruptedCompaction.self) else {
      return []
    }
    let search = LeftoverSearch(
      after: log, investigation.snapshot.gaps, in: investigation.store)
    guard !search.records.isEmpty else { return [] }
    let rest = Extent(log.file, log.end..<max(log.end, investigation.area.end))
    return [
      Conclusion(.found(search.records), by: Self.self),
      Conclusion(.limit(.beginning(in: rest), [.mayBeDamaged, .mayBeStale]), by: Self.self),
    ]
  }
}

/// The records of the older log after another one, for entries whose own records cannot be read.
///
/// A full rewrite copies the live records of the log before it to the front of the file. What it does not
/// write over stays after the new log. So a key that is live there, and of which no record speaks that
/// can be read in the new log, stood in the bytes that are lost.
///
/// Only as many bytes are taken as are lost. Where there are more, for reading is out of sync and a part of
/// what is lost reads as records that never were, only those are taken that stand beside a record of
/// which the copy stands beside a gap.
///
/// What it assumes: that these are the records of the log before, and not of one before that. Where there
/// were more than one, only those up to the first bytes that do not decode are taken: the next older log
/// seldom is in sync. When it is wrong: the key was removed since, and the removal is what was destroyed.
struct LeftoverSearch<S: Store> {
  /// By how many bytes damage can have made the log shorter.
  private static var displacementLimit: Int { 16 }

  /// The records, in file order.
  private(set) var records: [Record] = []

  /// The records after `log`, read around `gaps`, of which nothing is left in it.
  ///
  /// - Complexity: O(count of the log's area).
  init(after log: Extent, _ gaps: [Gap], in store: S) {
    guard store.traits.isRewrittenInPlace, store.traits.olderLogCount != 0, !gaps.isEmpty,
      let area = store.logAreas.first(where: { $0.contains(log) }), log.end < area.end
    else { return }
    let older = newest(after: log, area, of: store).values.filter { $0.operation == .put }
      .sorted { $0.offset < $1.offset }
    // In most stores nothing stands there, and the log need not be read again.
    guard !older.isEmpty else { return }
    var known: Set<Key> = []
    store.forEachRecord(in: log, scan: .plain, around: gaps) { event in
      if case .record(let record) = event { known.insert(store.key(of: record)) }
    }
    let unverified = Set(store.implausible(older))
    let isLost = older.map { !known.contains(store.key(of: $0)) && !unverified.contains($0) }
    records = zip(older, isLost).filter(\.1).map(\.0)
    let lostCount = gaps.reduce(0) { $0 + $1.extent.count }
    if records.reduce(0, { $0 + $1.count }) > lostCount + Self.displacementLimit {
      records = besideGaps(older, isLost, gaps, log, in: store)
    }
  }

  /// Those of `older` that are lost, and stand beside a record of which the copy in the log ends where a
  /// gap begins, or begins where one ends; or beside one of these.
  private func besideGaps(
    _ older: [Record], _ isLost: [Bool], _ gaps: [Gap], _ log: Extent, in store: S
  ) -> [Record] {
    let image = store.decoded(log.file)
    let starts = Set(gaps.map(\.extent.offset))
    let ends = Set(gaps.map(\.extent.end))
    var before: Set<[UInt8]> = []
    var after: Set<[UInt8]> = []
    store.forEachRecord(in: log, scan: .plain, around: gaps) { event in
      guard case .record(let record) = event else { return }
      let bytes = { image.bytes(in: record.extent.range) }
      if starts.contains(record.extent.end) { before.insert(bytes()) }
      if ends.contains(record.offset) { after.insert(bytes()) }
    }
    func isCopied(_ record: Record, in copies: Set<[UInt8]>) -> Bool {
      copies.contains(image.bytes(in: record.extent.range))
    }
    var isTaken = [Bool](repeating: false, count: older.count)
    for index in older.indices.dropFirst() where isLost[index] {
      isTaken[index] = isTaken[index - 1] || isCopied(older[index - 1], in: before)
    }
    for index in older.indices.dropLast().reversed() where isLost[index] {
      isTaken[index] =
        isTaken[index] || isTaken[index + 1] || isCopied(older[index + 1], in: after)
    }
    return zip(older, isTaken).filter(\.1).map(\.0)
  }

  /// The newest record of each key in `area` after `log`.
  private func newest(after log: Extent, _ area: Extent, of store: S) -> [Key: Record] {
    let written = WrittenArea(Extent(area.file, log.end..<area.end), of: store)
    let isOneLog = store.traits.olderLogCount.map { $0 <= 1 } ?? false
    var newest: [Key: Record] = [:]
    for event in store.records(in: written.extent, scan: .plain, around: written.gaps) {
      switch event {
      case .record(let record): newest[store.key(of: record)] = record
      case .gap where !newest.isEmpty && !isOneLog: return newest
      case .gap, .filler: continue
      }
    }
    return newest
  }
}
