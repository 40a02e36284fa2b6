import ExchangeFormats
package import KVModel
import KVRecovery

/// The rules and findings of kvfsck, by name.
///
/// Formats declare theirs; those of all logs and of conversion are added here. `kvfsck explain` and
/// pages in `Docs` are generated from them.
package enum Explanations {
  /// Returns the evidence rules, grouped by the logs that they apply to.
  package static func rules(
    of catalog: FormatCatalog = .standard
  ) -> [(scope: String, rules: [any EvidenceRule.Type])] {
    let declared = catalog.entries.compactMap(\.declarations).filter { !$0.rules.isEmpty }
    return [("All logs", LogRules.all)] + declared.map { ($0.title, $0.rules) }
  }

  /// Returns the kinds of findings: those of stores with a log, then those of other files.
  package static func findings(of catalog: FormatCatalog = .standard) -> [FindingCode] {
    func declared(withLog hasLog: Bool) -> [FindingCode] {
      catalog.entries.filter { $0.hasLog == hasLog }.flatMap { $0.declarations?.findings ?? [] }
    }
    let all =
      declared(withLog: true) + LogFindings.all + ConversionFindings.all + ZeroFindings.all
      + declared(withLog: false)
    // Several formats can have the same findings, as all that are databases do.
    var seen: Set<FindingCode> = []
    return all.filter { seen.insert($0).inserted }
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
      + rules(of: catalog).flatMap { scope, rules in rules.map { page(of: $0, scope) } }
      + findings(of: catalog).map(page)
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
