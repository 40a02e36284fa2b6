import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// A scan that is reported, with its progress and its totals.
struct ScanRun {
  /// Where the paths come from.
  enum Roots {
    /// The user has named them.
    case paths([FilePath])
    /// A stream has them, each ended by a byte.
    case list(FileDescriptor, separator: UInt8)
  }

  private let scan: TreeScan
  private let report: Reports

  /// A run of `scan` that is reported to `report`.
  init(_ scan: TreeScan, _ report: Reports) {
    self.scan = scan
    self.report = report
  }

  /// Scans what `roots` lead to.
  ///
  /// - Returns: `.failed` where a path could not be read, whatever was found in the others; where it is
  ///   `judging`, the status of all stores besides.
  func status(of roots: Roots, judging isJudging: Bool = false) -> ExitStatus {
    var status: ExitStatus = []
    var totals = ScanTotals()
    let progress = ScanProgress()
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
    scan.run(walk, overlapping: isOverlapping, idle: report.output.flush) { outcome in
      totals.add(outcome)
      if isJudging, let verdict = outcome.verdict { status.formUnion(verdict.exitStatus) }
      report(.scanned(outcome))
      progress.report(totals.storeCount)
      return !report.areUnread
    }
    StatusLine.current?.erase()
    report(.totals(totals))
    if !report.areUnread { report.noteUnusedKeys() }
    if let failure = list?.failure {
      report.complain("cannot read the list of paths: \(failure.description.lowercased())")
      return status.union(.failed)
    }
    return totals.failureCount > 0 ? status.union(.failed) : status
  }
}
