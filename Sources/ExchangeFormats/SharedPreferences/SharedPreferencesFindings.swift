package import KVModel

/// What can be found in SharedPreferences.
package enum SharedPreferencesFindings {
  static let backup = FindingCode(
    "sharedprefs.backup", .warning,
    means: "A `.bak` is beside the file: a write was not finished",
    remedy: "Look at the `.xml` by itself, in another folder, for what the write was")
  static let doctype = FindingCode(
    "sharedprefs.doctype", .damage,
    means: "The document has a DOCTYPE, which Android writes none of",
    remedy: "Take it out if the file is to be trusted")
  static let malformed = FindingCode(
    "sharedprefs.malformed", .damage,
    means: "The document is not well-formed at the line and column",
    remedy: "Correct it there: Android reads nothing of such a file")
  static let value = FindingCode(
    "sharedprefs.value", .damage,
    means: "The text of an element is no value of its type",
    remedy: "None: the entry is left out")
  static let unknownElement = FindingCode(
    "sharedprefs.unknown-element", .warning,
    means: "There is an element that Android does not write",
    remedy: "None: it is not converted")
  static let duplicateKey = FindingCode(
    "sharedprefs.duplicate-key", .warning,
    means: "A name is there more than once; the last counts, as on Android",
    remedy: "None")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    backup, doctype, malformed, value, unknownElement, duplicateKey,
  ]
}
