package import KVModel

/// An entry that a tool returned for a store.
package struct ReturnedEntry: Hashable, Sendable {
  /// The key.
  let key: Key
  /// The value, as a record of the format stores it.
  let value: [UInt8]
  /// Whether the tool marked the entry as unverified.
  let isMarked: Bool

  /// Creates an entry.
  package init(key: Key, value: [UInt8], isMarked: Bool = false) {
    self.key = key
    self.value = value
    self.isMarked = isMarked
  }
}
