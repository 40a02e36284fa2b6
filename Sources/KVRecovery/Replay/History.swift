import KVBytes
package import KVModel

/// One event of a store's history, in file order.
package enum HistoryEvent: Sendable {
  /// What later happened to the key of a record.
  package enum RecordState: String, Sendable {
    /// The record holds the current value of its key.
    case live
    /// The key was set again later.
    case superseded
    /// The key was removed later, the record itself is a removal, or it is marked as deleted.
    case removed
    /// The record is outside the log, and its entry is not taken from there.
    case slack
  }

  /// A record, what happened to its key, and its assessment.
  case record(Record, RecordState, Assessment)
  /// Bytes in which no record could be read.
  case gap(Gap)

  /// The number of bytes that the record or the gap takes up.
  package var count: Int {
    switch self {
    case .record(let record, _, _): record.count
    case .gap(let gap): gap.extent.count
    }
  }
}

/// Every record in a store's data file, in file order: live, superseded, removed, slack.
///
/// A record is live if the state has its entry, even if a rule took it from outside the log.
package struct History<S: Store> {
  /// The live records outside the log, and how far they can be trusted.
  private struct Outside {
    /// In the order of files and offsets.
    let records: [Record]
    /// What judges them; `nil` if there are none, as it may have to read the log.
    let judgement: Judgement<S>?

    /// Returns the event of `record`, which is outside the log.
    func event(of record: Record, _ assessment: Assessment) -> HistoryEvent {
      guard let judgement, contains(record) else { return .record(record, .slack, assessment) }
      return .record(record, .live, judgement.assessment(of: record))
    }

    private func contains(_ record: Record) -> Bool {
      let index = records.partitioningIndex {
        ($0.file.number, $0.offset) >= (record.file.number, record.offset)
      }
      return index < records.count && records[index] == record
    }
  }

  private let store: S
  private let state: StoreState

  /// Creates the history of `store`, with its log read as in `state`.
  package init(of store: S, by state: StoreState) {
    self.store = store
    self.state = state
  }

  /// The area that the log is in.
  private var area: Extent {
    store.logAreas.first { $0.file == state.log?.file } ?? store.logArea
  }

  /// The live records outside the log, which are few.
  private func outside() -> Outside {
    let records = state.takenRecords
    return Outside(
      records: records, judgement: records.isEmpty ? nil : Judgement(of: store, state))
  }

  /// Passes every event to `body`, in file order, and then those of live records in other files.
  ///
  /// - Complexity: O(size of the file).
  package func forEach(_ body: (HistoryEvent) -> Void) {
    let outside = outside()
    forEachInArea(outside, body)
    let file = area.file
    for record in outside.records where record.file != file {
      body(outside.event(of: record, state.assessment(of: record)))
    }
  }

  private func forEachInArea(_ outside: Outside, _ body: (HistoryEvent) -> Void) {
    let area = self.area
    guard let log = state.log else {
      slack(area, outside, body)
      return
    }
    if log.offset > area.offset {
      slack(Extent(area.file, area.offset..<log.offset), outside, body)
    }
    var live = RecordOffsets(state.snapshot.live.filter { $0.file == log.file }.map(\.offset))
    let removed = removedRecords(log, live)
    let judgement = outside.judgement ?? Judgement(of: store, state)
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      switch event {
      case .filler: break
      case .gap(let gap): body(.gap(gap))
      case .record(let record):
        if live.contains(record.offset) {
          body(.record(record, .live, judgement.assessment(of: record)))
        } else {
          let fate: HistoryEvent.RecordState =
            removed.contains(record.offset) ? .removed : .superseded
          body(.record(record, fate, state.assessment(of: record)))
        }
      }
    }
    if log.end < area.end { slack(Extent(area.file, log.end..<area.end), outside, body) }
  }

  /// Passes all events to `body` in groups, in file order, for work that costs more for each call than
  /// for an event.
  package func forEachGroup(_ body: ([HistoryEvent]) -> Void) {
    var group: [HistoryEvent] = []
    var size = 0
    forEach { event in
      if group.isEmpty { group.reserveCapacity(Self.groupCount) }
      group.append(event)
      size += event.count
      guard group.count == Self.groupCount || size >= Self.groupSize else { return }
      body(group)
      (group, size) = ([], 0)
    }
    if !group.isEmpty { body(group) }
  }

  /// The number of events, and the size of their records in bytes, at which a group is full.
  private static var groupCount: Int { 1 << 9 }
  private static var groupSize: Int { 1 << 15 }

  /// Passes every event to `body`, then those of the other copies of the log, whose records are slack
  /// unless they are live.
  ///
  /// - Complexity: O(size of the files).
  package func forEachInAllCopies(_ body: (HistoryEvent, _ isInCopy: Bool) -> Void) {
    let outside = outside()
    forEachInArea(outside) { body($0, false) }
    let main = area.file
    for copy in store.logAreas where copy.file != main {
      for event in store.records(in: copy, scan: .plain, around: store.gaps(in: copy)) {
        switch event {
        case .record(let record):
          body(outside.event(of: record, state.assessment(of: record)), true)
        case .gap(let gap): body(.gap(gap), true)
        case .filler: break
        }
      }
    }
  }

  /// Passes the records that set a key, but are not live, to `body`: those of the log from its end,
  /// until `body` returns `false`, then a part of those outside the log.
  ///
  /// - Complexity: O(size of the log), unless nothing is there but live records. Most of that is
  ///   saved if `body` needs few records.
  package func forEachEarlierPut(_ body: (Record) -> Bool) {
    let area = self.area
    guard let log = state.log else {
      passSlack(area.range, to: body)
      return
    }
    if state.snapshot.past?.recordCount != 0 { passRecords(of: log, to: body) }
    passSlack(max(log.end, area.offset)..<max(log.end, area.end), to: body)
    passSlack(min(area.offset, log.offset)..<log.offset, to: body)
  }

  /// Passes the records of `log` that set a key, but are not live, to `body`, the last one first,
  /// until it returns `false`.
  private func passRecords(of log: Extent, to body: (Record) -> Bool) {
    var live = RecordOffsets(state.snapshot.live.filter { $0.file == log.file }.map(\.offset))
    for part in parts(of: log).reversed() {
      var earlier: [Record] = []
      let extent = Extent(log.file, part)
      let gaps = Array(state.gaps[state.gaps.indices(overlapping: extent)])
      store.forEachRecord(in: extent, scan: state.scan, around: gaps) { event in
        guard case .record(let record) = event, record.operation == .put,
          !live.contains(record.offset)
        else { return }
        earlier.append(record)
      }
      guard earlier.reversed().allSatisfy(body) else { return }
    }
  }

  /// Returns parts of `log` that begin with a record, each but the last of at least as many bytes.
  private func parts(of log: Extent) -> [Range<Int>] {
    var starts = [log.offset]
    if log.count > Self.partCount {
      store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
        let start = event.extent.offset
        if start - starts[starts.count - 1] >= Self.partCount, case .record = event {
          starts.append(start)
        }
      }
    }
    return zip(starts, starts.dropFirst() + [log.end]).map { $0..<$1 }
  }

  /// The number of bytes from which a log is read in parts, if its last records come first.
  private static var partCount: Int { 1 << 16 }

  /// Passes some of the records that set a key in `range`, which is outside the log, to `body`, the
  /// last one first.
  private func passSlack(_ range: Range<Int>, to body: (Record) -> Bool) {
    guard !range.isEmpty else { return }
    var puts: [Record] = []
    slack(Extent(area.file, range.prefix(Self.slackLimit)), outside()) { event in
      if case .record(let record, .slack, _) = event, record.operation == .put {
        puts.append(record)
      }
    }
    for put in puts.reversed() { _ = body(put) }
  }

  /// The size, in bytes, of the largest slack that is searched for a count or for the types of values:
  /// that takes many times as long as reading the log.
  private static var slackLimit: Int { 16 << 10 }

  /// Returns the number of records that are not live.
  ///
  /// - Complexity: O(size of the slack), unless rules changed what the replay of the log found.
  func pastRecords() -> PastRecords {
    var past = PastRecords()
    let outside = outside()
    guard let log = state.log else {
      countSlack(area, outside, &past)
      return past
    }
    if let known = state.snapshot.past {
      past = known
    } else {
      var live = RecordOffsets(state.snapshot.live.filter { $0.file == log.file }.map(\.offset))
      let removed = removedRecords(log, live)
      past.removed = removed.count
      store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
        guard case .record(let record) = event, !live.contains(record.offset),
          !removed.contains(record.offset)
        else { return }
        past.superseded += 1
      }
    }
    for part in [
      area.offset..<max(area.offset, log.offset), log.end..<max(log.end, area.end),
    ] where !part.isEmpty {
      countSlack(Extent(area.file, part), outside, &past)
    }
    return past
  }

  private func countSlack(_ extent: Extent, _ outside: Outside, _ past: inout PastRecords) {
    guard let last = store.lastNonzero(in: extent) else { return }
    let count = last + 1 - extent.offset
    let taken = outside.records.filter { extent.contains($0.extent) }.reduce(0) { $0 + $1.count }
    past.residualBytes += count - taken
    guard count <= Self.slackLimit, past.residual != nil else {
      past.residual = nil
      return
    }
    slack(extent, outside) { if case .record(_, .slack, _) = $0 { past.residual? += 1 } }
  }

  /// Returns the offsets of the removals and of the records whose key they removed.
  private func removedRecords(_ log: Extent, _ live: RecordOffsets) -> Set<Int> {
    // The replay of the log has counted them.
    if state.snapshot.past?.removed == 0 { return [] }
    var live = live
    var pending: [Key: Int] = [:]
    var removed: Set<Int> = []
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      guard case .record(let record) = event else { return }
      if record.operation == .struckPut {
        removed.insert(record.offset)
        return
      }
      if record.operation == .remove {
        if let put = pending.removeValue(forKey: store.key(of: record)) { removed.insert(put) }
        removed.insert(record.offset)
      } else if !live.contains(record.offset) {
        pending[store.key(of: record)] = record.offset
      }
    }
    return removed
  }

  private func slack(_ extent: Extent, _ outside: Outside, _ body: (HistoryEvent) -> Void) {
    let written = WrittenArea(extent, of: store)
    for event in store.records(in: written.extent, scan: .plain, around: written.gaps) {
      switch event {
      case .filler: break
      case .gap(let gap): body(.gap(gap))
      case .record(let record): body(outside.event(of: record, Assessment(.guess)))
      }
    }
  }
}

/// The offsets of some records, for code that visits all records in file order.
///
/// A lookup examines only the next offset, whereas a set would access distant memory.
private struct RecordOffsets {
  private let sorted: [Int]
  private var next = 0

  init(_ offsets: [Int]) { sorted = offsets.sorted() }

  /// Returns whether there is a record at `offset`.
  ///
  /// - Complexity: Amortized O(1) for increasing offsets; O(log *n*) if `offset` is before the
  ///   previous one.
  mutating func contains(_ offset: Int) -> Bool {
    if next > 0, sorted[next - 1] >= offset { next = sorted.partitioningIndex { $0 >= offset } }
    while next < sorted.count, sorted[next] < offset { next += 1 }
    return next < sorted.count && sorted[next] == offset
  }
}
