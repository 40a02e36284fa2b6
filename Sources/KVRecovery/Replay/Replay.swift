import KVBytes
package import KVModel
import KVSystem

/// Replays a log: a later record of a key replaces an earlier one, and removals remove the key.
package struct Replay: Sendable {
  /// How strict the scan is.
  let scan: ScanMode
  /// The gaps, which are skipped.
  let gaps: [Gap]
  /// What a record that does not decode means for the map.
  let onDamage: EngineLoad.DamagePolicy

  /// The size, in bytes, from which a log is read by one thread and replayed by another.
  private static let largeCount = 1 << 20
  /// The number of batches of records that can wait to be replayed.
  private static let readyCount = 8

  /// Creates a replay that keeps every record that can be read around `gaps`.
  package init(scan: ScanMode, around gaps: [Gap] = []) {
    self.scan = scan
    self.gaps = gaps
    onDamage = .keepPrefix
  }

  /// Creates a replay that reads the log as the engine does.
  package init(likeEngine load: EngineLoad) {
    scan = .engine
    gaps = []
    onDamage = load.onDamage
  }

  /// Returns the snapshot of the log at `extent`.
  ///
  /// - Complexity: O(`extent.count`); memory grows with the number of keys, not with that of
  ///   records.
  package func snapshot<S: Store>(of store: S, log extent: Extent) -> Snapshot {
    snapshots(of: store, log: extent, andUpTo: nil).whole
  }

  /// Returns the snapshot of the log at `extent`, and the snapshot of its part up to `end`.
  ///
  /// The part has no snapshot if no record begins at its end, or if a gap precedes it.
  func snapshots<S: Store>(
    of store: S, log extent: Extent, andUpTo end: Int?
  ) -> (whole: Snapshot, part: Snapshot?) {
    let image = store.decoded(extent.file)
    var pass = ReplayPass(of: extent.range, in: image, onDamage)
    let read: @Sendable ((RecordBatch) -> Void) -> Void = { [scan, gaps] give in
      RecordBatch.read(store, log: extent, scan: scan, around: gaps, part: end, give)
    }
    // Reading the records takes about as long as looking their keys up.
    if extent.count < Self.largeCount {
      read { pass.add($0) }
    } else {
      var work = ParallelWork<Extent, RecordBatch>(groupsOf: 1, atMostReady: Self.readyCount) {
        _, give in read(give)
      }
      work.add(extent)
      work.finish { pass.add($0) }
    }
    return (pass.snapshot(), pass.part)
  }
}

/// A replay that is under way.
private struct ReplayPass {
  private let image: FileImage
  private let onDamage: EngineLoad.DamagePolicy
  private var table: LiveTable
  private var gaps: [Gap] = []
  private var contradicted: [Record] = []
  private var structure = 0
  /// The snapshot of the part, once it has been read.
  private(set) var part: Snapshot?

  init(of log: Range<Int>, in image: FileImage, _ onDamage: EngineLoad.DamagePolicy) {
    self.image = image
    self.onDamage = onDamage
    table = LiveTable(for: log)
  }

  mutating func add(_ batch: RecordBatch) {
    if batch.followsPart {
      part = snapshot()
      table.separate()
    }
    gaps += batch.gaps
    contradicted += batch.contradicted
    structure += batch.structure
    table.add(batch, in: image)
  }

  /// Returns the snapshot of everything that was added.
  func snapshot() -> Snapshot {
    let found = table.finished()
    let isDropped = onDamage == .dropAll && !gaps.isEmpty
    let live = isDropped ? [] : found.live
    var bytes = found.bytes
    bytes.structure = structure
    for record in live { bytes.live += record.count }
    for gap in gaps { bytes.lost += gap.extent.count }
    return Snapshot(
      live: live, recordCount: table.recordCount, gaps: gaps, bytes: bytes,
      contradicted: contradicted, past: isDropped ? nil : found.past)
  }
}
