/// What an app answers when its engine asks about damage.
public struct EngineAnswers: Hashable, Sendable {
  /// The answer of `onMMKVCRCCheckFail`, and of what corresponds to it in other engines.
  public var onChecksumMismatch: RecoveryDecision
  /// The answer of `onMMKVFileLengthError`, and of what corresponds to it in other engines.
  public var onLengthError: RecoveryDecision

  /// One answer to each question.
  public init(onChecksumMismatch: RecoveryDecision, onLengthError: RecoveryDecision) {
    self.onChecksumMismatch = onChecksumMismatch
    self.onLengthError = onLengthError
  }

  /// The same answer to both.
  public init(always decision: RecoveryDecision) {
    self.init(onChecksumMismatch: decision, onLengthError: decision)
  }
}
