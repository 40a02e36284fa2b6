public import KVModel

/// An entry that a tool says a store holds.
public struct ReturnedEntry: Hashable, Sendable {
  /// The key.
  public let key: Key
  /// The value, as a record of the format stores it.
  public let value: [UInt8]
  /// Whether the tool says that it may be wrong.
  public let isMarked: Bool

  /// An entry.
  public init(key: Key, value: [UInt8], isMarked: Bool = false) {
    self.key = key
    self.value = value
    self.isMarked = isMarked
  }
}
