import ArgumentParser
import KVModel
import KVRecovery

/// What shall become of damage.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The answer to onMMKVCRCCheckFail: the checksum does not hold, or records do not decode.",
      valueName: "recover|discard"), completion: .list(Name.all(RecoveryDecision.self)),
    transform: Name.parse)
  var onCrcFail: RecoveryDecision?

  @Option(
    help: ArgumentHelp(
      "The answer to onMMKVFileLengthError: the log is said to be longer than its file.",
      valueName: "recover|discard"), completion: .list(Name.all(RecoveryDecision.self)),
    transform: Name.parse)
  var onLengthError: RecoveryDecision?

  @Flag(help: "Do to the letter what the app's own engine does with these answers.")
  var likeEngine = false

  @Flag(name: .short, help: "Answer no: look, and write nothing.")
  var no = false

  @Flag(name: .short, help: "Take only what is proven safe: what a checksum verifies.")
  var preen = false

  @Flag(name: .short, help: "Answer yes: recover, whatever is asked.")
  var yes = false

  @Option(
    help: ArgumentHelp(
      "The state to take: current, confirmed, before-reset or salvaged.", valueName: "name"),
    completion: .list(Name.all(StateName.self)), transform: Name.parse)
  var state: StateName?

  @Flag(help: "Leave out entries that have expired, instead of keeping and marking them.")
  var dropExpired = false

  func validate() throws {
    if [no, preen, yes].count(where: { $0 }) > 1 {
      throw ValidationError("Only one of -n, -p and -y may be given.")
    }
    if likeEngine, state != nil || preen || dropExpired {
      throw ValidationError(
        "--like-engine does what the engine does; --state, -p and --drop-expired change that.")
    }
    if state != nil, preen {
      throw ValidationError("Give either --state or -p.")
    }
  }

  /// Whether an answer to every question was given.
  var isDecided: Bool {
    no || preen || yes || state != nil || (onCrcFail != nil && onLengthError != nil)
  }

  /// The planner of these choices; questions without an answer get `fallback`.
  func planner(now: UInt32, otherwise fallback: RecoveryDecision) -> RepairPlanner {
    let fallback: RecoveryDecision = yes ? .recover : preen ? .discard : fallback
    var planner = RepairPlanner(
      strategy: FixedStrategy(
        EngineAnswers(
          onChecksumMismatch: onCrcFail ?? fallback, onLengthError: onLengthError ?? fallback)))
    planner.state = state
    planner.isLikeEngine = likeEngine
    planner.dropsExpiredAt = dropExpired ? now : nil
    if preen { planner.minimumEvidence = .corrected }
    return planner
  }
}
