import ArgumentParser
import KVReport

/// `kvfsck check`: says what is wrong, and what the app's engine will make of it.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Diagnose stores, and say what the app's own engine will do at its next launch.",
    discussion: """
      Writes nothing but the reports that --junit and --sarif name. Exit status 0 clean, 4 damaged \
      or not as expected, 8 unreadable. Docs/CI.md has recipes.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup var judgement: JudgementOptions

  @Option(
    name: .customShort("C"),
    help: ArgumentHelp(
      "Print `stage current maximum path` lines to this file descriptor.", valueName: "fd"))
  var progress: Int32?

  @Argument(help: ArgumentHelp("The stores.", valueName: "store"))
  var stores: [String]

  func validate() throws {
    if stores.contains("") { throw ValidationError("A store's path is empty.") }
    if judgement.expect != nil, stores.count != 1 {
      throw ValidationError("--expect compares one store; call kvfsck once for each.")
    }
  }

  func run() throws {
    let expectations = try judgement.expectations()
    options.warnOfVisibleKey()
    let progress = Progress(descriptor: progress, maximum: stores.count)
    let report = Reports(
      options, .check, documents: judgement.documents,
      named: [judgement.expect, options.keyFile, options.candidateKeys].compactMap { $0 })
    let check = StoreCheck(
      options: options, judgement: judgement, expectations: expectations, report: report)
    var status: ExitStatus = []
    for (index, path) in stores.enumerated() {
      progress.report("check", index, path)
      status.formUnion(check.status(of: path))
      if report.areUnread { break }
    }
    progress.report("done", stores.count, "")
    throw report.end(status)
  }
}
