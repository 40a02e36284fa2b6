package import KVSystem
package import SystemPackage

/// A form of report that is written to an output of its own: a page, a database, a folder of
/// tables.
///
/// A form receives the events of a ``Reporter``, store after store. For each store, they come in
/// this order:
///
///     begun(path)
///     opened(store, clock) or read(table)       files, sizes, format; neither if unreadable
///     typed, findings, states, predictions, coverage
///     history …                                 every record and gap, in file order
///     typedEntry …                              for a format without a log, instead of the history
///     pastRecord …                              what its files still have of former entries
///     map                                       the owner of every byte
///     summary
///     scanned(outcome)                          always, as the last event of the store
///
/// After the last store comes `totals`. The entries of a state are in its snapshot;
/// `assessment(of:)` returns the evidence for each.
package struct ReportForm: Sendable {
  /// Writes what a body reports about a run to a new output at a path; see ``write(to:of:_:)``.
  typealias Write =
    @Sendable (
      _ path: FilePath, _ run: ReportRun, _ body: (any Reporter) -> FilePermissions?
    ) throws(FileError) -> Void

  /// The page, which is written if nothing else is asked for.
  package static let html = ReportForm(
    "html", ["html", "htm"], "a self-contained page for a browser", HTMLReport.write)
  /// All forms, in the order of the help.
  package static let all = [
    html,
    ReportForm(
      "sqlite", ["sqlite", "sqlite3", "db"], "a database, for queries", SQLiteReport.write),
    ReportForm(
      // A folder's name implies nothing.
      "leapp", [],
      "a folder as written by ALEAPP and iLEAPP: tables, a timeline, and a file for LAVA",
      LEAPPReport.write),
    ReportForm("case", ["jsonld"], "a CASE/UCO graph in JSON-LD", CASEReport.write),
    ReportForm(
      "dfxml", ["dfxml", "xml"], "Digital Forensics XML: the files, and the meaning of each byte",
      DFXMLReport.write),
  ]

  /// The form's name, as `--to` takes it.
  package let name: String
  /// The filename extensions that imply the form, without the dot.
  private let endings: [String]
  /// What the form is, for people to read.
  private let meaning: String
  private let writer: Write

  private init(_ name: String, _ endings: [String], _ meaning: String, _ writer: @escaping Write) {
    self.name = name
    self.endings = endings
    self.meaning = meaning
    self.writer = writer
  }

  /// Writes what `body` reports about the run to a new output at `path`.
  ///
  /// The output appears complete or not at all; if `body` returns `nil`, not at all. Until it is
  /// complete, only its owner can read it. Then it gets the permissions that `body` returns, which
  /// knows only at the end what the report contains.
  ///
  /// - Throws: `.exists` if something else than such a report is at `path`, `.system`, or
  ///   `.interrupted`.
  package func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError) {
    try writer(path, run, body)
  }

  /// Whether the output is a folder.
  package var writesFolder: Bool { endings.isEmpty }

  /// The names of all forms, each with its meaning on a line of its own.
  package static var listing: String {
    let width = all.map(\.name.count).max() ?? 0
    return all.map { form in
      "  \(form.name)\(String(repeating: " ", count: width - form.name.count + 2))\(form.meaning)"
    }.joined(separator: "\n")
  }

  /// Returns the form that the name of `path` implies; `nil` if it implies none.
  package static func implied(by path: FilePath) -> ReportForm? {
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
