import ArgumentParser
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// `kvfsck check`: reports what is wrong, and what the app's engine will do.
struct Check: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check stores for damage and predict what the app will do at its next launch.",
    discussion: """
      For a folder with several stores, or with stores in its subfolders, prints one line per store, \
      as kvfsck scan does. With an option for continuous integration, checks each of these stores as \
      if it had been named. A store whose files are named one by one is reported once. After several \
      stores come the totals over all of them. Writes only the reports that --junit, --sarif and \
      --markdown name. `kvfsck explain CODE` explains a finding. Docs/CI.md has recipes for continuous \
      integration. Exit status: 0 clean, 4 damaged or not as expected, 8 unreadable.
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
    help: "Accepted for compatibility with fsck(8); check never writes to a store.")
  var no = false

  @Argument(help: ArgumentHelp("The stores.", valueName: "store"), completion: .file())
  var stores: [String]

  /// Creates the command for the parser.
  init() {}

  /// Creates a check of `stores` without options.
  init(of stores: [String]) {
    options = .unset
    judgement = .unset
    progress = nil
    no = false
    self.stores = stores
  }

  /// A report file must be complete even if no one reads standard output.
  var statusWhenUnread: ExitStatus? { judgement.documents.isEmpty ? [] : nil }

  /// Whether a folder was named, which may hold several stores.
  private var hasFolder: Bool {
    stores.contains { Folder.exists(ProcessArguments.path($0)) }
  }

  func validate() throws {
    try options.validate(stores: stores)
    if let expect = judgement.expect, stores.count != 1,
      !Folder.exists(ProcessArguments.path(expect))
    {
      throw ValidationError(
        "--expect compares one store with a file; for several, name a folder with a file for each.")
    }
  }

  func run() throws {
    let expectations = try judgement.expectations()
    options.warnOfVisibleKey()
    let progress = Progress(descriptor: progress, maximum: stores.count)
    let report = Reports(
      options, .check, storeCount: stores.count, documents: judgement.documents,
      named: [judgement.expect, options.candidateKeys].compactMap { $0 } + options.key.files,
      namesStores: stores.count > 1 || !judgement.isUsual && hasFolder)
    // One store needs neither totals nor a look back: what they are made of takes a small store's
    // check a tenth longer.
    let hasSeveral = stores.count > 1
    var totals = ScanTotals()
    let check = StoreCheck(
      options: options, judgement: judgement, expectations: expectations, report: report
    ) { if hasSeveral { totals.add($0) } }
    var status: ExitStatus = []
    var named = hasSeveral ? NamedStores() : nil
    for (index, path) in stores.enumerated() {
      progress.report("check", index, path)
      let count = totals.storeCount
      let own = self.status(of: path, &named, check, report)
      if own.contains(.failed), totals.storeCount == count { totals.addUnread() }
      status.formUnion(own)
      if report.areUnread { break }
    }
    status.formUnion(expectations?.reportMissing(to: report) ?? [])
    progress.report("done", stores.count, "")
    if hasSeveral, totals.storeCount > 1, !report.areUnread { report(.totals(totals)) }
    throw report.end(status)
  }

  /// Checks the store at `path`, or all stores in a folder or an archive; those that are `named`
  /// already are passed over.
  ///
  /// - Returns: The combined status of all of them, as if each had been named.
  private func status(
    of path: String, _ named: inout NamedStores?, _ check: StoreCheck, _ report: Reports
  ) -> ExitStatus {
    let place = ProcessArguments.path(path)
    guard named?.isNew(place) ?? true else { return [] }
    var hasSeveral = false
    let count = report.filesRead.count
    defer { named?.add(report.filesRead[count...]) }
    let known = named
    // A file of expectations is about one store.
    let status = check.status(
      of: path,
      several: check.expectations?.areOfSeveral ?? true ? { hasSeveral = true } : nil,
      isRepeated: known?.mayRepeat(place) == true ? { known?.includes($0) == true } : nil)
    return hasSeveral ? status.union(self.status(ofAllIn: place, check, report)) : status
  }

  /// Lists the stores below `folder`, or checks each of them if a document needs its findings.
  private func status(
    ofAllIn folder: FilePath, _ check: StoreCheck, _ report: Reports
  ) -> ExitStatus {
    do throws(DiscoveryError) {
      if judgement.isUsual {
        return ScanRun(try ScanOptions.scanOfAll(options, report), report, ended: check.ended)
          .status(of: .paths([folder]), judging: true)
      }
      var status: ExitStatus = []
      var isEmpty = true
      try ScanOptions.scanOfAll(options, report, keeping: .all).results(
        of: TreeWalk([folder]), overlapping: false, idle: report.output.flush
      ) { result in
        isEmpty = false
        status.formUnion(check.status(of: result, in: folder))
        return !report.areUnread
      }
      return isEmpty ? ScanRun.foundNothing(in: [folder], report) : status
    } catch {
      report.complain(error.message)
      return .failed
    }
  }
}
