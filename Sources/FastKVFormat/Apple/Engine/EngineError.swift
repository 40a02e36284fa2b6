/// The codes with which the engine calls its delegate's `fastkv:fatalError:`.
enum EngineError: Int, Sendable {
  /// The file cannot be opened or examined. Nothing in a file's bytes leads to this one.
  case open = 4002
  /// The file does not begin with the magic.
  case magic = 4003
  /// The length reaches beyond the file.
  case length = 4004

  /// The code as a prediction names it.
  var name: String { "\(rawValue)" }

  /// The exception that no handler is called for, and that nobody catches.
  static let exception = "NSRangeException"
  /// What the system does to a process that reads or writes where nothing is.
  static let crash = "EXC_BAD_ACCESS"
}
