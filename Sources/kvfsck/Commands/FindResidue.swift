import ArgumentParser
import ExchangeFormats
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit

/// `kvfsck residue`: finds values that apps have removed or replaced, and that their files still have.
struct FindResidue: ParsableCommand, OpensStores {
  /// What makes the command fail.
  enum Threshold: String, CaseIterable, ExpressibleByArgument {
    case residue, secret
  }

  static let configuration = CommandConfiguration(
    commandName: "residue",
    abstract: "Find what is still readable of values that apps have removed or replaced.",
    discussion: """
      Looks into the stores that kvfsck scan finds: in logs, after their ends, in gaps, in other copies \
      and versions of files, and in free pages of databases. Lists each value with its key, what became \
      of it, and the kind of secret that it is or contains: private-key, jwt, token, mnemonic, key, password, \
      card, iban, email, phone. The values themselves are printed with --show only. To get rid of them: \
      kvfsck wipe. --table and its columns are for other commands. Exit status: 0 whatever is found, 4 with --fail-on, 8 if a path cannot be read.
      """)

  @OptionGroup var options: StoreOptions

  @Option(
    help: ArgumentHelp(
      "Exit with 4 if any value is left (residue), or one that is a secret (secret).",
      valueName: "what"))
  var failOn: Threshold?

  @Flag(help: "List secrets only.")
  var secrets = false

  @OptionGroup(title: "Scan Options") var extent: ScanOptions

  @Argument(
    help: ArgumentHelp(
      "Folders and files; - for a list of paths on standard input, one per line.",
      valueName: "path"), completion: .file())
  var paths: [String] = []

  static var hidesValues: Bool { true }

  func validate() throws {
    try extent.validate(paths, options, of: "residue")
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .scan)
    var totals = ResidueTotals()
    var status: ExitStatus
    do throws(DiscoveryError) {
      let scan = try extent.scan(options, report, residueBy: NestedContent.opened)
      let run = ScanRun(
        scan, report, show: { result in show(result, &totals, report) },
        conclusion: { .residueTotals(totals.over($0)) })
      status = run.status(of: try extent.roots(paths))
    } catch {
      report.complain(error.message)
      status = .failed
    }
    let count =
      switch failOn {
      case .residue: totals.valueCount
      case .secret: totals.secretCount
      case nil: 0
      }
    if count > 0 { status.formUnion(.damaged) }
    throw report.end(status)
  }

  /// Reports what is left in a store.
  private func show(_ result: TreeScan.Result, _ totals: inout ResidueTotals, _ report: Reports) {
    guard let all = result.residue else { return }
    let residue = secrets ? all.secrets : all
    totals.add(residue)
    report(.left(residue, in: result.outcome, isShown: options.show))
  }
}
