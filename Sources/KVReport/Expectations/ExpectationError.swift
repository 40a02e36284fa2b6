/// What is wrong with a file of expectations.
package enum ExpectationError: Error, Hashable, Sendable {
  /// A line cannot be taken; its number, the offset of its first byte, and why.
  case line(number: Int, offset: Int, reason: String)
  /// No line says anything that is compared.
  case nothing

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .line(let number, let offset, let reason):
      "line \(number), at byte \(offset): \(reason)"
    case .nothing:
      "no line says what to expect"
    }
  }
}
