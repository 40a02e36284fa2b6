import ArgumentParser
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck merge`: writes one store from damaged copies of it.
struct MergeCopies: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge damaged copies of one store into a new store.",
    discussion: """
      The copies may have any names and lie in archives. Where they differ, the bytes are chosen with \
      which the checksums of the store match; an encrypted store needs no key for that. If each \
      difference is right in one copy, and there are at most 20, the result is the original, byte for \
      byte. Otherwise, the entries that are likeliest to be right are written, as `repair -y` keeps \
      them; for that, an encrypted store needs its key. Of an older and a newer copy, what was written in \
      between is kept. The copies are not changed. Exit status: 0 the copies are equal and undamaged, 1 \
      merged, 4 --dry-run found differences, 5 merged but something is missing, 8 could not write.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var confidence: ConfidenceOptions

  @Option(
    help: ArgumentHelp(
      "The folder for the new files. It is created if its parent exists; nothing in it is overwritten.",
      valueName: "dir"), completion: .directory)
  var out: String?

  @Flag(help: "Show what would be chosen and write nothing.")
  var dryRun = false

  @Argument(
    help: ArgumentHelp("The copies of the store, two or more.", valueName: "store"),
    completion: .file())
  var stores: [String]

  var statusWhenUnread: ExitStatus? { dryRun ? [] : .cancelled }

  func validate() throws {
    try options.validate(stores: stores)
    if stores.contains("-") {
      throw ValidationError("merge needs the files of the copies, not standard input.")
    }
    if stores.count < 2 { throw ValidationError("Name at least two copies of a store.") }
    if let out { try checkFolder(out) }
    if out == nil, !dryRun { throw ValidationError("Name the output: --out DIR.") }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .repair)
    var copies: [any FoundStore] = []
    var status: ExitStatus = []
    for path in stores {
      let opened = StoreOpening.open(
        path, options, report,
        table: { _ in
          report.complain("\(path) has a format without a log, whose copies are not merged")
          return .failed
        },
        { found in
          copies.append(found)
          return []
        })
      status.formUnion(opened)
    }
    if status.isEmpty {
      do throws(RepairFailure) {
        status = try merge(copies, report)
      } catch {
        report.complain(error.message)
        status = error.status
      }
    }
    throw report.end(status)
  }

  private func merge(
    _ copies: [any FoundStore], _ report: Reports
  ) throws(RepairFailure) -> ExitStatus {
    // A copy with another format is one of which too little is left to recognize it.
    guard let first = copies.first, copies.allSatisfy({ Self.name(of: $0) == Self.name(of: first) })
    else {
      report.complain(
        "the copies seem to have different formats ("
          + zip(stores, copies).map { "\($0): \(Self.name(of: $1))" }.joined(separator: ", ")
          + "); choose one with --format")
      return .failed
    }
    return try merge(first, with: copies.map(\.files), report)
  }

  private static func name(of found: some FoundStore) -> String {
    type(of: found.format).name
  }

  private func merge<F: FoundStore>(
    _ first: F, with copies: [[StoreFile]], _ report: Reports
  ) throws(RepairFailure) -> ExitStatus {
    let template = first.open()
    let merged = MergedCopies(copies, like: template)
    var planner = RepairPlanner(strategy: FixedStrategy(EngineAnswers(always: .recover)))
    planner.appliesEngineLimits = true
    planner.leastProbability = confidence.least
    let entries = MergedEntries(
      of: merged, and: copies, like: template, by: planner, now: options.clock)
    let areFilesTaken = entries?.areFilesTaken ?? merged.isLikely
    let store = entries?.store ?? template.reading(merged.files)
    report(.opened(store, clock: options.clock))
    report(
      .merged(
        MergeResult(
          of: copies.compactMap { $0.first?.path }, merged.choices, merged.odds,
          isProven: merged.isProven && areFilesTaken, isLikely: areFilesTaken,
          added: entries?.added ?? [])))
    var files = merged.files.map {
      EncodedFile($0.role, at: $0.path.lastName ?? "store", $0.image.bytes)
    }
    if let entries, !areFilesTaken {
      do throws(EncodingError) {
        files = try first.format.encode(entries.contents, like: entries.model, cipher: .keep)
      } catch {
        throw .encoding(error)
      }
    }
    try write(files, from: copies.flatMap(\.self), report)
    var status = status(of: merged.choices.isEmpty, areFilesTaken, entries?.plan)
    let areLacking = note(entries?.passedOver ?? [], report)
    if merged.passesOver && areWhole(copies, like: template, report) || areLacking {
      status.formUnion(.damaged)
    }
    let diagnosis = entries?.diagnosis ?? Diagnosis(of: store, now: options.clock)
    report(.summary(ReportSummary(diagnosis, entries?.plan, exit: status)))
    return status
  }

  /// Notes which copies have entries that the new store lacks; returns whether any has.
  private func note(_ copies: [(path: FilePath, count: Int)], _ report: Reports) -> Bool {
    report.output.flush()
    for (path, count) in copies {
      Output.note(
        "\(path) has \(count.counted("entry", "entries")) that the new store lacks: the copies may be "
          + "of different stores, or of different times. To see them: kvfsck compare")
    }
    return !copies.isEmpty
  }

  /// Returns whether more than one of `copies` has no damage, and notes that if so.
  private func areWhole<S: Store>(
    _ copies: [[StoreFile]], like template: S, _ report: Reports
  ) -> Bool {
    let verdicts = copies.map {
      Diagnosis(of: template.reading($0).corrected(), now: options.clock).verdict
    }
    guard verdicts.count(where: { $0 == .clean }) > 1 else { return false }
    report.output.flush()
    Output.note(
      "several copies are whole, and differ: only the newest is in the new store. To see what the "
        + "others have: kvfsck compare")
    return true
  }

  /// Returns the exit status if copies that are equal or not were merged according to `plan`.
  private func status(
    of areEqual: Bool, _ isLikely: Bool, _ plan: RepairPlan?
  ) -> ExitStatus {
    let isLossy = !isLikely && plan?.isLossy ?? true
    if areEqual, isLikely { return [] }
    return dryRun ? .damaged : isLossy ? [.repaired, .damaged] : .repaired
  }

  private func write(
    _ files: [EncodedFile], from originals: [StoreFile], _ report: Reports
  ) throws(RepairFailure) {
    let folder = out.map(ProcessArguments.path)
    if let folder {
      let homes = originals.map { $0.path.parent }
      if homes.contains(where: { Folder.isSame($0, folder) }) { throw .sameFolder(folder) }
      if !dryRun { UnfinishedOutput.removeAbandoned(in: folder) }
    }
    do throws(BackupError) {
      let order = try RepairOrder(
        of: originals, as: files, to: folder.map { .folder($0) } ?? .nowhere)
      if dryRun { return report(.order(order)) }
      try order.execute(on: originals, writer: StoreWriter(originals: originals))
      for (path, file) in zip(order.paths, order.files) { report(.written(path, file)) }
    } catch {
      throw .backup(error)
    }
  }
}
