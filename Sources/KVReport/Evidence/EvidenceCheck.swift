import KVBytes

/// What is wrong with a log of evidence: which lines do not follow from those before them.
///
/// A line that was changed, dropped, inserted or moved breaks the chain of hashes at the next line.
/// Only the hash of the last line, kept elsewhere, shows changes to that line, or that lines are
/// missing at the end.
package struct EvidenceCheck: Sendable {
  /// A place where the chain is broken.
  package struct Problem: Hashable, Sendable {
    /// The number of the line, from 1.
    package let line: Int
    /// What is wrong, for people.
    package let message: String
    /// The digits of the hash that is stated, if the problem is one of hashes.
    package var expected: String?
    /// The digits of the hash that was found.
    package var found: String?
  }

  /// The largest number of problems that are described.
  private static let problemLimit = 1000

  /// The problems, in the order of the lines; of many, the first.
  package private(set) var problems: [Problem] = []
  /// The number of problems.
  package private(set) var problemCount = 0
  /// The number of lines.
  package private(set) var lineCount = 0
  /// The digits of the hash of the last line.
  package private(set) var last = EvidenceLine.noHash
  /// The numbers of the lines that say that the line before them is torn.
  package private(set) var tornLines: [Int] = []
  /// The number of runs.
  package private(set) var runCount = 0
  /// The numbers of the first lines of the runs without an end.
  package private(set) var unfinishedRuns: Set<Int> = []

  /// The number that the last line has, or should have.
  private var number = 0
  /// The hash of the line before the last.
  private var beforeLast = EvidenceLine.noHash

  /// Checks the log with `bytes`, whose last line has the hash with the digits `known`, if they are
  /// known.
  package init(of bytes: [UInt8], last known: String? = nil) {
    let feed = UInt8(ascii: "\n")
    let isTorn = bytes.last.map { $0 != feed } ?? false
    var rest = bytes[...]
    var knownLine: Int?
    var next = Self.takeLine(&rest)
    while let (line, parsed) = next {
      next = Self.takeLine(&rest)
      lineCount += 1
      // What the next line declares as torn is no line of its own.
      let isFragment = next?.parsed?.isAboutTorn == true || next == nil && isTorn
      if isFragment { number &+= 1 } else { check(parsed) }
      (beforeLast, last) = (last, EvidenceLine.hash(of: line))
      if last == known { knownLine = lineCount }
    }
    if isTorn { add("the log ends within this line") }
    if let known, known != last {
      add(
        knownLine.map {
          "line \($0) has the hash that was given: \(lineCount - $0) more follow it"
        } ?? "no line has the hash that was given: the end was cut off, or a line was changed",
        expected: known, found: last)
    }
  }

  private static func takeLine(
    _ rest: inout ArraySlice<UInt8>
  ) -> (line: [UInt8], parsed: EvidenceLine?)? {
    guard !rest.isEmpty else { return nil }
    let line = Array(rest.prefix { $0 != UInt8(ascii: "\n") })
    rest = rest.dropFirst(line.count + 1)
    return (line, EvidenceLine(parsing: line))
  }

  /// Checks the line that comes next, whose number is ``lineCount``.
  private mutating func check(_ line: EvidenceLine?) {
    number &+= 1
    guard let line else { return add("it is not a line of a log of evidence") }
    if line.previous != last {
      add("the line before it is not the one that it follows", expected: line.previous, found: last)
    }
    if line.number != number {
      add("it is number \(line.number), where \(number) was expected")
      number = line.number
    }
    switch line.type {
    case "start":
      runCount += 1
      unfinishedRuns.insert(line.run)
    case "end": unfinishedRuns.remove(line.run)
    case "torn":
      tornLines.append(lineCount)
      if line.whole != beforeLast {
        add(
          "the last line before the torn one is not the one that it follows", expected: line.whole,
          found: beforeLast)
      }
    default: break
    }
  }

  private mutating func add(_ message: String, expected: String? = nil, found: String? = nil) {
    problemCount += 1
    guard problems.count < Self.problemLimit else { return }
    problems.append(
      Problem(line: lineCount, message: message, expected: expected, found: found))
  }

  // MARK: Results

  /// The lines of JSON about the check, for programs.
  package var jsonLines: [String] {
    problems.map { problem in
      let line: JSONObject = [
        "type": "problem", "line": problem.line, "message": problem.message,
        "expected": problem.expected, "found": problem.found,
      ]
      return line.text
    } + [summary.text]
  }

  private var summary: JSONObject {
    [
      "type": "summary", "lines": lineCount, "last": last, "problems": problemCount,
      "runs": runCount, "torn": tornLines, "unfinished": unfinishedRuns.sorted(),
      "exit": problemCount == 0 ? 0 : 4,
    ]
  }
}
