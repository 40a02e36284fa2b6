import KVBytes
import KVConversion
import KVCryptography
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// Reports as JSON, one object per line, for programs to read; the fields are in `Docs/JSON.md`.
///
/// The fields of a line are sorted by name, and the lines come in a fixed order, so equal stores
/// produce equal reports.
package final class JSONLinesReporter: Reporter {
  private let emit: ([UInt8]) -> Void
  let values: ValueDetail
  /// Whether several stores were named, so that each line has the path of its store.
  private var namesStores: Bool
  /// The path of the current store, if several were named: its data file, or until it is opened,
  /// the path that the user named.
  private(set) var storePath: ReportedPath?
  /// The store of the current entries and records.
  private var opened: (any Store)? { didSet { recordLines = nil } }
  /// The clock that decides which entries have expired.
  private(set) var clock: UInt32 = 0
  /// The likely types of the store's values.
  private var typing = StoreTyping() { didSet { recordLines = nil } }
  /// The lines about the records of this store; `nil` before the first.
  private var recordLines: RecordLines?
  /// Whether a line has listed the files of the store.
  private var hasStoreLine = false
  /// The names of the roles of the store's files.
  private(set) var roleNames = RoleNames()
  /// The name of the role of the first file, which entries need not state.
  private(set) var mainRole: String?
  /// The paths of files that share their role with others, as `file` does not distinguish them.
  private(set) var paths: [FileIndex: ReportedPath] = [:]

  /// Creates a reporter that passes its text to `emit` in pieces, including line feeds, so that no
  /// long line is in memory as a whole.
  ///
  /// For a terminal, control characters and those that change the writing direction are written as
  /// `\u` and four digits, which is equivalent in JSON.
  ///
  /// `values` decides how much of the values is shown. With `namesStores`, each line has the path
  /// of its store.
  package init(
    forTerminal isForTerminal: Bool, values: ValueDetail = ValueDetail(), namesStores: Bool = false,
    pieces emit: @escaping ([UInt8]) -> Void
  ) {
    self.values = values
    self.namesStores = namesStores
    self.emit = isForTerminal ? { emit(DisplayText.escapedJSON($0)) } : emit
  }

  /// Takes in the next event.
  ///
  /// Lines about records may be passed on only when another event comes, or with ``finish()``.
  package func report(_ event: ReportEvent) {
    if !event.isRecord { finish() }
    switch event {
    case .several: namesStores = true
    case .begun(let path): begin(path)
    case .typed(let typing): self.typing = typing
    case .failed(let path, let reason): write(["type": "failure", "path": path, "message": reason])
    case .opened(let store, let clock): begin(store, clock)
    case .read(let table, let clock): begin(table, clock)
    case .findings(let findings, let files): self.findings(findings, in: files)
    case .states(let states): for state in states { write(.state(state)) }
    case .versions(let versions): for version in versions { write(.version(version)) }
    case .predictions(let all, let isAppAsked): predictions(all, isAppAsked: isAppAsked)
    case .coverage(let tally): write(.coverage(tally))
    case .expected(let result): for difference in result.differences { write(.unmet(difference)) }
    case .entries(let entries): withRecordLines { $0.add(entries, to: emit) }
    case .aside(let entry): record(.init("aside", entry))
    case .dropped(let entry): record(.init("dropped", entry.record, because: entry.reason))
    case .typedEntry(let entry): self.entry(entry)
    case .pastRecord(let record): pastRecord(record)
    case .history(let events): withRecordLines { $0.add(events, to: emit) }
    case .moment(let moment): self.moment(moment)
    case .map(let map), .overview(let map): regions(map)
    case .plan(let plan, _, _): self.plan(plan)
    case .tablePlan(let plan, _): self.plan(plan)
    case .order(let order): write(.order(order))
    case .written(let path, let file): write(.written(path, file))
    case .backup(let folder): write(["type": "backup", "path": ReportedPath(folder)])
    case .repaired(let totals, let folder): end(.totals(totals, in: folder))
    case .note(let note): self.note(note)
    case .converted(let summary, let format, let paths, let exit):
      write(.conversion(summary, to: format, paths: paths, exit: exit))
    case .compared(let comparison, let exit): self.comparison(comparison, exit: exit)
    case .scanned(let outcome): writeLine(ResultLine(outcome).writeMembers)
    case .totals(let totals): end(.totals(totals))
    case .summary(let summary): write(.summary(summary))
    default: found(event)
    }
  }

  /// Passes on the lines about records that are left.
  package func finish() { recordLines?.finish(to: emit) }

  private func begin(_ path: ReportedPath) {
    // The store before is kept in memory no longer than needed.
    opened = nil
    if namesStores { storePath = path }
    typing = StoreTyping()
  }

  private func begin(_ store: any Store, _ clock: UInt32) {
    self.clock = clock
    opened = store
    begin(.store(store), store.files)
  }

  private func begin(_ table: EntryTable, _ clock: UInt32) {
    self.clock = clock
    begin(.store(table), table.files)
  }

  /// Writes a line about all stores.
  func end(_ totals: JSONObject) {
    storePath = nil
    write(totals)
  }

  private func begin(_ line: JSONObject, _ files: [StoreFile]) {
    hasStoreLine = true
    if namesStores { storePath = files.first.map { ReportedPath($0.path) } ?? "" }
    var counts: [FileRole: Int] = [:]
    for file in files { counts[file.role, default: 0] += 1 }
    roleNames = files.roleNames
    mainRole = files.first?.roleName
    paths = [:]
    for file in files where counts[file.role, default: 0] > 1 {
      paths[file.index] = ReportedPath(file.path)
    }
    write(line)
  }

  private func findings(_ findings: [Finding], in files: [StoreFile]) {
    let names = hasStoreLine ? roleNames : files.roleNames
    for finding in findings {
      let path =
        hasStoreLine
        ? finding.path.map { ReportedPath($0) } ?? finding.file.flatMap { paths[$0] }
        : files.path(of: finding).map { ReportedPath($0) }
      write(.finding(finding, of: names, path: path))
    }
  }

  private func regions(_ map: ByteMap) {
    WorkProgress.forEach(of: map.regions, .parts) { region in
      writeLine { line in
        let extent = region.extent
        line.member("file", roleNames[extent.file])
        line.member("length", extent.count)
        if !region.meaning.isEmpty { line.member("meaning", region.meaning) }
        line.member("offset", extent.offset)
        line.member("owner", region.name)
        if let path = paths[extent.index] ?? storePath { line.member("path", path) }
        line.member("type", "region")
      }
    }
  }

  private func plan(_ plan: RepairPlan) {
    for decision in plan.decisions { write(.decision(decision, of: plan)) }
    report(.entries(plan.kept))
    for entry in plan.aside { report(.aside(entry)) }
    for entry in plan.dropped + plan.leftOut { report(.dropped(entry)) }
  }

  private func plan(_ plan: TablePlan) {
    for change in plan.changes { note(change) }
    for words in plan.lacking { write(["type": "lacking", "message": words]) }
    for entry in plan.kept { self.entry(entry) }
    for (entry, reason) in plan.dropped { self.entry(entry, droppedBecause: reason) }
  }

  private func record(_ item: RecordItem) {
    withRecordLines { $0.add(item, to: emit) }
  }

  private func withRecordLines(_ body: (RecordLines) -> Void) {
    if let recordLines { return body(recordLines) }
    guard let store = opened else { return }
    let lines = RecordLines(
      JSONRecordForm(
        store: store, clock: clock, typing: typing, values: values, roleNames: roleNames,
        path: storePath, main: store.files.first?.role))
    recordLines = lines
    body(lines)
  }

  /// Writes a line, with the path of its store if several were named.
  func write(_ line: JSONObject) {
    var line = line
    if let storePath { line.add("path", storePath) }
    writeLine(line.writeMembers)
  }

  func writeLine(_ body: (inout JSONLine) -> Void) { JSONLine.write(to: emit, body) }
}
