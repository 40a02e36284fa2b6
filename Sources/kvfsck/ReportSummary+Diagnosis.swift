import KVModel
import KVRecovery
import KVReport

extension ReportSummary {
  /// Creates the summary of a command that follows `plan` for `store`, with the exit status
  /// `status`.
  init(
    _ diagnosis: Diagnosis, _ plan: RepairPlan?, exit status: ExitStatus
  ) {
    self.init(
      diagnosis,
      entries: plan?.entries ?? EntryCount(),
      cautioned: plan?.cautionedCount ?? 0, exit: status)
  }

  /// Creates the summary of a command that only reads `store`, with the exit status `status`.
  init(_ diagnosis: Diagnosis, exit status: ExitStatus) {
    self.init(
      diagnosis, entries: diagnosis.entries, cautioned: 0, exit: status)
  }

  private init(
    _ diagnosis: Diagnosis, entries: EntryCount, cautioned: Int, exit status: ExitStatus
  ) {
    self.init(
      diagnosis.verdict, entries: entries, findings: diagnosis.findings.count,
      cautioned: cautioned, recoverable: diagnosis.recoverable, past: diagnosis.past,
      isEmptied: diagnosis.isEmptied, exit: status.rawValue)
  }
}
