/// How a store is, in one word.
public enum Verdict: String, Hashable, Sendable {
  /// Nothing is damaged.
  case clean
  /// Something is damaged, and a checksum proves that every entry can be kept.
  case repairable
  /// Entries are lost, or nothing proves that they are not.
  case damaged
  /// The records cannot be read: the key does not fit, or this is no store.
  case unreadable
}
