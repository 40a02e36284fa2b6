import Foundation
import Testing

/// Strings that are equal in Unicode but have different bytes: é as one scalar and as two.
struct ByteTextTests {
  private let scratch: Scratch
  private static let one = "\u{e9}"
  private static let two = "e\u{301}"

  init() throws { scratch = try Scratch() }

  /// Makes a store from a script, and returns its folder.
  private func store(_ name: String, _ format: String, _ lines: String...) async throws -> String {
    let script = try scratch.write(
      "format \(format)\n\(lines.joined(separator: "\n"))\n".utf8, to: "\(name).script")
    let outcome = try await Tool.run(["fixture", "make", script, "--out", scratch.path(name)])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    return scratch.path(name)
  }

  private func keys(_ path: String, _ options: [String] = []) async throws -> [String] {
    let outcome = try await Tool.run(["dump", "--json"] + options + [path])
    return try outcome.objects("entry").compactMap { $0["key_hex"]?.string }
  }

  @Test(arguments: ["mmkv", "fastkv-apple", "fastkv-android"])
  func compareTellsTextsApartByTheirBytes(format: String) async throws {
    let first = try await store("first", format, "string k \(Self.one)")
    let second = try await store("second", format, "string k \(Self.two)")
    let outcome = try await Tool.run(["compare", "--exit-code", first, second])
    #expect(outcome.status == 1, "\(outcome.testDescription)")
    #expect(outcome.output.contains("1 changed, 0 retyped, 0 unchanged"))
  }

  @Test func compareTellsElementsOfSetsAndNamesApart() async throws {
    let first = try await store("first", "fastkv-android", "set k \(Self.one)")
    let second = try await store("second", "fastkv-android", "set k \(Self.two)")
    let sets = try await Tool.run(["compare", first, second])
    #expect(sets.output.contains("1 changed"), "\(sets.testDescription)")
    let before = try scratch.write(#"{"k": {"\#(Self.one)": 1}}"#.utf8, to: "a.json")
    let after = try scratch.write(#"{"k": {"\#(Self.two)": 1}}"#.utf8, to: "b.json")
    let names = try await Tool.run(["compare", before, after])
    #expect(names.output.contains("1 changed"), "\(names.testDescription)")
  }

  @Test func aSetKeepsBothAndSoDoesTheStoreMadeOfAScript() async throws {
    let folder = try await store("made", "fastkv-android", "set k \(Self.one) \(Self.two)")
    let outcome = try await Tool.run(["dump", "--json", folder])
    let value = try #require(try outcome.objects("entry").first?["value"]?["value"]?.array)
    #expect(value.count == 2)
  }

  @Test func mergingIsAConflictAndDropsNothing() async throws {
    let first = try await store("first", "fastkv-android", "string k \(Self.one)")
    let second = try await store("second", "fastkv-android", "string k \(Self.two)")
    let outcome = try await Tool.run(
      ["convert", "--to", "jsonl", "--out", scratch.path("out"), first, second])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("the stores disagree on 1 key (\"k\")"))
  }

  @Test func anExpectationIsMetByTheSameBytesOnly() async throws {
    let folder = try await store("made", "fastkv-android", "string k \(Self.one)")
    for (text, status) in [(Self.one, Int32(0)), (Self.two, 4)] {
      let line = #"{"type":"entry","key":"k","value":{"kind":"string","value":"\#(text)"}}"#
      let file = try scratch.write((line + "\n").utf8, to: "expected-\(status)")
      let outcome = try await Tool.run(["check", "--expect", file, folder])
      #expect(outcome.status == status, "\(outcome.testDescription)")
    }
  }

  @Test(arguments: [
    ("json", ["--plain-json"]), ("json", []), ("jsonl", []), ("plist", []), ("plist", ["--xml"]),
    ("sharedprefs", []), ("datastore", []), ("sqlite", []), ("yycache", []), ("mmkv", []),
    ("fastkv-apple", []), ("fastkv-android", []),
  ])
  func bothKeysAreWrittenAndReadBack(format: String, options: [String]) async throws {
    let folder = try await store(
      "made", "fastkv-android", "string \(Self.one) a", "string \(Self.two) b")
    let path = scratch.path("out")
    let outcome = try await Tool.run(
      ["convert", "--to", format, "--out", path] + options + [folder])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let written = format == "fastkv-android" ? path + ".kva" : path
    #expect(
      Set(try await keys(written, ["--format", format])) == ["c3a9", "65cc81"],
      "\(outcome.testDescription)")
  }

  @Test func nestedNamesOfADocumentAreKeptApart() async throws {
    let text = #"{"k": {"\#(Self.one)": 1, "\#(Self.two)": 2}}"#
    let path = try scratch.write(text.utf8, to: "plain.json")
    let outcome = try await Tool.run(["dump", "--json", path])
    let members = try #require(try outcome.objects("entry").first?["value"]?["value"]?.array)
    #expect(members.count == 2)
    #expect(try outcome.objects("finding").isEmpty)
  }

  @Test func namesThatAreThereTwiceAreSaidWithTheirLineAlsoInside() async throws {
    let text = "{\n  \"k\": {\n    \"a\": 1,\n    \"a\": 2\n  },\n  \"b\": 1,\n  \"b\": 2\n}\n"
    let path = try scratch.write(text.utf8, to: "plain.json")
    let outcome = try await Tool.run(["dump", "--json", path])
    let messages = try outcome.objects("finding").compactMap { $0["message"]?.string }
    #expect(messages.count == 2, "\(outcome.testDescription)")
    #expect(messages.contains { $0.hasPrefix("line 4: ") && $0.contains(#""a""#) })
    #expect(messages.contains { $0.contains(#"the key "b""#) })
    let values = try outcome.objects("entry").map { $0["value"] }
    #expect(values.last??["value"]?.integer == 2)
  }

  @Test func aFloatInPlainJSONReadsBackAsTheDoubleThatItIs() async throws {
    let folder = try await store(
      "made", "fastkv-android", "float f 0.1", "double d 1", "double n -0")
    let path = scratch.path("out.json")
    let outcome = try await Tool.run(
      ["convert", "--to", "json", "--plain-json", "--strict", "--out", path, folder])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(#""f": 0.10000000149011612"#), "\(text)")
    let compared = try await Tool.run(["compare", folder, path])
    #expect(
      compared.output.contains("0 changed, 1 retyped, 2 unchanged"), "\(compared.testDescription)")
  }

  @Test func theSameBytesUnderAnotherTypeAreRetypedAndZeroIsNotMinusZero() async throws {
    let first = try await store(
      "first", "fastkv-android", "int32 a 5", "int32 b 0", "double z 0", "float f 0.5")
    let second = try await store(
      "second", "fastkv-android", "int64 a 5", "float b 0", "double z -0", "double f 0.5")
    let outcome = try await Tool.run(["compare", first, second])
    #expect(
      outcome.output.contains("0 added, 0 removed, 1 changed, 3 retyped, 0 unchanged"),
      "\(outcome.testDescription)")
  }
}
