import ArgumentParser
import KVModel
import KVReport
import KVSystem

/// `kvfsck check`: reports what is wrong, and what the app's engine will do.
struct Check: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say what is wrong with stores, and what the app will do at its next launch.",
    discussion: """
      A folder with several stores is listed, a line a store, as kvfsck scan does, unless one of the \
      options for continuous integration asks for more. Writes nothing but the reports that --junit \
      and --sarif name. `kvfsck explain CODE` says what a finding means. Docs/CI.md has recipes for \
      continuous integration. Exit status: 0 clean, 4 damaged or not as expected, 8 unreadable.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Continuous Integration") var judgement: JudgementOptions

  @Option(
    name: .customShort("C"),
    help: ArgumentHelp(
      "Print progress to this file descriptor: `stage current maximum path`.", valueName: "fd"))
  var progress: Int32?

  @Flag(
    name: .short,
    help: "As fsck(8) has it: write nothing to the stores, which check never does.")
  var no = false

  @Argument(help: ArgumentHelp("The stores.", valueName: "store"), completion: .file())
  var stores: [String]

  /// A report file must be complete even if no one reads standard output.
  var statusWhenUnread: ExitStatus? { judgement.documents.isEmpty ? [] : nil }

  func validate() throws {
    try options.validate(stores: stores)
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
      named: [judgement.expect, options.candidateKeys].compactMap { $0 } + options.key.files,
      namesStores: stores.count > 1)
    let check = StoreCheck(
      options: options, judgement: judgement, expectations: expectations, report: report)
    var status: ExitStatus = []
    for (index, path) in stores.enumerated() {
      progress.report("check", index, path)
      var hasSeveral = false
      status.formUnion(
        check.status(of: path, several: judgement.isUsual ? { hasSeveral = true } : nil))
      if hasSeveral { status.formUnion(list(path, report)) }
      if report.areUnread { break }
    }
    progress.report("done", stores.count, "")
    throw report.end(status)
  }

  /// Lists the stores in the folder at `path`.
  ///
  /// - Returns: The combined status of all of them, as if each had been named.
  private func list(_ path: String, _ report: Reports) -> ExitStatus {
    do throws(DiscoveryError) {
      let scan = try ScanOptions.scanOfAll(options, report)
      return ScanRun(scan, report).status(
        of: .paths([ProcessArguments.path(path)]), judging: true)
    } catch {
      report.complain(error.message)
      return .failed
    }
  }
}
