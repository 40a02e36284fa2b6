import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The repair of files of a format without a log.
extension Repair {
  /// Writes the files of `table` anew, or only shows how.
  func repair(
    _ table: EntryTable, to destination: RepairOrder.Destination, _ report: Reports
  ) -> Outcome {
    let path = (table.files.first?.path ?? ProcessArguments.path(store)).text
    report(.read(table, clock: options.clock))
    report(.findings(table.findings, in: table.files))
    func end(
      _ status: ExitStatus, _ kind: RepairTotals.Kind? = nil, keeping plan: TablePlan? = nil
    ) -> Outcome {
      report(.summary(TableStatus(of: table).summary(status, keeping: plan)))
      return Outcome(status: status, kind: kind)
    }
    guard table.verdict != .unreadable else { return end(.failed) }
    do throws(RepairFailure) {
      let plan = try plan(table, path, report)
      if !plan.isNeeded, choices.state != .beforeReset, inPlace || onlyChanged {
        report(
          .leftOut(
            "nothing to repair; " + (inPlace ? "its files are unchanged" : "not written")))
        return end([], .clean)
      }
      report(.tablePlan(plan, isExecuted: isExecuted))
      let status = try carryOut(plan, of: table, to: destination, report)
      return end(
        status, plan.isLossy ? .partly : plan.isNeeded ? .repaired : .clean, keeping: plan)
    } catch {
      report.complain(error.message)
      return end(error.status)
    }
  }

  /// Returns the plan that the options lead to.
  ///
  /// - Throws: When an option has no effect, or when a choice is missing.
  private func plan(
    _ table: EntryTable, _ path: String, _ report: Reports
  ) throws(RepairFailure) -> TablePlan {
    guard let restorer = restorer(of: table) else {
      throw .notWritable(path: path, format: table.formatName)
    }
    if let option = optionWithoutEffect(on: table) {
      throw .withoutEffect(option, path: path, format: table.formatName)
    }
    func plan(_ choice: TablePlan.Choice) throws(RepairFailure) -> TablePlan {
      let parent = ProcessEnvironment["TMPDIR"] ?? ""
      do throws(ConversionError) {
        return try TablePlan(
          choice, of: table, by: restorer, in: FilePath(parent.isEmpty ? "/tmp" : parent))
      } catch {
        throw .conversion(error)
      }
    }
    let newest = try plan(.newest)
    switch choice {
    case .newest?: return newest
    case let other?: return try plan(other)
    case nil: break
    }
    // Nothing has to be chosen if the app loads all that there is, or if nothing is written.
    if let loaded = table.loads.first?.entries, !no, table.newest.count(notIn: loaded) > 0 {
      throw .undecidedTable(recovered: newest.kept.count, discarded: loaded.count)
    }
    return newest
  }

  /// Returns what can write the files of `table` anew.
  private func restorer(of table: EntryTable) -> (any EntryRestorer)? {
    guard Kvfsck.formats[table.formatName]?.isRestorable ?? false,
      let settings = try? options.formatOptions()
    else { return nil }
    return Kvfsck.formats.readers(settings, named: table.formatName).first as? any EntryRestorer
  }

  /// The entries that the options ask for; `nil` if they leave that open.
  private var choice: TablePlan.Choice? {
    if choices.likeEngine { return .loaded }
    switch choices.state {
    case .current: return .loaded
    case .salvaged: return .newest
    case .beforeReset: return .beforeReset
    default: break
    }
    if answers.preen { return .certain }
    if answers.yes { return .newest }
    return (choices.onCrcFail ?? choices.onLengthError).map { $0 == .recover ? .newest : .loaded }
  }

  /// The name of an option that does nothing for a format without a log; `nil` if there is none.
  private func optionWithoutEffect(on table: EntryTable) -> String? {
    if let state = choices.state, state != .current, state != .salvaged,
      state != .beforeReset || !table.isEmptied
    {
      return "--state \(state.rawValue)"
    }
    if choices.dropExpired { return "--drop-expired" }
    if newKey.areGiven { return "--rekey" }
    if output.width != nil { return "--width" }
    return confidence.isGiven ? confidence.name : nil
  }

  /// Writes what `plan` keeps, or only shows it with `--dry-run`.
  private func carryOut(
    _ plan: TablePlan, of table: EntryTable, to destination: RepairOrder.Destination,
    _ report: Reports
  ) throws(RepairFailure) -> ExitStatus {
    var files = plan.files
    if destination == .inPlace { files = try replacements(among: files, of: table) }
    do throws(BackupError) {
      let order = try RepairOrder(
        of: table.files, as: files, to: destination, removing: plan.removed,
        first: plan.removesFirst)
      guard isExecuted else {
        report(.order(order))
        return plan.isNeeded || plan.isLossy ? .damaged : []
      }
      try order.execute(on: table.files, writer: StoreWriter(originals: table.files))
      for (path, file) in zip(order.paths, order.files) { report(.written(path, file)) }
      for name in order.removed { Output.note("removed \(name.text)") }
      if let backup = order.backup { report(.backup(backup.folder)) }
    } catch {
      throw .backup(error)
    }
    var status: ExitStatus = plan.isNeeded ? .repaired : []
    if plan.isLossy { status.formUnion(.damaged) }
    return status
  }

  /// Returns those of `files` that lie in the folder of the main file.
  ///
  /// - Throws: When another one is not there yet: a backup has the files of one folder only.
  private func replacements(
    among files: [EncodedFile], of table: EntryTable
  ) throws(RepairFailure) -> [EncodedFile] {
    let home = table.files.first?.path.parent ?? ""
    let others = files.filter { $0.path.components.count > 1 }
    for file in others {
      let path = file.path(in: home)
      let isThere = table.files.contains { $0.path == path && $0.image.bytes == file.bytes }
      if !isThere { throw .notInPlace(path) }
    }
    return files.filter { $0.path.components.count == 1 }
  }
}
