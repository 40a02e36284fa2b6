/// The key of an encrypted store.
public struct StoreKey: Hashable, Sendable {
  /// The bytes of the key, as the app passes them.
  package let bytes: [UInt8]
  /// Whether the key is for AES-256, in formats that have a choice.
  package let isAES256: Bool

  /// Creates a key.
  public init(_ bytes: [UInt8], isAES256: Bool = false) {
    self.bytes = bytes
    self.isAES256 = isAES256
  }
}
