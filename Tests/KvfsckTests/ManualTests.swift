import Foundation
import Testing

/// Checks that the manual in `Docs/man` agrees with the help.
///
/// `KVFSCK_WRITE_TABLES=1 swift test --filter ManualTests` rewrites its pages.
@Suite("The manual")
struct ManualTests {
  private static let isWriting = ProcessInfo.processInfo.environment["KVFSCK_WRITE_TABLES"] != nil

  /// Returns the tool's description of itself and its commands.
  private func help() async throws -> JSON {
    let outcome = try await Tool.run(["--experimental-dump-help"])
    return try #require(JSON(parsing: outcome.output)["command"])
  }

  /// Returns the commands that have their own page.
  private func commands() async throws -> [JSON] {
    (try await help()["subcommands"]?.array ?? []).filter {
      !["help", "version"].contains($0["commandName"]?.string)
    }
  }

  @Test("has a page for each command, made from its help")
  func pages() async throws {
    let date = try #require(
      try Page(path: "Docs/man/kvfsck.1").lines().first { $0.hasPrefix(".Dd") })
    let pages = try await commands().map { ManualPage(of: $0, date: date) }
    for page in pages {
      let file = Page(path: "Docs/man/\(page.title).1")
      let wanted = page.lines() + [""]
      guard (try? file.lines()) != wanted else { continue }
      if Self.isWriting {
        try file.write(wanted)
      } else {
        Issue.record("\(file.path) differs from the help; KVFSCK_WRITE_TABLES=1 writes it anew")
      }
    }
    #expect(Set(pages.map(\.title)).union(["kvfsck"]) == Set(try Page.manual().map(\.name)))
    let named = try Page(path: "Docs/man/kvfsck.1").lines().compactMap {
      $0.wholeMatch(of: /\.Xr (kvfsck-[a-z-]+) 1 ,/).map { String($0.output.1) }
    }
    #expect(named == pages.map(\.title).sorted())
  }

  @Test("lists the commands on its first page, and the exit statuses of the help")
  func overview() async throws {
    let help = try await help()
    let page = Page(path: "Docs/man/kvfsck.1")
    var lines = try page.lines()
    let start = try #require(lines.firstIndex(of: #".\" begin commands"#))
    let end = try #require(lines.firstIndex(of: #".\" end commands"#))
    let wanted = ManualPage.overview(of: help)
    if Array(lines[start + 1..<end]) != wanted {
      #expect(Self.isWriting, "other commands; KVFSCK_WRITE_TABLES=1 writes them anew")
      lines.replaceSubrange(start + 1..<end, with: wanted)
      if Self.isWriting { try page.write(lines) }
    }
    let statuses = lines.compactMap { $0.wholeMatch(of: /\.It (\d+)/)?.output.1 }
    let stated = (help["discussion"]?.string ?? "").matches(of: #/(?m)^ +(\d+) /#).map(\.output.1)
    #expect(!stated.isEmpty && statuses == stated)
  }

  @Test("The page on the command line has each command in its table")
  func table() async throws {
    let rows = try Page(path: "Docs/CLI.md").lines().filter { $0.hasPrefix("|") }
    for command in try await commands() {
      let name = try #require(command["commandName"]?.string)
      #expect(rows.contains { $0.contains("`kvfsck \(name) ") }, "\(name)")
    }
  }

  @Test("Every argument that is a path is completed by the shells as one")
  func paths() async throws {
    let paths = ["a", "b", "backup", "corpus", "dir", "file", "path", "results", "script", "store"]
    var queue = try await commands()
    var count = 0
    while let command = queue.popLast() {
      queue += command["subcommands"]?.array ?? []
      for argument in command["arguments"]?.array ?? [] {
        guard let name = argument["valueName"]?.string, paths.contains(name),
          argument["kind"] != .string("flag")
        else { continue }
        count += 1
        #expect(
          argument["completionKind"] != nil, "\(command["commandName"]?.string ?? ""): \(name)")
      }
    }
    #expect(count > 20)
  }
}
