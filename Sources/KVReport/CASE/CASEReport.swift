import ExchangeFormats
import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A report as a CASE and UCO graph in JSON-LD.
///
/// Reference: `Docs/EXPORTS.md` § CASE.
enum CASEReport {
  /// Writes the graph.
  static func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError) {
    try PendingWrite.writeText(to: path) { stream, _ in
      let graph = CASEGraph(stream, of: run)
      let granted = body(TableReporter(run) { graph.add($0) })
      graph.end(run)
      return granted
    }
  }
}

/// Writes rows as nodes of a graph.
///
/// Each node has the columns of its row under kvfsck's own names. Those that have a name in CASE or
/// UCO are under that name as well.
private final class CASEGraph {
  private static let prefixes = [
    ("case-investigation", "https://ontology.caseontology.org/case/investigation/"),
    ("kvfsck", "urn:kvfsck:report#"),
    ("uco-action", "https://ontology.unifiedcyberontology.org/uco/action/"),
    ("uco-core", "https://ontology.unifiedcyberontology.org/uco/core/"),
    ("uco-observable", "https://ontology.unifiedcyberontology.org/uco/observable/"),
    ("uco-tool", "https://ontology.unifiedcyberontology.org/uco/tool/"),
    ("uco-types", "https://ontology.unifiedcyberontology.org/uco/types/"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
  ]
  /// The class of the nodes of each table that has nodes.
  private static let types = [
    "stores": "uco-observable:ObservableObject", "files": "uco-observable:File",
    "findings": "uco-core:Annotation", "states": "uco-core:Assertion",
    "predictions": "uco-core:Assertion", "records": "uco-observable:TableField",
    "readings": "uco-core:Annotation", "gaps": "uco-observable:ObservableObject",
  ]

  private let stream: FileStream
  /// The common part of all names in this graph, made of the number of the run.
  private let uuid: String
  private var isFirst = true
  private var counts: [String: Int64] = [:]

  init(_ stream: FileStream, of run: ReportRun) {
    self.stream = stream
    let digits = String(run.id, radix: 16)
    let id = Array(String(repeating: "0", count: 16 - digits.count) + digits)
    uuid = "\(String(id[0..<8]))-\(String(id[8..<12]))-4\(String(id[12..<15]))-8000-"
    let prefixes = Self.prefixes + [("kb", "urn:uuid:\(uuid)000000000000#")]
    let names = prefixes.map { Value.quoted($0) + ": " + Value.quoted($1) }
    stream.write("{\"@context\": {\n\(names.joined(separator: ",\n"))\n},\n\"@graph\": [\n")
  }

  /// Returns the name of node `number` of a kind.
  private func name(_ kind: String, _ number: Int64) -> String {
    // Twelve digits, after one that keeps the zeros.
    "kb:\(kind)-\(uuid)\(String(1 << 48 + number, radix: 16).dropFirst())"
  }

  /// Returns the name of a part of the node called `name`.
  private func name(_ part: String, of name: String) -> String {
    "kb:\(part)-of-\(name.dropFirst("kb:".count))"
  }

  private func node(_ name: String, _ type: String, _ body: (inout JSONLine) -> Void) {
    if !isFirst { stream.write(",") }
    isFirst = false
    JSONLine.write(to: stream.write) { line in
      line.member("@id", name)
      line.member("@type", type)
      body(&line)
    }
  }

  /// Writes the node of a row.
  func add(_ row: TableReporter.Row) {
    let table = row.table.name
    guard let type = Self.types[table] else { return }
    counts[table, default: 0] += 1
    let name = name(table, row["id"]?.integer ?? counts[table, default: 0])
    node(name, type) { line in
      switch table {
      case "files": addFile(row, name, &line)
      case "records": addField(row, name, &line)
      case "findings", "states", "predictions":
        line.member("uco-core:statement", row["message"]?.text)
      case "readings": line.member("uco-core:statement", row["type_reason"]?.text)
      default: break
      }
      if type == "uco-core:Annotation" {
        line.member("uco-core:object") {
          $0.array { $0.element { $0.reference(subject(of: row)) } }
        }
      }
      for (column, cell) in zip(row.table.columns, row.cells) { add(column, cell, &line) }
    }
    if table == "records" || table == "gaps" { addPlace(row, name) }
  }

  /// Returns the node that a row is about: its record, its file or its store.
  private func subject(of row: TableReporter.Row) -> String {
    for (column, table) in [("record", "records"), ("file", "files"), ("store", "stores")] {
      if let number = row[column]?.integer { return name(table, number) }
    }
    return name("stores", 0)
  }

  /// Writes a column under its own name.
  private func add(
    _ column: ReportTable.Column, _ cell: SQLiteCell, _ line: inout JSONLine
  ) {
    let property = column.property
    switch (column.content, cell) {
    case (_, .null), (.id, _), (.time, _): break
    case (.row(let table), .integer(let number)):
      line.member(property) { $0.reference(name(table, number)) }
    case (.integer, .integer(let number)): line.member(property, Int(number))
    case (_, .blob(let bytes)):
      line.member(property) { $0.literal(Hexadecimal.text(bytes), "hexBinary") }
    case (.text, .text(let text)) where column.name.hasSuffix("_iso8601") && text.hasSuffix("Z"):
      line.member(property) { $0.literal(text, "dateTime") }
    default: line.member(property, cell.plainText)
    }
  }

  /// Writes an array with one facet of the node called `name`.
  private func facet(
    _ type: String, of name: String, _ line: inout JSONLine, _ body: (inout JSONLine) -> Void
  ) {
    line.array { $0.element { element(type, of: name, &$0, body) } }
  }

  private func element(
    _ type: String, of name: String, _ line: inout JSONLine, _ body: (inout JSONLine) -> Void
  ) {
    line.object { line in
      line.member("@id", self.name(type, of: name))
      line.member("@type", "uco-observable:\(type)")
      body(&line)
    }
  }

  private func addFile(_ row: TableReporter.Row, _ name: String, _ line: inout JSONLine) {
    let size = Int(row["size"]?.integer ?? 0)
    let digest = row["sha256"]?.text
    line.member("uco-core:hasFacet") {
      $0.array(["FileFacet", "ContentDataFacet"]) { line, type in
        element(type, of: name, &line) { line in
          line.member("uco-observable:sizeInBytes", size)
          if type == "FileFacet" {
            let path = row.file ?? ""
            line.member("uco-observable:filePath", path)
            line.member("uco-observable:fileName", FilePath(path).lastComponent?.string)
          } else if let digest {
            line.member("uco-observable:hash") {
              $0.object { line in
                line.member("@id", self.name("hash", of: name))
                line.member("@type", "uco-types:Hash")
                line.member("uco-types:hashMethod", "SHA256")
                line.member("uco-types:hashValue") { $0.literal(digest, "hexBinary") }
              }
            }
          }
        }
      }
    }
  }

  private func addField(_ row: TableReporter.Row, _ name: String, _ line: inout JSONLine) {
    line.member("uco-core:hasFacet") {
      facet("TableFieldFacet", of: name, &$0) { line in
        line.member("uco-observable:tableName", row.store)
        if let key = row["key"]?.text { line.member("uco-observable:recordFieldName", key) }
        if let value = row["value"]?.plainText {
          line.member("uco-observable:recordFieldValue", value)
        }
        line.member("uco-observable:recordRowID", Int(row["id"]?.integer ?? 0))
      }
    }
  }

  /// Writes a node for the byte range of a record or a gap in its file.
  private func addPlace(_ row: TableReporter.Row, _ source: String) {
    guard let file = row["file"]?.integer, let offset = row["offset"]?.integer,
      let length = row["length"]?.integer
    else { return }
    let name = self.name("place", of: source)
    node(name, "uco-observable:ObservableRelationship") { line in
      line.member("uco-core:source") { $0.reference(source) }
      line.member("uco-core:target") { $0.reference(self.name("files", file)) }
      line.member("uco-core:kindOfRelationship", "Contained_Within")
      line.member("uco-core:isDirectional") { $0.literal(true) }
      line.member("uco-core:hasFacet") {
        facet("DataRangeFacet", of: name, &$0) { line in
          line.member("uco-observable:rangeOffset", Int(offset))
          line.member("uco-observable:rangeSize", Int(length))
        }
      }
    }
  }

  /// Writes the nodes of the tool and the run, and the end of the graph.
  func end(_ run: ReportRun) {
    let tool = name("tool", 1)
    node(tool, "uco-tool:Tool") { line in
      line.member("uco-core:name", "kvfsck")
      line.member("uco-tool:version", run.version)
    }
    node(name("action", 1), "case-investigation:InvestigativeAction") { line in
      line.member("uco-core:name", "kvfsck report")
      line.member("uco-core:description", run.arguments.joined(separator: " "))
      line.member("uco-action:instrument") { $0.reference(tool) }
      for (property, time) in [
        ("startTime", run.start), ("endTime", run.end),
      ] {
        line.member("uco-action:\(property)") {
          $0.literal(UTCDate(Double(time)).text, "dateTime")
        }
      }
      for (property, table) in [("object", "files"), ("result", "findings")] {
        let count = counts[table, default: 0]
        guard count > 0 else { continue }
        line.member("uco-action:\(property)") {
          $0.array(1...count) { $0.reference(name(table, $1)) }
        }
      }
    }
    stream.write("]}\n")
  }
}

extension JSONLine {
  /// Writes a reference to the node called `name`.
  fileprivate mutating func reference(_ name: String) { object { $0.member("@id", name) } }

  /// Writes a text of one of XML Schema's types.
  fileprivate mutating func literal(_ text: String, _ type: String) {
    object { line in
      line.member("@type", "xsd:\(type)")
      line.member("@value", text)
    }
  }
}
