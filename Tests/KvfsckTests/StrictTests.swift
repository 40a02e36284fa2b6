import Foundation
import Testing

/// `convert --strict` writes nothing where anything is lost, in reading too; exit statuses 4 and 5.
@Suite(.timeLimit(.minutes(10)))
struct StrictTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Sources of which not everything can be read.
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
    #expect(messages.first?.hasPrefix("line 2 is no entry: at expires_at: ") == true)
    #expect(messages.last == #"line 3 is no entry: there is no "class""#, "\(messages)")
  }
}
