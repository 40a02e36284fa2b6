extension Value {
  /// A value under its name in a dictionary.
  public struct Member: Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: Value

    /// `value` under `name`.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// How many containers may lie in each other; readers take no deeper ones.
  public static var maximumDepth: Int { 64 }
}
