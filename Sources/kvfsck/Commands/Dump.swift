import ArgumentParser
import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVSystem

/// `kvfsck dump`: prints what a store holds.
struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print the live entries, or with --history every record.",
    discussion: """
      Of a damaged store it prints what `repair` would keep with both answers `recover`, unless \
      other choices are given. MMKV stores no types: every reading that fits is printed, the \
      likeliest first. Findings go to stderr.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup var choices: ChoiceOptions

  @Flag(help: "Print every record in file order: superseded, removed and slack ones too.")
  var history = false

  @Argument(help: ArgumentHelp("The store.", valueName: "store"))
  var store: String

  func validate() throws {
    if store.isEmpty { throw ValidationError("A store's path is empty.") }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let output = Output.standard
    Interruption.endProcess(whenUnread: .output)
    let status = OpenedStore.open(
      store, options, output, table: { dump($0, output) },
      { format, files in dump(format.open(files), output) })
    throw status.union(output.finish())
  }

  private func dump(_ opened: some Store, _ output: Output) -> ExitStatus {
    let store = choices.likeEngine ? opened.asFound : opened
    let now = options.clock
    let json = output.json
    if options.json {
      json.store(store)
      // Whoever wants no more than this line need not wait for the rest.
      output.flush()
    }
    let diagnosis = Diagnosis(of: store, now: now)
    var status = diagnosis.verdict.exitStatus
    let plan = choices.planner(now: now, otherwise: .recover).plan(store, given: diagnosis)
    if plan == nil, diagnosis.verdict != .unreadable, let state = choices.state {
      OpenedStore.complain("the files hold no evidence for the state \(state.rawValue)")
      status.formUnion(.failed)
    }
    let entries: Int
    if options.json {
      if history, let state = historyState(diagnosis) {
        History(of: store, by: state).forEach { json.event($0, of: store, now: now) }
      } else if let plan {
        json.entries(plan, of: store, now: now)
        json.dropped(plan, of: store, now: now)
      }
      json.findings(diagnosis.findings)
      entries = plan?.kept.count ?? 0
      json.summary(
        verdict: diagnosis.verdict.rawValue, entries: entries,
        findings: diagnosis.findings.count, exit: status.rawValue,
        cautioned: plan?.kept.count { !$0.cautions.isEmpty } ?? 0)
    } else {
      let report = TextReport(inColour: Terminals.usesColour) { output.write($0) }
      if history, let state = historyState(diagnosis) {
        History(of: store, by: state).forEach { report.event($0, of: store, now: now) }
      } else if let plan {
        report.entries(plan, of: store, now: now)
      }
      let errors = Output.error
      TextReport(inColour: Terminals.usesColourOnError) { errors.write($0) }
        .findings(diagnosis.findings.filter { $0.severity > .note }, of: store)
    }
    return status
  }

  private func dump(_ table: EntryTable, _ output: Output) -> ExitStatus {
    let status = TableStatus(of: table)
    if options.json {
      let report = output.json
      report.table(table, withEntries: true)
      report.summary(status)
    } else {
      TextReport(inColour: Terminals.usesColour) { output.write($0) }.entries(table)
      let errors = Output.error
      TextReport(inColour: Terminals.usesColourOnError) { errors.write($0) }
        .findings(table.findings.filter { $0.severity > .note }, in: table.files)
    }
    return status.exitStatus
  }

  private func historyState(_ diagnosis: Diagnosis) -> StoreState? {
    choices.state.flatMap { diagnosis.state($0) } ?? diagnosis.best
  }
}
