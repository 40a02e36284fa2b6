import KVModel
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

extension LostAndFound {
  /// Returns the file with the entries that `plan` sets aside, in the form of the JSON report;
  /// `nil` if there are none.
  static func file(
    _ plan: RepairPlan, of store: some Store, clock: UInt32, in folder: FilePath
  ) -> EncodedFile? {
    guard !plan.aside.isEmpty else { return nil }
    var bytes: [UInt8] = []
    let reporter = JSONLinesReporter(forTerminal: false) { bytes += $0 }
    reporter.report(.opened(store, clock: clock))
    WorkProgress.forEach(of: plan.aside, .aside) { reporter.report(.aside($0)) }
    reporter.finish()
    let name = store.files.first?.path.lastName ?? FilePath(store.formatName)
    return file(bytes, of: name, in: folder)
  }
}
