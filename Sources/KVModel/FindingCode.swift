/// The stable code of a kind of finding, with what it means and what can be done about it.
package struct FindingCode: Sendable {
  /// The code, such as `mmkv.checksum-mismatch`.
  package let name: String
  /// How bad a finding of this kind can be.
  package let severities: [Finding.Severity]
  /// What it means, for people.
  package let meaning: String
  /// What can be done about it, or what a repair does, for people.
  package let remedy: String

  /// The code called `name`.
  package init(
    _ name: String, _ severities: Finding.Severity..., means meaning: String, remedy: String
  ) {
    self.name = name
    self.severities = severities
    self.meaning = meaning
    self.remedy = remedy
  }
}
