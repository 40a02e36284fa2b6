import KVModel
import KVRecovery
import KVReport

/// How a file of a format without a log is: clean, or damaged.
struct TableStatus {
  let verdict: Verdict
  let exitStatus: ExitStatus
  let entryCount: Int
  let findingCount: Int

  init(of table: EntryTable) {
    verdict = table.findings.contains { $0.severity == .damage } ? .damaged : .clean
    exitStatus = verdict.exitStatus
    entryCount = table.entries.count
    findingCount = table.findings.count
  }
}

extension JSONLinesReport {
  /// The last line of a table.
  func summary(_ status: TableStatus) {
    summary(
      verdict: status.verdict.rawValue, entries: status.entryCount,
      findings: status.findingCount, exit: status.exitStatus.rawValue, cautioned: 0)
  }
}
