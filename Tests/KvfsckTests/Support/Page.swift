import Foundation
import Testing

/// A page of the documentation, and the transcripts of terminals in it.
///
/// A transcript is a block of the language `console`: commands after `$ `, and below each what it
/// prints. A block of the language `text` that begins with such a command is one too. The lines of
/// a command that takes its input from `<<END` go on to the line `END`.
struct Page: Sendable, CustomTestStringConvertible {
  /// The path below the top folder of the package.
  let path: String

  var testDescription: String { path }

  /// The README, and the pages in `Docs`.
  static func all() throws -> [Page] {
    let names = try FileManager.default.contentsOfDirectory(atPath: top + "Docs")
    return [Page(path: "README.md")]
      + names.filter { $0.hasSuffix(".md") }.sorted().map { Page(path: "Docs/\($0)") }
  }

  /// The pages of the manual.
  static func manual() throws -> [Page] {
    try FileManager.default.contentsOfDirectory(atPath: top + "Docs/man").sorted()
      .map { Page(path: "Docs/man/\($0)") }
  }

  /// The name of the page's file, without its suffix.
  var name: String { String(path.split(separator: "/").last?.prefix { $0 != "." } ?? "") }

  /// The top folder of the package.
  private static let top = Fixture.root.replacing(/Fixtures$/, with: "")

  /// The lines of the page.
  func lines() throws -> [String] {
    try String(contentsOfFile: Page.top + path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Writes the page anew.
  func write(_ lines: [String]) throws {
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: Page.top + path))
  }

  /// The transcripts of the page, in its order.
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

/// What stands in a block of a page: commands, and what they print.
struct Transcript: Sendable {
  struct Step: Sendable {
    /// The command, whose further lines are those of its input.
    var command: [String]
    /// The lines below it.
    var output: [String]
  }

  /// The number of the block's first line in its page, from 0.
  let start: Int
  /// How many lines the block has.
  let count: Int
  /// What stands before the first command: nothing, in a block that is right.
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
  /// How many columns a line of a page has; longer lines of output are folded.
  private static let columns = 134

  /// The lines of `output` as a page shows them.
  ///
  /// Long lines are folded after a space, of JSON also after a comma, and the rest is indented: in
  /// JSON by two columns, else by four. Digests of files that have random bytes in them, as a new
  /// store has in its prefix, are left out: `"sha256":"…"` in a line of the type `written`. So are
  /// spaces at the ends of lines.
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
      // A space at the fold is not printed, so that it may be one column further right.
      let space = rest.prefix(room.count + 1).lastIndex(of: " ")
      let comma = isJSON ? room.lastIndex(of: ",").map { rest.index(after: $0) } : nil
      guard let end = [space, comma].compactMap({ $0 }).max(), end > rest.startIndex else { break }
      lines.append((lines.isEmpty ? "" : indent) + rest[..<end])
      rest = rest[end...].drop { $0 == " " }
    }
    return lines + [(lines.isEmpty ? "" : indent) + rest]
  }

  /// Returns the lines that stand below the command if it prints `lines`.
  ///
  /// A line `…` stands for any lines: those before the first and after the last one are compared.
  func replacement(by lines: [String]) -> [String] {
    guard let first = output.firstIndex(of: "…"), let last = output.lastIndex(of: "…") else {
      return lines
    }
    let tail = output.count - last - 1
    guard lines.count > first + tail else { return lines }
    return lines.prefix(first) + ["…"] + lines.suffix(tail)
  }
}
