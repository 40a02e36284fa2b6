import KVBytes
public import KVSystem

/// Why a store could not be damaged, a corpus not made, or a result not scored.
public enum FixtureError: Error, Hashable, Sendable {
  /// A file could not be read or written.
  case file(FileError)
  /// A script cannot be carried out.
  case script(ScriptError)
  /// The store cannot be damaged in a way that an answer is known to: why, for people.
  case unsuitable(String)
  /// The operator has nothing to act on.
  case notApplicable(operator: String, String)
  /// A file of a corpus is not what it should be.
  case malformed(path: String, String)

  /// What went wrong and what to do next, in a sentence for people.
  public var message: String {
    switch self {
    case .file(let error): error.message
    case .script(let error): error.message
    case .unsuitable(let reason): reason
    case .notApplicable(let name, let reason): "\(name) has nothing to act on here: \(reason)"
    case .malformed(let path, let reason): "\(path): \(reason)"
    }
  }
}
