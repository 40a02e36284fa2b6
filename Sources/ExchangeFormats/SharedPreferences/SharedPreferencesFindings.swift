package import KVModel

/// The findings of SharedPreferences.
enum SharedPreferencesFindings {
  static let backup = FindingCode(
    "sharedprefs.backup", .warning,
    means: """
      There is a `.bak` next to the file, or instead of it. The app loads the `.bak` and discards \
      the other file
      """,
    cause: .tear,
    remedy: "Copy both before the app starts. To see what was being written, name the `.xml`",
    isOfCopy: true)
  static let doctype = FindingCode(
    "sharedprefs.doctype", .warning, .damage,
    means: """
      The document has a DOCTYPE, which Android never writes. It is damage if it can define \
      entities: nothing is read
      """,
    cause: .foreign,
    remedy: "Remove the DOCTYPE if you trust the file")
  static let malformed = FindingCode(
    "sharedprefs.malformed", .damage,
    means: "The document is not well-formed at the line and column in the message",
    cause: .damage,
    remedy: """
      Repair the file, which keeps the entries before and after the damage, or \
      correct it there
      """)
  static let value = FindingCode(
    "sharedprefs.value", .damage,
    means: "The text of an element is not a value of its type",
    cause: .damage,
    remedy: "None: the entry is left out")
  static let unknownElement = FindingCode(
    "sharedprefs.unknown-element", .damage,
    means: """
      The document has an element, an attribute or text that Android does not write. It is left out, \
      and the entry around it has `may-be-damaged`
      """,
    cause: .damage,
    remedy: "Correct it there if you know what it was; otherwise none: it is not converted")
  static let duplicateKey = FindingCode(
    "sharedprefs.duplicate-key", .warning,
    means: "A name occurs more than once; the last one counts, as on Android",
    cause: .foreign,
    remedy: "None")

  static let nullKey = FindingCode(
    "sharedprefs.null-key", .warning,
    means: "An element has no name",
    cause: "The app used null as the key",
    remedy: "None: the entry is left out, because no other format has such a key")
  static let encrypted = FindingCode(
    "sharedprefs.encrypted", .note,
    means: """
      EncryptedSharedPreferences wrote the file: names and values are Base64 of ciphertexts of \
      Tink, under a key of the Android Keystore
      """,
    remedy: "Read the values on the device, with the app. The key does not leave it")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    backup, doctype, malformed, value, unknownElement, duplicateKey, nullKey,
    encrypted,
  ]
}

extension SharedPreferencesFormat {
  /// The findings of the format.
  package static var findings: [FindingCode] { SharedPreferencesFindings.all }
}
