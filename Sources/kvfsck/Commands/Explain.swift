import ArgumentParser
import KVReport
import KVToolkit

/// `kvfsck explain`: the page about an evidence rule or a finding.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain the code of a finding, or an evidence rule.",
    discussion: """
      Without NAME, it lists all of them. An evidence rule says what kvfsck needs to see, what it \
      concludes from that, and when that is wrong; `--json` names the rules of each entry. Exit status: \
      16 if nothing has the name.
      """)

  @Argument(
    help: ArgumentHelp(
      "A code, such as mmkv.checksum-mismatch, or a rule, such as log.newer-tail.",
      valueName: "name"),
    completion: .list(Explanations.pages.map(\.name)))
  var name: String?

  func run() throws {
    let output = Output.standard
    let pages = Explanations.pages
    if let name {
      guard let page = pages.first(where: { $0.name == name }) else {
        let nearest = NearestName.of(name, among: pages.map(\.name))
        throw ValidationError(
          "No rule and no finding is called \"\(name)\". The nearest name is \(nearest).")
      }
      for line in Self.lines(of: page) { output.write(line) }
    } else {
      var table = Columns(["name", "what it is"])
      for page in pages { table.add([page.name, page.kind]) }
      for line in table.lines { output.write(line) }
    }
    throw output.finish()
  }

  // MARK: A page

  /// How many characters a line of a page has at most.
  private static let lineCount = 100

  private static func lines(of page: Explanations.Page) -> [String] {
    let width = (page.paragraphs.map(\.title.count).max() ?? 0) + 2
    let paragraphs = page.paragraphs.flatMap { title, text in
      folded(text, to: lineCount - width).enumerated().map { index, line in
        let margin = index == 0 ? title : ""
        return margin + String(repeating: " ", count: width - margin.count) + line
      }
    }
    return ["\(page.name) (\(page.kind))", ""] + paragraphs
  }

  /// The words of `text` on lines of up to `count` characters.
  private static func folded(_ text: String, to count: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= count {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
