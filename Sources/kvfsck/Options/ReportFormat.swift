import KVReport
import SystemPackage

/// The output formats of `kvfsck report`, named as `--to` accepts them.
enum ReportFormat: String, CaseIterable {
  case html, sqlite, leapp, `case`, dfxml

  /// The writer of the format.
  var form: any ReportForm {
    switch self {
    case .html: HTMLReport()
    case .sqlite: SQLiteReport()
    case .leapp: LEAPPReport()
    case .case: CASEReport()
    case .dfxml: DFXMLReport()
    }
  }

  /// The filename extensions that imply the format, without the dot.
  private var endings: [String] {
    switch self {
    case .html: ["html", "htm"]
    case .sqlite: ["sqlite", "sqlite3", "db"]
    // A folder's name implies nothing.
    case .leapp: []
    case .case: ["jsonld"]
    case .dfxml: ["dfxml", "xml"]
    }
  }

  /// Creates the format that the name of `path` implies; `nil` if it implies none.
  init?(namedAs path: FilePath) {
    guard let ending = path.extension?.lowercased(),
      let format = Self.allCases.first(where: { $0.endings.contains(ending) })
    else { return nil }
    self = format
  }

  /// Filename extensions of other formats, in which no one would look for a page.
  private static let foreignEndings = [
    "csv", "doc", "docx", "gz", "json", "jsonl", "md", "ndjson", "pdf", "plist", "rtf", "sarif",
    "tab", "tar", "tsv", "txt", "xls", "xlsx", "yaml", "yml", "zip",
  ]

  /// Returns the extension of `path` if it is that of a format that is not among the forms.
  static func foreignEnding(of path: FilePath) -> String? {
    guard let ending = path.extension?.lowercased() else { return nil }
    return foreignEndings.first { $0.utf8.elementsEqual(ending.utf8) }
  }
}
