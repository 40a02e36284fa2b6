import KVBytes
public import KVSystem

/// An error that prevents damaging a store, making a corpus or scoring a result.
public enum FixtureError: Error, Hashable, Sendable {
  /// A file could not be read or written.
  case file(FileError)
  /// A script cannot be carried out.
  case script(ScriptError)
  /// The store cannot be damaged with a known answer, for the reason given.
  case unsuitable(String)
  /// The operator has nothing to act on.
  case notApplicable(operator: String, String)
  /// A file of a corpus is malformed.
  case malformed(path: String, String)

  /// A sentence that explains the error and what to do next.
  public var message: String {
    switch self {
    case .file(let error): error.message
    case .script(let error): error.message
    case .unsuitable(let reason): reason
    case .notApplicable(let name, let reason): "\(name) cannot be applied: \(reason)"
    case .malformed(let path, let reason): "\(path): \(reason)"
    }
  }
}
