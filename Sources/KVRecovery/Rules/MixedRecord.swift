import KVBytes
import KVModel

/// A record with a key that begins as one key and ends as another.
enum MixedRecord: LogRule {
  static let id: RuleID = "log.mixed-record"
  static let premise = """
    an MMKV log decodes completely, but no checksum matches; a key begins like the next one that \
    an in-place compaction had to move, and ends like another key; all keys before it occur once, \
    and the last record before it is a copy of a later one
    """
  static let conclusion = "the app was killed while it copied the record: the key was never set"
  static let ceiling = Evidence.guess
  static let failure = """
    if the other key no longer occurs anywhere in the log: the mixed record is then missed; not \
    measured by itself
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard !investigation.isEndShown, let log = investigation.log,
      let record = KeyMixture.record(in: investigation.snapshot, log, of: investigation.store),
      !investigation.isSettled(record)
    else { return [] }
    return [Conclusion(.limit(.records([record]), []), by: Self.self)]
  }
}

/// The record that the app had begun to put over another one when it was killed, where reading stays in
/// sync all the same: its key begins as one key of the log and ends as another, and never was.
///
/// MMKV rewrites in place: one run after another, the records that it keeps move down to the log's
/// start. So what is before the record are keys that come once, the last of them a copy of what
/// still stands after; and the key that it begins as is the next one that had to move.
enum KeyMixture {
  /// In how many records that could be one a key is looked for.
  private static let attemptLimit = 16
  /// The most entries of a store in which one is looked for, as their keys are held in memory.
  private static let entryLimit = 1 << 16

  /// The record in the log at `log`, of which `snapshot` is what can be read around its gaps; `nil`
  /// where nothing speaks for one.
  ///
  /// - Complexity: O(count of the log), and O(n log n) for n live entries.
  static func record<S: Store>(
    in snapshot: Snapshot, _ log: Extent, of store: S
  ) -> Record? {
    guard store.traits.isRewrittenInPlace, !store.isEncrypted, snapshot.live.count <= entryLimit
    else {
      return nil
    }
    var live: [Key: Record] = [:]
    for record in snapshot.live { live[store.key(of: record)] = record }
    let kept = snapshot.live.sorted { $0.offset < $1.offset }
    var next = kept.startIndex
    var front: Set<Key> = []
    var isAfterCopy = false
    var attempts = 0
    for event in store.records(in: log, scan: .plain, around: snapshot.gaps) {
      guard case .record(let record) = event else {
        if case .gap = event { return nil }
        continue
      }
      let key = store.key(of: record)
      guard record.operation == .put, front.insert(key).inserted else { return nil }
      let isLive = live[key] == record
      if isLive, isAfterCopy, attempts < attemptLimit {
        while next < kept.endIndex,
          kept[next].offset <= record.offset || front.contains(store.key(of: kept[next]))
        {
          next += 1
        }
        guard next < kept.endIndex else { return nil }
        attempts += 1
        if isMixture(key, of: store.key(of: kept[next]), andOneOf: live.keys) { return record }
      }
      isAfterCopy = !isLive && live[key].map { isCopy(record, of: $0, in: store) } ?? false
    }
    return nil
  }

  private static func isCopy<S: Store>(
    _ record: Record, of other: Record, in store: S
  ) -> Bool {
    let image = store.stored(record.file)
    return other.offset > record.offset && record.count == other.count
      && image.storageSpan.isEqual(record.extent.range, other.extent.range)
  }

  /// Whether `key` begins as `first`, which is as long, and goes on as another one of `keys` ends.
  private static func isMixture(
    _ key: Key, of first: Key, andOneOf keys: some Sequence<Key>
  ) -> Bool {
    guard key.bytes.count == first.bytes.count else { return false }
    // Of the first one, the count may be all that is there.
    let end = key.bytes.dropFirst(zip(key.bytes, first.bytes).prefix { $0 == $1 }.count)
    return keys.contains {
      $0 != key && $0.bytes.count >= end.count && $0.bytes.suffix(end.count) == end
    }
  }
}
