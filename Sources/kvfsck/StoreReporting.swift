import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// Reports all that is known about each store at some paths, in the order that ``ReportForm``
/// requires.
struct StoreReporting {
  let options: StoreOptions
  /// The reporters of what is printed meanwhile: the same lines as for a scan.
  let report: Reports
  let apps = AppNames()

  /// Reports the stores at `paths`, and those in folders and archives among them, to `reporter`.
  ///
  /// - Returns: `.failed` if a path could not be read, and the permissions that all files that were
  ///   read have in common; `nil` if none was read.
  func run(
    _ paths: [String], to reporter: any Reporter
  ) -> (status: ExitStatus, permissions: FilePermissions?) {
    var permissions: FilePermissions?
    var totals = ScanTotals()
    let progress = ScanProgress()
    func end(_ outcome: StoreOutcome, _ past: [PastRecord]?) {
      reporter.report(.scanned(outcome.counting(past)))
      report(.scanned(outcome))
      totals.add(outcome)
      progress.report(totals.storeCount)
    }
    var claims = StoreClaims(all: paths.count > 1)
    func found(_ result: TreeScan.Result) {
      guard claims.isNew(result.outcome) else { return }
      if result.content != nil {
        let own = Self.permissions(of: result.outcome.files)
        permissions = permissions?.intersection(own) ?? own
      }
      reporter.report(.begun(path: ReportedPath(result.outcome.path)))
      var past: [PastRecord]?
      switch result.content {
      case .log(let store, let diagnosis): log(store, diagnosis, to: reporter)
      case .table(let table): past = self.table(table, to: reporter)
      case nil: break
      }
      var outcome = result.outcome
      outcome.app = outcome.app ?? apps.app(of: outcome.path, in: DiskSource())
      end(outcome, past)
    }
    for path in paths { open(path, found) }
    StatusLine.current?.erase()
    reporter.report(.totals(totals))
    report(.totals(totals))
    report.noteUnusedKeys()
    return (totals.failureCount > 0 ? .failed : [], permissions)
  }

  /// Returns the permissions that all `files` have in common; those of an archive for its members.
  private static func permissions(of files: [FilePath]) -> FilePermissions {
    let homes = files.map(MemberPath.home)
    // Which files of a backup were read is not known here, and its folder says nothing about them.
    let isKnown = !homes.contains(where: Folder.exists)
    return (isKnown ? Folder.newFilePermissions(like: homes) : nil) ?? .ownerReadWrite
  }

  /// The reason given if a folder or an archive has no store.
  private static let nothing = "no store was found in it"

  // MARK: Opening

  /// Passes each store at `path` to `body`.
  private func open(_ path: String, _ body: @escaping (TreeScan.Result) -> Void) {
    let named = ProcessArguments.path(path)
    let isSearched = options.id.isEmpty && options.table == nil && options.format?.hasLog ?? true
    if isSearched, Folder.exists(named) { return search(named, body) }
    var failure: String?
    report.filter = { event in
      guard case .failed(_, let reason) = event else { return true }
      // The line of the result includes the reason.
      failure = reason
      return false
    }
    // The table on a terminal has the reason; programs get it on stdout, and people on stderr.
    report.complains = report.printsLines || !Terminal.isInteractive(.output)
    defer {
      report.filter = nil
      report.complains = true
    }
    var hasSeveral = false
    _ = StoreOpening.open(
      path, options, report,
      table: { table in
        body(TreeScan.Result(StoreOutcome(table, at: named), .table(table)))
        return []
      }, several: { hasSeveral = true },
      { found in
        let (store, diagnosis) = found.open().examined(now: options.clock)
        body(TreeScan.Result(store, diagnosis, at: named))
        return []
      })
    if let failure { body(TreeScan.Result(StoreOutcome(unreadAt: named, because: failure))) }
    if hasSeveral { search(named, body) }
  }

  /// Passes every store in the folder or archive at `path` to `body`.
  private func search(_ path: FilePath, _ body: (TreeScan.Result) -> Void) {
    do throws(DiscoveryError) {
      let scan = try ScanOptions.scanOfAll(options, report, keeping: .all)
      var isEmpty = true
      scan.results(of: TreeWalk([path]), overlapping: false, idle: report.output.flush) {
        isEmpty = false
        body($0)
        return true
      }
      if isEmpty { body(TreeScan.Result(StoreOutcome(unreadAt: path, because: Self.nothing))) }
    } catch {
      body(TreeScan.Result(StoreOutcome(unreadAt: path, because: error.message)))
    }
  }

  // MARK: Reporting

  private func log(_ found: any Store, _ diagnosis: Diagnosis, to reporter: any Reporter) {
    let state = diagnosis.best
    let typing = typing(of: found, by: state)
    let store = shown(found, by: typing, in: state)
    reporter.report(.opened(store, clock: options.clock))
    reporter.report(.typed(typing))
    reporter.report(redacted(.findings(diagnosis.findings, in: store.files)))
    reporter.report(.states(diagnosis.states))
    reporter.report(
      .predictions(
        diagnosis.predictions.map { $0.replacingLostKeys(store.shown) },
        isAppAsked: store.questions.isAppAsked))
    reporter.report(.coverage(diagnosis.coverage))
    if let state { history(of: store, by: state, to: reporter) }
    reporter.report(.map(map(of: store, by: state)))
    reporter.report(
      .summary(ReportSummary(diagnosis, exit: diagnosis.verdict.exitStatus)))
  }

  /// Reports a table, and returns its former entries.
  private func table(_ found: EntryTable, to reporter: any Reporter) -> [PastRecord]? {
    let table = report.shown(found)
    let status = TableStatus(of: table)
    reporter.report(.read(table, clock: options.clock))
    reporter.report(redacted(.findings(found.findings, in: found.files)))
    reporter.report(.versions(table.versions))
    reporter.report(.predictions(EnginePrediction.all(for: table), isAppAsked: false))
    for entry in table.entries { reporter.report(.typedEntry(entry)) }
    let past = table.past?()
    for record in past ?? [] { reporter.report(.pastRecord(record)) }
    reporter.report(.summary(status.summary(status.verdict.exitStatus, past: past)))
    return past
  }

  private func redacted(_ event: ReportEvent) -> ReportEvent {
    report.redaction?.event(event) ?? event
  }

  private func shown(
    _ store: some Store, by typing: StoreTyping, in state: StoreState?
  ) -> any Store {
    report.shown(store, by: typing, in: state)
  }

  private func typing(of store: some Store, by state: StoreState?) -> StoreTyping {
    StoreTyping(of: store, by: state)
  }

  private func history(of store: some Store, by state: StoreState, to reporter: any Reporter) {
    History(of: store, by: state).forEachGroup { reporter.report(.history($0)) }
  }

  private func map(of store: some Store, by state: StoreState?) -> ByteMap {
    ByteMap(of: store, by: state, described: false)
  }
}
