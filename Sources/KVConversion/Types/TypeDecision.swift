import KVModel

/// The type that was chosen for a value.
struct TypeDecision: Sendable {
  /// The value, as that type.
  let value: Value
  /// The losses of the choice, and the notes about it.
  let losses: [Loss]
  /// Whether the type is stored or given by a schema, or is the only one that fits.
  let isCertain: Bool
}
