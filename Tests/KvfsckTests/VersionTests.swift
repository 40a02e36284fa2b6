import Testing

/// The version of kvfsck, which a release takes from one place.
@Suite struct VersionTests {
  /// The version that the program prints.
  private static func version() async throws -> String {
    let outcome = try await Tool.run(["--version"])
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.testDescription)")
    let words = outcome.output.split(whereSeparator: \.isWhitespace)
    #expect(words.first == "kvfsck" && words.count == 2)
    return String(try #require(words.last))
  }

  @Test("Every way to ask for the version gives the same line", arguments: ["-V", "version"])
  func spellings(argument: String) async throws {
    let outcome = try await Tool.run([argument])
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.testDescription)")
    #expect(outcome.output == "kvfsck \(try await Self.version())\n")
  }

  @Test("The latest release of the changelog is the version of the program")
  func changelog() async throws {
    let heading = try Page(path: "Docs/CHANGELOG.md").lines().first { $0.hasPrefix("## ") }
    #expect(heading == "## \(try await Self.version())")
  }

  @Test("The library for C has the version of the program")
  func library() async throws {
    let header = try Page(path: "Sources/CKVToolkit/include/kvfsck.h").lines()
    let version = try await Self.version()
    #expect(header.contains("#define KVFSCK_VERSION \"\(version)\""))
  }

  @Test("The action for GitHub installs the version of the program, and the page uses it")
  func action() async throws {
    let version = try await Self.version()
    let lines = try Page(path: ".github/actions/kvfsck/action.yml").lines()
    let input = try #require(lines.firstIndex(of: "  version:"))
    #expect(lines[input...].first { $0.contains("default:") } == "    default: \(version)")
    let page = try Page(path: "Docs/CI.md").lines().filter { $0.contains("actions/kvfsck@") }
    #expect(page.count == 1 && page[0].contains("kvfsck@\(version) "))
  }

  @Test("The README shows how to depend on the version of the program")
  func readme() async throws {
    let version = try await Self.version()
    let lines = try Page(path: "README.md").lines().filter { $0.contains("kvfsck\", from: ") }
    #expect(lines.count == 1)
    #expect(lines.allSatisfy { $0.contains("from: \"\(version)\"") })
  }
}
