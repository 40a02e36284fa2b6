/// A kind of finding: its stable code, its meaning, and what can be done about it.
///
/// Codes are made only in the catalogs of findings, one for each format, and passed to ``Finding``.
package final class FindingCode: Sendable {
  // A class because there is one of each, and each finding refers to it.

  /// The code, such as `mmkv.checksum-mismatch`.
  package let name: String
  /// How bad a finding of this kind can be.
  package let severities: [Finding.Severity]
  /// The evidence rules that every finding of this kind follows from.
  package let rules: [RuleID]
  /// What it means, for people.
  package let meaning: String
  /// What can be done about it, or what a repair does, for people.
  package let remedy: String

  /// The code called `name`, of findings that follow from `rules`.
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

  /// Returns `given`, or the only severity of the code if `given` is `nil`.
  ///
  /// - Precondition: The code can have that severity.
  func severity(_ given: Finding.Severity?) -> Finding.Severity {
    let severity = given ?? severities[0]
    assert(given.map(severities.contains) ?? (severities.count == 1), name)
    return severity
  }
}

extension FindingCode: Hashable {
  /// Returns whether both have the same name, which is unique.
  package static func == (first: FindingCode, second: FindingCode) -> Bool {
    first === second || first.name == second.name
  }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
