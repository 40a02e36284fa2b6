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
    if let folder = out.map(ProcessArguments.path), Folder.isInside(folder, root) {
      report.complain(RepairFailure.folder(folder, in: root).message)
      return .failed
    }
    report(.several)
    var status: ExitStatus = []
    var count = RepairCount()
    var replaced: Set<FilePath> = []
    do throws(DiscoveryError) {
      try ScanOptions.scanOfAll(options, report, keepingStores: true).results(
        of: TreeWalk([root]), overlapping: false, idle: report.output.flush
      ) { result in
        if case .table = result.content {
          count.logless += 1
          return true
        }
        if inPlace, isInArchive(result, below: root) {
          status.formUnion(passOver(result))
          return true
        }
        let own = repair(result, below: root, besides: replaced, report)
        count.add(own)
        if inPlace { replaced.formUnion(result.outcome.files) }
        status.formUnion(own)
        report.output.flush()
        return !own.contains(.cancelled) && goesOn(&status, report)
      }
    } catch {
      report.complain(error.message)
      return .failed
    }
    if count.total == 0 { return ScanRun.foundNothing(in: [root], report) }
    Interruption.hold()
    Output.note(count.text(root))
    return status
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
  ) -> ExitStatus {
    let place = result.outcome.path
    let path = place.text
    if let shared = result.outcome.files.first(where: others.contains) {
      report(.begun(path: path))
      return OpenedStore.fail(
        path,
        "\(path) shares \(shared.text) with a store that was repaired before, so it is left as it is",
        report)
    }
    let destination = destination(of: place, below: root)
    if let destination, !MemberPath.isMember(place), result.found != nil {
      // It is opened again, because the files of a store that was named are examined more closely.
      return OpenedStore.open(path, at: place, options, report, isReplaced: inPlace) { found in
        repair(found, to: destination, report)
      }
    }
    report(.begun(path: path))
    guard let found = result.found else {
      return OpenedStore.fail(path, result.outcome.error ?? "", report)
    }
    guard let destination else {
      return OpenedStore.fail(path, "\(path) has a name that leads out of the new folder", report)
    }
    guard !inPlace else {
      return OpenedStore.fail(
        path, "\(path) is in an archive, and archives are read-only; use --out DIR", report)
    }
    return repair(found, to: destination, report)
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

/// The number of stores that a repair of several has dealt with.
private struct RepairCount {
  /// The number of stores.
  private(set) var total = 0
  /// The number of stores that were not repaired.
  private var failures = 0
  /// The number of files of formats without a log.
  var logless = 0

  /// Adds a store whose repair ended with `status`.
  mutating func add(_ status: ExitStatus) {
    total += 1
    if !status.isDisjoint(with: [.failed, .usage, .cancelled]) { failures += 1 }
  }

  /// Returns what to say about the stores at `root`.
  func text(_ root: FilePath) -> String {
    var parts = [Plural.count(total, "store", "stores") + " in " + root.text]
    if failures > 0 { parts.append("\(failures.grouped) could not be repaired") }
    if logless > 0 {
      parts.append(
        Plural.count(logless, "file", "files") + " of formats without a log left out")
    }
    return parts.joined(separator: "; ")
  }
}
