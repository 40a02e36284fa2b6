import KVModel
import KVToolkit

/// The tables of the pages in `Docs` that state what `kvfsck explain` knows.
enum PageTables {
  /// The tables of the evidence rules.
  static var rules: String {
    Explanations.rules.map { scope, rules in
      "## Rules: \(scope)\n\n"
        + table(
          ["rule", "concludes", "at best"],
          rules.map { ["`\($0.id.text)`", $0.conclusion, "`\($0.ceiling.rawValue)`"] })
    }.joined(separator: "\n\n")
  }

  /// The overview of the findings.
  static var findings: String {
    table(
      ["code", "severity", "means"],
      Explanations.findings.map { code in
        [
          "[`\(code.name)`](#\(code.name.filter { $0 != "." }))", severities(of: code),
          code.meaning,
        ]
      })
  }

  /// The lines with which the section of each finding begins, by its code.
  static var findingLines: [String: [String]] {
    let pages = Explanations.pages().filter { $0.kind.hasPrefix("finding,") }
    return Dictionary(
      uniqueKeysWithValues: zip(pages, Explanations.findings).map { page, code in
        let paragraphs = page.paragraphs.filter { $0.title != "Cause" }
        return (
          page.name,
          ([("Severity", severities(of: code))] + paragraphs).map { "- **\($0)** \($1)." }
        )
      })
  }

  /// The exit statuses.
  static var exitStatuses: String {
    table(
      ["status", "meaning"], isFirstRight: true,
      Topics.exitStatuses.map { [$0.name, $0.meaning] })
  }

  /// The states.
  static var states: String { named(["state", "what it is", "when it exists"], "state") }
  /// The kinds of evidence.
  static var evidence: String { named(["evidence", "meaning"], "evidence") }
  /// The cautions.
  static var cautions: String { named(["caution", "meaning"], "caution") }

  private static func severities(of code: FindingCode) -> String {
    code.severities.map(\.rawValue).joined(separator: " or ")
  }

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
