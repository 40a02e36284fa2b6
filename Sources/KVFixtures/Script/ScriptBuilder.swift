/// A result builder that combines operations into a script.
@resultBuilder public enum ScriptBuilder {
  /// Returns one operation.
  public static func buildExpression(_ operation: ScriptOperation) -> [ScriptOperation] {
    [operation]
  }

  /// Returns operations that were combined elsewhere.
  public static func buildExpression(_ operations: [ScriptOperation]) -> [ScriptOperation] {
    operations
  }

  /// Returns the operations of consecutive statements.
  public static func buildBlock(_ parts: [ScriptOperation]...) -> [ScriptOperation] {
    parts.flatMap { $0 }
  }

  /// Returns the operations of all iterations of a loop.
  public static func buildArray(_ parts: [[ScriptOperation]]) -> [ScriptOperation] {
    parts.flatMap { $0 }
  }

  /// Returns the operations of an `if` statement without `else`.
  public static func buildOptional(_ part: [ScriptOperation]?) -> [ScriptOperation] { part ?? [] }

  /// Returns the operations of the first branch.
  public static func buildEither(first part: [ScriptOperation]) -> [ScriptOperation] { part }

  /// Returns the operations of the second branch.
  public static func buildEither(second part: [ScriptOperation]) -> [ScriptOperation] { part }
}
