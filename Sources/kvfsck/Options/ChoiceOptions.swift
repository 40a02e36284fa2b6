import ArgumentParser
import KVModel
import KVRecovery

/// The options for what to keep of a damaged store.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The answer to onMMKVCRCCheckFail: the checksum does not match, or records do not decode.",
      valueName: "recover|discard"), completion: .list(Name.all(RecoveryDecision.self)),
    transform: Name.parse)
  var onCrcFail: RecoveryDecision?

  @Option(
    help: ArgumentHelp(
      "The answer to onMMKVFileLengthError: the stored length is beyond the end of the file.",
      valueName: "recover|discard"), completion: .list(Name.all(RecoveryDecision.self)),
    transform: Name.parse)
  var onLengthError: RecoveryDecision?

  @Flag(help: "Do exactly what the app's own library (MMKV, FastKV) does with these answers.")
  var likeEngine = false

  @Option(
    help: ArgumentHelp(
      "The state to use: current, confirmed (as of the last full rewrite), salvaged, appended, or before-reset. `check` lists the available ones.",
      valueName: "name"),
    completion: .list(Name.all(StateName.self)), transform: Name.parse)
  var state: StateName?

  @Flag(help: "Leave out expired entries; by default they are kept and marked.")
  var dropExpired = false

  /// The options if none is given.
  static var unset: ChoiceOptions {
    var options = ChoiceOptions()
    options.onCrcFail = nil
    options.onLengthError = nil
    options.likeEngine = false
    options.state = nil
    options.dropExpired = false
    return options
  }

  /// The name of a given option that concerns the log of a store, and so does nothing for a format
  /// without one; `nil` if there is none.
  var optionAboutLog: String? {
    if state != nil { return "--state" }
    return likeEngine ? "--like-engine" : nil
  }

  /// Returns `table` without its expired entries, if these are to be left out.
  func kept(_ table: EntryTable, now: UInt32) -> EntryTable {
    dropExpired ? table.withoutEntries(expiredAt: now) : table
  }

  func validate() throws {
    if likeEngine, state != nil || dropExpired {
      throw ValidationError(
        "--like-engine cannot be combined with --state or --drop-expired.")
    }
  }

  /// Checks that `answers` do not contradict these choices.
  func validate(with answers: AnswerFlags) throws {
    if likeEngine, answers.preen { throw ValidationError("Give either --like-engine or -p.") }
    if state != nil, answers.preen { throw ValidationError("Give either --state or -p.") }
  }

  /// Returns whether every question has an answer, here or in `answers`.
  func isDecided(with answers: AnswerFlags) -> Bool {
    answers.preen || answers.yes || state != nil
      || (onCrcFail != nil && onLengthError != nil)
  }

  /// Returns `opened`, read with corrections unless the engine would read it without, and what is
  /// known about it.
  func examined<S: Store>(_ opened: S, now: UInt32) -> (store: S, diagnosis: Diagnosis) {
    guard likeEngine else { return opened.examined(now: now) }
    let found = opened.asFound.judged()
    return (found, Diagnosis(of: found, now: now))
  }

  /// Returns a planner with these choices; open questions get the answer in `answers`, or else
  /// `fallback`.
  func planner(
    now: UInt32, _ answers: AnswerFlags? = nil, otherwise fallback: RecoveryDecision
  ) -> RepairPlanner {
    let preen = answers?.preen == true
    let fallback: RecoveryDecision =
      answers?.yes == true ? .recover : preen ? .discard : fallback
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

/// One answer to all questions about damage, as in fsck(8).
struct AnswerFlags: ParsableArguments {
  @Flag(name: .short, help: "Recover everything that can be recovered, without asking.")
  var yes = false

  @Flag(
    name: .short,
    help: "Keep only what a checksum verifies or is right with probability 0.999, without asking.")
  var preen = false

  /// The flags if none is given.
  static var unset: AnswerFlags {
    var flags = AnswerFlags()
    flags.yes = false
    flags.preen = false
    return flags
  }

  func validate() throws {
    if preen, yes { throw ValidationError("Give either -p or -y.") }
  }
}
