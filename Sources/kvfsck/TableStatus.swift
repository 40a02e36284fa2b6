import KVConversion
import KVModel
import KVRecovery
import KVReport

/// The condition of a file whose format has no log: clean or damaged.
struct TableStatus {
  private let table: EntryTable

  /// The verdict on the file.
  var verdict: Verdict { table.verdict }

  init(of table: EntryTable) { self.table = table }

  /// Returns the summary, with the exit status `status` and the former entries that were looked for; of
  /// a repair, the entries are those that `plan` keeps.
  func summary(
    _ status: ExitStatus, keeping plan: TablePlan? = nil, past: [PastRecord]? = nil
  ) -> ReportSummary {
    let counted = plan?.kept[...] ?? table.entries.prefix(table.indexedCount)
    let all = plan?.kept ?? table.entries
    return ReportSummary(
      verdict, entries: EntryCount(counted.lazy.map(\.origin.evidence)),
      findings: table.findings.count + (plan?.changes.count ?? 0),
      cautioned: all.count { !$0.origin.cautions.isEmpty },
      recoverable: EntryCount(entries: table.recoverableCount),
      past: past.map(PastRecords.init), isEmptied: table.isEmptied,
      exit: status.rawValue)
  }
}
