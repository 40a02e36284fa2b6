import KVBytes
import KVModel

/// What the last full rewrite copied its records from, where it still stands after the copies.
enum RewriteOriginals {
  /// How many records have to be the same as the rewrite's last ones.
  private static let leastCount = 2

  /// Whether the first records in `rest`, which lies directly after the rewrite `confirmed`, are those
  /// that its last ones were copied from: then nothing was appended that reaches so far.
  ///
  /// Only within a page, as others can have reached the disk.
  static func begin<S: Store>(
    _ rest: Extent, around gaps: [Gap], in store: S, of confirmed: Snapshot
  ) -> Bool {
    guard !DiskPage.divides(rest) else { return false }
    var originals: [Record] = []
    for event in store.records(in: rest, scan: .plain, around: gaps) {
      if case .record(let record) = event {
        originals.append(record)
      } else if !originals.isEmpty {
        break
      }
    }
    let copies = confirmed.live.sorted { $0.offset < $1.offset }
    let limit = min(originals.count, copies.count)
    guard limit >= leastCount else { return false }
    let image = store.decoded(rest.file)
    return (leastCount...limit).contains { count in
      zip(copies.suffix(count), originals).allSatisfy { copy, original in
        image.storageSpan.isEqual(copy.extent.range, original.extent.range)
      }
    }
  }
}
