import KVBytes
import KVModel

/// What a merged store has or had.
struct MergedHistory<S: Store> {
  private struct Pair: Hashable {
    let key: Key
    let value: [UInt8]
  }

  private let base: MergedEntries<S>.Examined
  private var pairs: Set<Pair> = []
  private var keys: Set<Key> = []

  init(of base: MergedEntries<S>.Examined) {
    self.base = base
    guard let state = base.state, let log = state.log else { return }
    let store = base.store
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      guard case .record(let record) = event, record.operation != .remove else { return }
      add(store.key(of: record), store.value(of: record))
    }
  }

  mutating func add(_ key: Key, _ value: [UInt8]) {
    pairs.insert(Pair(key: key, value: value))
    keys.insert(key)
  }

  /// Returns whether one of the keys of `copy` is one of the store.
  func hasKey(of copy: MergedEntries<S>.Examined) -> Bool {
    copy.entries.contains { keys.contains(copy.store.key(of: $0.record)) }
  }

  /// Returns the number of entries of `copy` that the store never had.
  ///
  /// A record that no checksum covers does not count if it is the damage to one: if most of its bytes
  /// are at the same place of the log.
  func lackingCount(in copy: MergedEntries<S>.Examined) -> Int {
    copy.entries.count { record, evidence in
      let pair = Pair(key: copy.store.key(of: record), value: copy.store.value(of: record))
      return !pairs.contains(pair) && (evidence == .checksum || !isDamaged(record, in: copy.store))
    }
  }

  private func isDamaged(_ record: Record, in store: S) -> Bool {
    guard let log = base.state?.log, log.file == record.file,
      log.range.contains(record.extent.range)
    else { return false }
    let range = record.extent.range
    let (one, other) = (store.stored(record.file), base.store.stored(record.file))
    guard range.upperBound <= min(one.count, other.count) else { return false }
    return range.count { one[$0] == other[$0] } * 2 > range.count
  }
}
