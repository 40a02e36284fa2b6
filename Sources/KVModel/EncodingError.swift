/// Why a store cannot be written.
public enum EncodingError: Error, Hashable, Sendable {
  /// This build cannot encrypt.
  case noCipher
  /// The store would be larger than its format can address.
  case tooLarge(count: Int, limit: Int)
  /// The engine could not read the store if it held this entry.
  case unreadableEntry(key: Key, reason: String)

  /// What went wrong and what to do next, in a sentence for people.
  public var message: String {
    switch self {
    case .noCipher:
      "this build has no ciphers; build kvfsck with the trait Encryption, or say --plain"
    case .tooLarge(let count, let limit):
      "the store would take \(count) bytes, and the format can address \(limit)"
    case .unreadableEntry(_, let reason):
      "an entry cannot be written: \(reason)"
    }
  }
}
