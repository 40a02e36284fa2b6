import ArgumentParser
import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVSystem

/// `kvfsck map`: prints an annotated hexdump.
struct Map: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "Print every byte of every file with its owner.",
    discussion: "Findings go to stderr. Exit status as with `check`.")

  @OptionGroup var options: StoreOptions

  @Argument(help: ArgumentHelp("The store.", valueName: "store"))
  var store: String

  func validate() throws {
    if store.isEmpty { throw ValidationError("A store's path is empty.") }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let output = Output.standard
    Interruption.endProcess(whenUnread: .output)
    let status = OpenedStore.open(store, options, output) { format, files in
      map(format.open(files), output)
    }
    throw status.union(output.finish())
  }

  private func map(_ store: some Store, _ output: Output) -> ExitStatus {
    let diagnosis = Diagnosis(of: store, now: options.clock)
    if options.json {
      let report = output.json
      report.store(store)
      for region in ByteMap(of: store, by: diagnosis.best).regions { report.region(region) }
      report.findings(diagnosis.findings)
      report.summary(
        verdict: diagnosis.verdict.rawValue, entries: diagnosis.best?.snapshot.live.count ?? 0,
        findings: diagnosis.findings.count, exit: diagnosis.verdict.exitStatus.rawValue,
        cautioned: 0)
    } else {
      HexReport { output.write($0) }.map(store, by: diagnosis.best)
      let errors = Output.error
      TextReport(inColour: Terminals.usesColourOnError) { errors.write($0) }
        .findings(diagnosis.findings.filter { $0.severity > .note }, of: store)
    }
    return diagnosis.verdict.exitStatus
  }
}
