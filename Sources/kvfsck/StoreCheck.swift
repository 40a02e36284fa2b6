import KVModel
import KVRecovery
import KVReport

/// The check of one path: what is printed, and what it comes to.
struct StoreCheck {
  /// What was found out, and the exit status that goes with it.
  typealias Result = (store: CheckedStore, status: ExitStatus)

  let options: StoreOptions
  let judgement: JudgementOptions
  let output: Output

  /// Checks the store at `path`.
  func result(for path: String) -> Result {
    var obstacle = ""
    var result: Result?
    let status = OpenedStore.open(
      path, options, output,
      table: { table in
        let found = check(table, path)
        result = found
        return found.status
      },
      failed: { obstacle = $0 },
      { format, files in
        let found = check(format.open(files), path)
        result = found
        return found.status
      })
    return result ?? (CheckedStore(path: path, obstacle: obstacle), status)
  }

  private func check(_ table: EntryTable, _ path: String) -> Result {
    let found = TableStatus(of: table)
    let status = found.exitStatus.union(judgement.failOn.status(of: table.findings))
    if options.json {
      let report = JSONLinesReport { output.write($0) }
      report.table(table, withEntries: false)
      report.summary(
        verdict: found.verdict.rawValue, entries: found.entryCount,
        findings: found.findingCount, exit: status.rawValue, cautioned: 0)
    } else {
      TextReport(inColour: Terminals.usesColour) { output.write($0) }.table(table)
    }
    let store = CheckedStore(
      path: path, formatName: table.formatName, files: table.files, verdict: found.verdict,
      entryCount: found.entryCount, findings: table.findings, outcome: status.outcome)
    return (store, status)
  }

  private func check(_ store: some Store, _ path: String) -> Result {
    let diagnosis = Diagnosis(of: store, now: options.clock)
    let entryCount = diagnosis.best?.snapshot.live.count ?? 0
    let status = diagnosis.verdict.exitStatus
      .union(judgement.failOn.status(of: diagnosis.findings))
    if options.json {
      let report = JSONLinesReport { output.write($0) }
      report.store(store)
      report.findings(diagnosis.findings)
      report.states(diagnosis.states)
      report.predictions(diagnosis.predictions, isAppAsked: store.isAppAsked)
      report.coverage(diagnosis.coverage)
      report.summary(
        verdict: diagnosis.verdict.rawValue, entries: entryCount,
        findings: diagnosis.findings.count, exit: status.rawValue, cautioned: 0)
    } else {
      TextReport(inColour: Terminals.usesColour) { output.write($0) }.check(store, diagnosis)
    }
    let checked = CheckedStore(
      path: path, formatName: store.formatName, files: store.files, verdict: diagnosis.verdict,
      entryCount: entryCount, findings: diagnosis.findings, outcome: status.outcome)
    return (checked, status)
  }
}

extension ExitStatus {
  /// What the status of a single store says of it.
  var outcome: CheckedStore.Outcome {
    contains(.failed) ? .notRun : isEmpty ? .passed : .failed
  }
}
