import ArgumentParser
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport

/// `kvfsck map`: prints an annotated hexdump.
struct Map: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "Print every byte of every file with its meaning.",
    discussion: """
      With --blocks, prints a picture of each file instead. Each block stands for as many \
      bytes as needed to fit the file on a screen. Findings go to stderr. Exit status: 0 clean, 4 damaged, \
      8 unreadable.
      """)

  @OptionGroup var options: StoreOptions

  @Flag(help: "Print a picture of each file in blocks, colored by what the bytes are.")
  var blocks = false

  @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
  var store: String

  func validate() throws {
    try options.validate(stores: [store])
    if blocks, options.printing.json {
      throw ValidationError(
        "--blocks prints a picture for people; --json lists every region without it.")
    }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .map)
    let status = StoreOpening.open(store, options, report) { found in
      map(found.open(), report)
    }
    throw report.end(status)
  }

  private func map(_ opened: some Store, _ report: Reports) -> ExitStatus {
    let (store, diagnosis) = opened.examined(now: options.clock)
    let status = diagnosis.verdict.exitStatus
    report(.opened(store, clock: options.clock))
    let map = ByteMap(of: store, by: diagnosis.best)
    report(blocks ? .overview(map) : .map(map))
    report(.findings(diagnosis.findings, in: store.files))
    report(.summary(ReportSummary(diagnosis, exit: status)))
    return status
  }
}
