/// Whether a store's records can be read with the key that was given.
public enum Access: Hashable, Sendable {
  /// They can; `note` says what had to be assumed, if anything.
  case readable
  /// They cannot; the reason, for people, says what was tried and what to do.
  case unreadable(code: String, reason: String)
}
