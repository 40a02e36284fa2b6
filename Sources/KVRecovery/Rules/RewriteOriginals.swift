import KVBytes
import KVModel

/// The records that the last full rewrite copied, if they still follow their copies.
enum RewriteOriginals {
  /// The number of records that must equal the last ones of the rewrite.
  private static let leastCount = 2

  /// Returns whether the first records in `rest`, which directly follows the rewrite `confirmed`,
  /// are those that the last records of the rewrite were copied from.
  ///
  /// If so, no append has reached that far. The records must lie in one page, because other pages
  /// may have reached the disk even if this one did not.
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
