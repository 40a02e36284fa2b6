import ExchangeFormats
import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A report as a folder like those of ALEAPP and iLEAPP: tables of text, the database of the
/// timeline, and the two files that LAVA opens.
///
/// Reference: `Docs/EXPORTS.md` § LEAPP.
enum LEAPPReport {
  /// Writes the folder.
  static func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError) {
    let (texts, times) = (path.appending("_TSV Exports"), path.appending("_Timeline"))
    let artifacts = LEAPPArtifact.all
    let manifest = path.appending(LAVAManifest.fileName)
    let paths =
      [path.appending(LAVAManifest.databaseName), times.appending("tl.db"), manifest]
      + artifacts.map { texts.appending($0.title + ".tsv") }
    try PendingWrite.fill(paths, in: [path, texts, times]) { (temporary) throws(FileError) in
      var granted: FilePermissions?
      let lava = try RowDatabase(at: temporary[0], LAVAManifest.creation(artifacts))
      let timeline = try RowDatabase(
        at: temporary[1], "CREATE TABLE data(key TEXT, activity TEXT, datalist TEXT);")
      var counts: [String: Int] = [:]
      try FileStream.fill(temporary[3...]) { streams in
        let tables = LEAPPTables(artifacts, streams, lava, timeline)
        granted = body(TableReporter(run) { tables.add($0) })
        counts = tables.counts
      }
      try lava.finish()
      try timeline.finish()
      try FileStream.fill(temporary[2...2]) {
        $0[0].write(LAVAManifest(run, output: path, artifacts, counts).text)
      }
      return granted
    }
  }
}

/// A table as LEAPP shows it: an artifact.
struct LEAPPArtifact {
  /// A column.
  struct Column {
    /// The title of the column.
    let title: String
    /// The index of the source column.
    let source: Int
    let content: ReportTable.Content

    /// The column's name in LAVA's table, derived from the title as LEAPP does.
    var name: String {
      title.lowercased().filter { $0 == " " || $0.isLetter || $0.isNumber || $0 == "_" }
        .replacing(scalar: " ", with: "_")
    }
  }

  let table: ReportTable
  let columns: [Column]

  /// The title for people to read, which is also the name of the file.
  let title: String
  /// The name of the artifact's table in LAVA's database.
  let name: String

  private init(_ table: ReportTable) {
    self.table = table
    title = "Key-Value \(table.name.capitalizedWords)"
    name = "kvfsck_\(table.name)"
    columns = table.columns.enumerated().compactMap { index, column in
      // A time is one column; the column after it has the same time as text.
      if index > 0, table.columns[index - 1].content == .time { return nil }
      let title = column.name.capitalizedWords
      return switch column.content {
      case .time:
        Column(title: String(title.dropLast(" Unix".count)), source: index, content: .time)
      case .bytes: Column(title: title + " (hex)", source: index, content: .bytes)
      default: Column(title: title, source: index, content: column.content)
      }
    }
  }

  /// All artifacts; the tables about the run and the tool are not among them.
  static let all = ReportTable.all.dropFirst(2).map(LEAPPArtifact.init)

  /// Returns the content of `column` as text.
  func text(_ row: TableReporter.Row, _ column: Column) -> String? {
    switch column.content {
    case .row(of: "stores"): row.store
    case .row(of: "files"): row.file
    // As Python formats a time.
    case .time: row.cells[column.source + 1].text.map(Self.pythonTime)
    default: row.cells[column.source].plainText
    }
  }

  /// Returns the content of `column`, of which `text` is the text, in LAVA's table.
  func cell(_ text: String?, in row: TableReporter.Row, _ column: Column) -> SQLiteCell {
    guard column.content == .time else { return text.map { .text($0) } ?? .null }
    let time = row.cells[column.source]
    guard case .real(let seconds) = time else { return time }
    return Int64(exactly: seconds.rounded(.down)).map { .integer($0) } ?? .null
  }

  /// Returns `text`, the content of `column`, for a table that spreadsheets open, which would
  /// execute some texts as formulas; numbers are no texts.
  func tableText(_ text: String?, in row: TableReporter.Row, _ column: Column) -> String? {
    switch (column.content, row.cells[column.source]) {
    case (.row(of: _), _), (_, .text): text.map(SpreadsheetText.guarded)
    default: text
    }
  }

  private static func pythonTime(_ text: String) -> String {
    guard text.hasSuffix("Z") else { return text }
    let parts = text.dropLast().split(separator: ".")
    let fraction = parts.count == 2 ? "." + (parts[1] + "00000").prefix(6) : ""
    return String(parts[0]).replacing(scalar: "T", with: " ") + fraction + "+00:00"
  }
}

/// Writes rows to all files of the folder.
private final class LEAPPTables {
  private let artifacts: [String: (artifact: LEAPPArtifact, stream: FileStream)]
  private let lava: RowDatabase
  private let timeline: RowDatabase
  /// The number of rows in each table.
  private(set) var counts: [String: Int] = [:]

  init(
    _ artifacts: [LEAPPArtifact], _ streams: [FileStream], _ lava: RowDatabase,
    _ timeline: RowDatabase
  ) {
    self.lava = lava
    self.timeline = timeline
    self.artifacts = Dictionary(
      uniqueKeysWithValues: zip(artifacts, streams).map { ($0.table.name, ($0, $1)) })
    for (artifact, stream) in zip(artifacts, streams) {
      stream.write("\u{FEFF}")
      stream.write(Self.line(artifact.columns.map(\.title)))
    }
  }

  func add(_ row: TableReporter.Row) {
    guard let (artifact, stream) = artifacts[row.table.name] else { return }
    counts[row.table.name, default: 0] += 1
    let texts = artifact.columns.map { artifact.text(row, $0) }
    let cells = zip(texts, artifact.columns)
    stream.write(Self.line(cells.map { artifact.tableText($0, in: row, $1) }))
    lava.insert(into: artifact.name, cells.map { artifact.cell($0, in: row, $1) })
    if row.table.name == ReportTable.records.table.name { addTimes(artifact, texts) }
    if row.table.name == ReportTable.files.table.name, let path = row.file {
      lava.insert(into: "_file_path_list", [.null, .text(path)])
    }
  }

  private func addTimes(_ artifact: LEAPPArtifact, _ texts: [String?]) {
    for (column, text) in zip(artifact.columns, texts) where column.content == .time {
      guard let text else { continue }
      let members = zip(artifact.columns, texts).map {
        Value.quoted($0.title) + ": " + Value.quoted($1 ?? "")
      }
      timeline.insert(
        into: "data",
        [
          .text(text), .text("\(artifact.title): \(column.title)"),
          .text("{" + members.joined(separator: ", ") + "}"),
        ])
    }
  }

  /// Returns a line of a tab-separated table, quoted as Python's `csv` module does.
  private static func line(_ cells: [String?]) -> [UInt8] {
    var line: [UInt8] = []
    for (index, cell) in cells.enumerated() {
      if index > 0 { line.append(UInt8(ascii: "\t")) }
      guard let cell else { continue }
      let isQuoted = cell.utf8.contains(where: needsQuotes)
      line.append(
        utf8Of: isQuoted ? "\"" + cell.replacing(scalar: "\"", with: "\"\"") + "\"" : cell)
    }
    line.append(utf8Of: "\r\n")
    return line
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\""): true
    default: false
    }
  }
}

extension String {
  /// The words of a name, each with its first letter capitalized.
  fileprivate var capitalizedWords: String {
    split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
  }
}
