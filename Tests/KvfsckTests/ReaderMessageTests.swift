import Foundation
import Testing

/// Messages about files that people write.
///
/// They name the field and its expected content in plain words.
struct ReaderMessageTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let entries: [(line: String, words: String)] = [
    (
      #"{"key":"a","type":"int32","value":2147483648}"#,
      "at value: a whole number from -2147483648 to 2147483647 is expected here"
    ),
    (
      #"{"key":"a","type":"float","value":1e39}"#,
      "at value: 0, or a number from ±1e-45 to ±3.4028235e+38, is expected here"
    ),
    (
      #"{"key":"a","type":"int64","value":1.5}"#,
      "at value: a whole number from -9223372036854775808 to 9223372036854775807 is expected here"
    ),
    (
      #"{"key":"a","type":"list<int32>","value":["5",99999999999]}"#,
      "at value[1]: a whole number from -2147483648 to 2147483647 is expected here"
    ),
    (#"{"key":"a","type":"array","value":[5]}"#, "at value[0]: an object is expected here"),
    (#"{"key":"a","type":"list<int32>","value":{"a":1}}"#, "at value: an array is expected here"),
    (#"{"key":5,"type":"int32","value":1}"#, "at key: a string is expected here"),
    (#"{"type":"int32","value":1}"#, #"there is no "key""#),
    (#"{"key":"a","type":"nonsense","value":1}"#, #"at type: there is no type "nonsense""#),
    (#"{"key":"a","type":"bytes","base64":"!"}"#, "at base64: it is not base64"),
    (#"{"key":"a","type":"bool","value":null}"#, "at value: true or false is expected here"),
    ("[1]", "an object is expected here"), ("null", "an object is expected here"),
    (#"{"key":"a","type":"int32","value":"#, "it is not JSON"),
  ]

  @Test(arguments: entries.map(\.line))
  func anEntryThatIsNoneIsExplained(line: String) async throws {
    let words = try #require(Self.entries.first { $0.line == line }?.words)
    let header = #"{"kvfsck":"entries","schema":1,"name":"kv","format":"mmkv"}"#
    let path = try scratch.write("\(header)\n\(line)\n".utf8, to: "a.jsonl")
    let outcome = try await Tool.run(["check", "--json", path])
    #expect(
      try outcome.objects("finding").map { $0["message"]?.string } == [
        "line 2 is not an entry: " + words
      ], "\(outcome.testDescription)")
  }

  private static let types: [(text: String, words: String)] = [
    ("[]", "an object is expected here"), ("null", "an object is expected here"),
    (#"{"types":{}}"#, #"there is no "kvfsck""#),
    (#"{"kvfsck":"types","schema":1,"types":{}}"#, "at types: an array is expected here"),
    (#"{"kvfsck":"types","schema":2,"types":[]}"#, "at schema: 1 is expected here"),
    (#"{"kvfsck":"types","schema":1.5,"types":[]}"#, "at schema: 1 is expected here"),
    (#"{"kvfsck":"entries","schema":1,"types":[]}"#, #"at kvfsck: "types" is expected here"#),
    (
      #"{"kvfsck":"types","schema":1,"types":[{"key":5,"type":"int32"}]}"#,
      "at types[0].key: a string is expected here"
    ),
    (#"{"kvfsck":"types","schema":1,"types":[{"key":"a"}]}"#, #"at types[0]: there is no "type""#),
    ("{", "it is not JSON"),
  ]

  @Test(arguments: types.map(\.text))
  func aFileOfTypesThatIsNoneIsExplained(text: String) async throws {
    let words = try #require(Self.types.first { $0.text == text }?.words)
    let source = try scratch.write(#"{"a": 1}"#.utf8, to: "a.json")
    let types = try scratch.write(text.utf8, to: "t.json")
    let outcome = try await Tool.run(
      ["convert", "--to", "jsonl", "--dry-run", "--types", types, source])
    #expect(outcome.status == 64 || outcome.status == 16, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("not a file of types: \(words); --types-out"))
  }

  private static let units = Array(#"{"a":1}"#.utf8)

  /// JSON as other programs write it: with a byte order mark, and in UTF-16 of both byte orders.
  private static let encoded: [[UInt8]] = [
    [0xef, 0xbb, 0xbf] + units, [0xff, 0xfe] + Array(units.map { [$0, 0] }.joined()),
    Array(units.map { [0, $0] }.joined()),
  ]

  @Test(arguments: encoded)
  func JSONWithAByteOrderMarkOrInUTF16IsRead(bytes: [UInt8]) async throws {
    let path = try scratch.write(bytes, to: "a.json")
    let outcome = try await Tool.run(["dump", path])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.output == "a = int64 1\n")
  }

  @Test(arguments: [
    (["json", "--plain-json"], "it contains a dictionary with a duplicate name"),
    (["plist"], "the dictionary is changed: "),
  ])
  func aNameThatIsThereTwiceIsTheReason(_ to: [String], _ words: String) async throws {
    let value = """
      "type":"dictionary","value":[{"name":"x","type":"int64","value":1},\
      {"name":"x","type":"int64","value":2}]
      """
    let nested = #""type":"dictionary","value":[{"name":"n",\#(value)}]"#
    for (index, value) in [value, nested].enumerated() {
      let text = """
        {"kvfsck":"entries","schema":1,"name":"kv","format":"mmkv"}
        {"key":"a",\(value)}
        """
      let path = try scratch.write(text.utf8, to: "\(index).jsonl")
      let outcome = try await Tool.run(["convert", "--dry-run", path, "--to"] + to)
      #expect(outcome.output.contains(words), "\(outcome.testDescription)")
    }
  }
}
