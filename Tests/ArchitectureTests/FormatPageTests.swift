import Foundation
import Testing

/// Checks `Docs/ADDING-A-FORMAT.md`.
@Suite("The page on adding a format")
struct FormatPageTests {
  @Test("says of the example no more than it has: 150 lines, in one file")
  func exampleIsSmall() throws {
    let files = try SourceFile.all(in: "Tests/ToyFormatTests")
    let example = try #require(files.first { $0.path == "ToyFormat.swift" })
    #expect(example.lines.count <= 151)
    let page = try String(
      contentsOfFile: SourceFile.root + "Docs/ADDING-A-FORMAT.md", encoding: .utf8)
    #expect(page.contains("Tests/ToyFormatTests/ToyFormat.swift"))
  }
}
