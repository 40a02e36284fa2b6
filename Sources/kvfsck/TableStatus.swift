import KVModel
import KVRecovery
import KVReport

/// The condition of a file whose format has no log: clean or damaged.
struct TableStatus {
  private let table: EntryTable

  /// The verdict on the file.
  var verdict: Verdict { table.verdict }

  init(of table: EntryTable) { self.table = table }

  /// Returns the summary, with the exit status `status` and the former entries that were looked for.
  func summary(_ status: ExitStatus, past: [PastRecord]? = nil) -> ReportSummary {
    ReportSummary(
      verdict,
      entries: EntryCount(table.entries.prefix(table.indexedCount).lazy.map(\.origin.evidence)),
      findings: table.findings.count,
      cautioned: table.entries.count { !$0.origin.cautions.isEmpty },
      recoverable: EntryCount(entries: table.recoverableCount),
      past: past.map(PastRecords.init), isEmptied: table.isEmptied,
      exit: status.rawValue)
  }
}
