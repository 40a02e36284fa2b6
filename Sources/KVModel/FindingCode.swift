/// A kind of finding: its stable code, its meaning, its cause, and what can be done about it.
///
/// Codes are created only in the catalogs of findings, one for each format, and passed to
/// ``Finding``. The texts are said here only: `kvfsck explain`, the sections of `Docs/FINDINGS.md`
/// and the rules of SARIF reports are made from them.
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
  /// What usually causes it; `nil` for one that is no fault.
  package let cause: FindingCause?
  /// What can be done about it, or what a repair does, for people.
  let remedy: String
  /// Whether another copy of the files can help.
  private let isOfCopy: Bool

  /// Creates the code called `name`, for findings that follow from `rules`.
  ///
  /// The texts have no full stop at the end. Another copy of the files can help if `isOfCopy`, or if
  /// the cause says so.
  package init(
    _ name: String, _ severities: Finding.Severity..., by rules: RuleID..., means meaning: String,
    cause: FindingCause? = nil, remedy: String, isOfCopy: Bool = false
  ) {
    self.name = name
    self.severities = severities
    self.rules = rules
    self.meaning = meaning
    self.cause = cause
    self.remedy = remedy
    self.isOfCopy = isOfCopy || cause?.isOfCopy == true
  }

  /// What the code says besides its meaning: paragraphs, each with its title.
  package var paragraphs: [(title: String, text: String)] {
    let rules = rules.map { "`\($0.text)`" }.joined(separator: ", ")
    let all = [
      ("Cause", cause?.text), ("What to do", remedy),
      ("To copy again", isOfCopy ? "`kvfsck explain device`" : nil),
      ("Follows from", rules.isEmpty ? nil : rules),
    ]
    return all.compactMap { title, text in text.map { (title, $0) } }
  }

  /// The severities in words, the worst first.
  package var severityText: String {
    severities.sorted(by: >).map(\.rawValue).joined(separator: " or ")
  }

  /// The part of the name before the point: the format, or what the finding is about.
  package var domain: String { String(name.prefix { $0 != "." }) }

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

/// What usually causes a finding: one of the causes that many findings share, or a text of its own.
package struct FindingCause: Hashable, Sendable, ExpressibleByStringLiteral {
  let text: String
  /// Whether another copy of the files can help.
  let isOfCopy: Bool

  private init(_ text: String, isOfCopy: Bool) {
    self.text = text
    self.isOfCopy = isOfCopy
  }

  /// Creates a cause that only one finding has.
  package init(stringLiteral value: String) { self.init(value, isOfCopy: false) }

  /// Damage of any kind.
  package static let damage: FindingCause =
    "A fault or a tool changed bytes, or a write was torn"
  /// A write that is not complete.
  package static let tear: FindingCause =
    "A power loss, a kill or a copy during a write"
  /// A file that lacks its end.
  package static let cut = FindingCause(
    "The file was truncated, or copied in part", isOfCopy: true)
  /// Files that do not belong together.
  package static let apart = FindingCause(
    "The files were copied at different times, or not all of them were", isOfCopy: true)
  /// A file that is not there.
  package static let notThere = FindingCause(
    "The file was not copied, or was deleted", isOfCopy: true)
  /// A key that is missing or wrong.
  package static let encryption: FindingCause =
    "The app encrypts the store. Its key is in the app's code, the Keychain or the Keystore"
  /// A file that another program wrote.
  package static let foreign: FindingCause = "Another program wrote or edited the file"
  /// A defect of an engine.
  package static let engine: FindingCause = "A defect of the app's library; nothing was damaged"
  /// A limit of another format.
  package static let formats: FindingCause = "The formats differ in what they hold"
  /// Values without types.
  package static let untyped: FindingCause = "MMKV stores values without their types"
  /// A limit of the build.
  package static let build: FindingCause =
    "This build of kvfsck was made without the trait `Encryption`"
}
