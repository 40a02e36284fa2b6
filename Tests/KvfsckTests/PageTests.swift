import Foundation
import Testing

/// Checks that the pages lead to each other.
@Suite("The pages")
struct PageTests {
  /// A link to a file of the repository.
  private struct Link {
    let target: String
    /// The section, after `#`; empty if the link names none.
    let section: String
  }

  @Test("link to files and sections that exist", arguments: try Page.all())
  func linksLeadSomewhere(page: Page) throws {
    for link in try Self.links(of: page) {
      let target = link.target.isEmpty ? page.path : Self.path(link.target, from: page.path)
      #expect(
        FileManager.default.fileExists(atPath: Self.top + target), "\(page.path): \(link.target)")
      guard !link.section.isEmpty, target.hasSuffix(".md") else { continue }
      let sections = try Self.sections(of: Page(path: target))
      #expect(sections.contains(link.section), "\(page.path): \(target)#\(link.section)")
    }
  }

  @Test("are all listed in the README")
  func theReadmeListsAll() throws {
    let listed = Set(try Self.links(of: Page(path: "README.md")).map(\.target))
    let pages = try Page.all().map(\.path).filter { $0 != "README.md" }
    #expect(pages.count > 20)
    #expect(pages.filter { !listed.contains($0) } == [])
  }

  private static let top = Fixture.root.replacing(/Fixtures$/, with: "")

  /// Returns the lines of `page` that are not in a block of code.
  private static func prose(of page: Page) throws -> [String] {
    var isCode = false
    return try page.lines().filter { line in
      if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("```") { isCode.toggle() }
      return !isCode
    }
  }

  private static func links(of page: Page) throws -> [Link] {
    try prose(of: page).joined(separator: "\n").matches(of: /\]\(([^)\s]+)\)/).compactMap {
      let parts = $0.output.1.split(separator: "#", omittingEmptySubsequences: false)
      guard !parts[0].hasPrefix("http") else { return nil }
      return Link(target: String(parts[0]), section: parts.count > 1 ? String(parts[1]) : "")
    }
  }

  /// Returns the path that `target` has, as a link on the page at `path`.
  private static func path(_ target: String, from path: String) -> String {
    var names = path.split(separator: "/").dropLast().map(String.init)
    for name in target.split(separator: "/") {
      if name == ".." { names.removeLast() } else { names.append(String(name)) }
    }
    return names.joined(separator: "/")
  }

  /// Returns the names of the sections of `page`: its headings, as GitHub names them, and anchors.
  private static func sections(of page: Page) throws -> Set<String> {
    var names: Set<String> = []
    for line in try prose(of: page) {
      names.formUnion(line.matches(of: /<a id="([^"]+)">/).map { String($0.output.1) })
      guard let heading = line.wholeMatch(of: /#+ (.*)/)?.output.1 else { continue }
      let text = heading.replacing(/\]\([^)]*\)/, with: "").lowercased()
      names.insert(
        String(
          text.compactMap { character in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || "-_".contains(character)
              ? character : nil
          }))
    }
    return names
  }
}
