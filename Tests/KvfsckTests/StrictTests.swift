import Foundation
import Testing

/// `convert --strict`, which must write nothing if anything is lost, even when reading.
///
/// The exit status is 4 or 5.
struct StrictTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Sources that can only be read in part.
  private static let sources: [(name: String, text: String)] = [
    ("cut.json", #"{"a": 1, "b": [2, "#),
    (
      "deep.json",
      #"{"a": 1, "b": "#
        + String(repeating: "[", count: 65) + String(repeating: "]", count: 65) + "}"
    ),
    ("huge.json", #"{"a": 1, "b": 1e999}"#),
    (
      "lines.jsonl",
      """
      {"kvfsck":"entries","schema":1,"name":"kv","format":"mmkv"}
      {"key":"a","type":"int32","value":1}
      {"key":"b","type":"int32","value":"x"}
      """
    ),
    (
      "cut.plist",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>a</key><integer>1</integer><key>b</key><integer>x</integer></dict></plist>
      """
    ),
    (
      "prefs.xml",
      """
      <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
      <map><int name="a" value="1" /><int name="b" value="x" /></map>
      """
    ),
    (
      "unknown.xml",
      """
      <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
      <map><int name="a" value="1" /><list name="b" /></map>
      """
    ),
    (
      "nested.xml",
      """
      <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
      <map><set name="a"><string>x</string><int>1</int></set></map>
      """
    ),
    ("cut.preferences_pb", "\u{a}\u{7}\u{a}\u{1}a\u{12}\u{2}\u{18}\u{1}\u{a}\u{40}\u{a}"),
  ]

  @Test(arguments: sources.map(\.name))
  func nothingIsWrittenWhereNotEverythingIsRead(name: String) async throws {
    let text = try #require(Self.sources.first { $0.name == name }?.text)
    let path = try scratch.write(text.utf8, to: name)
    let format = name.hasSuffix("_pb") ? ["--format", "datastore"] : []
    let strict = try await Tool.run(
      ["convert", "--to", "jsonl", "--strict", "--out", scratch.path("strict"), path] + format)
    #expect(strict.status == 4, "\(strict.testDescription)")
    #expect(strict.errors.contains("--strict: "))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("strict")))
    let plain = try await Tool.run(
      ["convert", "--to", "jsonl", "--out", scratch.path("plain"), path] + format)
    #expect(plain.status == 5, "\(plain.testDescription)")
    let back = try await Tool.run(["dump", "--json", scratch.path("plain")])
    #expect(try back.objects("entry").map { $0["key"]?.string } == ["a"])
    let dry = try await Tool.run(["convert", "--to", "jsonl", "--dry-run", path] + format)
    #expect(dry.status == 4, "\(dry.testDescription)")
  }

  /// Intact sources that are not converted completely, each with the finding that reports it.
  private static let shortened: [(name: String, text: String, code: String)] = [
    ("twice.json", #"{"a": 1, "a": 2}"#, "json.duplicate-key"),
    ("within.json", #"{"a": [{"d": {"x": 1, "x": 2}}]}"#, "json.duplicate-key"),
    ("integer.json", #"{"a": 123456789012345678901234567890}"#, "json.number-rounded"),
    ("beyond.json", #"{"a": [18446744073709551616]}"#, "json.number-rounded"),
    ("digits.json", #"{"a": 3.14159265358979323846}"#, "json.number-rounded"),
    ("tiny.json", #"{"a": 1e-999}"#, "json.number-rounded"),
    (
      "newer.json",
      #"{"kvfsck":"entries","schema":99,"entries":[{"key":"a","type":"int32","value":1}]}"#,
      "json.unknown-schema"
    ),
    (
      "newer.jsonl",
      """
      {"kvfsck":"entries","schema":99,"name":"kv","format":"mmkv"}
      {"key":"a","type":"int32","value":1}
      """, "json.unknown-schema"
    ),
    (
      "twice.jsonl",
      """
      {"kvfsck":"entries","schema":1,"name":"kv","format":"mmkv"}
      {"key":"a","type":"int32","value":1}
      {"key":"a","type":"int32","value":2}
      """, "json.duplicate-key"
    ),
    (
      "twice.plist",
      """
      <plist version="1.0"><dict><key>a</key><true/><key>a</key><false/></dict></plist>
      """, "plist.duplicate-key"
    ),
    (
      "within.plist",
      """
      <plist version="1.0"><dict><key>a</key><array><dict>
      <key>x</key><true/><key>x</key><false/></dict></array></dict></plist>
      """, "plist.duplicate-key"
    ),
    (
      "unknown.preferences_pb", "\u{a}\u{a}\u{a}\u{1}a\u{12}\u{5}\u{18}\u{1}\u{7a}\u{1}x",
      "datastore.unknown-field"
    ),
    (
      "twice.xml",
      """
      <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
      <map><int name="a" value="1" /><int name="a" value="2" /></map>
      """, "sharedprefs.duplicate-key"
    ),
    (
      "twice.preferences_pb",
      "\u{a}\u{7}\u{a}\u{1}a\u{12}\u{2}\u{18}\u{1}\u{a}\u{7}\u{a}\u{1}a\u{12}\u{2}\u{18}\u{2}",
      "datastore.duplicate-key"
    ),
  ]

  @Test(arguments: shortened.map(\.name))
  func whatIsNotTakenIsALoss(name: String) async throws {
    let source = try #require(Self.shortened.first { $0.name == name })
    let path = try scratch.write(source.text.utf8, to: name)
    let format = name.hasSuffix("_pb") ? ["--format", "datastore"] : []
    let check = try await Tool.run(["check", "--json", path] + format)
    #expect(check.status == 0, "\(check.testDescription)")
    #expect(try check.objects("finding").map { $0["code"]?.string } == [source.code])
    let strict = try await Tool.run(
      ["convert", "--to", "jsonl", "--strict", "--out", scratch.path("strict"), path] + format)
    #expect(strict.status == 4, "\(strict.testDescription)")
    #expect(strict.errors.contains("--strict: 1 loss;"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("strict")))
    let plain = try await Tool.run(
      ["convert", "--to", "jsonl", "--out", scratch.path("plain"), path] + format)
    #expect(plain.status == 0, "\(plain.testDescription)")
    #expect(plain.output.contains("; 1 loss\n"))
  }

  @Test(arguments: [
    #"{"a": 9007199254740993, "b": 18446744073709551615, "c": -9223372036854775808}"#,
    #"{"a": 0.1, "b": 0.10000000149011612, "c": 1e300, "d": -0, "e": 0e9, "f": 100.000000000000000000}"#,
  ])
  func numbersThatAreHeldAreNoLoss(text: String) async throws {
    let path = try scratch.write(text.utf8, to: "a.json")
    let strict = try await Tool.run(
      ["convert", "--to", "jsonl", "--strict", "--out", scratch.path("strict"), path])
    #expect(strict.status == 0, "\(strict.testDescription)")
  }

  @Test func aDatabaseThatIsDamagedIsNotWholeEither() async throws {
    let there = scratch.path("there.sqlite")
    let store = Fixture.clean.path + "/kv"
    let outcome = try await Tool.run(
      ["convert", "--to", "sqlite", "--out", there] + .clock + [store])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    var bytes = try scratch.bytes(of: "there.sqlite")
    bytes.replaceSubrange(4096..<bytes.count, with: repeatElement(0xff, count: bytes.count - 4096))
    let path = try scratch.write(bytes, to: "damaged.sqlite")
    let strict = try await Tool.run(
      ["convert", "--to", "jsonl", "--strict", "--out", scratch.path("strict"), path])
    #expect(strict.status == 4, "\(strict.testDescription)")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("strict")))
  }

  @Test func aLineSaysWhichFieldIsWrong() async throws {
    let text = """
      {"kvfsck":"entries","schema":1,"name":"kv","format":"mmkv"}
      {"key":"a","type":"int32","value":1,"expires_at":5000000000}
      {"key":"b","type":"object","base64":"AAEC"}
      """
    let path = try scratch.write(text.utf8, to: "lines.jsonl")
    let outcome = try await Tool.run(["dump", "--json", path])
    let messages = try outcome.objects("finding").compactMap { $0["message"]?.string }
    #expect(messages.count == 2, "\(outcome.testDescription)")
    #expect(messages.first?.hasPrefix("line 2 is not an entry: at expires_at: ") == true)
    #expect(messages.last == #"line 3 is not an entry: there is no "class""#, "\(messages)")
  }
}
