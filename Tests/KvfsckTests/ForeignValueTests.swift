import Foundation
import Testing

/// Values from other people's files, through formats that have no room for them as they are.
struct ForeignValueTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func convert(_ arguments: String...) async throws -> Outcome {
    let outcome = try await Tool.run(["convert"] + arguments + .clock, in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    return outcome
  }

  /// A line feed has two bytes in UTF-16, and the second is the first half of another character.
  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
  func linesInUTF16AreRead(_ encoding: String.Encoding) async throws {
    let text = """
      \u{feff}{"kvfsck":"entries","schema":1,"name":"x","format":"json"}
      {"key":"a","type":"string","value":"\u{441}a"}
      {"key":"b","type":"int32","value":10}

      """
    let bytes = try #require(text.data(using: encoding))
    let path = try scratch.write(bytes, to: "lines.jsonl")
    let dump = try await Tool.run(["dump", path])
    #expect(dump.status == 0, "\(dump.testDescription)")
    #expect(dump.output == "a = string \"\u{441}a\"\nb = int32 10\n")
  }

  /// Plain JSON has no NaN, no infinity and no two members of one name: the cell has typed JSON.
  @Test func aCellHasWhatPlainJSONHasNot() async throws {
    let document = """
      {"kvfsck":"entries","schema":1,"name":"x","format":"json","entries":[
      {"key":"a","type":"array","value":[{"type":"double","bits":"7ff8000000000000"}]},
      {"key":"b","type":"list<double>","value":["7ff0000000000000", 1.5]}]}
      """
    _ = try scratch.write(document.utf8, to: "in.json")
    _ = try await convert("in.json", "--to", "tsv", "--strict", "--out", "out.tsv")
    let text = String(decoding: try scratch.bytes(of: "out.tsv"), as: UTF8.self)
    let cells = text.split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: "\t")[3]
    }
    #expect(cells.count == 2 && cells.allSatisfy { $0.contains("bits") || $0.contains("7ff0") })
    #expect(!text.contains("KVModel"))
  }

  /// The list of types is for reading the new store, whose values have other types than the source.
  @Test func theTypesOfANewStoreReadIt() async throws {
    let preferences = "<map><set name=\"tags\"><string>a</string></set></map>"
    _ = try scratch.write(preferences.utf8, to: "p.xml")
    _ = try await convert("p.xml", "--to", "mmkv", "--out", "m", "--types-out", "types.json")
    let lines = try await convert("m", "--types", "types.json", "--to", "jsonl", "--out", "-")
    #expect(lines.output.contains("\"type\":\"list<string>\",\"value\":[\"a\"]"), "\(lines.output)")
  }

  /// Data may be an archive, and bytes may be no value at all: the list says what reads them.
  @Test func theTypesOfAStoreReadItAgain() async throws {
    let lines = """
      {"kvfsck":"entries","schema":1,"name":"x","format":"mmkv"}
      {"key":"archive","type":"bytes","base64":"YnBsaXN0MDA="}
      {"key":"rest","type":"raw","base64":"/w=="}
      {"key":"number","type":"int32","value":1760000000}

      """
    _ = try scratch.write(lines.utf8, to: "in.jsonl")
    _ = try await convert("in.jsonl", "--to", "mmkv", "--out", "m")
    _ = try await convert(
      "m", "--accept-bytes", "--to", "jsonl", "--out", "one", "--types-out", "types.json")
    let again = try await convert("m", "--types", "types.json", "--to", "jsonl", "--out", "two")
    #expect(!again.errors.contains("not a valid"), "\(again.testDescription)")
    // An integer can be a time, but no type of values is.
    let types = String(decoding: try scratch.bytes(of: "types.json"), as: UTF8.self)
    #expect(types.contains("\"int32\"") && !types.contains("\"date\""), "\(types)")
  }
}
