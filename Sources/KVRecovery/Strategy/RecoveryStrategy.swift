package import KVModel

/// Decides what to do with a damaged log, like the handlers that MMKV calls.
///
/// Use ``recover`` after a crash or an incomplete copy, if old entries are better than none, and
/// examine the evidence for each entry. If no checksum covers a value, its bytes may have changed.
/// Use ``discard`` if a wrong entry is worse than a missing one. It keeps only what a stored
/// checksum verifies.
package protocol RecoveryStrategy: Sendable {
  /// Returns the answer if the checksum over the log does not match or its records do not decode,
  /// like `onMMKVCRCCheckFail`.
  func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision
  /// Returns the answer if the stated length of the log exceeds the file, like
  /// `onMMKVFileLengthError`.
  func onLengthError(_ damage: LengthDamage) -> RecoveryDecision
}

/// The facts about a log whose checksum does not match, or that does not decode.
package struct ChecksumDamage: Sendable {
  /// The stored checksum, compared with the bytes; `nil` if none is stored.
  let claim: ChecksumClaim?
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
  let choices: RepairChoices
}

/// The results of the two answers to a question.
package struct RepairChoices: Sendable {
  /// The number of entries that recovering keeps.
  package let recovered: Int
  /// The number of entries that discarding keeps.
  package let verified: Int
}

/// A strategy with two fixed answers.
package struct FixedStrategy: RecoveryStrategy {
  private let answers: EngineAnswers

  /// Creates a strategy with these answers.
  package init(_ answers: EngineAnswers) { self.answers = answers }

  /// Returns the fixed answer for checksums.
  package func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision {
    answers.onChecksumMismatch
  }

  /// Returns the fixed answer for lengths.
  package func onLengthError(_ damage: LengthDamage) -> RecoveryDecision { answers.onLengthError }
}

extension RecoveryStrategy where Self == FixedStrategy {
  /// A strategy that always keeps everything that can be read.
  package static var recover: FixedStrategy { FixedStrategy(EngineAnswers(always: .recover)) }
  /// A strategy that always keeps only what a checksum verifies.
  package static var discard: FixedStrategy { FixedStrategy(EngineAnswers(always: .discard)) }
}
