/// One thing that untyped bytes can be, and why.
public struct Reading: Hashable, Sendable {
  /// The value, if this is what the bytes are.
  public let value: Value
  /// What speaks for it, for people.
  public let reason: String

  /// A reading with what speaks for it.
  public init(_ value: Value, because reason: String) {
    self.value = value
    self.reason = reason
  }
}
