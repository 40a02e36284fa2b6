import KVBytes
import KVModel

/// The records of the older log behind the one of a state, for entries whose own records cannot be read.
///
/// A full rewrite copies the live records of the log before it to the front of the file. What it does not
/// write over stays behind the new log. So a key that is live there, and of which no record speaks that
/// can be read in the new log, stood in the bytes that are lost.
///
/// Only as many bytes are taken as are lost. Where there are more, for reading is out of step and a part of
/// what is lost reads as records that never were, only those are taken that stand beside a record of
/// which the copy stands beside a gap.
///
/// What it assumes: that these are the records of the log before, and not of one before that. Where there
/// were more than one, only those up to the first bytes that do not decode are taken: the next older log
/// seldom is in step. When it is wrong: the key was removed since, and the removal is what was destroyed.
struct FormerRecords<S: Store> {
  /// By how many bytes damage can have made the log shorter.
  private static var displacementLimit: Int { 16 }

  /// The records, in file order.
  private(set) var records: [Record] = []

  /// The records after the log of `state` of which nothing is left in it.
  ///
  /// - Complexity: O(count of the log's area).
  init(of state: StoreState, in store: S) {
    guard store.isRewrittenInPlace, store.formerLogCount != 0, !state.isSound, let log = state.log,
      !state.gaps.isEmpty,
      let area = store.logAreas.first(where: { $0.contains(log) }), log.end < area.end,
      InterruptedRewrite(in: store, state) == nil
    else { return }
    var known: Set<Key> = []
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      if case .record(let record) = event { known.insert(store.key(of: record)) }
    }
    let former = newest(behind: log, area, of: store).values.filter { $0.operation == .put }
      .sorted { $0.offset < $1.offset }
    let doubtful = Set(store.implausible(former))
    let isLost = former.map { !known.contains(store.key(of: $0)) && !doubtful.contains($0) }
    records = zip(former, isLost).filter(\.1).map(\.0)
    let lostCount = state.gaps.reduce(0) { $0 + $1.extent.count }
    if records.reduce(0, { $0 + $1.count }) > lostCount + Self.displacementLimit {
      records = besideGaps(former, isLost, of: state, log, in: store)
    }
  }

  /// Those of `former` that are lost, and stand beside a record of which the copy in the log ends where a
  /// gap begins, or begins where one ends; or beside one of these.
  private func besideGaps(
    _ former: [Record], _ isLost: [Bool], of state: StoreState, _ log: Extent, in store: S
  ) -> [Record] {
    let image = store.decoded(log.file)
    let starts = Set(state.gaps.map(\.extent.offset))
    let ends = Set(state.gaps.map(\.extent.end))
    var before: Set<[UInt8]> = []
    var behind: Set<[UInt8]> = []
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      guard case .record(let record) = event else { return }
      let bytes = { image.bytes(in: record.extent.range) }
      if starts.contains(record.extent.end) { before.insert(bytes()) }
      if ends.contains(record.offset) { behind.insert(bytes()) }
    }
    func isCopied(_ record: Record, in copies: Set<[UInt8]>) -> Bool {
      copies.contains(image.bytes(in: record.extent.range))
    }
    var isTaken = [Bool](repeating: false, count: former.count)
    for index in former.indices.dropFirst() where isLost[index] {
      isTaken[index] = isTaken[index - 1] || isCopied(former[index - 1], in: before)
    }
    for index in former.indices.dropLast().reversed() where isLost[index] {
      isTaken[index] =
        isTaken[index] || isTaken[index + 1] || isCopied(former[index + 1], in: behind)
    }
    return zip(former, isTaken).filter(\.1).map(\.0)
  }

  /// The newest record of each key in `area` after `log`.
  private func newest(behind log: Extent, _ area: Extent, of store: S) -> [Key: Record] {
    let written = WrittenArea(Extent(area.file, log.end..<area.end), of: store)
    let isOneLog = store.formerLogCount.map { $0 <= 1 } ?? false
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

extension StoreState {
  /// The state with `records`, which stand after its log.
  func adding(_ records: [Record]) -> StoreState {
    guard !records.isEmpty else { return self }
    var state = self
    state.snapshot = Snapshot(
      live: snapshot.live + records, recordCount: snapshot.recordCount, gaps: snapshot.gaps,
      bytes: snapshot.bytes, contradicted: snapshot.contradicted)
    return state
  }

  /// The entries of which the records are after the log, where an older one was.
  var formerRecords: [Record] { snapshot.live.filter { isBehindLog($0) } }

  /// Whether `record` is left of the log before the one of this state.
  func isBehindLog(_ record: Record) -> Bool {
    guard let log, record.file == log.file else { return false }
    return record.offset >= log.end
  }
}
