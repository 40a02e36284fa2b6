package import KVModel

/// Decides what to do with a damaged log; mirrors the handlers that MMKV calls.
///
/// Use ``recover`` after a crash or a bad copy, when old entries are better than none, and look at
/// the evidence of each entry: if no checksum covers a value, it may keep one whose bytes have
/// changed. Use ``discard`` if a wrong entry is worse than a missing one: it keeps what a stored
/// checksum verifies and loses the rest.
package protocol RecoveryStrategy: Sendable {
  /// Returns the answer if the checksum over the log does not match, or its records do not decode,
  /// as `onMMKVCRCCheckFail`.
  func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision
  /// Returns the answer if the stated length of the log is beyond the file, as
  /// `onMMKVFileLengthError`.
  func onLengthError(_ damage: LengthDamage) -> RecoveryDecision
}

/// The facts about a log whose checksum does not match.
package struct ChecksumDamage: Sendable {
  /// The digest, compared with the bytes; `nil` if none is stored.
  package let claim: ChecksumClaim?
  /// The result of each answer.
  package let choices: RepairChoices
}

/// The facts about a log that is longer than its file.
package struct LengthDamage: Sendable {
  /// The stated length of the log, in bytes.
  package let stated: Int
  /// The number of bytes that are available.
  package let available: Int
  /// The result of each answer.
  package let choices: RepairChoices
}

/// The results of the two answers to a question.
package struct RepairChoices: Sendable {
  /// The number of entries that are kept by recovering.
  package let recovered: Int
  /// The number of entries that are kept by discarding.
  package let verified: Int
}

/// A strategy with two fixed answers.
package struct FixedStrategy: RecoveryStrategy {
  private let answers: EngineAnswers

  /// Creates a strategy with these answers.
  package init(_ answers: EngineAnswers) { self.answers = answers }

  /// Returns the answer for checksums.
  package func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision {
    answers.onChecksumMismatch
  }

  /// Returns the answer for lengths.
  package func onLengthError(_ damage: LengthDamage) -> RecoveryDecision { answers.onLengthError }
}

extension RecoveryStrategy where Self == FixedStrategy {
  /// A strategy that keeps whatever can be read, whatever the question.
  package static var recover: FixedStrategy { FixedStrategy(EngineAnswers(always: .recover)) }
  /// A strategy that drops whatever nothing verifies, whatever the question.
  package static var discard: FixedStrategy { FixedStrategy(EngineAnswers(always: .discard)) }
}
