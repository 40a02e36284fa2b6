import ArgumentParser
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import MMKVFormat
import SystemPackage

/// `kvfsck repair`: writes a clean, compact store.
struct Repair: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Write a new, clean store with the entries that can be kept.",
    discussion: """
      The input is not changed, unless --in-place is given; then a backup is kept beside it, and \
      `kvfsck undo BACKUP` restores it. For a folder or an archive with several stores, repairs each \
      of them, with --out into the same subfolder of DIR. Without an answer (-y, -p, …), repair asks on the terminal \
      what MMKV would ask the app. Preferences, property lists and databases are written in their own format: -y keeps the newest \
      readable values, --on-crc-fail discard what the app would load. Entries that are more likely wrong than right, and those that the app's engine cannot hold, go to a \
      separate file that only its owner can read; with --in-place, and for an encrypted store, it is not \
      written. Exit status: 0 nothing was damaged, 1 repaired, 4 something is missing, or -n or \
      --dry-run found damage, 5 repaired but something is missing, 8 could not write, 16 a question and \
      no terminal, 32 cancelled.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var answers: AnswerFlags
  @OptionGroup(title: "Options for Damaged Stores") var choices: ChoiceOptions

  @OptionGroup var output: WritingOptions

  @Option(
    help: ArgumentHelp(
      "The folder for the new files. It is created if its parent exists; nothing in it is overwritten.",
      valueName: "dir"), completion: .directory)
  var out: String?

  @Flag(help: "Replace the old files and keep a backup of them.")
  var inPlace = false

  @Flag(help: "Show the whole plan and write nothing.")
  var dryRun = false

  @Flag(name: .short, help: "The same, without asking.")
  var no = false

  @OptionGroup var newKey: NewKeyOptions

  @OptionGroup(title: "Options for Damaged Stores") var confidence: ConfidenceOptions

  @Flag(
    help:
      "Write the separate file for an encrypted store too, unencrypted. Only its owner can read it."
  )
  var lostAndFound = false

  @Flag(help: "Leave out stores in which there is nothing to repair.")
  var onlyChanged = false

  @Argument(
    help: ArgumentHelp("The store, or a folder of stores.", valueName: "store"),
    completion: .file())
  var store: String

  var statusWhenUnread: ExitStatus? { isExecuted ? .cancelled : [] }

  func validate() throws {
    try options.validate(stores: [store])
    if store == "-" {
      throw ValidationError("repair needs the files of a store, not standard input.")
    }
    try choices.validate(with: answers)
    if no, answers.preen || answers.yes {
      throw ValidationError("-n cannot be combined with -p or -y; use --dry-run.")
    }
    if confidence.isGiven, answers.preen || choices.likeEngine {
      throw ValidationError(
        "\(confidence.name) has no effect with -p or --like-engine; omit one.")
    }
    if let out { try checkFolder(out) }
    if out != nil, inPlace { throw ValidationError("Give either --out or --in-place.") }
    if lostAndFound, inPlace {
      throw ValidationError("--in-place writes no separate file; --lost-and-found needs --out.")
    }
    if out == nil, !inPlace, !dryRun, !no {
      throw ValidationError("Name the output: --out DIR, or use --in-place.")
    }
  }

  func run() throws {
    options.warnOfVisibleKey(and: newKey.rekey)
    let report = Reports(options, .repair, width: output.width)
    var hasSeveral = false
    var status = StoreOpening.open(
      store, options, report, isReplaced: inPlace,
      table: { repair($0, to: destination, report).status },
      several: { hasSeveral = true }
    ) { found in
      if output.width != nil, !WritingOptions.haveWidth(Self.formatName(of: found)) {
        return StoreOpening.fail(
          ReportedPath(argument: store),
          "\(store) has the format \(Self.formatName(of: found)), whose stores have no pointer width; "
            + "leave out --width", report, .usage)
      }
      return repair(found, to: destination, report)
    }
    if hasSeveral { status.formUnion(repairAll(at: ProcessArguments.path(store), report)) }
    throw report.end(status)
  }

  private static func formatName(of found: some FoundStore) -> String {
    type(of: found.format).name
  }

  /// Repairs a store, or only shows how.
  func repair(
    _ found: some FoundStore, to destination: RepairOrder.Destination, _ report: Reports
  ) -> ExitStatus {
    outcome(found, to: destination, isOneOfMany: false, report).status
  }

  /// What became of a store.
  struct Outcome {
    /// The exit status for the store alone.
    var status: ExitStatus
    /// How it counts among several; `nil` if it was not repaired.
    var kind: RepairTotals.Kind?
  }

  /// Repairs a store, or only shows how.
  ///
  /// Of many stores, one without a data file is left out, and so is one that lacks the state that was
  /// asked for: no one has named it.
  func outcome(
    _ found: some FoundStore, to destination: RepairOrder.Destination, isOneOfMany: Bool,
    _ report: Reports
  ) -> Outcome {
    let (store, diagnosis) = choices.examined(found.open(), now: options.clock)
    report(.opened(store, clock: options.clock))
    report(.findings(diagnosis.findings, in: store.files))
    func end(
      _ plan: RepairPlan?, _ status: ExitStatus, _ kind: RepairTotals.Kind? = nil
    ) -> Outcome {
      report(.summary(ReportSummary(diagnosis, plan, exit: status)))
      return Outcome(status: status, kind: kind)
    }
    var choice: RepairPlan?
    do throws(RepairFailure) {
      choice = try choose(store, diagnosis, report)
      let format = type(of: found.format).name
      if let left = leftOut(store, diagnosis, choice, format, isOneOfMany: isOneOfMany) {
        if left.kind == .emptied { report(.notRestored) }
        report(.leftOut(left.reason))
        return end(choice, left.status, left.kind)
      }
      guard let plan = choice else {
        if diagnosis.verdict != .unreadable, let state = choices.state {
          StoreOpening.complain(StoreOpening.lacking(state, self.store))
        }
        return end(nil, .failed)
      }
      let status = try execute(plan, found.format, store, diagnosis, to: destination, report)
      return end(plan, status, kind(of: plan, isEmptied: diagnosis.isEmptied))
    } catch {
      report.complain(error.message)
      return end(choice, error.status)
    }
  }

  /// Why nothing is written for a store.
  private struct LeftOut {
    let reason: String
    let kind: RepairTotals.Kind
    var status: ExitStatus = []
  }

  /// Returns why nothing is written for a store; `nil` if something is, or if it cannot be repaired.
  private func leftOut(
    _ store: some Store, _ diagnosis: Diagnosis, _ plan: RepairPlan?, _ format: String,
    isOneOfMany: Bool
  ) -> LeftOut? {
    guard let plan else {
      guard isOneOfMany, diagnosis.verdict != .unreadable, let state = choices.state else {
        return nil
      }
      return LeftOut(
        reason: "it has no state \(state.rawValue); not written", kind: .leftOut,
        status: diagnosis.verdict.exitStatus)
    }
    if isOneOfMany, plan.keepsNothing, Self.isDataMissing(from: store.files) {
      return LeftOut(
        reason: "there is no data file to repair; not written", kind: .leftOut, status: .damaged)
    }
    guard inPlace || onlyChanged, isAsItShallBe(plan, format) else { return nil }
    return LeftOut(
      reason: "nothing to repair; " + (inPlace ? "its files are unchanged" : "not written"),
      kind: diagnosis.isEmptied ? .emptied : .clean)
  }

  /// Returns how a store that was repaired according to `plan` counts among several.
  private func kind(of plan: RepairPlan, isEmptied: Bool) -> RepairTotals.Kind {
    if plan.state == .beforeReset { return .restored }
    if plan.isLossy { return .partly }
    return plan.isNeeded ? .repaired : isEmptied ? .emptied : .clean
  }

  /// Returns whether `files` are only those beside a store: none of them has a log.
  private static func isDataMissing(from files: [StoreFile]) -> Bool {
    files.allSatisfy { $0.role == .meta || $0.role == .external }
  }

  /// Returns whether the new store will be encrypted.
  private func isEncrypted(like store: some Store) -> Bool {
    !newKey.plain && (store.isEncrypted || newKey.isRekeyed)
  }

  /// Writes what `plan` keeps, or only shows it with `--dry-run`.
  private func execute<F: StoreFormat>(
    _ plan: RepairPlan, _ format: F, _ store: F.StoreType, _ diagnosis: Diagnosis,
    to destination: RepairOrder.Destination, _ report: Reports
  ) throws(RepairFailure) -> ExitStatus {
    let aside = LostAndFound.Fate(
      to: destination, isEncrypted: isEncrypted(like: store), isRequested: lostAndFound)
    report(.plan(plan, isExecuted: isExecuted, aside: aside))
    if diagnosis.isEmptied, plan.state != .beforeReset { report(.notRestored) }
    let order = try order(plan, format, store, to: destination, setsAside: aside == .written)
    if !isExecuted {
      report(.order(order))
      return plan.isNeeded || plan.isLossy ? .damaged : []
    }
    try carryOut(order, store, report)
    var status: ExitStatus = plan.isNeeded ? .repaired : []
    if plan.isLossy { status.formUnion(.damaged) }
    return status
  }

  /// Whether anything is written.
  var isExecuted: Bool { !dryRun && !no }

  /// Where a store that was named goes.
  private var destination: RepairOrder.Destination {
    if inPlace { return .inPlace }
    return out.map { .folder(ProcessArguments.path($0)) } ?? .nowhere
  }

  // MARK: Planning

  /// Returns the plan that the choices lead to, after asking on a terminal if necessary; `nil` if
  /// there is none.
  private func choose(
    _ store: some Store, _ diagnosis: Diagnosis, _ report: Reports
  ) throws(RepairFailure) -> RepairPlan? {
    func plan(_ otherwise: RecoveryDecision) -> RepairPlan? {
      var planner = choices.planner(now: options.clock, answers, otherwise: otherwise)
      planner.appliesEngineLimits = true
      planner.leastProbability = confidence.least
      return planner.plan(store, given: diagnosis)
    }
    // The app may have the missing key: do not replace what it may still be able to read.
    guard diagnosis.verdict != .unreadable, let recovering = plan(.recover) else { return nil }
    // Ask about what the given answers leave open, unless both answers lead to the same result.
    guard !no, !choices.isDecided(with: answers), let discarding = plan(.discard),
      recovering.decisions.contains(where: { $0.answer == .recover }),
      discarding.decisions.contains(where: { $0.answer == .discard })
    else { return recovering }
    let comparison = AnswerComparison(recovering, discarding, of: store, given: diagnosis)
    report.output.flush()
    if recovering.kept.isEmpty, comparison.isSameStore {
      throw .nothingKept(guesses: recovering.unlikely.count, refused: recovering.refused.count)
    }
    if comparison.isSameStore {
      let count = Plural.count(recovering.kept.count, "entry", "entries")
      Output.note(
        "recover and discard give the same store with \(count), so there is nothing to ask")
      return recovering
    }
    let dialogue = RepairDialogue(comparison, of: store, given: diagnosis)
    guard Terminal.isInteractive(.input), Terminal.isInteractive(.error) else {
      dialogue.explain()
      throw .undecided(recommended: comparison.recommended)
    }
    return try dialogue.ask()
  }

  // MARK: Writing

  /// Returns whether the files are already those of a clean store, and nothing but a repair was
  /// requested.
  private func isAsItShallBe(_ plan: RepairPlan, _ format: String) -> Bool {
    !plan.isNeeded && plan.state == .current && !choices.likeEngine
      && !plan.dropped.contains(where: \.isRequested)
      && !newKey.areGiven
      && (output.width == nil || !WritingOptions.haveWidth(format))
  }

  /// Returns everything that the repair writes, checked as far as possible before anything is
  /// written.
  private func order<F: StoreFormat>(
    _ plan: RepairPlan, _ format: F, _ store: F.StoreType,
    to destination: RepairOrder.Destination, setsAside: Bool
  ) throws(RepairFailure) -> RepairOrder {
    let cipher = try cipher()
    let files: [EncodedFile]
    do throws(EncodingError) {
      files = try format.encode(plan.contents(of: store), like: store, cipher: cipher)
    } catch {
      throw .encoding(error)
    }
    switch destination {
    case .nowhere, .inPlace: break
    case .folder(let folder), .subfolder(let folder, below: _):
      if let home = store.files.first?.path.parent, Folder.isSame(home, folder) {
        throw .sameFolder(folder)
      }
      // Leftovers of a killed run must not occupy the name of a new file.
      if isExecuted { UnfinishedOutput.removeAbandoned(in: folder) }
    }
    do throws(BackupError) {
      return try RepairOrder(
        of: store.files, as: files, cipher: cipher, to: destination,
        lostAndFound: {
          setsAside ? LostAndFound.file(plan, of: store, clock: options.clock, in: $0) : nil
        })
    } catch {
      throw .backup(error)
    }
  }

  private func carryOut(
    _ order: RepairOrder, _ store: some Store, _ report: Reports
  ) throws(RepairFailure) {
    do throws(BackupError) {
      try order.execute(on: store.files, writer: StoreWriter(originals: store.files))
    } catch {
      throw .backup(error)
    }
    for (path, file) in zip(order.paths, order.files) { report(.written(path, file)) }
    if let backup = order.backup { report(.backup(backup.folder)) }
  }

  private func cipher() throws(RepairFailure) -> CipherChoice {
    do throws(FileError) {
      return try newKey.choice(options.key.cipherSize)
    } catch {
      throw .file(error)
    }
  }
}
