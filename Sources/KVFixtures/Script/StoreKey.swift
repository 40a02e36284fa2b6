/// The key of an encrypted store.
public struct StoreKey: Hashable, Sendable {
  /// The key's bytes as the app passes them.
  public let bytes: [UInt8]
  /// Whether it is for AES-256, where the format has a choice.
  public let isAES256: Bool

  /// A key of these bytes.
  public init(_ bytes: [UInt8], isAES256: Bool = false) {
    self.bytes = bytes
    self.isAES256 = isAES256
  }
}
