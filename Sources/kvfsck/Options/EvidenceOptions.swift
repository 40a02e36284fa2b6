import ArgumentParser
import KVCryptography
import KVReport
import KVSystem

/// The options for a log of what a run has read and written.
struct EvidenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append what this run reads and writes, with hashes, to the log evidence.jsonl in this folder; see `verify-log`. With --verbose, also the files that were not recognized.",
      valueName: "dir"), completion: .directory)
  var evidence: String?

  @Option(
    name: .customLong("case"),
    help: ArgumentHelp("The case, for the log.", valueName: "text"))
  var matter: String?

  @Option(help: ArgumentHelp("The examiner, for the log.", valueName: "text"))
  var examiner: String?

  /// The options if none is given.
  static var unset: EvidenceOptions {
    var options = EvidenceOptions()
    options.evidence = nil
    options.matter = nil
    options.examiner = nil
    return options
  }

  func validate() throws {
    guard let evidence else {
      if matter != nil || examiner != nil {
        throw ValidationError("--case and --examiner need --evidence.")
      }
      return
    }
    if evidence.isEmpty { throw ValidationError("--evidence takes the path of a folder.") }
    if !Cryptography.isAvailable {
      throw ValidationError("--evidence needs a kvfsck that was built with the trait Encryption.")
    }
  }

  /// Checks that the log would not be written below one of `inputs`, which are only read, not even
  /// through a link.
  func validate(outside inputs: [String]) throws {
    guard let log = evidence.map(ProcessArguments.path) else { return }
    let place = Folder.located(log)
    guard let root = inputs.first(where: { Folder.isInside(place, ProcessArguments.path($0)) })
    else { return }
    throw ValidationError(
      "--evidence \(log.text) is in \(ProcessArguments.path(root).text), which is examined; name a "
        + "folder outside it.")
  }

  /// Calls `body`, and logs what it reads and writes if that is asked for.
  ///
  /// - Throws: What `body` throws; `.failed` if the log cannot be written, before `body` is called
  ///   if possible.
  func keeping(_ body: () throws -> Void) throws {
    guard let evidence else { return try body() }
    let ledger = EvidenceLog.ledger()
    let log: EvidenceLog
    do throws(FileError) {
      log = try EvidenceLog(
        in: ProcessArguments.path(evidence),
        EvidenceLog.Occasion(
          version: Kvfsck.version,
          arguments: KeyOptions.hidingKeys(in: ProcessArguments.texts, behind: "•"),
          matter: matter, examiner: examiner),
        listingAll: Manner.current.isVerbose, ledger)
    } catch {
      StoreOpening.complain(error.message)
      throw ExitStatus.failed
    }
    Interruption.beforeEnd { status in _ = try? log.end(status: status) }
    FileLedger.set(ledger)
    let outcome = Result { try body() }
    FileLedger.set(nil)
    // Until here, a request to stop ends the log.
    Interruption.hold()
    Interruption.beforeEnd(nil)
    try end(log, outcome)
  }

  /// Ends the log with the status of `outcome`.
  private func end(_ log: EvidenceLog, _ outcome: Result<Void, any Error>) throws {
    var status: ExitStatus = []
    if case .failure(let error) = outcome { status = Kvfsck.status(after: error) }
    let failures = log.failures
    for failure in failures { StoreOpening.complain("no hash: \(failure.message)") }
    if !failures.isEmpty { status.formUnion(.failed) }
    do throws(FileError) {
      let (count, hash) = try log.end(status: status.rawValue)
      Output.note("evidence: \(Plural.count(count, "line", "lines")), last hash \(hash)")
    } catch {
      StoreOpening.complain(error.message)
      throw status.union(.failed)
    }
    if !failures.isEmpty { throw status }
    try outcome.get()
  }
}

/// A command that can log what it reads and writes.
protocol KeepsEvidence {
  /// Whether and where it does.
  var evidence: EvidenceOptions { get }
}
