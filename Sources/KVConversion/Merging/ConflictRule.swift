/// What becomes of a key that several of the merged stores have with different values.
package enum ConflictRule: String, Hashable, Sendable, CaseIterable {
  /// The value of the first store that has it is kept.
  case first
  /// The value of the last store that has it is kept.
  case last
  /// Nothing is written, and the keys are named.
  case error
}
