import ArgumentParser
import KVReport
import KVSystem
import KVToolkit

/// `kvfsck explain`: prints the page about a finding, an evidence rule, a verdict, a state, a
/// format, an exit status or a topic.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a finding, an evidence rule, a verdict, a state, a format, or a topic.",
    discussion: """
      Topics are verdicts, states, evidence, probability, exit-status, keys and formats; kvfsck help TOPIC prints \
      them too. A finding's page has its cause and the command that comes next. A number is explained as an exit status. Without NAME, lists all names. An evidence \
      rule states the evidence that kvfsck needs, what it concludes from it, and when that is wrong; \
      `--json` names the rules of each entry. Exit status: 16 if the name is unknown.
      """)

  @Argument(
    help: ArgumentHelp(
      "A code, such as mmkv.checksum-mismatch, a rule, such as log.newer-tail, a verdict, such as damaged, a state, such as salvaged, a format, such as mmkv, an exit status, or a topic.",
      valueName: "name"),
    completion: .list(Explanations.pages().map(\.name)))
  var name: String?

  func run() throws {
    let output = Output.standard
    let pages = Pages.all
    if let name {
      let status = Int32(name).flatMap { Topics.page(ofStatus: $0) }
      guard let page = pages.first(where: { $0.name == name }) ?? status else {
        let nearest = NearestName.similar(to: name, among: pages.map(\.name))
        throw ValidationError(
          "Unknown name \"\(name)\". "
            + (nearest.map { "The nearest name is \($0)." }
              ?? "kvfsck explain without a name lists all names."))
      }
      for line in Self.lines(of: page) { output.write(line) }
    } else {
      var table = Columns(["name", "what it is"])
      for page in pages { table.add([page.name, page.kind]) }
      for line in table.lines { output.write(line) }
    }
    throw output.finish()
  }

  // MARK: Printing a page

  /// The largest number of characters in a line of a page.
  private static var lineCount: Int { min(100, Terminals.width(of: .output) ?? 100) }

  private static func lines(of page: Explanations.Page) -> [String] {
    let width = (page.paragraphs.map(\.title.count).max() ?? 0) + 2
    let paragraphs = page.paragraphs.flatMap { title, text in
      FoldedText.lines(of: text, width: lineCount - width, margin: 0).enumerated().map {
        index, line in
        let margin = index == 0 ? title : ""
        return margin + String(repeating: " ", count: width - margin.count) + line
      }
    }
    return ["\(page.name) (\(page.kind))", ""] + paragraphs
  }
}
