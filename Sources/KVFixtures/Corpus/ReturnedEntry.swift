package import KVModel

/// An entry that a tool says a store holds.
package struct ReturnedEntry: Hashable, Sendable {
  /// The key.
  package let key: Key
  /// The value, as a record of the format stores it.
  package let value: [UInt8]
  /// Whether the tool says that it may be wrong.
  package let isMarked: Bool

  /// An entry.
  package init(key: Key, value: [UInt8], isMarked: Bool = false) {
    self.key = key
    self.value = value
    self.isMarked = isMarked
  }
}
