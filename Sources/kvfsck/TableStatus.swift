import KVModel
import KVRecovery
import KVReport

/// The condition of a file whose format has no log: clean or damaged.
struct TableStatus {
  let verdict: Verdict
  private let entryCount: Int
  private let findingCount: Int

  init(of table: EntryTable) {
    verdict = table.verdict
    entryCount = table.entries.count
    findingCount = table.findings.count
  }

  /// Returns the summary, with the exit status `status`.
  func summary(_ status: ExitStatus) -> ReportSummary {
    ReportSummary(verdict, entries: entryCount, findings: findingCount, exit: status.rawValue)
  }
}
