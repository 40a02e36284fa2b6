import KVModel
import KVToolkit

/// The tables of the pages in `Docs` that state what `kvfsck explain` knows.
enum PageTables {
  /// The tables of the evidence rules, which leave out the ceiling that most have.
  static var rules: String {
    Explanations.rules().map { scope, rules in
      "## Rules: \(scope)\n\n"
        + table(
          ["rule", "concludes", "at best"],
          rules.map { rule in
            let ceiling = rule.ceiling == .structure ? "" : "`\(rule.ceiling.rawValue)`"
            return ["`\(rule.id.text)`", rule.conclusion, ceiling]
          })
    }.joined(separator: "\n\n")
  }

  /// The exit statuses.
  static var exitStatuses: String {
    table(
      ["status", "meaning"], isFirstRight: true,
      Topics.exitStatuses.map { [$0.name, $0.meaning] })
  }

  /// The verdicts.
  static var verdicts: String { named(["verdict", "meaning"], "verdict") }
  /// The states.
  static var states: String { named(["state", "what it is", "when it exists"], "state") }
  /// The kinds of evidence.
  static var evidence: String { named(["evidence", "meaning"], "evidence") }
  /// The cautions.
  static var cautions: String { named(["caution", "meaning"], "caution") }

  /// Returns a row for each page of `kind`: its name and its first paragraphs.
  private static func named(_ titles: [String], _ kind: String) -> String {
    table(
      titles,
      Explanations.pages().filter { $0.kind == kind }.map { page in
        ["`\(page.name)`"] + page.paragraphs.prefix(titles.count - 1).map(\.text)
      })
  }

  private static func table(
    _ titles: [String], isFirstRight: Bool = false, _ rows: [[String]]
  ) -> String {
    func row(_ cells: [String]) -> String {
      "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
    let rule =
      (isFirstRight ? "|---:" : "|---") + String(repeating: "|---", count: titles.count - 1) + "|"
    return ([row(titles), rule] + rows.map(row)).joined(separator: "\n")
  }
}
