package import KVModel

/// What can be found in Preferences DataStore.
package enum DataStoreFindings {
  static let truncated = FindingCode(
    "datastore.truncated", .damage,
    means: "A field states more bytes than are left; both numbers are given",
    remedy: "Get the file again: it was cut")
  static let malformed = FindingCode(
    "datastore.malformed", .damage,
    means:
      "The bytes at the offset are no field of protobuf, or of another type than the field has",
    remedy:
      "None: entries before it are kept, and those after it where the length of this one is whole"
  )
  static let emptyValue = FindingCode(
    "datastore.empty-value", .damage,
    means: "A value has no member set",
    remedy: "None: the entry is left out")
  static let duplicateKey = FindingCode(
    "datastore.duplicate-key", .warning,
    means: "A key is there more than once; the last counts, as in DataStore",
    remedy: "None")
  static let unknownField = FindingCode(
    "datastore.unknown-field", .note,
    means: "The file has a field that DataStore does not have",
    remedy: "None: a newer version may have written it; it is not converted")
  static let temporary = FindingCode(
    "datastore.temporary", .note,
    means: "A `.tmp` is beside the file: a write was not finished",
    remedy: "None: DataStore removes it at its next write")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    truncated, malformed, emptyValue, duplicateKey, unknownField, temporary,
  ]
}
