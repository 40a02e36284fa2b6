package import KVModel

/// The findings of JSON and JSON lines.
enum JSONFindings {
  static let line = FindingCode(
    "json.line", .damage,
    means: "A line of a JSONL file, or an element of a JSON document of entries, is not an entry",
    cause: .foreign,
    remedy: "Correct it; the others are read")
  static let malformed = FindingCode(
    "json.malformed", .damage,
    means: "The document is not JSON from the line that the message names onward",
    cause: .foreign,
    remedy: "Correct it there. Entries before that line are kept")
  static let value = FindingCode(
    "json.value", .damage,
    means: """
      A value or a key of a plain document nests over 64 containers, holds a number beyond a \
      double, or has text that is invalid in JSON
      """,
    cause: .foreign,
    remedy: "Correct the line that the message names. The other keys are read")
  static let duplicateKey = FindingCode(
    "json.duplicate-key", .warning,
    means: """
      A key, a name within a value, or a field of an entry occurs more than once, byte for byte
      """,
    cause: .foreign,
    remedy: "Check which one was meant. Of keys and names, the last one counts")
  static let numberRounded = FindingCode(
    "json.number-rounded", .warning,
    means: """
      An integer does not fit into 64 bits, or a double or a float does not keep the digits of a \
      number
      """,
    cause: .foreign,
    remedy: "Write the number as text if its digits matter. The message says which number is read")
  static let unknownSchema = FindingCode(
    "json.unknown-schema", .warning,
    means: "A file of entries states a `schema` other than 1",
    cause: "Probably a newer version of kvfsck wrote the file",
    remedy: "Read it with that version. This one ignores what it does not know")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    line, malformed, value, duplicateKey, numberRounded, unknownSchema,
  ]
}

extension JSONFormat {
  /// The findings of JSON documents.
  package static var findings: [FindingCode] { JSONFindings.all }
}

extension JSONLinesFormat {
  /// The findings of JSON documents.
  package static var findings: [FindingCode] { JSONFindings.all }
}
