/// A place where a store is not as was expected.
package struct Difference: Hashable, Sendable {
  /// In what way.
  package enum Change: String, Hashable, Sendable {
    /// It is expected, and is not there.
    case missing
    /// It is there, and is not expected.
    case unexpected
    /// It is there, and other than expected.
    case changed
  }

  /// The type of the line that it is about: `entry`, `finding` and so on.
  package let line: String
  /// In what way.
  package let change: Change
  /// Which of those lines: a key, a code, a name; empty where there can be one only.
  package let subject: String
  /// The field that differs; `nil` where it is the whole line.
  package let field: String?
  /// The key's bytes in hexadecimal, where it is about an entry.
  package let keyHex: String?
  /// What was expected, for people.
  package let expected: String?
  /// What was found, for people.
  package let found: String?

  init(
    _ line: String, _ change: Change, _ subject: String = "", field: String? = nil,
    keyHex: String? = nil, expected: String? = nil, found: String? = nil
  ) {
    self.line = line
    self.change = change
    self.subject = subject
    self.field = field
    self.keyHex = keyHex
    self.expected = expected
    self.found = found
  }

  /// The difference in a line: `-` for what is missing, `+` for what is not expected, `~` for a change.
  package var message: String {
    let subject = [line, subject].filter { !$0.isEmpty }.joined(separator: " ")
    switch change {
    case .missing: return "- \(subject): expected\(expected.map { " " + $0 } ?? ""), is missing"
    case .unexpected: return "+ \(subject): not expected\(found.map { ", found " + $0 } ?? "")"
    case .changed:
      let field = field.map { ", \($0)" } ?? ""
      return "~ \(subject)\(field): expected \(expected ?? "nothing"), found \(found ?? "nothing")"
    }
  }
}
