/// What a merge does with a key that has different values in several stores.
package enum ConflictRule: String, Hashable, Sendable, CaseIterable {
  /// Keep the value of the first store that has the key.
  case first
  /// Keep the value of the last store that has the key.
  case last
  /// Write nothing, and report the keys.
  case error
}
