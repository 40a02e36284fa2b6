import KVModel

extension JSONLinesReporter {
  /// Writes a line for a difference from the expectations.
  func unmet(_ difference: Difference) { write(UnmetLine(difference)) }
}

private struct UnmetLine: Encodable {
  let type = "unmet"
  let line: String
  let change: String
  let subject: String?
  let field: String?
  let keyHex: String?
  let expected: String?
  let found: String?
  let message: String

  enum CodingKeys: String, CodingKey {
    case type, line, change, subject, field, expected, found, message
    case keyHex = "key_hex"
  }

  init(_ difference: Difference) {
    line = difference.line
    change = difference.change.rawValue
    subject = difference.subject.isEmpty ? nil : difference.subject
    field = difference.field
    keyHex = difference.keyHex
    expected = difference.expected
    found = difference.found
    message = difference.message
  }
}
