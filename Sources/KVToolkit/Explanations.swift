import ExchangeFormats
import FastKVFormat
import KVBytes
package import KVModel
import KVRecovery
import MMKVFormat

/// The rules and findings of kvfsck, by name.
///
/// `kvfsck explain` and the tables in `Docs` are generated from these lists.
package enum Explanations {
  /// The evidence rules, grouped by the logs that they apply to.
  package static var rules: [(scope: String, rules: [any EvidenceRule.Type])] {
    [
      ("All logs", LogRules.all), ("MMKV", MMKVRules.all), ("FastKV for iOS", AppleRules.all),
      ("FastKV for Android", AndroidRules.all),
    ]
  }

  /// The kinds of findings.
  package static var findings: [FindingCode] {
    MMKVFindings.all + AppleFindings.all + AndroidFindings.all + LogFindings.all
      + ConversionFindings.all + ExchangeFindings.all
  }

  /// A page about a topic, a rule or a finding.
  package struct Page: Sendable {
    /// The name.
    package let name: String
    /// The kind of the page: a topic, a rule or a finding.
    package let kind: String
    /// The paragraphs, each with its title.
    package var paragraphs: [(title: String, text: String)]
  }

  /// Returns all pages: topics, states and evidence, formats, rules, findings.
  ///
  /// The page `formats` lists the formats of `catalog`, each of which has a page.
  package static func pages(_ catalog: FormatCatalog = .standard) -> [Page] {
    Topics.pages(catalog) + FormatPages.pages(catalog)
      + rules.flatMap { scope, rules in rules.map { page(of: $0, scope) } }
      + findings.map(page)
  }

  private static func page(of rule: any EvidenceRule.Type, _ scope: String) -> Page {
    Page(
      name: rule.id.text, kind: "evidence rule, \(scope)",
      paragraphs: [
        ("Evidence", rule.premise), ("Concludes", rule.conclusion),
        ("At best", rule.ceiling.rawValue), ("When it is wrong", rule.failure),
      ])
  }

  private static func page(of code: FindingCode) -> Page {
    var paragraphs = paragraphs(about: code)
    if let cause = FindingCauses.cause(of: code) { paragraphs.insert(("Cause", cause), at: 1) }
    return Page(
      name: code.name, kind: "finding, \(severities(of: code))", paragraphs: paragraphs)
  }

  private static func paragraphs(about code: FindingCode) -> [(title: String, text: String)] {
    let rules = code.rules.map { "`\($0.text)`" }.joined(separator: ", ")
    return [("Means", code.meaning), ("What to do", code.remedy)]
      + (rules.isEmpty ? [] : [("Follows from", rules)])
  }

  // MARK: Tables

  /// The tables of the rules, for `Docs/RECOVERY.md`.
  package static var ruleTable: String {
    rules.map(table).joined(separator: "\n\n")
  }

  private static func table(_ scope: String, _ rules: [any EvidenceRule.Type]) -> String {
    var lines = [
      "### Rules: \(scope)", "",
      row("rule", "evidence", "concludes", "at best", "when it is wrong"),
      "|---|---|---|---|---|",
    ]
    for rule in rules {
      lines.append(
        row(
          "`\(rule.id.text)`", rule.premise, rule.conclusion, "`\(rule.ceiling.rawValue)`",
          rule.failure))
    }
    return lines.joined(separator: "\n")
  }

  /// The overview of the findings, for `Docs/FINDINGS.md`.
  package static var findingTable: String {
    var lines = [row("code", "severity", "means"), "|---|---|---|"]
    for code in findings {
      let link = "[`\(code.name)`](#\(code.name.filter { $0 != "." }))"
      lines.append(row(link, severities(of: code), code.meaning))
    }
    return lines.joined(separator: "\n")
  }

  /// The generated lines at the beginning of each section of `Docs/FINDINGS.md`, by finding code.
  package static var findingLines: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: findings.map { code in
        let lines = [("Severity", severities(of: code))] + paragraphs(about: code)
        return (code.name, lines.map { "- **\($0)** \($1)." })
      })
  }

  private static func severities(of code: FindingCode) -> String {
    code.severities.map(\.rawValue).joined(separator: " or ")
  }

  private static func row(_ cells: String...) -> String {
    "| " + cells.map { $0.replacing(scalar: "|", with: "\\|") }.joined(separator: " | ") + " |"
  }
}
