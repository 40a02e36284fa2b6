import Foundation
import Testing

/// The summary in Markdown that `check` writes for the page of a job.
struct MarkdownTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func check(_ arguments: [String]) async throws -> (outcome: Outcome, text: String) {
    let outcome = try await Tool.run(
      ["check", "--markdown", "summary.md"] + .clock + arguments, in: scratch.path)
    return (outcome, String(decoding: try scratch.bytes(of: "summary.md"), as: UTF8.self))
  }

  /// Returns the content of the code spans in `text`, and what is left without them.
  ///
  /// Reference: CommonMark 0.31 § Code spans.
  private static func spans(of text: String) -> (codes: [String], rest: String) {
    var (codes, rest): ([String], String) = ([], "")
    var left = text[...]
    while let start = left.firstIndex(of: "`") {
      rest += left[..<start]
      let fence = left[start...].prefix { $0 == "`" }
      var end = left[fence.endIndex...]
      while let next = end.firstIndex(of: "`") {
        let run = end[next...].prefix { $0 == "`" }
        if run.count == fence.count { break }
        end = end[run.endIndex...]
      }
      guard let close = end.firstIndex(of: "`") else { break }
      var code = String(left[fence.endIndex..<close])
      if code.hasPrefix(" "), code.hasSuffix(" "), !code.allSatisfy({ $0 == " " }) {
        code = String(code.dropFirst().dropLast())
      }
      codes.append(code)
      left = left[close...].dropFirst(fence.count)
    }
    return (codes, rest + left)
  }

  @Test func storesThatDidNotPassComeFirstWithWhatIsWrong() async throws {
    let table = try scratch.write(Array(#"{"a":1}"#.utf8), to: "table.json")
    let (outcome, text) = try await check(
      [Fixture.clean.path, Fixture.lossy.path, table, "nowhere"])
    #expect(outcome.status == 12)
    #expect(
      text.hasPrefix(
        """
        <!-- kvfsck check -->
        ### kvfsck: 2 of 4 stores did not pass

        | passed | failed | not read |
        |---:|---:|---:|
        | 2 | 1 | 1 |

        - **failed** `\(Fixture.lossy.path)`: damaged, 29 entries, findings: 2 damage + 1 warning + 1 note
          - `\(Fixture.lossy.path)/kv:0x4: damage: [mmkv.checksum-mismatch] the CRC-32
        """))
    let lines = text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("- **not read** `nowhere`") })
    #expect(lines.contains { $0.hasPrefix("  - `cannot read nowhere: no such file") })
    #expect(
      text.hasSuffix(
        """
        <details><summary>2 stores passed</summary>

        - `\(Fixture.clean.path)`: clean, 45 entries, no findings
        - `\(table)`: clean, 1 entry, no findings

        </details>\n
        """))
  }

  /// Characters with a meaning in Markdown, HTML or a terminal, and the ends of what surrounds them.
  @Test(arguments: [
    "`", "``` ``", " `", "` ", "\\`", "|", "\n- x", "\r\n\r\n# x", "</details>", "<img src=x>",
    "<!--", "-->", "*x*", "[x](y)", "@x", "#1", "http:", "&#96;", "$x$", "\u{1b}[31m", "\u{202e}",
    "\u{2028}", "~~", "  ", "\\", "\t",
  ])
  func hostileNamesAndKeysStayInTheirSpans(_ hostile: String) async throws {
    let key = String(decoding: try JSONEncoder().encode("k" + hostile), as: UTF8.self)
    let name = "\(hostile.replacing("/", with: ":"))t.json"
    _ = try scratch.write(Array("{\(key):1,\(key):2}".utf8), to: name)
    let missing = "no\(hostile.replacing("/", with: ":"))"
    let (outcome, text) = try await check(["--fail-on", "warning", "./" + name, missing])
    #expect(outcome.status == 12)
    let (codes, rest) = Self.spans(of: text)
    #expect(codes.count == 4)
    #expect(
      rest == """
        <!-- kvfsck check -->
        ### kvfsck: 2 of 2 stores did not pass

        | passed | failed | not read |
        |---:|---:|---:|
        | 0 | 1 | 1 |

        - **failed** : clean, 1 entry, findings: 1 warning
          - \n- **not read** \n  - \n
        """, "\(text)")
    // What the spans say is what is printed elsewhere.
    #expect(outcome.output.contains(codes[1]), "\(codes)")
    #expect(codes.allSatisfy { !$0.unicodeScalars.contains { $0.value < 32 } })
  }

  @Test func theSummaryIsBoundedAndSaysWhatItLeavesOut() async throws {
    let key = String(repeating: "漢", count: 400)
    let members = (0..<30).map { #""\#($0)\#(key)":1,"\#($0)\#(key)":2"# }
    let table = Array("{\(members.joined(separator: ","))}".utf8)
    let names = (0..<100).map { "\($0)\(String(repeating: "n", count: 200)).json" }
    for name in names { _ = try scratch.write(table, to: name) }
    let (outcome, text) = try await check(["--fail-on", "warning"] + names)
    #expect(outcome.status == 4)
    #expect(text.utf8.count <= 1_000_000 && text.utf8.count > 900_000, "\(text.utf8.count)")
    let shown = text.split(separator: "\n").count { $0.hasPrefix("- **failed**") }
    #expect(shown < 100)
    #expect(text.contains("### kvfsck: 100 of 100 stores did not pass\n"))
    #expect(text.hasSuffix("\n\(100 - shown) more stores are not listed here.\n"))
    #expect(text.contains("  - and 10 more\n"))
  }

  @Test func allThatPassAndNoneAreSaid() async throws {
    #expect(try await check([Fixture.clean.path]).text.contains("### kvfsck: 1 store passed\n"))
    let empty = try scratch.makeFolder("empty")
    let none = try await check([empty])
    #expect(none.outcome.status == 8)
    #expect(none.text.contains("1 of 1 store did not pass"), "\(none.text)")
  }
}
