import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// A scan with reports, progress and totals.
struct ScanRun {
  /// The source of the paths.
  enum Roots {
    /// Paths that the user named.
    case paths([FilePath])
    /// A stream of paths, each ended by the separator.
    case list(FileDescriptor, separator: UInt8)

    /// The paths that are known before the scan begins.
    var paths: [FilePath] { if case .paths(let paths) = self { paths } else { [] } }
  }

  private let scan: TreeScan
  private let report: Reports
  private let ended: (StoreOutcome) -> Void
  /// Reports the result for a store.
  private let show: (TreeScan.Result) -> Void
  private let conclusion: (ScanTotals) -> ReportEvent

  /// Creates a run of `scan` that reports to `report`, and calls `ended` after each store; `show`, if
  /// given, reports what is in each store that was read, in place of its line, and `conclusion` is
  /// reported at the end.
  init(
    _ scan: TreeScan, _ report: Reports, ended: @escaping (StoreOutcome) -> Void = { _ in },
    show: ((TreeScan.Result) -> Void)? = nil,
    conclusion: @escaping (ScanTotals) -> ReportEvent = ReportEvent.totals
  ) {
    self.scan = scan
    self.report = report
    self.ended = ended
    self.show = { result in
      guard let show else { return report(.scanned(result.outcome)) }
      if let reason = result.outcome.error {
        Self.complain(reason, about: result.outcome.path, report)
      }
      show(result)
    }
    self.conclusion = conclusion
    guard report.printsLines else { return }
    report.output.wordsOnceWritten =
      "kvfsck: error: cancelled; the remaining stores were not examined\n"
  }

  /// Scans what `roots` lead to.
  ///
  /// - Returns: `.failed` if a path could not be read, whatever was found elsewhere; if
  ///   `isJudging`, also the combined status of all stores.
  func status(of roots: Roots, judging isJudging: Bool = false) -> ExitStatus {
    var (status, totals): (ExitStatus, ScanTotals) = ([], ScanTotals())
    let progress = ScanProgress(of: roots.paths)
    let list: LineReader?
    let walk: TreeWalk
    var isOverlapping = true
    switch roots {
    case .paths(let paths):
      list = nil
      walk = TreeWalk(paths)
      isOverlapping = paths.count > 1
    case .list(let descriptor, let separator):
      let lines = LineReader(descriptor, endingIn: separator)
      list = lines
      walk = TreeWalk(AnyIterator { lines.next().map { FilePath(bytes: $0) } }) { lines.isReady }
    }
    scan.results(
      of: walk, overlapping: isOverlapping, idle: report.output.flush, passed: progress.pass,
      skipped: { totals.addOther() }
    ) { result in
      totals.add(result.outcome)
      if isJudging, let verdict = result.outcome.verdict { status.formUnion(verdict.exitStatus) }
      show(result)
      if report.printsLines { report.output.flushInTime() }
      ended(result.outcome)
      progress.report(totals.storeCount)
      return !report.areUnread
    }
    StatusLine.current?.erase()
    report(conclusion(totals))
    if !report.areUnread { report.noteUnusedKeys() }
    if let failure = list?.failure {
      report.complain("cannot read the list of paths: \(failure.description.lowercased())")
      return status.union(.failed)
    }
    if isJudging, totals.storeCount == 0, case .paths(let paths) = roots {
      return Self.foundNothing(in: paths, report)
    }
    return totals.failureCount > 0 ? status.union(.failed) : status
  }

  /// Reports that the store at `path` was not read, for the reason `reason`.
  private static func complain(_ reason: String, about path: FilePath, _ report: Reports) {
    report(.failed(path: ReportedPath(path), reason: reason))
    if !report.printsLines { report.complain("\(path.text): \(reason)") }
  }

  /// Reports that no store is at `paths`, for a command that is about stores.
  static func foundNothing(in paths: [FilePath], _ report: Reports) -> ExitStatus {
    report.complain("no store was found in \(paths.map(\.text).joined(separator: ", "))")
    return .failed
  }
}
