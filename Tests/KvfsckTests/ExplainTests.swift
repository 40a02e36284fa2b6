import Foundation
import KVModel
import KVReport
import KVToolkit
import Testing

@Suite("kvfsck explain")
struct ExplainTests {
  @Test("prints the page of every rule and every finding")
  func pages() async throws {
    let names = Explanations.pages().map(\.name)
    #expect(Set(names).count == names.count)
    // Each name takes a process. So only one name of each kind is tested, and the first and the
    // last of the list.
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

  @Test("says of a rule what evidence it needs, what it concludes, and when it is wrong")
  func ruleHasItsParagraphs() throws {
    let pages = Explanations.pages()
    for rule in Explanations.rules().flatMap(\.rules) {
      let page = try #require(pages.first { $0.name == rule.id.text })
      #expect(
        page.paragraphs.map(\.title) == [
          "Evidence", "Concludes", "At best", "When it is wrong",
        ])
      #expect(
        page.paragraphs.map(\.text) == [
          rule.premise, rule.conclusion, rule.ceiling.rawValue, rule.failure,
        ])
    }
  }

  @Test("leads to the topic about devices wherever another copy can help")
  func copies() async throws {
    let asks = /\b[Cc]opy (the|it|them|both|again)\b|files again|archive again|copied/
    for code in Explanations.findings() where code.name != "fastkv-android.tmp-unused" {
      let own = code.paragraphs.filter { ["Cause", "What to do"].contains($0.title) }
      let leads = code.paragraphs.contains { $0 == ("To copy again", "`kvfsck explain device`") }
      #expect(leads || !own.contains { $0.text.contains(asks) }, "\(code.name)")
    }
    let outcome = try await Tool.run(["explain", "mmkv.meta-missing"])
    #expect(outcome.output.contains("To copy again  `kvfsck explain device`\n"))
    let device = try await Tool.run(["explain", "device"])
    #expect(device.status == 0 && device.output.contains("adb shell am force-stop PKG"))
  }

  @Test("has a page for each finding that the page about devices names")
  func findingsOfDevices() throws {
    let names = Set(Explanations.findings().map(\.name))
    let text = try Page(path: "Docs/DEVICE.md").lines().joined(separator: "\n")
    let domains = Set(names.map { String($0.prefix { $0 != "." }) })
    let named = text.matches(of: /`([a-z-]+)(\.[a-z-]+)`/).filter {
      domains.contains(String($0.output.1))
    }.map { String($0.output.1 + $0.output.2) }
    #expect(named.count > 12)
    #expect(named.filter { !names.contains($0) } == [])
  }

  @Test("lists all of them without a name")
  func list() async throws {
    let outcome = try await Tool.run(["explain"])
    #expect(outcome.status == 0)
    let names = outcome.output.split(separator: "\n").dropFirst().map {
      String($0.prefix { $0 != " " })
    }
    #expect(names == Explanations.pages().map(\.name))
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

  @Test(
    "and help print the page of a topic, a state, a kind of evidence",
    arguments: [
      "states", "evidence", "probability", "exit-status", "keys", "formats", "salvaged", "guess",
    ])
  func topics(name: String) async throws {
    let outcome = try await Tool.run(["explain", name])
    #expect(outcome.status == 0 && outcome.output.hasPrefix("\(name) ("), "\(outcome.output)")
    let help = try await Tool.run(["help", name])
    #expect(help.status == 0 && help.output == outcome.output)
  }

  @Test("of an encrypted database names what decrypts it, and no option that takes its key")
  func encryptedDatabase() async throws {
    let outcome = try await Tool.run(["explain", "wcdb.encrypted"])
    #expect(outcome.status == 0 && outcome.output.contains("sqlcipher_export"))
    #expect(!outcome.output.contains("--key-file") && !outcome.output.contains("kvfsck convert"))
  }

  @Test("help of a command is that of the command, and of an unknown word names the nearest")
  func helpOfOtherWords() async throws {
    let command = try await Tool.run(["help", "repair"])
    let wanted = try await Tool.run(["repair", "--help"])
    #expect(command.status == 0 && command.output == wanted.output)
    let before = try await Tool.run(["--help", "repair"])
    #expect(before.status == 0 && before.output == wanted.output)
    let unknown = try await Tool.run(["help", "exit-statsu"])
    #expect(unknown.status == 16)
    #expect(unknown.errors.contains("The nearest name is exit-status."), "\(unknown.errors)")
  }

  @Test("names no other where nothing is like it", arguments: ["foo", "zzzzzzzz", "x"])
  func nothingIsLikeIt(name: String) async throws {
    let outcome = try await Tool.run(["explain", name])
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains("Unknown name \"\(name)\". kvfsck explain without"))
  }

  @Test(
    "explains each verdict, and all of them",
    arguments: ["verdicts", "clean", "emptied", "repairable", "damaged", "unreadable"])
  func verdicts(name: String) async throws {
    let outcome = try await Tool.run(["explain", name])
    #expect(outcome.status == 0 && outcome.output.hasPrefix("\(name) ("), "\(outcome.output)")
    let help = try await Tool.run(["help", name])
    #expect(help.status == 0 && help.output == outcome.output)
  }

  @Test(
    "explains an exit status by its parts",
    arguments: [
      ("0", ["0"]), ("4", ["4"]), ("5", ["1", "4"]), ("12", ["4", "8"]),
      ("61", ["1", "4", "8", "16", "32"]),
    ])
  func statuses(status: String, parts: [String]) async throws {
    let outcome = try await Tool.run(["explain", status])
    #expect(outcome.status == 0 && outcome.output.hasPrefix("\(status) (exit status)\n"))
    let titles = outcome.lines.dropFirst().compactMap { $0.firstMatch(of: /^\d+/)?.output }
    #expect(titles.map(String.init) == parts, "\(outcome.output)")
  }

  @Test("refuses a number that is no exit status", arguments: ["2", "64", "-1", "256"])
  func noStatus(number: String) async throws {
    #expect(try await Tool.run(["explain", number]).status == 16)
  }

  @Test("explains each format by its name, and a finding by its cause and the next command")
  func formatsAndCommands() async throws {
    let pages = try await Self.printedPages()
    for format in FormatCatalog.standard.entries {
      let page = try #require(pages[format.name])
      #expect(page.hasPrefix("\(format.name) (format)\n"))
      for title in ["What it is", "Where it is", "Uses", "Command"] {
        #expect(page.contains("\n\(title)  "), "\(format.name)")
      }
    }
    for code in Explanations.findings() {
      let page = try #require(pages[code.name])
      let titles = page.matches(of: #/\n(Means|Cause|What to do|Command|Follows from)  /#)
        .map { String($0.output.1) }
      let isFault = code.severities.contains { $0 > .note }
      #expect(titles.contains("Cause") || !isFault, "\(code.name)")
      let order = ["Means", "Cause", "What to do", "Command", "Follows from"]
      #expect(titles == order.filter(titles.contains) && titles.contains("Command"), "\(page)")
    }
  }

  /// Returns the pages of all findings and formats as they are printed, by name.
  private static func printedPages() async throws -> [String: String] {
    let names = FormatCatalog.standard.entries.map(\.name) + Explanations.findings().map(\.name)
    let outcome = try await Tool.shell(
      #"for name do printf '\001'; "$0" explain "$name" || exit; done"#, names)
    #expect(outcome.status == 0)
    let pages = outcome.output.split(separator: "\u{1}").map(String.init)
    return Dictionary(uniqueKeysWithValues: zip(names, pages))
  }

  @Test("leads to nothing that is not installed with the tool, and to commands that exist")
  func leadsToWhatIsInstalled() async throws {
    let texts = try await Self.printedPages().values.map {
      $0.replacing(/\n +/, with: " ")
    }
    #expect(texts.allSatisfy { !$0.contains("Docs/") })
    #expect(
      Explanations.pages().allSatisfy { $0.paragraphs.allSatisfy { !$0.text.contains("Docs/") } })
    let commands = Set(
      texts.flatMap { $0.matches(of: /`kvfsck ([a-z]+) ([^`]*)`/) }.map {
        [String($0.output.1)] + $0.output.2.matches(of: /--?[a-z][a-z-]*/).map { String($0.output) }
      })
    for command in commands {
      let help = try await Tool.run(["help", command[0]])
      #expect(help.status == 0, "\(command)")
      for option in command.dropFirst() { #expect(help.output.contains(option), "\(command)") }
    }
    #expect(commands.count > 5)
  }

  @Test("escapes what a terminal would obey")
  func escapes() async throws {
    let outcome = try await Tool.run(["explain", "\u{1b}[31mred"])
    #expect(outcome.status == 16 && !outcome.errors.contains("\u{1b}"))
  }

  @Test("an entry's rules are names that it knows")
  func rulesAreKnown() async throws {
    let names = Set(Explanations.pages().map(\.name))
    let store = Fixture.root + "/mmkv/damaged/burst_fwb/kv"
    let outcome = try await Tool.run(["dump", "--json", store])
    let rules = outcome.output.matches(of: /"rules":\[([^\]]*)\]/).flatMap {
      $0.output.1.split(separator: ",").map { String($0.dropFirst().dropLast()) }
    }
    #expect(rules.contains("log.before-gap") && rules.contains("log.resynchronized"))
    #expect(Set(rules).subtracting(names) == [])
  }
}

extension ReportTable {
  /// All tables with the names of their columns, as on the page.
  fileprivate static var page: String {
    "| table | a row is | columns |\n|---|---|---|\n"
      + all.map { table in
        let names = table.columns.map(\.name).joined(separator: ", ")
        return "| `\(table.name)` | \(table.meaning) | \(names) |"
      }.joined(separator: "\n")
  }
}

/// Checks that the tables on the pages are those of the code.
///
/// `KVFSCK_WRITE_TABLES=1 swift test --filter TableTests` rewrites them.
struct TableTests {
  @Test(arguments: [
    ("Docs/RULES.md", "rules", PageTables.rules),
    ("Docs/RECOVERY.md", "states", PageTables.states),
    ("Docs/RECOVERY.md", "evidence", PageTables.evidence),
    ("Docs/RECOVERY.md", "cautions", PageTables.cautions),
    ("Docs/CLI.md", "exit-status", PageTables.exitStatuses),
    ("Docs/CLI.md", "verdicts", PageTables.verdicts),
    ("Docs/FINDINGS.md", "findings", FindingPage.text),
    ("Docs/EXPORTS.md", "tables", ReportTable.page),
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
    let codes = Explanations.findings().map(\.name)
    let sections = try Page(path: "Docs/FINDINGS.md").lines().compactMap {
      $0.wholeMatch(of: /###+ `([a-z.-]+)`/).map { String($0.output.1) }
    }
    #expect(sections.sorted() == codes.sorted())
    #expect(Explanations.findings().allSatisfy { !$0.severities.isEmpty && !$0.meaning.isEmpty })
  }

  @Test("Every code is made in a catalog, whose list has it, and something in the sources finds it")
  func everyCodeIsInTheCatalog() throws {
    let sources = try Self.sources()
    let code = /static let (\w+) = FindingCode\(\s*"([a-z-]+\.[a-z-]+)"/
    var names: [String] = []
    for (path, text) in sources {
      let members = text.matches(of: code)
      // Anywhere else, only the name of the type may occur.
      #expect(text.matches(of: /FindingCode\(/).count == members.count, "\(path)")
      guard let space = text.firstMatch(of: /enum (\w+Findings) \{/)?.output.1 else { continue }
      let list = text.firstMatch(of: /static let all = \[([^\]]*)\]/)?.output.1 ?? ""
      let listed = Set(list.split { !$0.isLetter && !$0.isNumber })
      for member in members {
        names.append(String(member.output.2))
        #expect(listed.contains(member.output.1), "\(space).\(member.output.1)")
        let use = "\(space).\(member.output.1)"
        #expect(sources.contains { $0.text.contains(use) }, "\(use) is nowhere found")
      }
    }
    #expect(names.sorted() == Explanations.findings().map(\.name).sorted())
  }

  private static func sources() throws -> [(path: String, text: String)] {
    let root = Fixture.root.replacing(/Fixtures$/, with: "Sources/")
    return try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { $0.hasSuffix(".swift") }
      .map { ($0, try String(contentsOfFile: root + $0, encoding: .utf8)) }
  }
}
