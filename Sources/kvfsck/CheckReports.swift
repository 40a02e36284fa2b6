import KVBytes
import KVReport
import KVSystem
import SystemPackage

/// Keeps what was found out about every path, and writes the reports that were asked for.
struct CheckReports {
  let options: StoreOptions
  let judgement: JudgementOptions
  private var stores: [CheckedStore] = []

  init(_ options: StoreOptions, _ judgement: JudgementOptions) {
    self.options = options
    self.judgement = judgement
  }

  /// Whether results are needed even where nobody reads what is printed.
  var areWanted: Bool { judgement.writesReports }

  /// Keeps what was found out about a path.
  mutating func add(_ store: CheckedStore) {
    if areWanted { stores.append(store) }
  }

  /// Writes the reports of a run that ends with `status`; what cannot be written is said.
  ///
  /// - Returns: `status`, and that of the failures.
  func write(_ status: ExitStatus) -> ExitStatus {
    var status = status
    if let path = judgement.junit {
      let file = ReportFile(
        path: ProcessArguments.path(path), kind: "JUnit", opening: JUnitReport.opening)
      status.formUnion(write(JUnitReport(stores).bytes, to: file))
    }
    if let path = judgement.sarif {
      let file = ReportFile(
        path: ProcessArguments.path(path), kind: "SARIF", opening: SARIFReport.opening)
      let report = SARIFReport(stores, version: Kvfsck.version, exit: status.rawValue)
      status.formUnion(write(report.bytes, to: file))
    }
    return status
  }

  private func write(_ bytes: [UInt8], to file: ReportFile) -> ExitStatus {
    let named = [judgement.expect, options.keyFile, options.candidateKeys].compactMap { $0 }
    let read = stores.flatMap(\.files).map(\.path)
    do throws(ReportFile.Failure) {
      try file.write(
        bytes, beside: read + (stores.map(\.path) + named).map(ProcessArguments.path),
        permissions: PendingWrite.usualPermissions.intersection(
          Folder.commonPermissions(of: read) ?? .ownerReadWrite))
      return []
    } catch {
      OpenedStore.complain(error.message)
      return .failed
    }
  }
}
