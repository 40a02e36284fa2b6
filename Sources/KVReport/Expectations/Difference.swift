/// A difference between a store and the expectations.
package struct Difference: Hashable, Sendable {
  /// The kind of a difference.
  package enum Change: String, Hashable, Sendable {
    /// The subject is expected and missing.
    case missing
    /// The subject is present and not expected.
    case unexpected
    /// The subject is present and different from what is expected.
    case changed
  }

  /// The type of the line that differs: `entry`, `finding` and so on.
  let line: String
  /// The kind of the difference.
  package let change: Change
  /// What identifies the line among those of its type: a key, a code, a name; empty if there can be
  /// only one.
  let subject: String
  /// The field that differs; `nil` if the whole line does.
  let field: String?
  /// The key's bytes in hexadecimal, for a difference in an entry.
  let keyHex: String?
  /// The expected content, for people to read.
  package let expected: String?
  /// The content found, for people to read.
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

  /// Returns the difference of a store of `format` that nothing is expected of, for the reason.
  package static func unlisted(_ format: String, because reason: String) -> Difference {
    Difference("store", .unexpected, found: "\(format), and \(reason)")
  }

  /// The difference in one line: `-` for missing, `+` for unexpected, `~` for changed.
  package var message: String {
    let subject = [line, subject].filter { !$0.isEmpty }.joined(separator: " ")
    switch change {
    case .missing: return "- \(subject): expected\(expected.map { " " + $0 } ?? ""), but missing"
    case .unexpected: return "+ \(subject): not expected\(found.map { ", found " + $0 } ?? "")"
    case .changed:
      let field = field.map { ", \($0)" } ?? ""
      return "~ \(subject)\(field): expected \(expected ?? "nothing"), found \(found ?? "nothing")"
    }
  }
}
