/// A kind of finding: its stable code, its meaning, and what can be done about it.
///
/// Codes are created only in the catalogs of findings, one for each format, and passed to
/// ``Finding``.
package final class FindingCode: Sendable {
  // A class, because each code exists once and every finding refers to one.

  /// The code, such as `mmkv.checksum-mismatch`.
  package let name: String
  /// The severities that a finding of this kind can have.
  package let severities: [Finding.Severity]
  /// The evidence rules that every finding of this kind follows from.
  package let rules: [RuleID]
  /// What the finding means, for people.
  package let meaning: String
  /// What can be done about it, or what a repair does, for people.
  package let remedy: String

  /// Creates the code called `name`, for findings that follow from `rules`.
  package init(
    _ name: String, _ severities: Finding.Severity..., by rules: RuleID..., means meaning: String,
    remedy: String
  ) {
    self.name = name
    self.severities = severities
    self.rules = rules
    self.meaning = meaning
    self.remedy = remedy
  }

  /// Returns `given`, or the code's only severity if `given` is `nil`.
  ///
  /// - Precondition: `given` is one of the severities or, if it is `nil`, the code has exactly one.
  func severity(_ given: Finding.Severity?) -> Finding.Severity {
    let severity = given ?? severities[0]
    assert(given.map(severities.contains) ?? (severities.count == 1), name)
    return severity
  }
}

extension FindingCode: Hashable {
  /// Returns whether both are the same code.
  package static func == (first: FindingCode, second: FindingCode) -> Bool { first === second }

  /// Hashes the identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
