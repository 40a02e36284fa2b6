package import KVModel

/// The findings of property lists.
enum PropertyListFindings {
  static let malformed = FindingCode(
    "plist.malformed", .damage,
    means: """
      The trailer, the object table or the XML is malformed, it claims too many values, or its \
      version is unknown
      """,
    cause: .damage,
    remedy: """
      Repair the file. Entries that no table verifies have \
      `may-be-damaged`
      """)
  static let damagedValue = FindingCode(
    "plist.damaged-value", .damage,
    means: """
      A value or key lies outside the file, contains itself, is nested too deeply, or has an \
      invalid text or number
      """,
    cause: .damage,
    remedy: "Repair the file, which leaves the entry out")
  static let oddValue = FindingCode(
    "plist.odd-value", .damage,
    means: """
      A value is written as no writer writes it, though it can be read: a number with a space after \
      it, a date that does not exist, data with other characters than Base64, a text that is not \
      ASCII
      """,
    cause: .damage,
    remedy: """
      Check the value, which has `may-be-damaged`: a changed byte may have made it so. The finding \
      says whether Apple's reader refuses the file for it
      """)
  static let notDictionary = FindingCode(
    "plist.not-dictionary", .damage,
    means: "The outermost value is not a dictionary, so there are no entries",
    cause: .foreign,
    remedy: "None: this is not a file of user defaults")
  static let doctype = FindingCode(
    "plist.doctype", .damage,
    means: """
      The document type can define entities, so nothing is read. Apple's reader refuses such a \
      file too
      """,
    cause: .foreign,
    remedy: "Remove the document type if you trust the file")
  static let halfSurrogate = FindingCode(
    "plist.half-surrogate", .warning,
    means: "A text contains half of a UTF-16 surrogate pair, shown as U+FFFD",
    cause: "An app cut a text within a character, or the text is damaged",
    remedy: "None. `convert` lists it as a loss, and the entry has `may-be-damaged`")
  static let duplicateKey = FindingCode(
    "plist.duplicate-key", .warning,
    means: """
      A key, or a name in a dictionary, occurs more than once. As for Apple's reader, the last one \
      counts in XML, and the first in a binary list
      """,
    cause: .foreign,
    remedy: "Check which one was meant")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    malformed, damagedValue, oddValue, notDictionary, doctype, halfSurrogate, duplicateKey,
  ]
}

extension PropertyListFormat {
  /// The findings of the format.
  package static var findings: [FindingCode] { PropertyListFindings.all }
}
