public import KVModel

/// Answers what shall become of a damaged log; mirrors the handlers that MMKV calls.
///
/// Use ``recover`` after a crash or a bad copy, when old entries are better than none, and look at
/// the evidence of each; it can keep a value that bytes were changed in, where no checksum covers
/// it. Use ``discard`` where a wrong entry is worse than a missing one; it keeps what a stored
/// checksum vouches for and loses the rest.
public protocol RecoveryStrategy: Sendable {
  /// The checksum over the log does not hold, or its records do not decode. As `onMMKVCRCCheckFail`.
  func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision
  /// The log is said to be longer than the file. As `onMMKVFileLengthError`.
  func onLengthError(_ damage: LengthDamage) -> RecoveryDecision
}

/// What a strategy is told about a log whose checksum does not hold.
public struct ChecksumDamage: Sendable {
  /// The digest held against the bytes; nothing where none is stored.
  public let claim: ChecksumClaim?
  /// What each answer comes to.
  public let choices: RepairChoices
}

/// What a strategy is told about a log that is longer than its file.
public struct LengthDamage: Sendable {
  /// How many bytes the log is said to have.
  public let stated: Int
  /// How many there are.
  public let available: Int
  /// What each answer comes to.
  public let choices: RepairChoices
}

/// What the two answers to a question come to.
public struct RepairChoices: Sendable {
  /// How many entries are kept by recovering.
  public let recovered: Int
  /// How many entries are kept by discarding.
  public let vouchedFor: Int
}

/// The strategy that gives two fixed answers.
public struct FixedStrategy: RecoveryStrategy {
  private let answers: EngineAnswers

  /// A strategy of these answers.
  public init(_ answers: EngineAnswers) { self.answers = answers }

  /// The answer for checksums.
  public func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision {
    answers.onChecksumMismatch
  }

  /// The answer for lengths.
  public func onLengthError(_ damage: LengthDamage) -> RecoveryDecision { answers.onLengthError }
}

extension RecoveryStrategy where Self == FixedStrategy {
  /// Keeps what can be read, whatever is asked.
  public static var recover: FixedStrategy { FixedStrategy(EngineAnswers(always: .recover)) }
  /// Drops what nothing vouches for, whatever is asked.
  public static var discard: FixedStrategy { FixedStrategy(EngineAnswers(always: .discard)) }
}
