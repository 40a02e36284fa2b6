/// How a new store is encrypted.
public enum CipherChoice: Hashable, Sendable {
  /// As the old one: under its key, or not at all.
  case keep
  /// Not at all.
  case plain
  /// Under another key, for AES-256 or AES-128.
  case rekey([UInt8], isAES256: Bool)
}
