import KVModel

/// What a value is taken for.
struct TypeDecision: Sendable {
  /// The value.
  let value: Value
  /// What that costs, or what has to be said of it.
  let losses: [Loss]
  /// Whether the format or a person says so, or nothing else fits.
  let isCertain: Bool
}
