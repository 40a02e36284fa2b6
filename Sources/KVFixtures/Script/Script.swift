/// The operations that an app carries out on one store.
///
/// ```swift
/// let script = Script {
///   ScriptOperation.set(Key(Array("token".utf8)), .string("abc"))
///   ScriptOperation.remove([Key(Array("token".utf8))])
/// }
/// ```
public struct Script: Hashable, Sendable {
  /// An operation, and its line.
  public struct Statement: Hashable, Sendable {
    /// The line of the text, from 1; `nil` if the script was not read from text.
    public let line: Int?
    /// The operation.
    public let operation: ScriptOperation
  }

  /// The settings of the store.
  public var settings: StoreSettings
  /// The operations.
  public var statements: [Statement]

  /// A script of these operations.
  public init(
    _ settings: StoreSettings = StoreSettings(),
    @ScriptBuilder _ operations: () -> [ScriptOperation]
  ) {
    self.init(settings, operations())
  }

  /// A script of these operations.
  public init(_ settings: StoreSettings = StoreSettings(), _ operations: [ScriptOperation]) {
    self.settings = settings
    statements = operations.map { Statement(line: nil, operation: $0) }
  }

  /// Creates a script from `text`, whose form is in `Docs/FIXTURES.md`.
  ///
  /// - Throws: ``ScriptError`` at the first line that is no operation and no setting.
  public init(parsing text: String, seed: UInt64 = 0) throws(ScriptError) {
    var parser = ScriptParser(seed: seed)
    // A line feed after a carriage return is one character with it.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      try parser.read(line, number: index + 1)
    }
    settings = parser.settings
    statements = parser.statements
  }
}
