import ArgumentParser
import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit

/// `kvfsck wipe`: overwrites what earlier logs have left in the files of a store.
struct Wipe: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "wipe",
    abstract: "Overwrite what earlier logs have left after the log of a store.",
    discussion: """
      Writes zeros over the bytes after the log, where they lie, so that values that the app has removed or \
      replaced cannot be read there. The log is kept byte for byte, and the app's engine reads the same entries. \
      Stop the app first. Values that were replaced or removed within the log are left, and counted; \
      `repair --out` writes a store without them. The file system, its snapshots, the flash memory below, \
      and backups may still have copies of what is overwritten. Exit status: 0 nothing is left, \
      4 the log itself or another copy still has former values, or --dry-run found something, 8 could not write, \
      16 no terminal to ask on, 32 cancelled.
      """)

  @OptionGroup var options: StoreOptions

  @Flag(name: .shortAndLong, help: "Overwrite without asking.")
  var yes = false

  @Flag(help: "Overwrite even what entries could be recovered from.")
  var forget = false

  @Flag(help: "Show what would be overwritten, and write nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
  var store: String

  var statusWhenUnread: ExitStatus? { dryRun ? [] : .cancelled }

  func validate() throws {
    try options.validate(stores: [store])
    if store == "-" {
      throw ValidationError("wipe needs the files of a store, not standard input.")
    }
    if yes, dryRun { throw ValidationError("Give either --yes or --dry-run.") }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .repair)
    let status = StoreOpening.open(store, options, report, isReplaced: true) { found in
      do throws(WipeFailure) {
        return try wipe(found, report)
      } catch {
        return StoreOpening.fail(
          ReportedPath(argument: store), error.message(about: store), report, error.status)
      }
    }
    throw report.end(status)
  }

  private func wipe(
    _ found: some FoundStore, _ report: Reports
  ) throws(WipeFailure) -> ExitStatus {
    let (opened, diagnosis) = found.open().examined(now: options.clock)
    guard diagnosis.verdict == .clean else { throw .damaged(diagnosis.verdict) }
    report(.opened(opened, clock: options.clock))
    report(.findings(diagnosis.findings, in: opened.files))
    let unused = UnusedBytes(of: opened)
    let result = WipeResult(
      unused, past: diagnosis.past ?? PastRecords(),
      left: StoreResidue(of: opened, diagnosis, without: unused.contain).values.count,
      isExecuted: !dryRun)
    if !dryRun, !unused.parts.isEmpty {
      if !forget { try checkRecoverable(diagnosis) }
      try ask(unused)
      do throws(FileError) {
        try unused.overwrite()
      } catch {
        throw .file(error)
      }
      try verify(found, opened)
    }
    report(.wiped(result))
    if result.leftCount > 0 {
      report.output.flush()
      Output.note(
        "to write a store without former records: kvfsck repair "
          + "\(ShellWord.text(ProcessArguments.path(store))) --out DIR")
    }
    let isLeft = result.leftCount > 0 || dryRun && !unused.parts.isEmpty
    return isLeft ? .damaged : []
  }

  /// Checks that no entry could be recovered from the bytes beyond those that the app has: records that
  /// may be newer, or those of a store that was emptied.
  private func checkRecoverable(_ diagnosis: Diagnosis) throws(WipeFailure) {
    guard diagnosis.recoverable.entries == 0,
      diagnosis.states.allSatisfy({ [.current, .confirmed].contains($0.name) })
    else { throw .recoverable }
  }

  private func ask(_ unused: UnusedBytes) throws(WipeFailure) {
    guard !yes else { return }
    guard Terminal.isInteractive(.input), Terminal.isInteractive(.error) else {
      throw .undecided
    }
    let terminal = Output.error
    terminal.prompt(
      "Overwrite \(Plural.count(unused.count, "byte", "bytes")) after the log with zeros? They cannot be "
        + "restored. [y]es, [n]o (Enter)? ")
    guard readLine()?.lowercased().first == "y" else { throw .cancelled }
  }

  /// Checks that the files are read as before, and that nothing is left after the log.
  private func verify<F: FoundStore>(
    _ found: F, _ before: F.Format.StoreType
  ) throws(WipeFailure) {
    guard let path = before.files.first?.path else { return }
    let files: [StoreFile]
    do throws(DiscoveryError) {
      files = try found.format.discover(at: path)
    } catch {
      throw .unverified(error.message)
    }
    let (after, diagnosis) = found.format.open(files).examined(now: options.clock)
    guard diagnosis.verdict == .clean, UnusedBytes(of: after).parts.isEmpty else {
      throw .unverified("the store is not clean any more")
    }
    for claim in before.lengthClaims {
      guard let log = claim.log else { continue }
      let (old, new) = (before.stored(log.file), after.stored(log.file))
      guard new.count == old.count,
        new.bytes(in: 0..<log.end) == old.bytes(in: 0..<log.end)
      else { throw .unverified("the log has other bytes than before") }
    }
  }
}

/// An error that ended a wipe.
private enum WipeFailure: Error {
  /// What is after the log of a damaged store may be needed to recover it.
  case damaged(Verdict)
  /// Entries that the app does not have could be recovered from the bytes.
  case recoverable
  case undecided
  case cancelled
  case file(FileError)
  /// The files were written, and are not as they should be.
  case unverified(String)

  /// What went wrong with the store at `path`, and what to do next.
  func message(about path: String) -> String {
    switch self {
    case .damaged(.unreadable):
      "\(path) cannot be read, so it is not known where its log ends; give its key"
    case .damaged:
      "\(path) is damaged, and what would be overwritten may be needed to recover it; repair it first: "
        + "kvfsck repair \(ShellWord.text(ProcessArguments.path(path))) --in-place"
    case .recoverable:
      "the bytes after the log of \(path) have records that may be newer than it, or were its log before it "
        + "was emptied; nothing was overwritten. kvfsck check shows them, and --forget overwrites them"
    case .undecided:
      "there is no terminal to ask on. Choose -y to overwrite, or --dry-run to see what"
    case .cancelled: "cancelled; nothing was written"
    case .file(let error): error.message
    case .unverified(let reason):
      "\(path) was overwritten after its log, but \(reason); the app may have written to it: check it"
    }
  }

  var status: ExitStatus {
    switch self {
    case .damaged, .recoverable, .file, .unverified: .failed
    case .undecided: .usage
    case .cancelled: .cancelled
    }
  }
}
