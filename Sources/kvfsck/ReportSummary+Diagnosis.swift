import KVModel
import KVRecovery
import KVReport

extension ReportSummary {
  /// Creates the summary of a command that follows `plan` for `store`, with the exit status
  /// `status`.
  init(
    _ diagnosis: Diagnosis, _ plan: RepairPlan?, of store: some Store, exit status: ExitStatus
  ) {
    self.init(
      diagnosis, of: store, entries: plan?.kept.count ?? 0,
      cautioned: plan?.kept.count { !$0.cautions.isEmpty } ?? 0, exit: status)
  }

  /// Creates the summary of a command that only reads `store`, with the exit status `status`.
  init(_ diagnosis: Diagnosis, of store: some Store, exit status: ExitStatus) {
    self.init(
      diagnosis, of: store, entries: diagnosis.entryCount, cautioned: 0,
      exit: status)
  }

  private init(
    _ diagnosis: Diagnosis, of store: some Store, entries: Int, cautioned: Int,
    exit status: ExitStatus
  ) {
    self.init(
      diagnosis.verdict, entries: entries, findings: diagnosis.findings.count,
      cautioned: cautioned, recoverable: diagnosis.recoverableCount(of: store),
      isEmptied: diagnosis.isEmptied(store), exit: status.rawValue)
  }
}
