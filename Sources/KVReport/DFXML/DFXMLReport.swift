import ExchangeFormats
import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A report as Digital Forensics XML: the files, and what each of their bytes is.
///
/// Reference: `Docs/EXPORTS.md` § DFXML.
enum DFXMLReport {
  /// Writes the document.
  static func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError) {
    try PendingWrite.writeText(to: path) { stream, temporary in
      let files = DFXMLFiles(stream, ScratchFile(beside: temporary))
      stream.write(head(run))
      let granted = body(TableReporter(run, only: DFXMLFiles.tables) { files.add($0) })
      stream.write("</dfxml>\n")
      return granted
    }
  }

  /// Returns the document up to the first file.
  static func head(_ run: ReportRun) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <dfxml xmlns="http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:kvfsck="urn:kvfsck:report" \
    version="2.0.0-beta.0">
    <metadata><dc:type>Key-value stores</dc:type></metadata>
    <creator><program>kvfsck</program><version>\(run.version)</version>\
    <execution_environment>\
    <command_line>\(XMLText.escaped(run.arguments.joined(separator: " ")))</command_line>\
    <start_time>\(UTCDate(Double(run.start)).text)</start_time>\
    </execution_environment></creator>

    """
  }
}

/// Collects the rows of a store and writes them file by file.
private final class DFXMLFiles {
  /// The tables whose rows are written.
  static let tables = ["files", "records", "regions", "findings", "stores"]
  /// The columns of records and regions that are not written: they are in the bytes, or follow from
  /// them.
  private static let omitted = [
    "id", "store", "file", "offset", "length", "value", "value_count", "value_bytes",
    "type_reason", "bytes", "left_out",
  ]

  private let stream: FileStream
  private var files: [TableReporter.Row] = []
  /// The byte runs of each file, by its number.
  ///
  /// For a long log, they take several times its size.
  private let runs: ScratchFile
  private var findings: [Int64: String] = [:]
  /// The columns of each table that are written, with what precedes the value.
  private var columns: [ByteText: [(index: Int, name: String, start: String)]] = [:]

  init(_ stream: FileStream, _ runs: ScratchFile) {
    self.stream = stream
    self.runs = runs
  }

  func add(_ row: TableReporter.Row) {
    switch row.table.name {
    case "files": files.append(row)
    // Records and regions together tile the files.
    case "records", "regions": addRun(row)
    case "findings":
      findings[row["file"]?.integer ?? 0, default: ""] +=
        "<kvfsck:finding\(attributes(of: row, but: ["message"]))>"
        + XMLText.escaped(row["message"]?.text ?? "") + "</kvfsck:finding>\n"
    case "stores": end(row)
    default: break
    }
  }

  private func addRun(_ row: TableReporter.Row) {
    guard let file = row["file"]?.integer, let offset = row["offset"]?.integer,
      let length = row["length"]?.integer
    else { return }
    runs.append(
      "<byte_run file_offset=\"\(offset)\" len=\"\(length)\" kvfsck:table=\"\(row.table.name)\""
        + attributes(of: row, but: []) + "/>\n", to: file)
  }

  private func attributes(of row: TableReporter.Row, but others: [String]) -> String {
    var text = ""
    for (index, name, start) in columns(of: row.table) {
      guard !others.contains(name), let value = row.cells[index].plainText else { continue }
      // The bytes of a key stand beside it, so it is better missing than spelled differently.
      if name == "key", XMLText.obstacle(in: value) != nil { continue }
      text += start
      text += XMLText.escaped(value)
      text += "\""
    }
    return text
  }

  private func columns(of table: ReportTable) -> [(index: Int, name: String, start: String)] {
    if let known = columns[ByteText(table.name)] { return known }
    let written = table.columns.enumerated().filter { !Self.omitted.contains($1.name) }
      .map { (index: $0, name: $1.name, start: " \($1.property)=\"") }
    columns[ByteText(table.name)] = written
    return written
  }

  /// Writes the files of a store, or the path of one that could not be read.
  private func end(_ store: TableReporter.Row) {
    if files.isEmpty {
      stream.write(
        "<fileobject><filename>\(XMLText.escaped(store.store))</filename>"
          + "<error>\(XMLText.escaped(store["error"]?.text ?? ""))</error></fileobject>\n")
    }
    for file in files { write(file, of: store, isFirst: file["id"] == files[0]["id"]) }
    (files, findings) = ([], [:])
    runs.removeAll()
  }

  private func write(_ file: TableReporter.Row, of store: TableReporter.Row, isFirst: Bool) {
    let number = file["id"]?.integer ?? 0
    stream.write(
      "<fileobject>\n<filename>\(XMLText.escaped(file.file ?? ""))</filename>\n<id>\(number)</id>\n"
        + "<filesize>\(file["size"]?.integer ?? 0)</filesize>\n")
    if runs.hasText(in: number) {
      stream.write("<byte_runs>\n")
      runs.write(number, to: stream)
      stream.write("</byte_runs>\n")
    }
    if let digest = file["sha256"]?.text {
      stream.write("<hashdigest type=\"sha256\">\(digest)</hashdigest>\n")
    }
    stream.write(
      "<kvfsck:file\(attributes(of: file, but: ["path", "size", "sha256"]))/>\n"
        + "<kvfsck:store\(attributes(of: store, but: []))/>\n")
    stream.write(findings[number] ?? "")
    // Findings about the store as a whole follow its first file.
    if isFirst { stream.write(findings[0] ?? "") }
    stream.write("</fileobject>\n")
  }
}
