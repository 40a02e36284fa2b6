import KVBytes
import KVModel

/// The contents of a store before it was emptied, from the records after the current log.
enum BeforeReset: LogRule {
  static let id: RuleID = "log.before-reset"
  static let premise = """
    a checksum matches over the log, or the log is empty and never had one. It begins with no \
    full rewrite, and its keys were not removed one by one. Most bytes after it are plausible \
    live entries, more of them than it has
    """
  static let conclusion = "the app or its engine emptied the store, and this is what it held"
  static let ceiling = Evidence.structure
  static let failure = "what the new log overwrote is missing; removed keys may come back"

  /// The smallest number of bytes of a record.
  private static let leastRecordCount = 4

  /// Returns the bytes after the log of `current` that could hold more entries than it has; `nil`
  /// if there are none.
  ///
  /// A log that begins with the entries of a full rewrite, which the state `confirmed` has, was not
  /// emptied. In that case the app removed many entries or called `trim`, and the bytes are left
  /// from a longer log.
  static func area<S: Store>(
    after current: StoreState, rewrittenAs confirmed: StoreState?, of store: S
  ) -> Extent? {
    let area = store.logArea
    // A size of 0 in another file means that the log was never written, even if no digest matches.
    let isNeverWritten = store.lengthClaims.first.map {
      $0.count == 0 && $0.statedAt.map { $0.file != area.file } == true
    }
    guard let log = current.log, current.isVerified || isNeverWritten == true,
      confirmed?.log?.isStart(of: log) != true
    else { return nil }
    // Where a copy has changed all bytes, the field with the size is one of them, or elsewhere.
    let sign =
      current.isVerified
      ? nil : store.files.copySign(mixedCount: store.mixedByteCount, orLineEnds: true)
    guard sign == nil else { return nil }
    let start = max(log.end, area.offset)
    guard (area.end - start) / leastRecordCount > current.snapshot.live.count else {
      return nil
    }
    return Extent(area.file, start..<area.end)
  }

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let emptied = investigation.log, let current = investigation.current,
      let log = current.log
    else { return [] }
    let snapshot = investigation.snapshot
    guard snapshot.live.count > current.snapshot.live.count else { return [] }
    let store = investigation.store
    if RemovedEntries.areAll(in: emptied, around: snapshot.gaps, after: log, of: store) {
      return []
    }
    guard
      snapshot.live.count == 1
        ? log.count == 0 && isAlone(snapshot, in: store)
        : snapshot.bytes.lost < emptied.count / 2
          && holdsMore(snapshot, than: current.snapshot, by: log, of: store)
    else { return [] }
    return [
      Conclusion(
        .log(emptied), by: Self.self, .structure,
        "\(emptied.count.inBytes) after \(log.count == 0 ? "an empty log" : "a log of \(log.count.inBytes)"): the contents before it was emptied"
      )
    ]
  }

  /// Returns whether `snapshot` has more entries than `current`, the content of `log`, not counting
  /// those that no app is likely to have written, at most a quarter, and those that the log removes.
  private static func holdsMore<S: Store>(
    _ snapshot: Snapshot, than current: Snapshot, by log: Extent, of store: S
  ) -> Bool {
    let count = snapshot.live.count - store.implausible(snapshot.live).count
    return count * 4 >= snapshot.live.count * 3
      && count - removedCount(of: snapshot.live, by: log, of: store) > current.live.count
  }

  /// Returns the number of `records` whose keys the app removed one by one, as records of `log` show.
  private static func removedCount<S: Store>(
    of records: [Record], by log: Extent, of store: S
  ) -> Int {
    var removed: Set<Key> = []
    store.forEachRecord(in: log, scan: .plain, around: []) { event in
      if case .record(let record) = event, record.operation != .put {
        removed.insert(store.key(of: record))
      }
    }
    return removed.isEmpty ? 0 : records.count { removed.contains(store.key(of: $0)) }
  }

  /// Returns whether the only entry of `snapshot` is all that was read, and an app wrote it.
  ///
  /// The lengths of a single record fit 41 of 100,000 random leftovers, such as those of an encrypted
  /// log; with a key of text and a usual value, one.
  private static func isAlone<S: Store>(_ snapshot: Snapshot, in store: S) -> Bool {
    snapshot.bytes.lost == 0 && store.implausible(snapshot.live).isEmpty
      && snapshot.live.allSatisfy { record in
        store.key(of: record).text?.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && $0.value != 0x7f
        } ?? false
      }
  }
}

/// The entries that a log had at its last full rewrite or after it, if the app then removed them one
/// by one.
///
/// An engine that rewrites in place then begins a newer log over that one, and does the same if only
/// the entry is left that it sets again. It does not count that as a rewrite: the size that the last
/// rewrite confirmed stays, and ends within what is left of the log. From the last removal on, there
/// are only older logs, so what they have is not what the store held last.
private enum RemovedEntries {
  /// The smallest size of a rewritten log with an entry, which has a prefix and a record.
  private static let leastLogCount = 8

  /// Returns whether the records of `rest`, which follows `log`, remove all entries up to some record
  /// after the end of the last full rewrite, except for the one that `log` begins with.
  static func areAll<S: Store>(
    in rest: Extent, around gaps: [Gap], after log: Extent, of store: S
  ) -> Bool {
    let rewrite = store.lengthClaims.first { $0.role == .confirmed }
    guard let rewrite, rewrite.count >= leastLogCount, !rewrite.isVerified,
      let rewritten = rewrite.log, let start = start(in: rest, around: gaps, of: store)
    else { return false }
    let lone = firstKey(of: log, in: store)
    var live: Set<Key> = []
    // Where the log ends, its last records can seem to be in the gap before an older one, so the
    // bytes are read without gaps.
    let left = Extent(rest.file, start..<rest.end)
    for event in store.records(in: left, scan: .plain) {
      guard case .record(let record) = event else { return false }
      let key = store.key(of: record)
      guard record.operation != .put else {
        if key != lone { live.insert(key) }
        continue
      }
      live.remove(key)
      if record.offset >= rewritten.end, live.isEmpty { return true }
    }
    return false
  }

  /// Returns the offset of the first record in `rest` that directly follows another one; `nil` if there
  /// is none.
  ///
  /// Reading begins inside a record, so the first record after that, or after a gap, may not be one.
  private static func start<S: Store>(
    in rest: Extent, around gaps: [Gap], of store: S
  ) -> Int? {
    var isInStep = false
    for event in store.records(in: rest, scan: .plain, around: gaps) {
      if case .record(let record) = event {
        if isInStep { return record.offset }
        isInStep = true
      } else {
        isInStep = false
      }
    }
    return nil
  }

  private static func firstKey<S: Store>(of log: Extent, in store: S) -> Key? {
    for case .record(let record) in store.records(in: log, scan: .plain) {
      return store.key(of: record)
    }
    return nil
  }
}
