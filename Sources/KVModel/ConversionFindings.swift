/// The findings about entries that are converted to another format.
package enum ConversionFindings {
  package static let ambiguousType = FindingCode(
    "convert.ambiguous-type", .warning,
    means: """
      MMKV stores no types; several types fit the bytes of the value, and none is likelier than \
      all others together
      """,
    remedy: "Give the type with `--types`; `--types-out` writes a file to start from")
  package static let likelyType = FindingCode(
    "convert.likely-type", .note,
    means: """
      The type is not stored and several fit; the likeliest was chosen, because of everything that \
      the store holds or because of `--assume-likeliest`
      """,
    remedy: "Check the value, and give another type with `--types` if this one is wrong")
  package static let assumedType = FindingCode(
    "convert.assumed-type", .note,
    means: "The type is not stored, and only one fits",
    remedy:
      "Usually nothing: the type is wrong only if the app stores bytes in an encoding of its own")
  package static let schemaMismatch = FindingCode(
    "convert.schema-mismatch", .warning,
    means: "`--types` gives a type, but no value of that type is stored as the bytes of the entry",
    remedy: "Correct the rule")
  package static let typeChanged = FindingCode(
    "convert.type-changed", .note,
    means: """
      The format does not have this type, but another one that can hold the value: a wider \
      integer, a list for a set
      """,
    remedy: "Have the app ask for the other type")
  package static let valueChanged = FindingCode(
    "convert.value-changed", .warning,
    means: """
      The format has no type for the value, so the value is written in another form: a double as \
      text, bytes in base64, a list as JSON
      """,
    remedy: "Have the app translate the value")
  package static let leftOut = FindingCode(
    "convert.left-out", .warning,
    means: """
      The format cannot hold the entry, or the entry is a guess, or a repair of the store would \
      leave it out too
      """,
    remedy: "Read the reason in the message")
  package static let expiryLost = FindingCode(
    "convert.expiry-lost", .warning,
    means: "The entry expires, but the format has no expiry",
    remedy: "Have the app remove it, or leave it out with `--drop-expired` if it has expired")
  package static let classLost = FindingCode(
    "convert.class-lost", .warning,
    means: "A record names a class or an encoder's tag, and the format has no place for it",
    remedy: "Make sure that the app knows the class")
  package static let fragileValue = FindingCode(
    "convert.fragile-value", .warning,
    means: """
      The value is written completely, but FastKV for iOS damages it at its next launch: it turns \
      doubles into floats, and cuts texts that are not ASCII; or it ignores later changes of the key, \
      after null; or releases of FastKV for Android before \
      2025-07 discard the store because of it: a value of 65,535 bytes or more
      """,
    remedy: "None in that format")
  package static let engineLoss = FindingCode(
    "convert.engine-loss", .warning,
    means: """
      The entry is written, but the app's own engine would not return it unchanged: before the \
      files are written, the model of the engine's loading is run on them in memory
      """,
    remedy: "Set the entry from the app")
  package static let unverified = FindingCode(
    "convert.unverified", .warning,
    means: """
      No checksum verifies the entry; the message has its evidence and cautions, which the new \
      format cannot hold
      """,
    remedy: "Keep the report, or convert to `json` or `sqlite` as well")
  package static let conflict = FindingCode(
    "convert.conflict", .warning,
    means: "The merged stores have different values for the key",
    remedy: "Choose the value to keep with `--on-conflict`")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    ambiguousType, likelyType, assumedType, schemaMismatch, typeChanged, valueChanged, leftOut,
    expiryLost,
    classLost, fragileValue, engineLoss, unverified, conflict,
  ]
}
