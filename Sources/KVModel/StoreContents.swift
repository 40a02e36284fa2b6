/// What a store is to hold: the entries that a repair keeps, by their bytes.
public struct StoreContents: Hashable, Sendable {
  /// One entry.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: Key
    /// The value, as a record of the format stores it.
    public let value: [UInt8]
    /// The record that it comes from, in the store that the new one is to be like.
    ///
    /// A format whose records have types finds the type there. Nothing for an entry from elsewhere.
    public let source: Record?

    /// An entry.
    public init(key: Key, value: [UInt8], from source: Record? = nil) {
      self.key = key
      self.value = value
      self.source = source
    }
  }

  /// The entries, oldest first; no key twice.
  public let entries: [Entry]

  /// Contents of these entries.
  public init(_ entries: [Entry]) { self.entries = entries }
}
