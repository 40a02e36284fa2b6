/// An error in a script, or in carrying it out.
public struct ScriptError: Error, Hashable, Sendable {
  /// The line number, from 1, or `nil` if there is no text.
  public let line: Int?
  /// A sentence that explains the error.
  package let reason: String

  /// Creates an error in a line.
  package init(line: Int?, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  /// A sentence that explains the error and where it is.
  public var message: String { line.map { "line \($0): \(reason)" } ?? reason }
}
