import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The repair of all stores in a folder or an archive.
extension Repair {
  /// Repairs each store that is found at `root`, as if it had been named; one that cannot be
  /// repaired does not keep the others from it.
  ///
  /// - Returns: The combined status of all stores.
  func repairAll(at root: FilePath, _ report: Reports) -> ExitStatus {
    let work = TreeWork(
      roots: [root], out: out.map(ProcessArguments.path), isExecuted: isExecuted, verb: "repaired",
      cancelled: "kvfsck: error: cancelled; the remaining stores were not repaired\n")
    if let reason = refusal(root) ?? work.refusal.map({ $0 + ", or use --in-place" }) {
      report.complain(reason)
      return .failed
    }
    report(.several)
    var status: ExitStatus = []
    var totals = RepairTotals(isExecuted: isExecuted)
    var replaced: Set<FilePath> = []
    do throws(DiscoveryError) {
      status = try work.forEachStore(options, report) { result in
        if inPlace, isInArchive(result, below: root) { return passOver(result) }
        let own = repair(result, in: work, besides: replaced, report)
        totals.add(own.kind)
        if inPlace { replaced.formUnion(result.outcome.files) }
        return own.status
      }
    } catch {
      report.complain(error.message)
      return .failed
    }
    if totals.stores == 0 { return ScanRun.foundNothing(in: [root], report) }
    Interruption.hold()
    report(.repaired(totals, in: root))
    return status
  }

  /// Returns why none of the stores at `root` is repaired in place; `nil` if nothing speaks against
  /// it.
  private func refusal(_ root: FilePath) -> String? {
    guard inPlace, ArchiveFile(at: root) != nil else { return nil }
    return "\(root.text) is an archive, and archives are read-only; use --out DIR"
  }

  /// Returns whether `result` is about a store in an archive, which lies in the folder at `root`.
  private func isInArchive(_ result: TreeScan.Result, below root: FilePath) -> Bool {
    MemberPath.isMember(result.outcome.path) && Folder.exists(root)
      && ArchiveFile(at: root) == nil
  }

  /// Notes that a store in an archive is left as it is, if it is not clean.
  private func passOver(_ result: TreeScan.Result) -> ExitStatus {
    let outcome = result.outcome
    guard outcome.verdict != .clean else { return [] }
    Output.note(
      "\(outcome.path.text) is in an archive, and archives are read-only; repair it with --out DIR")
    return outcome.verdict?.exitStatus ?? .failed
  }

  /// Repairs one store, unless it shares one of the files at `others`, which belong to stores that
  /// were repaired in place before.
  private func repair(
    _ result: TreeScan.Result, in work: TreeWork, besides others: Set<FilePath>,
    _ report: Reports
  ) -> Outcome {
    let place = result.outcome.path
    let path = place.text
    func fail(_ reason: String) -> Outcome {
      report(.begun(path: ReportedPath(place)))
      return Outcome(status: StoreOpening.fail(ReportedPath(place), reason, report))
    }
    if let shared = result.outcome.files.first(where: others.contains) {
      return fail(
        "\(path) shares \(shared.text) with a store that was repaired before, so it is left as it is"
      )
    }
    guard let destination = destination(of: place, in: work) else {
      return fail("\(path) has a name that leads out of the new folder")
    }
    if result.outcome.isUnread {
      report(.begun(path: ReportedPath(place)))
      return Outcome(status: StoreOpening.fail(result.outcome, report))
    }
    guard MemberPath.isMember(place) else { return reopened(result, to: destination, report) }
    guard !inPlace else {
      return fail("\(path) is in an archive, and archives are read-only; use --out DIR")
    }
    if case .table(let table) = result.content {
      report(.begun(path: ReportedPath(place)))
      return repair(table, to: destination, report)
    }
    guard let found = result.found else { return fail("\(path) cannot be read again") }
    report(.begun(path: ReportedPath(place)))
    return outcome(found, to: destination, isOneOfMany: true, report)
  }

  /// Repairs the store that `result` is about, which is opened again, because the files of a store that
  /// was named are examined more closely.
  private func reopened(
    _ result: TreeScan.Result, to destination: RepairOrder.Destination, _ report: Reports
  ) -> Outcome {
    var kind: RepairTotals.Kind?
    let status = StoreOpening.open(
      result.outcome.path.text, found: result, options, report, isReplaced: inPlace,
      table: { table in
        let outcome = repair(table, to: destination, report)
        kind = outcome.kind
        return outcome.status
      }
    ) { found in
      let outcome = self.outcome(found, to: destination, isOneOfMany: true, report)
      kind = outcome.kind
      return outcome.status
    }
    return Outcome(status: status, kind: kind)
  }

  /// Returns where the store at `path` goes; `nil` if its name would lead out of the new folder.
  private func destination(
    of path: FilePath, in work: TreeWork
  ) -> RepairOrder.Destination? {
    if inPlace { return .inPlace }
    guard let out = work.out else { return .nowhere }
    return work.folder(for: path).map { .subfolder($0, below: out) }
  }
}
