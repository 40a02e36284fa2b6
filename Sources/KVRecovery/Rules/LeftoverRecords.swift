import KVBytes
import KVModel

/// Entries whose own records are lost, but whose originals are in an older log after the current
/// one.
enum LeftoverRecords: LogRule {
  static let id: RuleID = "log.leftover-records"
  static let premise = """
    records of the log are lost, and the log that it was rewritten from still follows. A key is \
    live only there, and its record fits into what is lost or next to a gap
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

/// The records of an older log after the current one, for entries whose own records cannot be read.
///
/// A full rewrite copies the live records of the previous log to the front of the file. The bytes
/// that it does not overwrite stay after the new log. So if a key is live there, and no readable
/// record of the new log is about it, the lost bytes contained the key.
///
/// The records may have no more bytes than were lost. They can have more if part of the lost bytes
/// is read out of sync, as records that never existed. In that case, only those records are used
/// that are next to a record whose copy is next to a gap.
///
/// The search assumes that these records belong to the previous log, not to an earlier one. If
/// there were several older logs, only the records up to the first bytes that do not decode are
/// used, because the next older log is seldom in sync. The result is wrong if the key was removed
/// later and the removal was destroyed.
struct LeftoverSearch<S: Store> {
  /// The number of bytes by which damage can have shortened the log.
  private static var displacementLimit: Int { 16 }

  /// The records, in file order.
  private(set) var records: [Record] = []

  /// Finds the records after `log` whose keys have no record left in `log`, which is read around
  /// `gaps`.
  ///
  /// - Complexity: O(*n*) for an area of *n* bytes.
  init(after log: Extent, _ gaps: [Gap], in store: S) {
    guard store.traits.isRewrittenInPlace, store.traits.olderLogCount != 0, !gaps.isEmpty,
      let area = store.logAreas.first(where: { $0.contains(log) }), log.end < area.end
    else { return }
    let older = newest(after: log, area, of: store).values.filter { $0.operation == .put }
      .sorted { $0.offset < $1.offset }
    // In most stores there are no such records, and the log need not be read again.
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

  /// Returns the lost records of `older` that are next to a record whose copy in the log touches a
  /// gap, or that are connected to such a record by other lost records.
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

  /// Returns the newest record of each key in `area` after `log`.
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
