import KVBytes
import KVModel

/// A record whose key begins as one key and ends as another.
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

/// The record that the app was writing over another one when it was killed, if reading stays in
/// sync.
///
/// Its key begins like one key of the log and ends like another, and was never set.
///
/// MMKV compacts in place: it moves the records that it keeps to the log's start, one run after
/// another. So the keys of the records before this one occur only once, and the last of these
/// records is a copy of a later one. The key that this one begins with is that of the next record
/// that had to move.
enum KeyMixture {
  /// The number of candidate records that are examined.
  private static let attemptLimit = 16
  /// The largest number of entries of a store that is examined, because their keys are kept in
  /// memory.
  private static let entryLimit = 1 << 16

  /// Returns the mixed record in the log at `log`; `nil` if nothing indicates that there is one.
  ///
  /// `snapshot` is the content of the log, read around its gaps.
  ///
  /// - Complexity: O(*m* + *n* log *n*) for a log of *m* bytes with *n* live entries.
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

  /// Returns whether `key` begins like `first`, which has the same length, and ends like one of
  /// `keys`.
  private static func isMixture(
    _ key: Key, of first: Key, andOneOf keys: some Sequence<Key>
  ) -> Bool {
    guard key.bytes.count == first.bytes.count else { return false }
    // The two may differ from the first byte on: then only the count was copied from `first`.
    let end = key.bytes.dropFirst(zip(key.bytes, first.bytes).prefix { $0 == $1 }.count)
    return keys.contains {
      $0 != key && $0.bytes.count >= end.count && $0.bytes.suffix(end.count) == end
    }
  }
}
