import Foundation
import KVModel
import KVToolkit
import Testing

@Suite("kvfsck explain")
struct ExplainTests {
  @Test("prints the page of every rule and every finding")
  func pages() async throws {
    let names = Explanations.pages.map(\.name)
    #expect(Set(names).count == names.count)
    // Each is a process: one of each kind, and the first and last of the list.
    for name in ["log.newer-tail", "mmkv.one-bit", "mmkv.checksum-mismatch", names[0]]
      + names.suffix(1)
    {
      let outcome = try await Tool.run(["explain", name])
      #expect(outcome.status == 0 && outcome.errors == "", "\(name)")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.first?.hasPrefix("\(name) (") == true, "\(name)")
      #expect(lines.count > 3 && lines.allSatisfy { $0.count <= 100 }, "\(outcome.output)")
    }
  }

  @Test("lists all of them without a name")
  func list() async throws {
    let outcome = try await Tool.run(["explain"])
    #expect(outcome.status == 0)
    let names = outcome.output.split(separator: "\n").dropFirst().map {
      String($0.prefix { $0 != " " })
    }
    #expect(names == Explanations.pages.map(\.name))
  }

  @Test(
    "refuses a name that nothing has, and says the nearest",
    arguments: [
      ("log.newer-tial", "log.newer-tail"), ("newer-tail", "log.newer-tail"),
      ("mmkv.checksum-mismach", "mmkv.checksum-mismatch"),
    ])
  func unknownName(name: String, nearest: String) async throws {
    let outcome = try await Tool.run(["explain", name])
    #expect(outcome.status == 16 && outcome.output == "")
    #expect(outcome.errors.contains("The nearest name is \(nearest)."), "\(outcome.errors)")
  }

  @Test("escapes what a terminal would obey")
  func escapes() async throws {
    let outcome = try await Tool.run(["explain", "\u{1b}[31mred"])
    #expect(outcome.status == 16 && !outcome.errors.contains("\u{1b}"))
  }

  @Test("an entry's rules are names that it knows")
  func rulesAreKnown() async throws {
    let names = Set(Explanations.pages.map(\.name))
    let store = Fixture.root + "/mmkv/damaged/burst_fwb/kv"
    let outcome = try await Tool.run(["dump", "--json", store])
    let rules = outcome.output.matches(of: /"rules":\[([^\]]*)\]/).flatMap {
      $0.output.1.split(separator: ",").map { String($0.dropFirst().dropLast()) }
    }
    #expect(rules.contains("log.before-gap") && rules.contains("log.resynchronized"))
    #expect(Set(rules).subtracting(names) == [])
  }
}

/// Whether the tables of the pages are those of the code.
///
/// `KVFSCK_WRITE_TABLES=1 swift test --filter TableTests` writes them anew.
struct TableTests {
  @Test(arguments: [
    ("Docs/RECOVERY.md", "rules", Explanations.ruleTable),
    ("Docs/FINDINGS.md", "findings", Explanations.findingTable),
  ])
  func tableIsThatOfTheCode(path: String, name: String, table: String) throws {
    let page = Page(path: path)
    var lines = try page.lines()
    let start = try #require(lines.firstIndex { $0.hasPrefix("<!-- begin \(name)") })
    let end = try #require(lines.firstIndex(of: "<!-- end \(name) -->"))
    let wanted =
      [""]
      + table.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init) + [""]
    guard Array(lines[start + 1..<end]) != wanted else { return }
    if ProcessInfo.processInfo.environment["KVFSCK_WRITE_TABLES"] == nil {
      Issue.record("\(path) has another table of \(name); KVFSCK_WRITE_TABLES=1 writes it anew")
    } else {
      lines.replaceSubrange(start + 1..<end, with: wanted)
      try page.write(lines)
    }
  }

  @Test("Every finding has its section, and every section its finding")
  func everyFindingHasItsSection() throws {
    let codes = Explanations.findings.map(\.name)
    let sections = try Page(path: "Docs/FINDINGS.md").lines().compactMap {
      $0.wholeMatch(of: /###+ `([a-z.-]+)`/).map { String($0.output.1) }
    }
    #expect(sections.sorted() == codes.sorted())
    #expect(Explanations.findings.allSatisfy { !$0.severities.isEmpty && !$0.meaning.isEmpty })
  }

  @Test("Every code in the sources is in the catalog, and every code of that in the sources")
  func everyCodeIsInTheCatalog() throws {
    let prefixes = Set(Explanations.findings.map { String($0.name.prefix { $0 != "." }) })
    // The name that MMKV gives its default instance, and names of files, look like codes.
    let others: Set = ["mmkv.default"]
    let pages = Explanations.pages.map(\.name)
    let rules = Set(pages).subtracting(Explanations.findings.map(\.name))
    var counts: [String: Int] = [:]
    for path in try Self.sources() {
      for match in try String(contentsOfFile: path, encoding: .utf8)
        .matches(of: /"([a-z-]+)\.([a-z]+(?:-[a-z]+)*)"/)
      where prefixes.contains(String(match.output.1)) {
        counts["\(match.output.1).\(match.output.2)", default: 0] += 1
      }
    }
    let used = Set(counts.keys).subtracting(rules).subtracting(others)
    #expect(used.subtracting(Explanations.findings.map(\.name)).sorted() == [])
    // Once in the catalog, and once where it is found.
    let unused = Explanations.findings.map(\.name).filter { counts[$0, default: 0] < 2 }
    #expect(unused == [])
  }

  private static func sources() throws -> [String] {
    let root = Fixture.root.replacing(/Fixtures$/, with: "Sources/")
    return try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { $0.hasSuffix(".swift") }.map { root + $0 }
  }
}
