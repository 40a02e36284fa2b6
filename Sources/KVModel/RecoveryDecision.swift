/// The answer to "what shall become of a damaged log?".
public enum RecoveryDecision: String, Hashable, Sendable, CaseIterable {
  /// Drop what nothing vouches for.
  case discard
  /// Keep what can be read.
  case recover
}
