/// A record of a store's history, for formats that have a table of them.
public struct HistoricRecord: Hashable, Sendable {
  /// The key.
  public let key: Key
  /// `put` or `remove`.
  public let operation: String
  /// `live`, `superseded`, `removed` or `slack`.
  public let state: String
  /// Where the record is, what vouches for it, and its value's bytes.
  public let origin: EntryOrigin

  /// A record.
  public init(key: Key, operation: String, state: String, origin: EntryOrigin) {
    self.key = key
    self.operation = operation
    self.state = state
    self.origin = origin
  }
}
