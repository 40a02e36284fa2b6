import KVBytes
import KVConversion
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The conversion of all stores in folders and archives, each to a file of its own.
extension Convert {
  /// Converts each store below the paths, as if it had been named; one that cannot be converted does
  /// not keep the others from it.
  func convertTrees(
    to format: WritableFormat, _ report: Reports
  ) throws(ConvertFailure) -> ExitStatus {
    if isStreamed {
      throw .conversion(.library("--out - takes one store; name a folder for those below \(names)"))
    }
    let work = TreeWork(
      roots: stores.map(ProcessArguments.path), out: dryRun ? nil : out.map(ProcessArguments.path),
      isExecuted: !dryRun, verb: "converted",
      cancelled: "kvfsck: error: cancelled; the remaining stores were not converted\n")
    if let reason = work.refusal { throw .conversion(.library(reason)) }
    if let path = typesOut.map(ProcessArguments.path), !resume, Folder.isTaken(path) {
      throw .file(.exists(path: path))
    }
    report(.several)
    var conversion = TreeConversion(
      StoreConversion(
        command: self, format: format, schema: try typing.schema(), chosen: try chosenCipher(),
        work: work), report)
    do throws(DiscoveryError) {
      try conversion.learn()
      let status = try conversion.convert()
      guard conversion.totals.storeCount > 0 else {
        return ScanRun.foundNothing(in: work.roots, report)
      }
      return try conversion.end(status)
    } catch {
      throw .discovery(error)
    }
  }

  private var names: String { stores.joined(separator: ", ") }
}

/// A run of `convert` over all stores of folders and archives.
private struct TreeConversion {
  /// What became of the stores.
  private struct Results {
    /// The types with which they were converted.
    var used = LearnedTypes()
    /// The permissions that all files that were read have in common.
    var permissions: FilePermissions?
    var totals: ConversionTotals

    mutating func add(_ outcome: StoreConversion.Outcome) {
      totals.add(outcome.kind, outcome.summary)
      used.add(outcome.types, areStated: outcome.areTypesStated)
      guard let own = outcome.permissions else { return }
      permissions = permissions?.intersection(own) ?? own
    }
  }

  private var conversion: StoreConversion
  private let report: Reports
  private var results: Results

  init(_ conversion: StoreConversion, _ report: Reports) {
    (self.conversion, self.report) = (conversion, report)
    results = Results(totals: ConversionTotals(isExecuted: conversion.work.isExecuted))
  }

  private var command: Convert { conversion.command }
  private var work: TreeWork { conversion.work }
  var totals: ConversionTotals { results.totals }

  /// Learns the types of the keys from all stores.
  mutating func learn() throws(DiscoveryError) {
    let progress = ScanProgress(of: work.roots)
    let known = conversion
    var (count, keys, learned) = (0, Set<Key>(), LearnedTypes())
    var stores = try StoreWork(report, command.jobs, known.types) { types in
      keys.formUnion(types.keys)
      learned.add(types.rules, areStated: types.areStated)
      count += 1
      progress.report(count)
    }
    try scan(keeping: .all).results(
      of: TreeWalk(work.roots), overlapping: work.roots.count > 1, passed: progress.pass
    ) { result in
      stores.add(result)
      return work.isExecuted || !report.areUnread
    }
    stores.finish()
    StatusLine.current?.erase()
    command.typing.noteUnmatched(conversion.schema, among: keys)
    conversion.learned = learned
  }

  /// Converts all stores; one that cannot be converted does not keep the others from it.
  ///
  /// - Returns: The combined status of all stores.
  mutating func convert() throws(DiscoveryError) -> ExitStatus {
    let known = conversion
    var (status, results, isOver): (ExitStatus, Results, Bool) = ([], self.results, false)
    var stores = try StoreWork(report, command.jobs) { (result, report) in
      // After a request to stop, no store is begun.
      Interruption.isRequested ? nil : known.convert(result, report)
    } end: { [work, report] (outcome: StoreConversion.Outcome?) in
      guard let outcome else { return }
      results.add(outcome)
      status.formUnion(outcome.status)
      report.output.flush()
      if !isOver { isOver = !work.goesOn(&status, report) }
    }
    try scan(keeping: .members).results(
      of: TreeWalk(work.roots), overlapping: work.roots.count > 1, idle: report.output.flush
    ) { result in
      stores.add(result, writing: known.target(of: result))
      return !isOver
    }
    stores.finish()
    self.results = results
    return status
  }

  private func scan(keeping kept: TreeScan.Options.Kept) throws(DiscoveryError) -> TreeScan {
    try ScanOptions.scanOfAll(command.options, report, keeping: kept, jobs: command.jobs)
  }

  // MARK: The end

  /// Writes the file of types, if one was requested: a rule for each key that has the same type in all
  /// stores.
  private func writeTypes() throws(FileError) {
    guard let path = command.typesOut.map(ProcessArguments.path) else { return }
    let bytes = results.used.common.bytes
    if command.resume, (try? FileImage.read(path).bytes) == bytes { return }
    var pending = PendingWrite(existing: .keep, permissions: results.permissions ?? .ownerReadWrite)
    try pending.add(bytes, at: path)
    try pending.commit()
    let differing = results.used.differing
    guard !differing.isEmpty else { return }
    Output.note(
      "\(path.text) has no rule for \(Plural.count(differing.count, "key", "keys")) whose type is not "
        + "the same in all stores: "
        + differing.prefix(8).map { Value.mentioned($0) }.joined(separator: ", ")
        + (differing.count > 8 ? ", …" : ""))
  }

  /// Writes the types, and reports the totals.
  func end(_ status: ExitStatus) throws(DiscoveryError) -> ExitStatus {
    Interruption.hold()
    do throws(FileError) {
      if !status.contains(.cancelled) { try writeTypes() }
    } catch {
      throw .file(error)
    }
    report(.convertedAll(totals))
    if !report.areUnread { report.noteUnusedKeys() }
    return status
  }
}
