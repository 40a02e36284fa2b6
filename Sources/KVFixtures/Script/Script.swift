/// What an app does to one store, in order.
///
/// ```swift
/// let script = Script {
///   ScriptOperation.set(Key(Array("token".utf8)), .string("abc"))
///   ScriptOperation.remove([Key(Array("token".utf8))])
/// }
/// ```
public struct Script: Hashable, Sendable {
  /// An operation, and where it stands.
  public struct Statement: Hashable, Sendable {
    /// The line of the text, from 1; `nil` for one that comes from no text.
    public let line: Int?
    /// What is done.
    public let operation: ScriptOperation
  }

  /// What is decided before the first operation.
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

  /// The script that `text` spells; see `Docs/FIXTURES.md`.
  ///
  /// - Throws: At the first line that is none.
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
