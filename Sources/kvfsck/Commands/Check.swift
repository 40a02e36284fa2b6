import ArgumentParser
import KVModel
import KVRecovery
import KVReport

/// `kvfsck check`: says what is wrong, and what the app's engine will make of it.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Diagnose stores, and say what the app's own engine will do at its next start.",
    discussion: "Writes nothing. Exit status 0 clean, 4 damaged, 8 unreadable.")

  @OptionGroup var options: StoreOptions

  @Option(
    name: .customShort("C"),
    help: ArgumentHelp(
      "Print `stage current maximum path` lines to this file descriptor.", valueName: "fd"))
  var progress: Int32?

  @Argument(help: ArgumentHelp("The stores.", valueName: "store"))
  var stores: [String]

  func validate() throws {
    if stores.contains("") { throw ValidationError("A store's path is empty.") }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let output = Output.standard
    let progress = Progress(descriptor: progress, maximum: stores.count)
    var status: ExitStatus = []
    for (index, path) in stores.enumerated() {
      progress.report("check", index, path)
      if index > 0, !options.json { output.write("") }
      status.formUnion(
        OpenedStore.open(
          path, options, output, table: { check($0, output) },
          { format, files in check(format.open(files), output) }))
      if output.isClosed { break }
    }
    progress.report("done", stores.count, "")
    throw status.union(output.finish())
  }

  private func check(_ table: EntryTable, _ output: Output) -> ExitStatus {
    let status = TableStatus(of: table)
    if options.json {
      let report = JSONLinesReport { output.write($0) }
      report.table(table, withEntries: false)
      report.summary(status)
    } else {
      TextReport(inColour: Terminals.usesColour) { output.write($0) }.table(table)
    }
    return status.exitStatus
  }

  private func check(_ store: some Store, _ output: Output) -> ExitStatus {
    let diagnosis = Diagnosis(of: store, now: options.clock)
    let status = diagnosis.verdict.exitStatus
    if options.json {
      let report = JSONLinesReport { output.write($0) }
      report.store(store)
      report.findings(diagnosis.findings)
      report.states(diagnosis.states)
      report.predictions(diagnosis.predictions, isAppAsked: store.isAppAsked)
      report.coverage(diagnosis.coverage)
      report.summary(
        verdict: diagnosis.verdict.rawValue, entries: diagnosis.best?.snapshot.live.count ?? 0,
        findings: diagnosis.findings.count, exit: status.rawValue, cautioned: 0)
    } else {
      TextReport(inColour: Terminals.usesColour) { output.write($0) }.check(store, diagnosis)
    }
    return status
  }
}
