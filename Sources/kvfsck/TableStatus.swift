import KVModel
import KVRecovery
import KVReport

/// How a file of a format without a log is: clean, or damaged.
struct TableStatus {
  let verdict: Verdict
  private let entryCount: Int
  private let findingCount: Int

  init(of table: EntryTable) {
    verdict = table.verdict
    entryCount = table.entries.count
    findingCount = table.findings.count
  }

  /// The outcome, with the exit status `status`.
  func summary(_ status: ExitStatus) -> ReportSummary {
    ReportSummary(verdict, entries: entryCount, findings: findingCount, exit: status.rawValue)
  }
}
