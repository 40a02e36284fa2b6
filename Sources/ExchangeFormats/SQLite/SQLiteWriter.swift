import KVBytes
import KVCryptography
import KVModel
import KVSystem
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Fills a new database with the tables of ``SQLiteSchema``.
struct SQLiteWriter {
  private static let entryInsertion = """
    INSERT INTO entries(
      key, key_bytes, type, iso8601, time_unit, raw, store, file, "offset", length, evidence, cautions,
      expires_at, value)
    VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let recordInsertion = """
    INSERT INTO records(
      key, key_bytes, operation, state, raw, store, file, "offset", length, evidence, cautions)
    VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let findingInsertion = """
    INSERT INTO findings(code, severity, store, file, "offset", length, message)
    VALUES(?, ?, ?, ?, ?, ?, ?)
    """
  private static let fileInsertion =
    "INSERT INTO files(file, path, size, sha256) VALUES(?, ?, ?, ?)"

  private let source: EntrySource

  /// Writes the database of `source` at `path`, where an empty file may be.
  static func write(_ source: EntrySource, to path: FilePath) throws(ConversionError) {
    try NewDatabase.fill(at: path) { database in
      try SQLiteWriter(source: source).writeAll(to: database)
    }
  }

  private func writeAll(to database: borrowing SQLiteConnection) throws {
    try database.execute(SQLiteSchema.creation)
    try writeEntries(to: database)
    try writeRecords(to: database)
    try writeFindings(to: database)
    try writeFiles(to: database)
    try database.execute(SQLiteSchema.indexing)
  }

  private func writeEntries(to database: borrowing SQLiteConnection) throws {
    let statement = try database.statement(Self.entryInsertion)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try source.forEachEntry { (entry) throws(ConversionError) in
      try NewDatabase.rethrowing { () throws in
        let expiry: SQLiteCell = entry.expiry == 0 ? .null : .integer(Int64(entry.expiry))
        var row = Self.key(entry.key) + [.text(entry.value.kind.rawValue)]
        row += Self.time(entry.value) + origin(entry.origin) + [expiry]
        try statement.run(row + [try SQLiteCell(entry.value, encoder: encoder)])
      }
    }
  }

  private func writeRecords(to database: borrowing SQLiteConnection) throws {
    guard let forEachRecord = source.forEachRecord else { return }
    let statement = try database.statement(Self.recordInsertion)
    try forEachRecord { (record) throws(ConversionError) in
      try NewDatabase.rethrowing { () throws in
        let row = Self.key(record.key) + [.text(record.operation), .text(record.state)]
        try statement.run(row + origin(record.origin))
      }
    }
  }

  private func writeFindings(to database: borrowing SQLiteConnection) throws {
    let statement = try database.statement(Self.findingInsertion)
    for located in source.findings {
      let finding = located.finding
      let store = (located.store ?? source.stores.first)?.string
      let row: [SQLiteCell] = [
        .text(finding.code), .text(finding.severity.rawValue), Self.text(store),
      ]
      try statement.run(row + Self.extent(finding.extent) + [.text(finding.message)])
    }
  }

  private func writeFiles(to database: borrowing SQLiteConnection) throws {
    let statement = try database.statement(Self.fileInsertion)
    for file in source.files {
      let digest = Cryptography.sha256(file.image.bytes).map { Hexadecimal.text($0) }
      try statement.run([
        .text(file.role.name), .text(file.path.string), .integer(Int64(file.image.count)),
        Self.text(digest),
      ])
    }
  }

  private static func text(_ text: String?) -> SQLiteCell { text.map { .text($0) } ?? .null }

  /// The columns `key` and `key_bytes`.
  private static func key(_ key: Key) -> [SQLiteCell] { [text(key.text), .blob(key.bytes)] }

  /// The columns `iso8601` and `time_unit`.
  private static func time(_ value: Value) -> [SQLiteCell] {
    let time = value.time
    return [text(time?.text), text(time?.unit.name)]
  }

  /// The columns `raw`, `store`, `file`, `offset`, `length`, `evidence` and `cautions`.
  private func origin(_ origin: EntryOrigin) -> [SQLiteCell] {
    let cautions = origin.cautions.map(\.rawValue).joined(separator: " ")
    let store = (origin.store ?? source.stores.first)?.string
    return [origin.raw.map { .blob(Array($0)) } ?? .null, Self.text(store)]
      + Self.extent(origin.extent) + [
        .text(origin.evidence.rawValue), cautions.isEmpty ? .null : .text(cautions),
      ]
  }

  /// The columns `file`, `offset` and `length`.
  private static func extent(_ extent: Extent?) -> [SQLiteCell] {
    guard let extent else { return [.null, .null, .null] }
    return [
      .text(extent.file.name), .integer(Int64(extent.offset)), .integer(Int64(extent.count)),
    ]
  }
}
