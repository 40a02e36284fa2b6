import Foundation
import Testing

/// Text from files and paths, which must not act on a terminal, a program or a spreadsheet.
struct EscapingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes a table whose only key and value are `text`.
  private func table(_ text: String) throws -> String {
    let json = String(decoding: try JSONEncoder().encode([text: text]), as: UTF8.self)
    return try scratch.write(Array(json.utf8), to: "s.json")
  }

  @Test(arguments: [
    "=1", "+1", "-1", "@A", "\t=1", "\r=1", "\n=1", " =1", "\u{a0}@A", "\u{feff}=1",
    "\u{3000}＝1", "＝1", "＋1", "－1", "＠A", "\u{200b}=1", "\u{115f}=1", "\u{1160}=1", "\u{3164}=1",
    "\u{ffa0}=1", "\u{34f}=1", "\u{2800}=1", "\u{17b4}=1", "\u{17b5}=1", "\u{2212}1", "\u{fe62}1",
    "\u{fe63}1", "\u{fe66}1", "\u{fe6b}A",
  ])
  func noCellBeginsAFormula(text: String) async throws {
    let outcome = try await Tool.run(
      ["convert", "--to", "csv", "--out", scratch.path("out"), try table(text)])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let rows = String(decoding: try scratch.bytes(of: "out"), as: UTF8.self)
      .components(separatedBy: "\r\n")
    #expect(rows[1].hasPrefix("'\(text)") || rows[1].hasPrefix("\"'\(text)"), "\(rows[1])")
    #expect(rows[1].contains(",'\(text)") || rows[1].contains(",\"'\(text)"), "\(rows[1])")
  }

  @Test func otherCellsStayAsTheyAre() async throws {
    _ = try await Tool.run(
      ["convert", "--to", "csv", "--out", scratch.path("out"), try table(" a=1")])
    #expect(
      String(decoding: try scratch.bytes(of: "out"), as: UTF8.self).contains("\r\n a=1,"))
  }

  /// Runs a program with a terminal as its stdout, and prints what arrives there.
  private static let terminal = """
    import pty, sys
    sys.exit(pty.spawn(sys.argv[1:]) >> 8)
    """

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func JSONOnATerminalHasNothingThatATerminalObeys() async throws {
    let text = "a\u{9b}31m\u{7f}\u{202e}\u{2066}\u{e0001}é😀\u{1b}"
    let path = try table(text)
    let plain = try await Tool.run(["dump", "--json", path])
    #expect(plain.output.contains("\u{9b}") && plain.output.contains("\u{202e}"))
    let shown = try await Python.run(
      EscapingTests.terminal, [try Tool.path(), "dump", "--json", path])
    let scalars = shown.output.unicodeScalars
    #expect(
      !scalars.contains {
        [.control, .format].contains($0.properties.generalCategory) && $0 != "\n" && $0 != "\r"
      }, "\(shown.output.debugDescription)")
    #expect(scalars.contains("é") && scalars.contains("😀"))
    // Escaped or not, the output must have the same meaning.
    let entries = try [plain, shown].map { outcome in
      try outcome.output.split(whereSeparator: \.isNewline).map { try JSON(parsing: $0) }
    }
    #expect(entries[0] == entries[1])
    #expect(entries[0].contains { $0["key"]?.string == text })
  }

  @Test func progressAndErrorsHaveNoControlCharactersOfPaths() async throws {
    let folder = try scratch.makeFolder("a\ndone 1 1\u{1b}[2J")
    let path = folder + "/none"
    let outcome = try await Tool.shell(#""$0" check -C 3 "$1" 3>&2"#, [path])
    #expect(outcome.status == 8)
    #expect(!outcome.errors.contains("\u{1b}"))
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(lines)")
    #expect(lines[0].hasPrefix("check 0 1 ") && lines[0].hasSuffix(#"a\ndone 1 1\u{1b}[2J/none"#))
    #expect(lines[1].hasPrefix("kvfsck: error: "))
    let usage = try await Tool.run(["check", "--\u{1b}[2J"])
    #expect(usage.status == 16 && !usage.errors.contains("\u{1b}"))
  }
}
