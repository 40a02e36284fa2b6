/// Why a script cannot be read or carried out.
public struct ScriptError: Error, Hashable, Sendable {
  /// The line, from 1; `nil` where there is no text.
  public let line: Int?
  /// What is wrong with it, in a sentence for people.
  public let reason: String

  /// An error in a line.
  public init(line: Int?, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  /// What went wrong and where, in a sentence for people.
  public var message: String { line.map { "line \($0): \(reason)" } ?? reason }
}
