package import KVModel

/// What can be found in JSON and JSON lines.
package enum JSONFindings {
  static let line = FindingCode(
    "json.line", .damage,
    means: "A line of a JSONL file, or an element of a JSON document of entries, is no entry",
    remedy: "Correct it; the others are read")
  static let malformed = FindingCode(
    "json.malformed", .damage,
    means: "The document is not JSON from the line on that the message names",
    remedy: "Correct it there")
  static let value = FindingCode(
    "json.value", .damage,
    means: """
      A value of a plain document, or a key, cannot be taken: more than 64 containers lie in each other, \
      no double holds a number, or a text is none: half of an escaped character stands alone, its bytes are \
      not UTF-8, or a control character stands in it
      """,
    remedy: "Correct the line that the message names")
  static let duplicateKey = FindingCode(
    "json.duplicate-key", .warning,
    means: "A key, or a name in an object within a value, is there more than once, byte by byte",
    remedy: "Look which of them was meant: the last one counts")
  static let numberRounded = FindingCode(
    "json.number-rounded", .warning,
    means: "A whole number is beyond 64 bits, or a double does not keep the digits of a number",
    remedy: "Write the number as a text if its digits count")
  static let unknownSchema = FindingCode(
    "json.unknown-schema", .warning,
    means: "A file of entries says that its `schema` is another than 1",
    remedy: "Read it with the version of kvfsck that wrote it")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    line, malformed, value, duplicateKey, numberRounded, unknownSchema,
  ]
}
