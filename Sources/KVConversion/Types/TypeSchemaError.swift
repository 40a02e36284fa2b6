/// What is wrong with a file of types.
package enum TypeSchemaError: Error, Hashable, Sendable {
  /// It is no JSON of the form that was expected.
  case malformed(String)
  /// There is no such type.
  case unknownType(String, ordinal: Int)
  /// A rule says neither a key nor a pattern, or more than one of them.
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
