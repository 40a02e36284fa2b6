package import SystemPackage

/// A form of report that is named as `--to` accepts it, and how people and paths name it.
package struct ReportFormat: Sendable {
  /// The page, which is written if nothing else is asked for.
  package static let html = ReportFormat(
    HTMLReport(), ["html", "htm"], "a self-contained page for a browser")
  /// All forms, in the order of the help.
  package static let all = [
    html,
    ReportFormat(SQLiteReport(), ["sqlite", "sqlite3", "db"], "a database, for queries"),
    ReportFormat(
      // A folder's name implies nothing.
      LEAPPReport(), [],
      "a folder as written by ALEAPP and iLEAPP: tables, a timeline, and a file for LAVA"),
    ReportFormat(CASEReport(), ["jsonld"], "a CASE/UCO graph in JSON-LD"),
    ReportFormat(
      DFXMLReport(), ["dfxml", "xml"],
      "Digital Forensics XML: the files, and the meaning of each byte"),
  ]

  /// What writes the form.
  package let form: any ReportForm
  /// The filename extensions that imply the form, without the dot.
  private let endings: [String]
  /// What the form is, for people to read.
  let meaning: String

  private init(_ form: any ReportForm, _ endings: [String], _ meaning: String) {
    self.form = form
    self.endings = endings
    self.meaning = meaning
  }

  /// The form's name.
  package var name: String { type(of: form).name }
  /// Whether the output is a folder.
  package var writesFolder: Bool { endings.isEmpty }

  /// The names of all forms, each with its meaning on a line of its own.
  package static var listing: String {
    let width = all.map(\.name.count).max() ?? 0
    return all.map { format in
      "  \(format.name)\(String(repeating: " ", count: width - format.name.count + 2))\(format.meaning)"
    }.joined(separator: "\n")
  }

  /// Returns the form that the name of `path` implies; `nil` if it implies none.
  package static func implied(by path: FilePath) -> ReportFormat? {
    guard let ending = path.extension?.lowercased() else { return nil }
    return all.first { $0.endings.contains { $0.utf8.elementsEqual(ending.utf8) } }
  }

  /// Filename extensions of other formats, in which no one would look for a page.
  private static let foreignEndings = [
    "csv", "doc", "docx", "gz", "json", "jsonl", "md", "ndjson", "pdf", "plist", "rtf", "sarif",
    "tab", "tar", "tsv", "txt", "xls", "xlsx", "yaml", "yml", "zip",
  ]

  /// Returns the extension of `path` if it is that of a format that is not among the forms.
  package static func foreignEnding(of path: FilePath) -> String? {
    guard let ending = path.extension?.lowercased() else { return nil }
    return foreignEndings.first { $0.utf8.elementsEqual(ending.utf8) }
  }
}
