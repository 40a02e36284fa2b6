package import KVModel

/// Answers what shall become of a damaged log; mirrors the handlers that MMKV calls.
///
/// Use ``recover`` after a crash or a bad copy, when old entries are better than none, and look at
/// the evidence of each; it can keep a value that bytes were changed in, where no checksum covers
/// it. Use ``discard`` where a wrong entry is worse than a missing one; it keeps what a stored
/// checksum verifies and loses the rest.
package protocol RecoveryStrategy: Sendable {
  /// The checksum over the log does not hold, or its records do not decode. As `onMMKVCRCCheckFail`.
  func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision
  /// The stated length of the log is beyond the file. As `onMMKVFileLengthError`.
  func onLengthError(_ damage: LengthDamage) -> RecoveryDecision
}

/// What a strategy is told about a log whose checksum does not hold.
package struct ChecksumDamage: Sendable {
  /// The digest held against the bytes; `nil` where none is stored.
  package let claim: ChecksumClaim?
  /// What each answer comes to.
  package let choices: RepairChoices
}

/// What a strategy is told about a log that is longer than its file.
package struct LengthDamage: Sendable {
  /// The stated length of the log, in bytes.
  package let stated: Int
  /// How many there are.
  package let available: Int
  /// What each answer comes to.
  package let choices: RepairChoices
}

/// What the two answers to a question come to.
package struct RepairChoices: Sendable {
  /// How many entries are kept by recovering.
  package let recovered: Int
  /// How many entries are kept by discarding.
  package let verified: Int
}

/// The strategy that gives two fixed answers.
package struct FixedStrategy: RecoveryStrategy {
  private let answers: EngineAnswers

  /// A strategy of these answers.
  package init(_ answers: EngineAnswers) { self.answers = answers }

  /// The answer for checksums.
  package func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision {
    answers.onChecksumMismatch
  }

  /// The answer for lengths.
  package func onLengthError(_ damage: LengthDamage) -> RecoveryDecision { answers.onLengthError }
}

extension RecoveryStrategy where Self == FixedStrategy {
  /// Keeps what can be read, whatever is asked.
  package static var recover: FixedStrategy { FixedStrategy(EngineAnswers(always: .recover)) }
  /// Drops what nothing verifies, whatever is asked.
  package static var discard: FixedStrategy { FixedStrategy(EngineAnswers(always: .discard)) }
}
