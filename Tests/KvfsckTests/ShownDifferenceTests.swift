import Foundation
import Testing

/// Values that differ, which must not look the same.
struct ShownDifferenceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Tests that two texts have two cells, so that the one apostrophe added can be removed.
  @Test func noTwoTextsHaveTheSameCell() async throws {
    let texts = ["=1", "'=1", "''=1", "'", "'tis", " =1", "' =1", "'\t", "-5", "'-5", " '=1"]
    let members = texts.enumerated().map { "\"\($0)\":\"\($1.replacing("\t", with: "\\t"))\"" }
    let store = try scratch.write(Array("{\(members.joined(separator: ","))}".utf8), to: "s.json")
    #expect(try await scratch.convert([store], to: "csv", "out").status == 0)
    let rows = try String(contentsOfFile: scratch.path("out"), encoding: .utf8)
      .split(separator: "\r\n").dropFirst()
    let cells = rows.map { String($0.split(separator: ",", omittingEmptySubsequences: false)[3]) }
    #expect(Set(cells).count == texts.count, "\(cells)")
    for (text, cell) in zip(texts, cells) where cell != text { #expect(cell == "'" + text) }
    #expect(zip(texts, cells).filter { $0 == $1 }.map(\.0) == ["'", "'tis", " '=1"])
  }

  /// Tests that no difference is lost where a line is folded or a value is cut.
  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func whatDiffersIsShown() async throws {
    let long = String(repeating: "long words ", count: 12)
    func write(_ spaces: String, _ end: String, to name: String) throws -> String {
      let text = "\"\(long)\(end)\""
      return try scratch.write(
        #"{"a":"one two\#(spaces)three","b":\#(text),"c":["x",\#(text)]}"#.utf8, to: name)
    }
    let (one, two) = (try write(" ", "one", to: "1.json"), try write("  ", "two", to: "2.json"))
    for columns in stride(from: 20, through: 60, by: 5) {
      let outcome = try await PseudoTerminal(columns: columns).run(
        ["compare", "--color", "never", one, two])
      for part in [
        #"~ a: string "one two three" (data 0x1) → string "one two  three" (data"#,
        #"~ b: string …ng words long words one" (data"#,
        #"→ string …ng words long words two" (data"#,
        #"~ c: array …ng words long words one"] (data"#,
        #"→ array …ng words long words two"] (data"#,
      ] {
        #expect(outcome.output.contains(part), "\(columns): \(outcome.output)")
      }
    }
  }
}
