import ArgumentParser
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// `kvfsck scan`: finds every store below some paths, and reports its condition.
struct Scan: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract:
      "Find every store in folders and archives and report its condition, one line per store.",
    discussion: """
      Searches folders recursively. The files of one store share a line; other files \
      are skipped; links are not followed. Archives (ZIP, TAR, backups of Android and iOS) are searched \
      too; a file in one is named ARCHIVE!MEMBER. On a terminal, prints a table, worst last; into a \
      pipe, or with --json, one JSON object per store, in the order of the paths. --table and its \
      columns are for other commands. Exit status: 0 whatever is found, 8 if a path cannot be read.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Scan Options") var extent: ScanOptions

  @Argument(
    help: ArgumentHelp(
      "Folders and files; - for a list of paths on standard input, one per line.",
      valueName: "path"), completion: .file())
  var paths: [String] = []

  func validate() throws {
    try extent.validate(paths, options, of: "scan")
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .scan, isPiped: !Terminal.isInteractive(.output))
    let status: ExitStatus
    do throws(DiscoveryError) {
      let scan = try extent.scan(options, report)
      let run = ScanRun(scan, report)
      status = run.status(of: try extent.roots(paths))
    } catch {
      report.complain(error.message)
      status = .failed
    }
    throw report.end(status)
  }
}
