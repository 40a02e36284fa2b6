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
    if let reason = refusal(root) {
      report.complain(reason)
      return .failed
    }
    report(.several)
    var status: ExitStatus = []
    var totals = RepairTotals(isExecuted: isExecuted)
    var replaced: Set<FilePath> = []
    do throws(DiscoveryError) {
      try ScanOptions.scanOfAll(options, report, keepingStores: true).results(
        of: TreeWalk([root]), overlapping: false, idle: report.output.flush
      ) { result in
        if inPlace, isInArchive(result, below: root) {
          status.formUnion(passOver(result))
          return true
        }
        let own = repair(result, below: root, besides: replaced, report)
        totals.add(own.kind)
        if inPlace { replaced.formUnion(result.outcome.files) }
        status.formUnion(own.status)
        report.output.flush()
        return !own.status.contains(.cancelled) && goesOn(&status, report)
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

  /// Returns why none of the stores at `root` is repaired; `nil` if nothing speaks against it.
  private func refusal(_ root: FilePath) -> String? {
    if let folder = out.map(ProcessArguments.path), Folder.isInside(folder, root) {
      return RepairFailure.folder(folder, in: root).message
    }
    guard inPlace, ArchiveFile(at: root) != nil else { return nil }
    return "\(root.text) is an archive, and archives are read-only; use --out DIR"
  }

  /// Returns whether to go on with the next store, in which a request to stop ends the process
  /// again; once a store is written, it does not.
  private func goesOn(_ status: inout ExitStatus, _ report: Reports) -> Bool {
    guard isExecuted else { return !report.areUnread }
    let isGoingOn = Interruption.goOn(
      saying: "kvfsck: error: cancelled; the remaining stores were not repaired\n")
    if !isGoingOn {
      report.complain("cancelled; the remaining stores were not repaired")
      status.insert(.cancelled)
    }
    return isGoingOn
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
    _ result: TreeScan.Result, below root: FilePath, besides others: Set<FilePath>,
    _ report: Reports
  ) -> Outcome {
    let place = result.outcome.path
    let path = place.text
    func fail(_ reason: String) -> Outcome {
      report(.begun(path: path))
      return Outcome(status: StoreOpening.fail(path, reason, report))
    }
    if let shared = result.outcome.files.first(where: others.contains) {
      return fail(
        "\(path) shares \(shared.text) with a store that was repaired before, so it is left as it is"
      )
    }
    guard let destination = destination(of: place, below: root) else {
      return fail("\(path) has a name that leads out of the new folder")
    }
    guard MemberPath.isMember(place) else { return repair(at: place, to: destination, report) }
    guard !inPlace else {
      return fail("\(path) is in an archive, and archives are read-only; use --out DIR")
    }
    if case .table(let table) = result.content {
      report(.begun(path: path))
      return repair(table, to: destination, report)
    }
    guard let found = result.found else { return fail(result.outcome.error ?? "") }
    report(.begun(path: path))
    return outcome(found, to: destination, isOneOfMany: true, report)
  }

  /// Repairs the store at `place`, which is opened again, because the files of a store that was named
  /// are examined more closely.
  private func repair(
    at place: FilePath, to destination: RepairOrder.Destination, _ report: Reports
  ) -> Outcome {
    var kind: RepairTotals.Kind?
    let status = StoreOpening.open(
      place.text, at: place, options, report, isReplaced: inPlace,
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

  /// Returns where the store at `path` goes: into the same subfolder of the new folder as it has
  /// below `root`; `nil` if a name in an archive would lead out of it.
  private func destination(
    of path: FilePath, below root: FilePath
  ) -> RepairOrder.Destination? {
    if inPlace { return .inPlace }
    guard let out else { return .nowhere }
    let slash = UInt8(ascii: "/")
    let home = path.removingLastComponent().shownBytes
    // Members of an archive that was named are below `ARCHIVE!`.
    let below = home.dropFirst(root.bytes.count).drop { $0 == slash }
    let names = (below.first == UInt8(ascii: "!") ? below.dropFirst() : below)
      .split(separator: slash)
    guard !names.contains(where: { $0.elementsEqual("..".utf8) }) else { return nil }
    let folder = ProcessArguments.path(out)
    return .subfolder(
      names.reduce(folder) { FilePath(bytes: $0.bytes + [slash] + $1) }, below: folder)
  }
}
