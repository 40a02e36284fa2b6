import KVBytes
package import KVModel
package import KVRecovery
package import Testing

/// Records an issue unless the extents of `events`, in order, cover `extent` exactly.
package func expectTiling(
  _ events: some Sequence<RecordEvent>, of extent: Extent, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  var position = extent.offset
  for event in events {
    guard event.extent.file == extent.file, event.extent.offset == position,
      event.extent.count > 0
    else {
      Issue.record(
        "\(event) does not begin at \(position) \(comment)", sourceLocation: sourceLocation)
      return
    }
    position = event.extent.end
  }
  if position != extent.end {
    Issue.record(
      "the events end at \(position), not \(extent.end) \(comment)", sourceLocation: sourceLocation)
  }
}

/// Records an issue unless scans of each log area tile it: in the engine's mode, up to the first
/// damage, and past damage.
package func expectTiling<S: Store>(
  of store: S, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
  for area in store.logAreas {
    for (scan, gaps) in [(ScanMode.engine, []), (.plain, []), (.plain, store.gaps(in: area))] {
      expectTiling(
        store.records(in: area, scan: scan, around: gaps), of: area,
        "\(scan) around \(gaps.count) gaps \(comment)", sourceLocation: sourceLocation)
    }
  }
}

/// Records an issue unless `regions` cover every byte of every file, in order and once.
package func expectRegions<S: Store>(
  _ regions: [Region], tileFilesOf store: S, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for file in store.files {
    var position = 0
    for region in regions where region.extent.index == file.index {
      if region.extent.offset != position || region.extent.count == 0 {
        Issue.record(
          "\(region) does not begin at \(position) \(comment)", sourceLocation: sourceLocation)
        return
      }
      position = region.extent.end
    }
    if position != file.image.count {
      Issue.record(
        "the regions of \(file.path) end at \(position) of \(file.image.count) \(comment)",
        sourceLocation: sourceLocation)
    }
  }
}

/// Reads `store` in every way that does not write, and records an issue if a guarantee is violated.
///
/// Whatever the bytes are, scans must tile, every byte must have one owner, findings must lie
/// within the files, and a plan may only keep entries that can be read.
///
/// - Returns: The diagnosis.
@discardableResult
package func expectSound<S: Store>(
  _ store: S, now: UInt32, _ comment: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) -> Diagnosis {
  func fail(_ text: String) {
    Issue.record("\(text): \(comment())", sourceLocation: sourceLocation)
  }
  expectTiling(of: store, comment(), sourceLocation: sourceLocation)
  expectRegions(store.layout, tileFilesOf: store, comment(), sourceLocation: sourceLocation)
  let diagnosis = Diagnosis(of: store, now: now)
  let total = store.files.reduce(0) { $0 + $1.image.count }
  if diagnosis.coverage.total != total {
    fail("the coverage \(diagnosis.coverage) is not of \(total) bytes")
  }
  for finding in diagnosis.findings {
    guard let extent = finding.extent else { continue }
    let count = store.files.first { $0.index == extent.index }?.image.count ?? 0
    if extent.offset < 0 || extent.end > count { fail("\(finding) is not within \(count) bytes") }
  }
  if (diagnosis.verdict == .unreadable) != diagnosis.states.isEmpty {
    fail("\(diagnosis.verdict) with \(diagnosis.states.count) states")
  }
  for strategy in [FixedStrategy.recover, .discard] {
    let plan = RepairPlanner(strategy: strategy).plan(store, given: diagnosis)
    if (plan == nil) != (diagnosis.verdict == .unreadable) {
      fail("\(diagnosis.verdict), but \(plan == nil ? "no" : "a") plan")
    }
    guard let plan else { continue }
    let keys = Set(plan.kept.map { store.key(of: $0.record) })
    if keys.count != plan.kept.count { fail("a key is kept twice") }
  }
  return diagnosis
}

/// The result of comparing what a repair keeps of a damaged store with what the app had stored.
package struct Recovery {
  /// The number of entries with their correct value.
  package var right = 0
  /// The number of entries with another value, or without one in the original, that are marked by
  /// their evidence or a caution.
  package var marked = 0
  /// The keys that are missing.
  package var missing: Set<Key> = []
  /// The weakest evidence of the entries that are right, or `checksum` if there are none.
  package var weakest = Evidence.checksum
}

/// Records an issue for each wrong entry of `store` that is presented as sound.
///
/// Also records an issue for a missing entry if the store is reported to have lost nothing.
///
/// - Returns: The entries that are recovered, compared with `truth`.
@discardableResult
package func expectHonest<S: Store>(
  _ store: S, _ diagnosis: Diagnosis, truth: [Key: [UInt8]],
  _ comment: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation
) -> Recovery {
  let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
  var recovery = Recovery(missing: Set(truth.keys))
  for entry in plan?.kept ?? [] {
    let key = store.key(of: entry.record)
    recovery.missing.remove(key)
    if truth[key] == store.value(of: entry.record) {
      recovery.right += 1
      recovery.weakest = min(recovery.weakest, entry.evidence)
    } else if entry.evidence > .structure || entry.evidence == .structure && entry.cautions.isEmpty
    {
      Issue.record(
        "\(key.text ?? "a key") is wrong, by \(entry.evidence): \(comment())",
        sourceLocation: sourceLocation)
    } else {
      recovery.marked += 1
    }
  }
  if diagnosis.verdict == .clean || diagnosis.verdict == .repairable, !recovery.missing.isEmpty {
    Issue.record(
      "\(recovery.missing.compactMap(\.text).sorted()) missing, and \(diagnosis.verdict): \(comment())",
      sourceLocation: sourceLocation)
  }
  return recovery
}

extension RecoveryStrategy where Self == FixedStrategy {
  /// Both strategies, with their answers.
  package static var both: [(answer: RecoveryDecision, strategy: FixedStrategy)] {
    [(.discard, .discard), (.recover, .recover)]
  }
}
