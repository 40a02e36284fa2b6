package import KVModel

/// The findings of Preferences DataStore.
enum DataStoreFindings {
  static let truncated = FindingCode(
    "datastore.truncated", .damage,
    means: "A field states more bytes than are left; the message has both numbers",
    cause: .cut,
    remedy: "Get the file again, or repair it, which keeps the other entries")
  static let malformed = FindingCode(
    "datastore.malformed", .damage,
    means: "The bytes at the offset are no field of protobuf, or not of the field's type",
    cause: .damage,
    remedy: """
      Repair the file, which keeps the entries before the field and those after it
      """)
  static let emptyValue = FindingCode(
    "datastore.empty-value", .damage,
    means: "A value has no member set, so DataStore rejects the whole file",
    cause: .damage,
    remedy: "None: the entry is left out")
  static let duplicateKey = FindingCode(
    "datastore.duplicate-key", .warning,
    means: "A key occurs more than once; the last one counts, as in DataStore",
    cause: .foreign,
    remedy: "None")
  static let unknownField = FindingCode(
    "datastore.unknown-field", .note,
    means: """
      The file has a field that DataStore does not have, or an entry has several keys or values
      """,
    cause: "A newer version wrote the field, or a length before it is damaged",
    remedy: "Compare its entry, which has `may-be-damaged`. The field is not converted")
  static let temporary = FindingCode(
    "datastore.temporary", .note,
    means: """
      There is a `.tmp` next to the file, or instead of it. It is read as another version of the \
      file
      """,
    cause: .tear,
    remedy: """
      Copy it before the app starts: DataStore replaces it at its next write. Name it to read it
      """, isOfCopy: true)

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    truncated, malformed, emptyValue, duplicateKey, unknownField, temporary,
  ]
}

extension DataStoreFormat {
  /// The findings of the format.
  package static var findings: [FindingCode] { DataStoreFindings.all }
}
