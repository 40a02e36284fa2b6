/// Puts operations together to a script.
@resultBuilder public enum ScriptBuilder {
  /// One operation.
  public static func buildExpression(_ operation: ScriptOperation) -> [ScriptOperation] {
    [operation]
  }

  /// Operations that were put together elsewhere.
  public static func buildExpression(_ operations: [ScriptOperation]) -> [ScriptOperation] {
    operations
  }

  /// Operations one after the other.
  public static func buildBlock(_ parts: [ScriptOperation]...) -> [ScriptOperation] {
    parts.flatMap { $0 }
  }

  /// The operations of each turn of a loop.
  public static func buildArray(_ parts: [[ScriptOperation]]) -> [ScriptOperation] {
    parts.flatMap { $0 }
  }

  /// Operations that are there on a condition.
  public static func buildOptional(_ part: [ScriptOperation]?) -> [ScriptOperation] { part ?? [] }

  /// The operations of the first branch.
  public static func buildEither(first part: [ScriptOperation]) -> [ScriptOperation] { part }

  /// The operations of the second branch.
  public static func buildEither(second part: [ScriptOperation]) -> [ScriptOperation] { part }
}
