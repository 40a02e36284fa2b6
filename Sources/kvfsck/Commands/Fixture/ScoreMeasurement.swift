import KVBytes
import KVFixtures
import KVModel

/// The scores of a corpus, summed in one table for each subject.
struct ScoreMeasurement {
  private typealias Subject = CorpusReader.Subject

  private struct Group: Hashable {
    let format: String
    let damage: String
  }

  private static let headings = [
    "FORMAT", "OPERATOR", "CASES", "MUST", "FOUND", "MISSING", "", "RIGHT", "STALE",
    "WRONG (marked)", "INVENTED (marked)",
  ]

  /// Whether each case in which a key is missing, wrong or invented is printed for people.
  let namesMisses: Bool
  /// The groups in the order of the corpus.
  private var groups: [Group] = []
  private var subjects: [Subject] = []
  private var scores: [Group: [Subject: Score]] = [:]
  private var totals: [Subject: Score] = [:]

  /// Creates an empty sum.
  init(namesMisses: Bool) { self.namesMisses = namesMisses }

  /// Returns the part that identifies the corpus.
  static func opening(_ manifest: CorpusManifest, path: String) -> MeasurementPart {
    var object = MeasuredObject(type: "corpus")
    object.add("schema", 1)
    object.add("path", path)
    object.add("seed", manifest.seed)
    object.add("generator", manifest.generator)
    object.add("cases", manifest.cases.count)
    return .line(
      "\(path): \(manifest.cases.count) cases, seed \(manifest.seed), by \(manifest.generator)",
      object)
  }

  /// Adds the score of a case, and returns the part about it.
  mutating func add(
    _ score: CaseScore, of entry: CorpusManifest.Case, by subject: CorpusReader.Subject
  ) -> MeasurementPart {
    let group = Group(format: entry.format, damage: entry.damage)
    if scores[group] == nil { groups.append(group) }
    if !subjects.contains(subject) { subjects.append(subject) }
    scores[group, default: [:]][subject, default: Score()] += score.score
    totals[subject, default: Score()] += score.score
    let faults = [
      ("missing", score.missing), ("wrong", score.wrong), ("invented", score.invented),
    ].map { ($0.0, $0.1.map { Hexadecimal.text($0.bytes) }) }
    var object = MeasuredObject(type: "case")
    object.add("case", entry.name)
    object.add("subject", subject.rawValue)
    object.add([
      "must": score.score.must, "found": score.score.found, "right": score.score.right,
      "stale": score.score.stale,
    ])
    for (name, keys) in faults { object.add(name, keys) }
    let named = faults.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: " "))" }
    return .line(
      namesMisses && !named.isEmpty
        ? "\(subject.rawValue) \(entry.name): \(named.joined(separator: "; "))" : nil, object)
  }

  /// The tables of the sums.
  var parts: [MeasurementPart] {
    subjects.flatMap { subject in
      let rows = groups.compactMap { group in
        scores[group]?[subject].map { Self.row(group, $0, subject) }
      }
      return MeasurementPart.title(subject.rawValue)
        + [
          .table(Self.headings, rows + [Self.row(nil, totals[subject] ?? Score(), subject)])
        ]
    }
  }

  /// Returns whether the first reader found at least the share `least` of what it must find, and the
  /// part that says so.
  ///
  /// Where nothing must be found, nothing was measured, and no share is reached.
  func judged(by least: Double) -> (part: MeasurementPart, isMet: Bool) {
    let subject = subjects.first ?? .kvfsck
    let score = totals[subject] ?? Score()
    let isMet = score.must > 0 && Double(score.found) / Double(score.must) >= least
    let percentage = Self.percentage(score)
    var object = MeasuredObject(type: "minimum")
    object.add("subject", subject.rawValue)
    object.add(["must": score.must, "found": score.found])
    object.add("percent", percentage)
    object.add("min", .double(least))
    object.add("met", .bool(isMet))
    let share = percentage.map { " (\($0)%)" } ?? ""
    let text =
      "\(subject.rawValue) found \(score.found) of \(score.must)\(share), "
      + "\(isMet ? "at least" : "less than") the share \(least) of --min"
    return (.line(text, object), isMet)
  }

  /// Returns the row of a group; that of all cases if `group` is `nil`.
  private static func row(
    _ group: Group?, _ score: Score, _ subject: Subject
  ) -> MeasurementPart.Row {
    let percentage = percentage(score)
    var object = MeasuredObject(type: group == nil ? "total" : "score")
    object.add("subject", subject.rawValue)
    object.add("format", group?.format)
    object.add("operator", group?.damage)
    object.add([
      "cases": score.cases, "must": score.must, "found": score.found, "missing": score.missing,
    ])
    object.add("percent", percentage)
    object.add([
      "right": score.right, "stale": score.stale, "wrong": score.wrong,
      "wrong_marked": score.wrongMarked, "invented": score.invented,
      "invented_marked": score.inventedMarked,
    ])
    return MeasurementPart.Row(
      cells: [
        group?.format ?? "all", group?.damage ?? "all", "\(score.cases)", "\(score.must)",
        "\(score.found)", "\(score.missing)", percentage.map { "\($0)%" } ?? "",
        "\(score.right)", "\(score.stale)", "\(score.wrong) (\(score.wrongMarked))",
        "\(score.invented) (\(score.inventedMarked))",
      ], object: object)
  }

  /// Returns the percentage with two decimals, truncated rather than rounded, so that only all is
  /// 100.
  private static func percentage(_ score: Score) -> String? {
    guard score.must > 0 else { return nil }
    let hundredths = score.found * 10000 / score.must
    let digits = "\(hundredths % 100)"
    return "\(hundredths / 100)." + (digits.count < 2 ? "0" : "") + digits
  }
}
