import KVRecovery
import KVReport

extension ReportSummary {
  /// The outcome of a command that goes by `plan`, with the exit status `status`.
  init(_ diagnosis: Diagnosis, _ plan: RepairPlan?, exit status: ExitStatus) {
    self.init(
      diagnosis.verdict, entries: plan?.kept.count ?? 0, findings: diagnosis.findings.count,
      cautioned: plan?.kept.count { !$0.cautions.isEmpty } ?? 0, exit: status.rawValue)
  }
}
