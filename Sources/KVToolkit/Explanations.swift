import ExchangeFormats
import FastKVFormat
package import KVModel
import KVRecovery
import MMKVFormat

/// The rules and findings of kvfsck, by name.
///
/// `kvfsck explain` prints them, and tests generate the tables in `Docs` from these lists.
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
    Page(
      name: code.name, kind: "finding, \(code.severityText)",
      paragraphs: [("Means", code.meaning)] + code.paragraphs)
  }
}
