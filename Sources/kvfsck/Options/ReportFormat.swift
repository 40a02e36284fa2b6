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
    case .dfxml: ["dfxml"]
    }
  }

  /// Creates the format that the name of `path` implies; `nil` if it implies none.
  init?(namedAs path: FilePath) {
    guard let ending = path.extension?.lowercased(),
      let format = Self.allCases.first(where: { $0.endings.contains(ending) })
    else { return nil }
    self = format
  }
}
