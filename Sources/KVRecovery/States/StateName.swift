/// A state that a store's files can hold evidence for.
package enum StateName: String, Hashable, Sendable, CaseIterable {
  /// The log with the length that the store claims.
  case current
  /// The log as it was at the last full rewrite.
  case confirmed
  /// The contents before the store was emptied.
  case beforeReset = "before-reset"
  /// The log that the store claims, with whole records after it that may have been appended to it.
  case appended
  /// The best state that the bytes support if that claim is wrong.
  case salvaged
}
