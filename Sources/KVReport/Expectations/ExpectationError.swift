/// An error in a file of expectations.
package enum ExpectationError: Error, Hashable, Sendable {
  /// A line is not valid: its number, the offset of its first byte, and the reason.
  case line(number: Int, offset: Int, reason: String)
  /// No line states anything that is compared.
  case nothing

  /// A sentence for people to read about what went wrong and what to do next.
  package var message: String {
    switch self {
    case .line(let number, let offset, let reason):
      "line \(number), at byte \(offset): \(reason)"
    case .nothing:
      "it has no lines with expectations"
    }
  }
}
