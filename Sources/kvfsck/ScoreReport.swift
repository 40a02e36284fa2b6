import KVBytes
import KVFixtures
import KVModel
import KVReport

/// Prints how well a corpus was read: a table for each reader, or lines of JSON.
struct ScoreReport {
  private typealias Subject = CorpusReader.Subject

  private struct Group: Hashable {
    let format: String
    let damage: String
  }

  private static let headings = [
    "FORMAT", "OPERATOR", "CASES", "MUST", "FOUND", "MISSING", "", "RIGHT", "STALE",
    "WRONG (marked)", "INVENTED (marked)",
  ]

  private let isJSON: Bool
  private let namesMisses: Bool
  private let output: Output
  /// The groups in the order of the corpus.
  private var groups: [Group] = []
  private var subjects: [Subject] = []
  private var scores: [Group: [Subject: Score]] = [:]
  private var totals: [Subject: Score] = [:]

  init(isJSON: Bool, namesMisses: Bool, _ output: Output) {
    self.isJSON = isJSON
    self.namesMisses = namesMisses
    self.output = output
  }

  /// Prints which corpus it is.
  func begin(_ manifest: CorpusManifest, path: String) {
    if isJSON {
      write(
        CorpusLine(
          path: path, seed: manifest.seed, generator: manifest.generator,
          cases: manifest.cases.count))
    } else {
      output.write(
        "\(TextReporter.printable(path)): \(manifest.cases.count) cases, seed \(manifest.seed), "
          + "by \(manifest.generator)")
    }
  }

  /// Takes in the score of a case.
  mutating func add(
    _ score: CaseScore, of entry: CorpusManifest.Case, by subject: CorpusReader.Subject
  ) {
    let group = Group(format: entry.format, damage: entry.damage)
    if scores[group] == nil { groups.append(group) }
    if !subjects.contains(subject) { subjects.append(subject) }
    scores[group, default: [:]][subject, default: Score()] += score.score
    totals[subject, default: Score()] += score.score
    if isJSON {
      write(CaseLine(entry, subject, score))
    } else if namesMisses, !(score.missing + score.wrong + score.invented).isEmpty {
      let parts = [
        ("missing", score.missing), ("wrong", score.wrong), ("invented", score.invented),
      ]
      .filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.map { Hexadecimal.text($0.bytes) }.joined(separator: " "))" }
      output.write("\(subject.rawValue) \(entry.name): \(parts.joined(separator: "; "))")
    }
  }

  /// Prints the sums.
  func end() {
    for subject in subjects {
      if !isJSON {
        output.write("")
        output.write(subject.rawValue)
      }
      var columns = Columns(Self.headings)
      for group in groups {
        guard let score = scores[group]?[subject] else { continue }
        if isJSON {
          write(ScoreLine("score", subject, format: group.format, damage: group.damage, score))
        }
        columns.add(row(group.format, group.damage, score))
      }
      let total = totals[subject] ?? Score()
      if isJSON { write(ScoreLine("total", subject, format: nil, damage: nil, total)) }
      columns.add(row("all", "all", total))
      if !isJSON { for line in columns.lines { output.write(line) } }
    }
  }

  private func row(_ format: String, _ damage: String, _ score: Score) -> [String] {
    [
      format, damage, "\(score.cases)", "\(score.must)", "\(score.found)", "\(score.missing)",
      Self.percentage(score).map { "\($0)%" } ?? "", "\(score.right)", "\(score.stale)",
      "\(score.wrong) (\(score.wrongMarked))", "\(score.invented) (\(score.inventedMarked))",
    ]
  }

  /// Per cent with two digits, cut off rather than rounded: only all is 100.
  fileprivate static func percentage(_ score: Score) -> String? {
    guard score.must > 0 else { return nil }
    let hundredths = score.found * 10000 / score.must
    let digits = "\(hundredths % 100)"
    return "\(hundredths / 100)." + (digits.count < 2 ? "0" : "") + digits
  }

  private func write(_ line: some Encodable) { output.write(LineEncoder().text(line)) }
}

private struct CorpusLine: Encodable {
  let type = "corpus"
  let schema = 1
  let path: String
  let seed: String
  let generator: String
  let cases: Int
}

private struct CaseLine: Encodable {
  enum CodingKeys: String, CodingKey {
    case type, subject, missing, wrong, invented
    case name = "case"
    case must, found, right, stale
  }

  let type = "case"
  let name: String
  let subject: String
  let must: Int
  let found: Int
  let right: Int
  let stale: Int
  let missing: [String]
  let wrong: [String]
  let invented: [String]

  init(_ entry: CorpusManifest.Case, _ subject: CorpusReader.Subject, _ score: CaseScore) {
    name = entry.name
    self.subject = subject.rawValue
    must = score.score.must
    found = score.score.found
    right = score.score.right
    stale = score.score.stale
    missing = score.missing.map { Hexadecimal.text($0.bytes) }
    wrong = score.wrong.map { Hexadecimal.text($0.bytes) }
    invented = score.invented.map { Hexadecimal.text($0.bytes) }
  }
}

private struct ScoreLine: Encodable {
  enum CodingKeys: String, CodingKey {
    case type, subject, format, cases, must, found, missing, percent, right, stale, wrong, invented
    case damage = "operator"
    case wrongMarked = "wrong_marked"
    case inventedMarked = "invented_marked"
  }

  let type: String
  let subject: String
  let format: String?
  let damage: String?
  let cases: Int
  let must: Int
  let found: Int
  let missing: Int
  let percent: String?
  let right: Int
  let stale: Int
  let wrong: Int
  let wrongMarked: Int
  let invented: Int
  let inventedMarked: Int

  init(
    _ type: String, _ subject: CorpusReader.Subject, format: String?, damage: String?,
    _ score: Score
  ) {
    self.type = type
    self.subject = subject.rawValue
    self.format = format
    self.damage = damage
    cases = score.cases
    must = score.must
    found = score.found
    missing = score.missing
    percent = ScoreReport.percentage(score)
    right = score.right
    stale = score.stale
    wrong = score.wrong
    wrongMarked = score.wrongMarked
    invented = score.invented
    inventedMarked = score.inventedMarked
  }
}
