import Foundation
import Testing

/// A page of the documentation, with the terminal transcripts in it.
///
/// A transcript is a block of the language `console`: commands after `$ `, each followed by its
/// output. A block of the language `text` that starts with such a command is also one. If a command
/// takes its input from `<<END`, its lines continue up to the line `END`.
struct Page: Sendable, CustomTestStringConvertible {
  /// The path relative to the root folder of the package.
  let path: String

  var testDescription: String { path }

  /// Returns the README and the pages in `Docs`.
  static func all() throws -> [Page] {
    let names = try FileManager.default.contentsOfDirectory(atPath: top + "Docs")
    return [Page(path: "README.md")]
      + names.filter { $0.hasSuffix(".md") }.sorted().map { Page(path: "Docs/\($0)") }
  }

  /// Returns the manual pages.
  static func manual() throws -> [Page] {
    try FileManager.default.contentsOfDirectory(atPath: top + "Docs/man").sorted()
      .map { Page(path: "Docs/man/\($0)") }
  }

  /// The name of the page's file, without the suffix.
  var name: String { String(path.split(separator: "/").last?.prefix { $0 != "." } ?? "") }

  /// The root folder of the package.
  private static let top = Fixture.root.replacing(/Fixtures$/, with: "")

  /// Returns the lines of the page.
  func lines() throws -> [String] {
    try String(contentsOfFile: Page.top + path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Overwrites the page.
  func write(_ lines: [String]) throws {
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: Page.top + path))
  }

  /// Returns the transcripts of the page, in order.
  func transcripts() throws -> [Transcript] {
    let lines = try lines()
    var transcripts: [Transcript] = []
    var start: Int?
    for (number, line) in lines.enumerated() {
      if let first = start {
        guard line == "```" else { continue }
        let block = Array(lines[first..<number])
        if lines[first - 1] == "```console" || block.first?.hasPrefix("$ ") == true {
          transcripts.append(Transcript(of: block, at: first))
        }
        start = nil
      } else if line.hasPrefix("```") {
        start = number + 1
      }
    }
    return transcripts
  }
}

/// The contents of a transcript: commands and their output.
struct Transcript: Sendable {
  struct Step: Sendable {
    /// The command, followed by the lines of its input.
    var command: [String]
    /// The lines of its output.
    var output: [String]
  }

  /// The line number of the block's first line in its page, from 0.
  let start: Int
  /// The number of lines in the block.
  let count: Int
  /// The lines before the first command.
  ///
  /// A correct block has none.
  let preface: [String]
  let steps: [Step]

  init(of block: [String], at start: Int) {
    var preface: [String] = []
    var steps: [Step] = []
    var end: Substring?
    for line in block {
      if let word = end {
        steps[steps.count - 1].command.append(line)
        if line == word { end = nil }
      } else if line.hasPrefix("$ ") {
        steps.append(Step(command: [String(line.dropFirst(2))], output: []))
        end = line.firstMatch(of: /<<(\w+)$/)?.output.1
      } else if steps.isEmpty {
        preface.append(line)
      } else {
        steps[steps.count - 1].output.append(line)
      }
    }
    (self.start, count, self.preface, self.steps) = (start, block.count, preface, steps)
  }
}

extension Transcript.Step {
  /// The width of a line on a page.
  ///
  /// Longer output lines are folded.
  private static let columns = 134

  /// Returns the lines of `output` as a page shows them.
  ///
  /// Long lines are folded after a space, or in JSON also after a comma. The rest is indented by
  /// two columns in JSON and by four otherwise. The hashes of files that contain random bytes, such
  /// as the prefix of a new store, are replaced: `"sha256":"…"` in a line of the type `written`.
  /// Trailing spaces are removed.
  static func shown(_ output: String) -> [String] {
    var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines.flatMap { line in
      let line = line.replacing(/[ ]+$/, with: "")
      return line.hasSuffix(#""type":"written"}"#)
        ? folded(line.replacing(/"sha256":"[0-9a-f]+"/, with: #""sha256":"…""#)) : folded(line)
    }
  }

  private static func folded(_ line: String) -> [String] {
    let isJSON = line.hasPrefix("{\"")
    let indent = String(repeating: " ", count: isJSON ? 2 : 4)
    var lines: [String] = []
    var rest = Substring(line)
    while rest.count > columns - (lines.isEmpty ? 0 : indent.count) {
      let room = rest.prefix(columns - (lines.isEmpty ? 0 : indent.count))
      // A space at the fold is not printed, so it may be one column further to the right.
      let space = rest.prefix(room.count + 1).lastIndex(of: " ")
      let comma = isJSON ? room.lastIndex(of: ",").map { rest.index(after: $0) } : nil
      guard let end = [space, comma].compactMap({ $0 }).max(), end > rest.startIndex else { break }
      lines.append((lines.isEmpty ? "" : indent) + rest[..<end])
      rest = rest[end...].drop { $0 == " " }
    }
    return lines + [(lines.isEmpty ? "" : indent) + rest]
  }

  /// Returns the lines that follow the command on the page if it prints `lines`.
  ///
  /// A line `…` matches any lines. Only the lines before the first `…` and after the last `…` are
  /// compared.
  func replacement(by lines: [String]) -> [String] {
    guard let first = output.firstIndex(of: "…"), let last = output.lastIndex(of: "…") else {
      return lines
    }
    let tail = output.count - last - 1
    guard lines.count > first + tail else { return lines }
    return lines.prefix(first) + ["…"] + lines.suffix(tail)
  }
}
