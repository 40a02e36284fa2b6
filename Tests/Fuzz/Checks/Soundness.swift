import KVBytes
import KVModel
import KVRecovery
import KVReport

/// Reads a store in every way that does not write.
///
/// Whatever its bytes are, scans must tile, every byte must have one owner, and every extent must
/// lie within the files.
func expectSound<F: StoreFormat>(_ format: F, _ files: [StoreFile]) throws(Violation) {
  let recognition = format.recognize(files).recognition
  guard (0...100).contains(recognition.likelihood) else {
    throw Violation("a likelihood is a percentage", "\(recognition)")
  }
  let found = format.open(files)
  let store = found.corrected()
  try expectSoundStore(store)
  if !store.corrections.isEmpty { try expectSoundStore(found) }
}

/// Expects the same of an open store.
func expectSoundStore<S: Store>(_ store: S) throws(Violation) {
  for area in store.logAreas {
    try expectWithin(area, store, "a log area")
    for (scan, gaps) in [(ScanMode.engine, []), (.plain, []), (.plain, store.gaps(in: area))] {
      try expectTiling(store, area, scan, gaps)
    }
  }
  try expectRegions(store.layout, of: store)
  let diagnosis = Diagnosis(of: store, now: now)
  let total = store.files.reduce(0) { $0 + $1.image.count }
  guard diagnosis.coverage.total == total else {
    throw Violation("the coverage is of all bytes", "\(diagnosis.coverage), \(total) bytes")
  }
  guard (diagnosis.verdict == .unreadable) == diagnosis.states.isEmpty else {
    throw Violation("only what is unreadable has no state", "\(diagnosis.verdict)")
  }
  for finding in diagnosis.findings {
    if let extent = finding.extent { try expectWithin(extent, store, finding.message) }
  }
  for state in diagnosis.states { try expectHistory(of: store, by: state) }
  try expectRegions(ByteMap(of: store, by: diagnosis.best).regions, of: store)
  report(store, diagnosis)
}

/// Expects that the events of a scan cover `area` exactly, in order.
private func expectTiling<S: Store>(
  _ store: S, _ area: Extent, _ scan: ScanMode, _ gaps: [Gap]
) throws(Violation) {
  var position = area.offset
  for event in store.records(in: area, scan: scan, around: gaps) {
    guard event.extent.file == area.file, event.extent.offset == position, event.extent.count > 0
    else { throw Violation("events tile", "\(event) is not at \(position), \(scan)") }
    position = event.extent.end
    guard case .record(let record) = event else { continue }
    try expectReadable(record, store)
  }
  guard position == area.end else {
    throw Violation("events tile", "they end at \(position) of \(area.end), \(scan)")
  }
}

/// Expects that all properties of a record can be read.
private func expectReadable<S: Store>(_ record: Record, _ store: S) throws(Violation) {
  for range in [record.key, record.value] where !range.isEmpty {
    guard record.extent.range.lowerBound <= range.lowerBound,
      range.upperBound <= record.extent.end
    else { throw Violation("a record has its key and its value", "\(record)") }
  }
  _ = store.key(of: record)
  _ = store.value(of: record)
  _ = store.expiry(of: record)
  _ = store.obstacle(to: record, scan: .plain)
  _ = store.obstacle(to: record, scan: .engine)
  guard record.operation != .remove else { return }
  for reading in store.readings(of: record) { _ = store.value(of: record, as: reading.value.kind) }
}

/// Expects that the events of a history are in order, file by file, and lie within the files.
private func expectHistory<S: Store>(of store: S, by state: StoreState) throws(Violation) {
  if let log = state.log { try expectWithin(log, store, "the log of \(state.name)") }
  var extents: [Extent] = []
  History(of: store, by: state).forEach { event in
    switch event {
    case .record(let record, _, _): extents.append(record.extent)
    case .gap(let gap): extents.append(gap.extent)
    }
  }
  var position = 0
  var files: [FileRole] = []
  for extent in extents {
    // Live records in other files come after what is in that of the log.
    if extent.file != files.last {
      guard !files.contains(extent.file) else {
        throw Violation("a history is of one file after the other", "\(extent)")
      }
      files.append(extent.file)
      position = 0
    }
    guard extent.offset >= position else { throw Violation("a history is in order", "\(extent)") }
    position = extent.end
    try expectWithin(extent, store, "a history")
  }
}

/// Expects that the regions cover every byte of every file once.
private func expectRegions<S: Store>(_ regions: [Region], of store: S) throws(Violation) {
  for file in Set(store.files.map(\.index) + regions.map(\.extent.index)) {
    var position = 0
    for region in regions where region.extent.index == file && region.extent.count > 0 {
      guard region.extent.offset == position else {
        throw Violation("every byte has one owner", "\(region) is not at \(position)")
      }
      position = region.extent.end
    }
    guard position == store.byteCount(of: file) else {
      throw Violation(
        "every byte has one owner", "\(file) to \(position) of \(store.byteCount(of: file))")
    }
  }
}

/// Expects that `extent` lies within its file.
func expectWithin<S: Store>(_ extent: Extent, _ store: S, _ what: @autoclosure () -> String)
  throws(Violation)
{
  let count = store.byteCount(of: extent.index)
  guard extent.offset >= 0, extent.end <= count else {
    throw Violation("what is spoken of exists", "\(extent) of \(count) bytes: \(what())")
  }
}

/// Makes every report of the store.
private func report<S: Store>(_ store: S, _ diagnosis: Diagnosis) {
  var length = 0
  let count = { (lines: [UInt8]) in length += lines.count }
  let sink = TextReporter.Sink(inColor: true, count)
  let reporters: [any Reporter] = [
    TextReporter(.check, to: sink, errors: sink, advice: { "\($0)" }),
    JSONLinesReporter(forTerminal: false) { length += $0.count },
    CheckDocument(.junit, version: "0"), CheckDocument(.sarif, version: "0"),
  ]
  let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
  for reporter in reporters {
    reporter.report(.begun(path: "kv"))
    reporter.report(.opened(store, clock: now))
    reporter.report(.findings(diagnosis.findings, in: store.files))
    reporter.report(.states(diagnosis.states))
    reporter.report(.predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked))
    reporter.report(.coverage(diagnosis.coverage))
    reporter.report(.map(ByteMap(of: store, by: diagnosis.best)))
    if let best = diagnosis.best {
      History(of: store, by: best).forEachGroup { reporter.report(.history($0)) }
    }
    if let plan {
      reporter.report(.plan(plan, isExecuted: true))
      reporter.report(.entries(plan.kept))
    }
    reporter.report(
      .summary(
        ReportSummary(
          diagnosis.verdict, entries: diagnosis.entries, findings: diagnosis.findings.count,
          recoverable: diagnosis.recoverable, past: diagnosis.past, exit: 4)))
    length += (reporter as? CheckDocument)?.bytes(exit: 4).count ?? 0
  }
}

extension Store {
  /// Returns the size of `file` in bytes; 0 if the store has no such file.
  func byteCount(of file: FileIndex) -> Int {
    files.first { $0.index == file }?.image.count ?? 0
  }
}
