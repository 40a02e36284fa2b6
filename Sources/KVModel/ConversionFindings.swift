/// The findings about entries that are converted to another format.
package enum ConversionFindings {
  package static let ambiguousType = FindingCode(
    "convert.ambiguous-type", .warning,
    means: """
      Several types fit the bytes, and none is likelier than all others together. The stored bytes \
      are converted
      """,
    cause: .untyped,
    remedy: "Give the type with `--types`, or take the likeliest with `--assume-likeliest`")
  package static let likelyType = FindingCode(
    "convert.likely-type", .note,
    means: "Several types fit, and the likeliest was chosen",
    cause: .untyped,
    remedy: "Check the value. If the type is wrong, give another with `--types`")
  static let assumedType = FindingCode(
    "convert.assumed-type", .note,
    means: """
      The type is not stored, and only one fits. Or the stored double of FastKV for iOS is broken, \
      and what is left of it was converted
      """,
    cause: .untyped,
    remedy: """
      Usually nothing. The type is wrong only if the app stores bytes in an encoding of its own
      """)
  package static let schemaMismatch = FindingCode(
    "convert.schema-mismatch", .warning,
    means: """
      The bytes of the entry are no value of the type that `--types` gives. They are converted as \
      stored
      """,
    cause: .untyped,
    remedy: "Correct the rule")
  static let typeChanged = FindingCode(
    "convert.type-changed", .note,
    means: """
      The format has another type that can hold the value: a wider integer, or a list for a set
      """,
    cause: .formats,
    remedy: "Have the app ask for the other type")
  static let valueChanged = FindingCode(
    "convert.value-changed", .warning,
    means: """
      The format has no type for the value, which takes another form: a double as text, bytes in \
      Base64, a list as JSON
      """,
    cause: .formats,
    remedy: "Have the app translate the value")
  package static let leftOut = FindingCode(
    "convert.left-out", .warning,
    means: """
      The format cannot hold the entry, the entry is a guess, or a repair of the store would leave \
      it out too
      """,
    cause: .formats,
    remedy: "Read the reason in the message. `--include-guesses` converts guesses too")
  static let expiryLost = FindingCode(
    "convert.expiry-lost", .warning,
    means: "The entry expires, but the format has no expiry",
    cause: .formats,
    remedy: "Have the app remove it, or leave it out with `--drop-expired` if it has expired")
  static let classLost = FindingCode(
    "convert.class-lost", .warning,
    means: "A record names a class or an encoder's tag, and the format has no place for it",
    cause: .formats,
    remedy: "Make sure that the app knows the class")
  static let fragileValue = FindingCode(
    "convert.fragile-value", .warning,
    means: """
      FastKV for iOS makes doubles floats, cuts texts that are not ASCII, and ignores changes of a \
      null. FastKV for Android before 2025-07 discards the store for a value of 65,535 bytes or \
      more
      """,
    cause: .engine,
    remedy: "None in that format")
  static let engineLoss = FindingCode(
    "convert.engine-loss", .warning,
    means: """
      The entry is written, but the app's engine, by its model, would not return it unchanged
      """,
    cause: .engine,
    remedy: "Set the entry from the app")
  static let unverified = FindingCode(
    "convert.unverified", .warning,
    means: """
      No checksum verifies the entry. The new format cannot hold its evidence and cautions, which \
      the message has
      """,
    cause: "The store is damaged",
    remedy: "Keep the report, or convert to `json` or `sqlite` as well")
  static let conflict = FindingCode(
    "convert.conflict", .warning,
    means: "The merged stores have different values for the key",
    cause: "The stores are of different times, or different users",
    remedy: "Choose the value to keep with `--on-conflict`")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    ambiguousType, likelyType, assumedType, schemaMismatch, typeChanged, valueChanged, leftOut,
    expiryLost,
    classLost, fragileValue, engineLoss, unverified, conflict,
  ]
}
