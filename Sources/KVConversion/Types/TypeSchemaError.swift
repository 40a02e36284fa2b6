/// An error in a file of types.
package enum TypeSchemaError: Error, Hashable, Sendable {
  /// The file is not JSON, or does not have the expected structure.
  case malformed(String)
  /// A rule names a type that does not exist.
  case unknownType(String, ordinal: Int)
  /// A rule has neither a key nor a pattern, more than one of them, or a `key_hex` that is not
  /// hexadecimal.
  case noSubject(ordinal: Int)

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .malformed(let reason):
      "not a file of types: \(reason)"
    case .unknownType(let kind, let ordinal):
      "rule \(ordinal) has the unknown type \"\(kind)\"; Docs/CONVERSION.md lists the types"
    case .noSubject(let ordinal):
      "rule \(ordinal) needs one of \"key\", \"key_hex\" and \"pattern\""
    }
  }
}
