package import KVModel

/// The findings of JSON and JSON lines.
package enum JSONFindings {
  static let line = FindingCode(
    "json.line", .damage,
    means: "A line of a JSONL file, or an element of a JSON document of entries, is not an entry",
    remedy: "Correct it; the others are read")
  static let malformed = FindingCode(
    "json.malformed", .damage,
    means: "The document is not JSON from the line that the message names onward",
    remedy: "Correct it there")
  static let value = FindingCode(
    "json.value", .damage,
    means: """
      A value or a key of a plain document cannot be read: more than 64 containers are nested, a \
      number does not fit into a double, or a text is invalid because it contains half of a \
      surrogate pair, bytes that are not UTF-8, or a control character
      """,
    remedy: "Correct the line that the message names")
  static let duplicateKey = FindingCode(
    "json.duplicate-key", .warning,
    means: """
      A key, a name in an object within a value, or a field of an entry occurs more than once, byte \
      for byte
      """,
    remedy: "Check which one was meant: of keys and names, the last one counts")
  static let numberRounded = FindingCode(
    "json.number-rounded", .warning,
    means: """
      An integer does not fit into 64 bits, or a double or a float does not keep the digits of a \
      number
      """,
    remedy: "Write the number as text if its digits matter")
  static let unknownSchema = FindingCode(
    "json.unknown-schema", .warning,
    means: "A file of entries states a `schema` other than 1",
    remedy: "Read it with the version of kvfsck that wrote it")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    line, malformed, value, duplicateKey, numberRounded, unknownSchema,
  ]
}
