import KVBytes
import KVModel

/// The records that the last full rewrite copied, if they still follow the copies.
enum RewriteOriginals {
  /// The number of records that must be the same as the last ones of the rewrite.
  private static let leastCount = 2

  /// Returns whether the first records in `rest`, which directly follows the rewrite `confirmed`,
  /// are those that its last records were copied from.
  ///
  /// If so, no append has reached that far. Only records within one page count, because other pages
  /// can have reached the disk.
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
