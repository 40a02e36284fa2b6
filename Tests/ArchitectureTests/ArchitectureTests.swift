import Foundation
import Testing

/// The rules for the source folders, checked by reading the sources.
struct ArchitectureTests {
  @Test func importsFollowTheArrows() throws {
    let files = try SourceFile.all(in: "Sources")
    #expect(files.count > 50)
    #expect(Layering.violations(in: files) == [])
  }

  @Test(arguments: [
    ("KVModel/A.swift", "import MMKVFormat", "MMKVFormat"),
    ("KVRecovery/A.swift", "public import MMKVFormat\nimport KVModel", "MMKVFormat"),
    ("KVRecovery/Plan/A.swift", "#if Encryption\n  import Crypto\n#endif", "Crypto"),
    ("KVBytes/A.swift", "import struct Foundation.Data", "Foundation"),
    ("MMKVFormat/A.swift", "@preconcurrency import Foundation", "Foundation"),
    ("KVReport/A.swift", "package import MMKVFormat", "MMKVFormat"),
    ("KVElsewhere/A.swift", "import KVBytes", "KVBytes"),
  ])
  func anImportAgainstTheArrowsIsFound(path: String, text: String, module: String) {
    let file = SourceFile(path: path, text: text)
    #expect(Layering.violations(in: [file]) == ["\(path): \(module)"])
  }

  @Test func aWordInACommentIsNoImport() {
    let file = SourceFile(
      path: "KVModel/A.swift", text: "/// The import of MMKVFormat.\n// import MMKVFormat\n")
    #expect(file.imports == [])
  }

  @Test func foundationIsThatOfEssentialsWhereThereIsOne() throws {
    for file in try SourceFile.all(in: "Sources") where file.imports.contains("Foundation") {
      #expect(file.text.contains("#if canImport(FoundationEssentials)"), "\(file.path)")
      #expect(file.imports.contains("FoundationEssentials"), "\(file.path)")
    }
  }

  /// Tests that no command depends on whether it prints JSON, except to refuse options.
  ///
  /// The options create the reporter. No other code may know the output format.
  @Test func noCommandAsksWhetherItPrintsJSON() throws {
    let files = try SourceFile.all(in: "Sources/kvfsck")
    #expect(Set(files.filter { Self.asksForJSON($0) }.map(\.path)) == Self.askers)
    #expect(
      Set(files.filter { $0.text.contains("JSONLinesReporter") }.map(\.path)) == Self.makers)
  }

  @Test func aCommandThatAsksWhetherItPrintsJSONIsFound() {
    func asks(_ text: String) -> Bool { Self.asksForJSON(SourceFile(path: "A.swift", text: text)) }
    #expect(asks("  func run() throws {\n    if options.printing.json { return }\n  }\n"))
    #expect(asks("  func validate() throws {\n  }\n  func run() { _ = printing.json }\n"))
    #expect(!asks("  func validate() throws {\n    if options.printing.json { return }\n  }\n"))
  }

  /// Returns whether a file reads the option that prints JSON, outside of the function that refuses
  /// options.
  private static func asksForJSON(_ file: SourceFile) -> Bool {
    file.text.replacing(#/  func validate\(\) throws \{\n(?:(?:    .*)?\n)*  \}\n/#, with: "")
      .contains("printing.json")
  }

  /// The files of the tool that create a reporter of the requested form.
  private static let askers: Set = [
    "Kvfsck+Simple.swift", "Options/StoreOptions.swift", "Reports.swift",
  ]
  /// The files of the tool that create a JSON Lines reporter: for the output, and for the
  /// lost-and-found file.
  private static let makers: Set = ["Output.swift", "LostAndFound+Plan.swift"]

  /// Tests that no message of a library names an option.
  ///
  /// Library messages name causes. The tool adds its commands and options.
  @Test func noMessageOfALibraryNamesAnOption() throws {
    // The pages of findings and rules quote commands in backticks.
    let option = /"(?:(?:[^"\\]|\\.)*[^-\w"`])?--[a-z]/
    for file in try SourceFile.all(in: "Sources") where file.target != "kvfsck" {
      for line in file.lines where !line.contains("//") {
        #expect(line.firstMatch(of: option) == nil, "\(file.path): \(line)")
      }
    }
  }

  @Test func unsafeCodeIsInSevenFolders() throws {
    let files = try SourceFile.all(in: "Sources").filter { file in
      file.lines.contains { $0.contains("unsafe") && $0.contains(/\bunsafe\b/) }
    }
    #expect(!files.isEmpty)
    let folders =
      /^(KVBytes|KVSystem|KVCryptography|KVInput|ExchangeFormats|KVScreen|KVToolkitC)\/Unsafe\//
    #expect(files.map(\.path).filter { !$0.contains(folders) } == [])
  }

  @Test("No format touches the disk: its files come from a source")
  func noFormatTouchesTheDisk() throws {
    // WCDB's folder of databases is looked for, and SQLite works on a copy.
    let exceptions: Set = [
      "ExchangeFormats/WCDB/WCDBFiles.swift", "ExchangeFormats/SQLite/DatabaseReading.swift",
    ]
    let formats: Set = ["MMKVFormat", "FastKVFormat", "ExchangeFormats"]
    let touching = try SourceFile.all(in: "Sources").filter { file in
      formats.contains(file.target)
        && file.lines.contains {
          !$0.contains("///") && $0.contains(/\bFolder\.|FileImage\.read|FileDescriptor/)
        }
    }
    #expect(Set(touching.map(\.path)) == exceptions)
  }

  @Test(arguments: ["Sources", "Tests"])
  func noFileIsOverlong(folder: String) throws {
    let files = try SourceFile.all(in: folder).filter { $0.lines.count > 501 }
    #expect(files.map(\.path) == [])
  }

  /// Tests that no test fails because the machine is busy: a limit in time counts the time in which a
  /// test waits for others.
  @Test func noTestHasALimitInTime() throws {
    let limit = "." + "timeLimit("
    let files = try SourceFile.all(in: "Tests").filter { $0.text.contains(limit) }
    #expect(files.map(\.path) == [])
  }

  @Test("The README's example is the file that is built and run as a package of its own")
  func theExampleIsTheReadmes() throws {
    let readme = try String(contentsOfFile: SourceFile.root + "README.md", encoding: .utf8)
    let example = try String(
      contentsOfFile: SourceFile.root + "Tests/Example/Sources/Example/main.swift", encoding: .utf8)
    #expect(readme.contains("<!-- example -->\n```swift\n\(example)```\n<!-- end -->"))
    // It is what the tutorial arrives at, and a call of it.
    let tutorial = try String(
      contentsOfFile: SourceFile.root
        + "Sources/KVToolkit/KVToolkit.docc/Resources/repair-4.swift", encoding: .utf8)
    #expect(example.hasPrefix(tutorial))
  }

  @Test("The examples of FIXTURES.md are the file that is built and run in the same package")
  func theExamplesOfFixturesAreThePages() throws {
    let page = try String(contentsOfFile: SourceFile.root + "Docs/FIXTURES.md", encoding: .utf8)
    let example = try String(
      contentsOfFile: SourceFile.root + "Tests/Example/Sources/Fixtures/main.swift",
      encoding: .utf8)
    let blocks = page.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.joined(separator: "\n") == example)
  }

  @Test func theTopFolderHoldsNothingElse() throws {
    let expected: Set = [
      "Package.swift", "README.md", "LICENSE", "Sources", "Tests", "Fixtures", "Docs",
    ]
    let names = try FileManager.default.contentsOfDirectory(atPath: SourceFile.root)
      // SwiftPM writes its resolution there. It is not committed.
      .filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
    #expect(Set(names).subtracting(expected).sorted() == [])
  }
}
