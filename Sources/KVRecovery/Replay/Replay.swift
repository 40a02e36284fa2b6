import KVBytes
package import KVModel

/// Replays a log: a later record of a key replaces an earlier one, and removals remove the key.
package struct Replay: Sendable {
  /// How strict the scan is.
  package let scan: ScanMode
  /// The gaps, which are skipped.
  package let gaps: [Gap]
  /// What a record that does not decode means for the map.
  package let onDamage: EngineLoad.DamagePolicy

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
    var table = LiveTable(for: extent.range)
    var found: [Gap] = []
    var contradicted: [Record] = []
    var structure = 0
    var part: Snapshot?
    let end = end ?? extent.end
    store.forEachRecord(in: extent, scan: scan, around: gaps) { event in
      switch event {
      case .record(let record):
        if record.offset == end, found.isEmpty {
          part = self.snapshot(of: &table, in: image, gaps: [], contradicted, structure: structure)
        }
        if record.integrity == .contradicted { contradicted.append(record) }
        table.apply(record, in: image)
      case .filler(let extent): structure += extent.count
      case .gap(let gap): found.append(gap)
      }
    }
    return (
      self.snapshot(of: &table, in: image, gaps: found, contradicted, structure: structure), part
    )
  }

  private func snapshot(
    of table: inout LiveTable, in image: FileImage, gaps: [Gap], _ contradicted: [Record],
    structure: Int
  ) -> Snapshot {
    let recordCount = table.recordCount
    var (live, bytes) = table.finished(in: image)
    if onDamage == .dropAll, !gaps.isEmpty { live = [] }
    bytes.structure = structure
    for record in live { bytes.live += record.count }
    for gap in gaps { bytes.lost += gap.extent.count }
    return Snapshot(
      live: live, recordCount: recordCount, gaps: gaps, bytes: bytes, contradicted: contradicted)
  }
}
