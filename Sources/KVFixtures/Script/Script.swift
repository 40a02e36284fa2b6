/// A sequence of operations that an app carries out on one store.
///
/// ```swift
/// let script = Script {
///   ScriptOperation.set(Key(Array("token".utf8)), .string("abc"))
///   ScriptOperation.remove([Key(Array("token".utf8))])
/// }
/// ```
public struct Script: Hashable, Sendable {
  /// An operation and its line.
  package struct Statement: Hashable, Sendable {
    /// The line number in the text, from 1, or `nil` if the script was not read from text.
    package let line: Int?
    /// The operation.
    package let operation: ScriptOperation
  }

  /// The settings of the store.
  package var settings: StoreSettings
  /// The operations.
  package var statements: [Statement]

  /// Creates a script from a result builder.
  public init(
    _ settings: StoreSettings = StoreSettings(),
    @ScriptBuilder _ operations: () -> [ScriptOperation]
  ) {
    self.init(settings, operations())
  }

  /// Creates a script of these operations.
  public init(_ settings: StoreSettings = StoreSettings(), _ operations: [ScriptOperation]) {
    self.settings = settings
    statements = operations.map { Statement(line: nil, operation: $0) }
  }

  /// Creates a script from `text`, in the form described in `Docs/FIXTURES.md`.
  ///
  /// - Parameters:
  ///   - text: The text of the script.
  ///   - seed: The seed of the values that the text leaves to chance.
  /// - Throws: ``ScriptError`` for the first line that is neither an operation nor a setting.
  public init(parsing text: String, seed: UInt64 = 0) throws(ScriptError) {
    var parser = ScriptParser(seed: seed)
    // A carriage return and a line feed are one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      try parser.read(line, number: index + 1)
    }
    settings = parser.settings
    statements = parser.statements
  }
}
