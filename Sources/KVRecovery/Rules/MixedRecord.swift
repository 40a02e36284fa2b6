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

/// The record that the app had begun to write over another one when it was killed, if reading stays
/// in sync.
///
/// Its key begins as one key of the log and ends as another, and never existed.
///
/// MMKV rewrites in place: one run after another, the records that it keeps move down to the log's
/// start. So the records before this one have keys that occur once, and the last of them is a copy
/// of a later record. The key that this one begins as is the next that had to move.
enum KeyMixture {
  /// The number of candidate records that are examined.
  private static let attemptLimit = 16
  /// The largest number of entries of a store that is examined, because their keys are held in
  /// memory.
  private static let entryLimit = 1 << 16

  /// Returns the record in the log at `log`, where `snapshot` is what can be read around its gaps;
  /// `nil` if there is no evidence for one.
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

  /// Returns whether `key` begins like `first`, which has the same length, and then ends like
  /// another one of `keys`.
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
