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
      entries: Self.count(of: plan),
      cautioned: plan.map(Self.cautionedCount) ?? 0, exit: status)
  }

  /// Returns the number of entries that `plan` keeps or sets aside, with the unlikely ones apart.
  private static func count(of plan: RepairPlan?) -> EntryCount {
    var count = EntryCount()
    guard let plan else { return count }
    // By index, as an iterator would copy each entry.
    for index in plan.kept.indices { count.add(isGuess: plan.kept[index].isUnlikely) }
    for entry in plan.unlikely { count.add(isGuess: entry.isUnlikely) }
    return count
  }

  private static func cautionedCount(of plan: RepairPlan) -> Int {
    plan.kept.indices.count { !plan.kept[$0].cautions.isEmpty }
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
