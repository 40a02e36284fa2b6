package import KVBytes

extension ForeignFile {
  /// The first bytes of the tables that a conversion writes.
  private static let tableStarts: [(bytes: [UInt8], name: String)] = [
    (Array("key,key_hex,type,value,".utf8), "a CSV file that kvfsck wrote"),
    (Array("key\tkey_hex\ttype\tvalue\t".utf8), "a TSV file that kvfsck wrote"),
  ]
  /// The texts that identify the first line of a report: its type, and a name that occurs together
  /// with that type only in a report.
  private static let reportLines: [(type: [UInt8], name: [UInt8])] = [
    ("store", "schema"), ("finding", "severity"), ("failure", "message"), ("result", "verdict"),
    ("totals", "verdicts"), ("comparison", "retyped"), ("difference", "key_hex"),
    ("conversion", "losses"), ("crashes", "cause"), ("corpus", "generator"),
  ].map { (Array("\"type\":\"\($0)\"".utf8), Array("\"\($1)\":".utf8)) }
  /// The first bytes of JSON documents, without white space.
  private static let documentStarts: [(bytes: [UInt8], name: String)] = [
    ("{\"kvfsck\":\"types\"", "a types file of a conversion"),
    ("{\"cases\":[{\"answer\":\"cases/", "the case list of a kvfsck corpus"),
    ("{\"also_true\":{", "the answer key of a case in a kvfsck corpus"),
  ].map { (Array($0.utf8), $1) }
  private static let answerName = "answer.json"
  private static let sarifStart = Array("{\"$schema\":\"https://json.schemastore.org/sarif".utf8)
  private static let sarifName = Array("\"name\":\"kvfsck\"".utf8)
  private static let graphStart = Array("{\"@context\":{\"case-investigation\":".utf8)
  /// The abbreviation of kvfsck's own names, which is among the first lines of a graph.
  private static let graphName = Array("\"urn:kvfsck:report#\"".utf8)
  private static let unitTestsStart = Array("<testsuites name=\"kvfsck\"".utf8)

  /// Returns what `image` is, with its article, if kvfsck wrote it and does not read it back;
  /// otherwise returns `nil`.
  ///
  /// Such files are the tables of `convert`, reports of all kinds, entries that a repair has set
  /// aside, and the files next to the stores of a corpus.
  package static func ownOutput(_ image: FileImage, named name: String) -> String? {
    let start = image.bytes(in: 0..<min(1 << 16, image.count))
    if let own = tableStarts.first(where: { start.starts(with: $0.bytes) }) { return own.name }
    if start.prefix(128).firstRange(of: unitTestsStart) != nil {
      return "a JUnit report of kvfsck"
    }
    guard start.first == UInt8(ascii: "{") else { return nil }
    if start.starts(with: sarifStart) {
      // The tool's name follows the results.
      return image.firstOccurrence(of: sarifName, in: image.range).map { _ in
        "a SARIF report of kvfsck"
      }
    }
    let packed = start.prefix(256).filter { $0 > UInt8(ascii: " ") }
    if packed.starts(with: graphStart) {
      return start.firstRange(of: graphName) != nil ? "a CASE report of kvfsck" : nil
    }
    if let own = documentStarts.first(where: { packed.starts(with: $0.bytes) }) {
      // Other documents can begin with a key of this name.
      return own.bytes == documentStarts.last?.bytes && name != answerName ? nil : own.name
    }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    let isReport = reportLines.contains { known in
      line.firstRange(of: known.type) != nil && line.firstRange(of: known.name) != nil
    }
    guard isReport else { return nil }
    return name.contains(".lost-and-found")
      ? "a lost-and-found file, with the guesses that a repair set aside"
      : "a JSON report of kvfsck"
  }
}
