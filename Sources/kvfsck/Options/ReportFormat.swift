import KVReport
import SystemPackage

/// The forms of a report that is a file of its own, by the names that `--to` takes.
enum ReportFormat: String, CaseIterable {
  case html, sqlite, leapp, `case`, dfxml

  /// What writes it.
  var form: any ReportForm {
    switch self {
    case .html: HTMLReport()
    case .sqlite: SQLiteReport()
    case .leapp: LEAPPReport()
    case .case: CASEReport()
    case .dfxml: DFXMLReport()
    }
  }

  /// The endings of names that tell the form, without the dot.
  private var endings: [String] {
    switch self {
    case .html: ["html", "htm"]
    case .sqlite: ["sqlite", "sqlite3", "db"]
    // Many things are folders.
    case .leapp: []
    case .case: ["jsonld"]
    case .dfxml: ["dfxml"]
    }
  }

  /// The form that the name of `path` tells; `nil` where it tells none.
  init?(namedAs path: FilePath) {
    guard let ending = path.extension?.lowercased(),
      let format = Self.allCases.first(where: { $0.endings.contains(ending) })
    else { return nil }
    self = format
  }
}
