package import KVModel

/// What can be found in property lists.
package enum PropertyListFindings {
  static let malformed = FindingCode(
    "plist.malformed", .damage,
    means: """
      The trailer, the table of objects or the XML is broken, the list has more values than a \
      file of its size can have, or it is of another version
      """,
    remedy: "Look at the bytes at the offset")
  static let damagedValue = FindingCode(
    "plist.damaged-value", .damage,
    means: """
      A value or a key cannot be read: its bytes lie outside the file, it lies in itself, it is \
      too deep, its text or number is none
      """,
    remedy: "None: the entry is left out, and the others are kept")
  static let notDictionary = FindingCode(
    "plist.not-dictionary", .damage,
    means: "The outermost value is no dictionary, so that there are no entries",
    remedy: "None: it is no file of user defaults")
  static let doctype = FindingCode(
    "plist.doctype", .damage,
    means: "The document type is not Apple's, or has entities of its own",
    remedy: "Take it out if the file is to be trusted")
  static let duplicateKey = FindingCode(
    "plist.duplicate-key", .warning,
    means:
      "A key, or a name in a dictionary within a value, is there more than once; the last counts",
    remedy: "Look which of them was meant")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    malformed, damagedValue, notDictionary, doctype, duplicateKey,
  ]
}
