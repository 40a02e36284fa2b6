/// What can become of an entry in another format.
package enum ConversionFindings {
  package static let ambiguousType = FindingCode(
    "convert.ambiguous-type", .warning,
    means:
      "MMKV stores no types, several fit the value's bytes, and none is likelier than all others",
    remedy: "Say the type with `--types`; `--types-out` writes a file to start from")
  package static let likelyType = FindingCode(
    "convert.likely-type", .note,
    means: """
      The type is not stored, several fit, and the likeliest by all that the store holds was \
      taken, or by `--assume-likeliest`
      """,
    remedy: "Look at it, and say another type with `--types` where it is wrong")
  package static let assumedType = FindingCode(
    "convert.assumed-type", .note,
    means: "The type is not stored, and it is the only one that fits",
    remedy: "Nothing, as a rule: only an app that stores bytes in a way of its own means others")
  package static let schemaMismatch = FindingCode(
    "convert.schema-mismatch", .warning,
    means: "`--types` says a type, and no value of it is stored as the entry's bytes",
    remedy: "Correct the rule")
  package static let typeChanged = FindingCode(
    "convert.type-changed", .note,
    means: """
      The format has no such type, and another one that has the value: a wider integer, a list \
      for a set
      """,
    remedy: "The app has to ask for the other type")
  package static let valueChanged = FindingCode(
    "convert.value-changed", .warning,
    means: """
      The format has no type for the value, which is written in another form: a double as text, \
      bytes in base64, a list as JSON
      """,
    remedy: "The app has to translate it")
  package static let leftOut = FindingCode(
    "convert.left-out", .warning,
    means: """
      The format cannot hold the entry, or the entry is a guess, or the repair of the store \
      would leave it out too
      """,
    remedy: "Read the reason")
  package static let expiryLost = FindingCode(
    "convert.expiry-lost", .warning,
    means: "The entry expires, and the format has no expiry",
    remedy: "Have the app remove it, or leave it out with `--drop-expired` if it has expired")
  package static let classLost = FindingCode(
    "convert.class-lost", .warning,
    means: "A record names a class, or an encoder's tag, that the format has no place for",
    remedy: "The app has to know the class")
  package static let fragileValue = FindingCode(
    "convert.fragile-value", .warning,
    means: """
      The value is written whole, and FastKV for iOS spoils it at its next launch: doubles to \
      floats, texts that are not ASCII cut
      """,
    remedy: "Nothing can be done in that format")
  package static let engineLoss = FindingCode(
    "convert.engine-loss", .warning,
    means: """
      The entry is written, but the app's own engine would not give it back so: the model of its \
      loading is run over the files in memory before they are written
      """,
    remedy: "Set the entry from the app")
  package static let unverified = FindingCode(
    "convert.unverified", .warning,
    means: """
      No checksum verifies the entry; the message has its evidence and cautions, which the new \
      format has no room for
      """,
    remedy: "Keep the report, or convert to `json` or `sqlite` as well")
  package static let conflict = FindingCode(
    "convert.conflict", .warning,
    means: "Merged stores have different values for the key",
    remedy: "Say with `--on-conflict` whose is kept")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    ambiguousType, likelyType, assumedType, schemaMismatch, typeChanged, valueChanged, leftOut,
    expiryLost,
    classLost, fragileValue, engineLoss, unverified, conflict,
  ]
}
