import KVModel
import KVRecovery
import KVReport

/// The check of one path: what is printed, and what it comes to.
struct StoreCheck {
  /// What was found out, and the exit status that goes with it.
  typealias Result = (store: CheckedStore, status: ExitStatus)

  let options: StoreOptions
  let judgement: JudgementOptions
  /// What the store shall be, where that was said.
  let expectations: Expectations?
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
    let judged = judge(found.verdict, table.findings) { StoreFacts(table, verdict: found.verdict) }
    if options.json {
      let report = output.json
      report.table(table, withEntries: false)
      report.differences(judged.differences)
      report.summary(
        verdict: found.verdict.rawValue, entries: found.entryCount,
        findings: found.findingCount, exit: judged.status.rawValue, cautioned: 0)
    } else {
      let report = TextReport(inColour: Terminals.usesColour) { output.write($0) }
      if judgement.expect == nil {
        report.table(table)
      } else {
        printComparison(judged, path, found.verdict)
        if judged.isUnexpected { report.findings(table.findings, in: table.files) }
      }
    }
    let store = CheckedStore(
      path: path, formatName: table.formatName, files: table.files, verdict: found.verdict,
      entryCount: found.entryCount, findings: table.findings, differences: judged.differences,
      isAsExpected: judged.isAsExpected, outcome: judged.status.outcome)
    return (store, judged.status)
  }

  private func check(_ store: some Store, _ path: String) -> Result {
    let diagnosis = Diagnosis(of: store, now: options.clock)
    let entryCount = diagnosis.best?.snapshot.live.count ?? 0
    let judged = judge(diagnosis.verdict, diagnosis.findings) {
      // The entries that `dump` prints when no other choice is made.
      StoreFacts(
        store, diagnosis, RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    }
    if options.json {
      let report = output.json
      report.store(store)
      report.findings(diagnosis.findings)
      report.states(diagnosis.states)
      report.predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked)
      report.coverage(diagnosis.coverage)
      report.differences(judged.differences)
      report.summary(
        verdict: diagnosis.verdict.rawValue, entries: entryCount,
        findings: diagnosis.findings.count, exit: judged.status.rawValue, cautioned: 0)
    } else {
      let report = TextReport(inColour: Terminals.usesColour) { output.write($0) }
      if judgement.expect == nil {
        report.check(store, diagnosis)
      } else {
        printComparison(judged, path, diagnosis.verdict)
        if judged.isUnexpected { report.findings(diagnosis.findings, of: store) }
      }
    }
    let checked = CheckedStore(
      path: path, formatName: store.formatName, files: store.files, verdict: diagnosis.verdict,
      entryCount: entryCount, findings: diagnosis.findings, differences: judged.differences,
      isAsExpected: judged.isAsExpected, outcome: judged.status.outcome)
    return (checked, judged.status)
  }

  // MARK: Judging

  private struct Judgement {
    let status: ExitStatus
    let differences: [Difference]
    /// Whether there are findings that count and that the expectations do not speak of.
    let isUnexpected: Bool
    /// Whether the expectations speak of damage, and all of them are met.
    let isAsExpected: Bool
  }

  private func judge(
    _ verdict: Verdict, _ findings: [Finding], _ facts: () -> StoreFacts
  ) -> Judgement {
    let warnings = judgement.failOn.status(of: findings)
    guard let expectations else {
      return Judgement(
        status: verdict.exitStatus.union(warnings), differences: [], isUnexpected: false,
        isAsExpected: false)
    }
    let differences = expectations.differences(from: facts())
    // What the file does not speak of counts as it does without one.
    let damage = expectations.coverDamage ? [] : verdict.exitStatus
    let unexpected = damage.union(expectations.coverFindings ? [] : warnings)
    return Judgement(
      status: differences.isEmpty
        ? unexpected : verdict.exitStatus.union(warnings).union(.damaged),
      differences: differences, isUnexpected: !unexpected.isEmpty,
      isAsExpected: expectations.coverDamage && differences.isEmpty && unexpected.isEmpty)
  }

  private func printComparison(_ judged: Judgement, _ path: String, _ verdict: Verdict) {
    let file = judgement.expect ?? ""
    TextReport(inColour: Terminals.usesColour) { output.write($0) }
      .differences(judged.differences, of: path, from: file, verdict: verdict)
    if judged.isUnexpected {
      output.write("\(TextReport.printable(file)) says nothing of what was found:")
    }
  }
}

extension ExitStatus {
  /// What the status of a single store says of it.
  var outcome: CheckedStore.Outcome {
    contains(.failed) ? .notRun : isEmpty ? .passed : .failed
  }
}
