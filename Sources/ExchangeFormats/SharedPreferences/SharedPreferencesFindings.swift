package import KVModel

/// The findings of SharedPreferences.
package enum SharedPreferencesFindings {
  static let backup = FindingCode(
    "sharedprefs.backup", .warning,
    means: "There is a `.bak` next to the file: a write was not finished",
    remedy: "To see what was being written, look at the `.xml` on its own, in another folder")
  static let doctype = FindingCode(
    "sharedprefs.doctype", .warning, .damage,
    means: """
      The document has a DOCTYPE, which Android never writes; it is damage if it can define \
      entities, because nothing is read then
      """,
    remedy: "Remove the DOCTYPE if you trust the file")
  static let malformed = FindingCode(
    "sharedprefs.malformed", .damage,
    means: "The document is not well-formed at the line and column in the message",
    remedy: "Correct it there: Android reads nothing from such a file")
  static let value = FindingCode(
    "sharedprefs.value", .damage,
    means: "The text of an element is not a value of its type",
    remedy: "None: the entry is left out")
  static let unknownElement = FindingCode(
    "sharedprefs.unknown-element", .warning,
    means: "The document has an element that Android does not write",
    remedy: "None: the element is not converted")
  static let duplicateKey = FindingCode(
    "sharedprefs.duplicate-key", .warning,
    means: "A name occurs more than once; the last one counts, as on Android",
    remedy: "None")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    backup, doctype, malformed, value, unknownElement, duplicateKey,
  ]
}
