package import KVModel

/// The findings of property lists.
package enum PropertyListFindings {
  static let malformed = FindingCode(
    "plist.malformed", .damage,
    means: """
      The trailer, the object table or the XML is malformed, the list claims more values than a \
      file of its size can have, or its version is not supported
      """,
    remedy: """
      Convert the file to a new property list, which an app can load, with the entries that were \
      read; or look at the bytes at the offset
      """)
  static let damagedValue = FindingCode(
    "plist.damaged-value", .damage,
    means: """
      A value or a key cannot be read: its bytes are outside the file, it contains itself, it is \
      nested too deeply, or its text or number is invalid
      """,
    remedy: """
      The entry is left out. Convert the file to a new property list, which an app can load, with \
      the others
      """)
  static let notDictionary = FindingCode(
    "plist.not-dictionary", .damage,
    means: "The outermost value is not a dictionary, so there are no entries",
    remedy: "None: this is not a file of user defaults")
  static let doctype = FindingCode(
    "plist.doctype", .damage,
    means: "The document type can define entities of its own",
    remedy: "Remove the document type if you trust the file")
  static let halfSurrogate = FindingCode(
    "plist.half-surrogate", .warning,
    means: """
      A text contains half of a character, that is, of a surrogate pair in UTF-16, as apps leave it \
      when they cut a text; it is shown as U+FFFD
      """,
    remedy: "None; `convert` lists it as a loss")
  static let duplicateKey = FindingCode(
    "plist.duplicate-key", .warning,
    means:
      "A key, or a name in a dictionary within a value, occurs more than once; the last one counts",
    remedy: "Check which one was meant")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    malformed, damagedValue, notDictionary, doctype, halfSurrogate, duplicateKey,
  ]
}
