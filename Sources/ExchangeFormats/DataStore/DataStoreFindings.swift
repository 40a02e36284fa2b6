package import KVModel

/// The findings of Preferences DataStore.
package enum DataStoreFindings {
  static let truncated = FindingCode(
    "datastore.truncated", .damage,
    means: "A field states more bytes than are left; the message has both numbers",
    remedy: "Get the file again: it was truncated")
  static let malformed = FindingCode(
    "datastore.malformed", .damage,
    means: """
      The bytes at the offset are not a field of protobuf, or are of another type than the field \
      has
      """,
    remedy: """
      Convert the file to `datastore`: entries before the field are kept, and those after it if its \
      length is intact
      """)
  static let emptyValue = FindingCode(
    "datastore.empty-value", .damage,
    means: "A value has no member set",
    remedy: "None: the entry is left out")
  static let duplicateKey = FindingCode(
    "datastore.duplicate-key", .warning,
    means: "A key occurs more than once; the last one counts, as in DataStore",
    remedy: "None")
  static let unknownField = FindingCode(
    "datastore.unknown-field", .note,
    means: "The file has a field that DataStore does not have",
    remedy: """
      A newer version may have written it, or a length before it is damaged: the field is not converted, \
      and the entry that it is in has the caution `may-be-damaged`
      """)
  static let temporary = FindingCode(
    "datastore.temporary", .note,
    means: """
      There is a `.tmp` next to the file, or instead of it: a write was not finished. It is read as \
      another version of the file
      """,
    remedy: "Copy it before the app starts: DataStore replaces it at its next write")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    truncated, malformed, emptyValue, duplicateKey, unknownField, temporary,
  ]
}
