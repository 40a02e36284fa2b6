/// An entry with a typed value, wherever it comes from: what is converted and compared.
public struct TypedEntry: Hashable, Sendable {
  /// The key.
  public let key: Key
  /// The value.
  public let value: Value
  /// When the entry expires, in seconds since 1970; 0 for never.
  public let expiry: UInt32
  /// Where it comes from.
  public let origin: EntryOrigin

  /// An entry.
  public init(
    key: Key, value: Value, expiry: UInt32 = 0, origin: EntryOrigin = EntryOrigin(.structure)
  ) {
    self.key = key
    self.value = value
    self.expiry = expiry
    self.origin = origin
  }

  /// The entry with another value.
  public func with(_ value: Value) -> TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin)
  }

  /// The entry without its time of expiry.
  public var withoutExpiry: TypedEntry { TypedEntry(key: key, value: value, origin: origin) }

  /// Whether key, value and expiry are the same, by their bits.
  public func hasSameContent(as other: TypedEntry) -> Bool {
    key == other.key && expiry == other.expiry && value.isSame(as: other.value)
  }
}
