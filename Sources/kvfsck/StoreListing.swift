import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

extension OpensStores {
  /// Lists the stores in the folder or archive that was named `path`, for a command that takes one
  /// store, and says how to go on with it.
  ///
  /// - Returns: The combined status of all stores.
  func listStores(in path: String, for command: String, _ report: Reports) -> ExitStatus {
    let root = ProcessArguments.path(path)
    var first: FilePath?
    let status: ExitStatus
    do throws(DiscoveryError) {
      let run = ScanRun(
        try ScanOptions.scanOfAll(options, report), report,
        ended: { if first == nil, $0.verdict != nil { first = $0.path } })
      status = run.status(of: .paths([root]), judging: true)
    } catch {
      report.complain(error.message)
      return .failed
    }
    if let first, !report.areUnread {
      report.output.flush()
      Output.note(
        "\(path) has these stores; name one of them: kvfsck \(command) \(ShellWord.text(first))")
    }
    return status
  }
}
