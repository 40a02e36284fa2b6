/// The codes that the engine passes to its delegate's `fastkv:fatalError:`.
enum EngineError: Int, Sendable {
  /// The file cannot be opened or examined.
  ///
  /// No file content leads to this code.
  case open = 4002
  /// The file does not begin with the magic.
  case magic = 4003
  /// The length reaches beyond the file.
  case length = 4004

  /// The name of the code in predictions.
  var name: String { "\(rawValue)" }

  /// The exception that the engine raises without calling its delegate, and that nothing catches.
  static let exception = "NSRangeException"
  /// The exception with which the system ends a process that accesses memory outside its own.
  static let crash = "EXC_BAD_ACCESS"
}
