import KVModel

/// Whether records say of their keys what the last full rewrite says of them.
///
/// A full rewrite takes over what the newest records of the log before it say. What is left of that log
/// behind the new one therefore agrees with the rewrite; records that were appended since do not.
struct RewriteAgreement {
  /// How many keys the records speak of.
  private(set) var keyCount = 0
  /// Of how many of them they say the same as the rewrite.
  private(set) var agreeing = 0

  /// Holds the records of `extent`, read around `gaps`, against what `confirmed` has.
  init<S: Store>(
    of extent: Extent, around gaps: [Gap] = [], in store: S, with confirmed: Snapshot
  ) {
    var last: [Key: Record] = [:]
    for case .record(let record) in store.records(in: extent, scan: .plain, around: gaps) {
      last[store.key(of: record)] = record
    }
    guard !last.isEmpty else { return }
    var old: [Key: Record] = [:]
    for record in confirmed.live { old[store.key(of: record)] = record }
    keyCount = last.count
    agreeing = last.count { key, record in
      guard let known = old[key] else { return record.operation == .remove }
      let value = store.value(of: record)
      let other = store.value(of: known)
      // A rewrite can add or drop what stands behind a value, such as the time at which it expires.
      return record.operation == .put && (value.starts(with: other) || other.starts(with: value))
    }
  }

  /// Whether the records are newer than the rewrite; a value can be set to what it was, and so a few
  /// that agree say nothing.
  var isNewer: Bool { keyCount - agreeing > 2 * agreeing }

  /// Whether the records are older than the rewrite.
  var isOlder: Bool { keyCount > 1 && agreeing == keyCount }
}
