import GRDB
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
  // GRDB binds text up to its first U+0000 only: all text that comes from a store is bound as bytes
  // and made text by SQLite.
  private static let entryStart = """
    INSERT INTO entries(
      key, key_bytes, type, iso8601, time_unit, raw, store, file, "offset", length, evidence, cautions,
      expires_at, value)
    VALUES(CAST(? AS TEXT), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    """
  private static let recordInsertion = """
    INSERT INTO records(
      key, key_bytes, operation, state, raw, store, file, "offset", length, evidence, cautions)
    VALUES(CAST(? AS TEXT), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let findingInsertion = """
    INSERT INTO findings(code, severity, store, file, "offset", length, message)
    VALUES(?, ?, ?, ?, ?, ?, CAST(? AS TEXT))
    """
  private static let fileInsertion =
    "INSERT INTO files(file, path, size, sha256) VALUES(?, ?, ?, ?)"

  private let database: Database
  private let source: EntrySource

  /// Writes the database of `source` at `path`, where an empty file may be.
  static func write(_ source: EntrySource, to path: FilePath) throws(ConversionError) {
    try NewDatabase.fill(at: path) { database in
      try SQLiteWriter(database: database, source: source).writeAll()
    }
  }

  private func writeAll() throws {
    try database.execute(sql: SQLiteSchema.creation)
    try writeEntries()
    try writeRecords()
    try writeFindings()
    try writeFiles()
    try database.execute(sql: SQLiteSchema.indexing)
  }

  private func writeEntries() throws {
    let plain = try database.makeStatement(sql: Self.entryStart + " ?)")
    let text = try database.makeStatement(sql: Self.entryStart + " CAST(? AS TEXT))")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try source.forEachEntry { (entry) throws(ConversionError) in
      try NewDatabase.rethrowing { () throws in
        let cell = try SQLiteCell(entry.value, encoder: encoder)
        let expiry = entry.expiry == 0 ? DatabaseValue.null : entry.expiry.databaseValue
        var row = Self.key(entry.key) + [entry.value.kind.rawValue.databaseValue]
        row += Self.time(entry.value) + origin(entry.origin) + [expiry]
        switch cell {
        case .text(let string):
          try text.execute(arguments: StatementArguments(row + [Self.bytes(string.utf8)]))
        default:
          try plain.execute(arguments: StatementArguments(row + [cell.databaseValue]))
        }
      }
    }
  }

  private func writeRecords() throws {
    guard let forEachRecord = source.forEachRecord else { return }
    let statement = try database.makeStatement(sql: Self.recordInsertion)
    try forEachRecord { (record) throws(ConversionError) in
      try NewDatabase.rethrowing { () throws in
        let row =
          Self.key(record.key) + [record.operation.databaseValue, record.state.databaseValue]
        try statement.execute(arguments: StatementArguments(row + origin(record.origin)))
      }
    }
  }

  private func writeFindings() throws {
    let statement = try database.makeStatement(sql: Self.findingInsertion)
    for located in source.findings {
      let finding = located.finding
      let store = (located.store ?? source.stores.first)?.string
      let row = [
        finding.code.databaseValue, finding.severity.rawValue.databaseValue,
        store?.databaseValue ?? .null,
      ]
      try statement.execute(
        arguments: StatementArguments(
          row + Self.extent(finding.extent) + [Self.bytes(finding.message.utf8)]))
    }
  }

  private func writeFiles() throws {
    let statement = try database.makeStatement(sql: Self.fileInsertion)
    for file in source.files {
      let digest = Cryptography.sha256(file.image.bytes).map { Hexadecimal.text($0) }
      try statement.execute(
        arguments: [file.role.name, file.path.string, file.image.count, digest])
    }
  }

  private static func bytes(_ bytes: some Sequence<UInt8>) -> DatabaseValue {
    Data(bytes).databaseValue
  }

  /// The columns `key` and `key_bytes`.
  private static func key(_ key: Key) -> [DatabaseValue] {
    [key.text.map { bytes($0.utf8) } ?? .null, bytes(key.bytes)]
  }

  /// The columns `iso8601` and `time_unit`.
  private static func time(_ value: Value) -> [DatabaseValue] {
    let time = value.time
    return [
      time?.text.databaseValue ?? .null, (time?.unit.name).map(\.databaseValue) ?? .null,
    ]
  }

  /// The columns `raw`, `store`, `file`, `offset`, `length`, `evidence` and `cautions`.
  private func origin(_ origin: EntryOrigin) -> [DatabaseValue] {
    let cautions = origin.cautions.map(\.rawValue).joined(separator: " ")
    let store = (origin.store ?? source.stores.first)?.string
    return [origin.raw.map { Self.bytes($0) } ?? .null, store?.databaseValue ?? .null]
      + Self.extent(origin.extent) + [
        origin.evidence.rawValue.databaseValue, cautions.isEmpty ? .null : cautions.databaseValue,
      ]
  }

  /// The columns `file`, `offset` and `length`.
  private static func extent(_ extent: Extent?) -> [DatabaseValue] {
    guard let extent else { return [.null, .null, .null] }
    return [
      extent.file.name.databaseValue, extent.offset.databaseValue, extent.count.databaseValue,
    ]
  }
}

extension SQLiteCell {
  /// The cell as GRDB binds it, text that may hold U+0000 as its bytes.
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): Data(text.utf8).databaseValue
    case .malformedText(let bytes), .blob(let bytes): Data(bytes).databaseValue
    }
  }
}
