import Foundation
import Testing

/// Compares `Docs/ADDING-A-FORMAT.md` with the protocols that it describes.
@Suite("The page on adding a format")
struct FormatPageTests {
  private static let path = SourceFile.root + "Docs/ADDING-A-FORMAT.md"
  private static let begin = "<!-- requirements: begin -->\n"
  private static let end = "<!-- requirements: end -->\n"

  @Test("lists what each protocol asks for, as the sources do")
  func listsRequirements() throws {
    let files = try SourceFile.all(in: "Sources").filter {
      ["KVModel/Store.swift", "KVModel/StoreFormat.swift", "KVModel/Corrections.swift"].contains(
        $0.path)
    }
    var table = "| protocol | requirements | with a default |\n|---|---|---|\n"
    for requirement in files.sorted(by: { $0.path > $1.path }).flatMap(FormatProtocol.all(in:)) {
      table += requirement.row
    }
    var page = try String(contentsOfFile: Self.path, encoding: .utf8)
    let start = try #require(page.range(of: Self.begin)).upperBound
    let stop = try #require(page.range(of: Self.end)).lowerBound
    if ProcessInfo.processInfo.environment["KVFSCK_WRITE_GOLDEN"] == "1" {
      page.replaceSubrange(start..<stop, with: table)
      try page.write(toFile: Self.path, atomically: true, encoding: .utf8)
    } else {
      #expect(page[start..<stop] == table)
    }
  }

  @Test("says of the example no more than it has: 150 lines, in one file")
  func exampleIsSmall() throws {
    let files = try SourceFile.all(in: "Tests/ToyFormatTests")
    let example = try #require(files.first { $0.path == "ToyFormat.swift" })
    #expect(example.lines.count <= 151)
    let page = try String(contentsOfFile: Self.path, encoding: .utf8)
    #expect(page.contains("Tests/ToyFormatTests/ToyFormat.swift"))
  }
}

/// A protocol for formats, with its requirements.
private struct FormatProtocol {
  let name: String
  /// The names of the requirements, in order.
  var requirements: [String] = []
  /// The names of the requirements that have a default implementation.
  var defaults: Set<String> = []

  /// The row of the table; empty for a protocol without requirements of its own.
  var row: String {
    guard !requirements.isEmpty else { return "" }
    func list(_ names: [String]) -> String { names.map { "`\($0)`" }.joined(separator: ", ") }
    return "| `\(name)` | \(list(requirements.filter { !defaults.contains($0) })) | "
      + "\(list(requirements.filter { defaults.contains($0) })) |\n"
  }

  /// Returns the protocols that `file` declares, in order.
  static func all(in file: SourceFile) -> [FormatProtocol] {
    var found: [FormatProtocol] = []
    var isDeclaration = false
    var current: Int?
    for line in file.lines.map(String.init) {
      if let match = line.firstMatch(of: #/^(?:public|package) protocol (\w+)/#) {
        found.append(FormatProtocol(name: String(match.1)))
        (current, isDeclaration) = (found.count - 1, true)
      } else if let match = line.firstMatch(of: #/^extension (\w+)/#) {
        current = found.firstIndex { $0.name == match.1 }
        isDeclaration = false
      } else if let match = line.firstMatch(
        of:
          #/^  (?:(?:public|package) )?(?:static )?(?:var|func|associatedtype) (\w+(?:\([^()]*\))?)/#
      ) {
        let name = Self.name(String(match.1))
        if let current {
          if isDeclaration {
            found[current].requirements.append(name)
          } else {
            found[current].defaults.insert(name)
          }
        }
      }
    }
    return found
  }

  /// Returns a declaration as callers write it, such as `records(in:scan:around:)`.
  private static func name(_ declaration: String) -> String {
    guard let open = declaration.firstIndex(of: "(") else { return declaration }
    let labels = declaration[declaration.index(after: open)...].dropLast()
      .split(separator: ",").map { $0.split(whereSeparator: { " :".contains($0) }).first ?? "" }
    return declaration[..<open] + "(" + labels.map { "\($0):" }.joined() + ")"
  }
}
