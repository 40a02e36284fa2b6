import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The check of one path: what it reports, and the resulting exit status.
struct StoreCheck {
  let options: StoreOptions
  let judgement: JudgementOptions
  /// What the stores are expected to be, if that was given.
  let expectations: ExpectationFiles?
  let report: Reports
  /// Called with the outcome of each store that was read.
  let ended: (StoreOutcome) -> Void

  /// Checks the store at `path`, unless its files are `isRepeated`; calls `several` for a folder with
  /// more than one.
  func status(
    of path: String, several: (() -> Void)?, isRepeated: (([StoreFile]) -> Bool)? = nil
  ) -> ExitStatus {
    let name = ExpectationFiles.name(of: ProcessArguments.path(path), in: nil)
    var isOne = true
    defer { if isOne { expectations?.pass(name) } }
    return StoreOpening.open(
      path, options, report, table: { check($0, name) },
      several: several.map { several in
        {
          isOne = false
          several()
        }
      },
      unknown: { found in
        predict(found.open())
        return nil
      }, isRepeated: isRepeated,
      { found in
        let (store, diagnosis) = found.open().examined(now: options.clock)
        return check(store, diagnosis, name)
      })
  }

  /// Checks a store that was found in `root`, a folder or an archive.
  func status(of found: TreeScan.Result, in root: FilePath) -> ExitStatus {
    let name = ExpectationFiles.name(of: found.outcome.path, in: root)
    report(.begun(path: ReportedPath(found.outcome.path)))
    defer { expectations?.pass(name) }
    return switch found.content {
    case .log(let store, let diagnosis): check(store, diagnosis, name)
    case .table(let table): check(table, name)
    case nil: fail(found.outcome)
    }
  }

  private func fail(_ outcome: StoreOutcome) -> ExitStatus {
    ended(outcome)
    return StoreOpening.fail(outcome, report)
  }

  private func check(_ table: EntryTable, _ name: FilePath) -> ExitStatus {
    let found = TableStatus(of: table)
    let judged = judge(name, found.verdict, table.findings, table.formatName) {
      StoreFacts(table, verdict: found.verdict)
    }
    report(.read(table, clock: options.clock))
    report(.findings(table.findings, in: table.files))
    report(.versions(table.versions))
    report(.predictions(EnginePrediction.all(for: table), isAppAsked: false))
    if let result = judged.result { report(.expected(result)) }
    report(.summary(found.summary(judged.status, past: table.past?())))
    if let main = table.files.first { ended(StoreOutcome(table, at: main.path)) }
    return judged.status
  }

  private func check(
    _ store: some Store, _ diagnosis: Diagnosis, _ name: FilePath
  ) -> ExitStatus {
    let judged = judge(name, diagnosis.verdict, diagnosis.findings, store.formatName) {
      // The entries that `dump` prints by default.
      StoreFacts(
        store, diagnosis, RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    }
    report(.opened(store, clock: options.clock))
    report(.findings(diagnosis.findings, in: store.files))
    report(.states(diagnosis.states))
    report(.predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked))
    report(.coverage(diagnosis.coverage))
    if let result = judged.result { report(.expected(result)) }
    report(.summary(ReportSummary(diagnosis, exit: judged.status)))
    if let main = store.files.first { ended(StoreOutcome(store, diagnosis, at: main.path)) }
    return judged.status
  }

  /// Reports what an app would do if it found these files in place of its store.
  private func predict(_ opened: some Store) {
    let (store, diagnosis) = opened.examined(now: options.clock)
    report(.predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked))
  }

  // MARK: Judging

  /// The exit status, and the comparison with what was expected, if that was given.
  private typealias Judgement = (status: ExitStatus, result: ExpectationResult?)

  /// Judges the store called `name`, of `format`, which has these facts.
  private func judge(
    _ name: FilePath, _ verdict: Verdict, _ findings: [Finding], _ format: String,
    _ facts: () -> StoreFacts
  ) -> Judgement {
    let warnings = judgement.failOn.status(of: findings)
    let usual = verdict.exitStatus.union(warnings)
    let wanted: Expectations
    let file: String
    switch expectations?.wanted(name) {
    case nil: return (usual, nil)
    case .unlisted(let reason):
      let result = ExpectationResult(
        from: expectations?.name ?? "", [.unlisted(format, because: reason)],
        hasUnexpectedFindings: !usual.isEmpty, isMet: false)
      return (usual.union(.damaged), result)
    case .expectations(let own, let name): (wanted, file) = (own, name)
    }
    let differences = wanted.differences(from: facts())
    // What the file of expectations does not cover counts as it does without one.
    let damage = wanted.coverDamage ? [] : verdict.exitStatus
    let unexpected = damage.union(wanted.coverFindings ? [] : warnings)
    let result = ExpectationResult(
      from: file, differences, hasUnexpectedFindings: !unexpected.isEmpty,
      isMet: wanted.coverDamage && differences.isEmpty && unexpected.isEmpty)
    return (differences.isEmpty ? unexpected : usual.union(.damaged), result)
  }
}
