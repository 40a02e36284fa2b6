import KVBytes
import KVCryptography
import KVModel
import KVSystem
import SystemPackage

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
  /// The path of the first store, which most rows have.
  private let firstStore: String?

  private init(_ source: EntrySource) {
    self.source = source
    firstStore = source.stores.first?.string
  }

  /// Writes the entries of `source` to a database at `path`, where an empty file may exist.
  static func write(_ source: EntrySource, to path: FilePath) throws(ConversionError) {
    try NewDatabase.fill(at: path) { database in
      try SQLiteWriter(source).writeAll(to: database)
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
    var row = SQLiteRow()
    try source.forEachEntry { (entry) throws(ConversionError) in
      try NewDatabase.rethrowing { () throws in
        row.removeAll()
        Self.add(entry.key, to: &row)
        row.append(entry.value.kind.rawValue)
        let time = entry.value.time
        row.append(time?.text)
        row.append(time?.unit.name)
        add(entry.origin, to: &row)
        row.append(entry.expiry == 0 ? nil : Int(entry.expiry))
        row.append(SQLiteCell(entry.value))
        try statement.run(row)
      }
    }
  }

  private func writeRecords(to database: borrowing SQLiteConnection) throws {
    guard let forEachRecord = source.forEachRecord else { return }
    let statement = try database.statement(Self.recordInsertion)
    var row = SQLiteRow()
    try forEachRecord { (record) throws(ConversionError) in
      try NewDatabase.rethrowing { () throws in
        row.removeAll()
        Self.add(record.key, to: &row)
        row.append(record.operation)
        row.append(record.state)
        add(record.origin, to: &row)
        try statement.run(row)
      }
    }
  }

  private func writeFindings(to database: borrowing SQLiteConnection) throws {
    let statement = try database.statement(Self.findingInsertion)
    for located in source.findings {
      let finding = located.finding
      var row = SQLiteRow()
      row.append(finding.code)
      row.append(finding.severity.rawValue)
      row.append(located.store?.string ?? firstStore)
      Self.add(located.place, to: &row)
      row.append(finding.message)
      try statement.run(row)
    }
  }

  private func writeFiles(to database: borrowing SQLiteConnection) throws {
    let statement = try database.statement(Self.fileInsertion)
    for file in source.files {
      let digest = file.isRedacted ? nil : Cryptography.sha256(file.image.bytes)
      try statement.run([
        .text(file.roleName), .text(file.path.string), .integer(Int64(file.image.count)),
        digest.map { .text(Hexadecimal.text($0)) } ?? .null,
      ])
    }
  }

  /// Adds the columns `key` and `key_bytes`.
  private static func add(_ key: Key, to row: inout SQLiteRow) {
    if key.bytes.storageSpan.isUTF8 { row.append(utf8: key.bytes) } else { row.append(.null) }
    row.append(blob: key.bytes)
  }

  /// Adds the columns `raw`, `store`, `file`, `offset`, `length`, `evidence` and `cautions`.
  private func add(_ origin: EntryOrigin, to row: inout SQLiteRow) {
    row.append(blob: origin.raw)
    row.append(origin.store?.string ?? firstStore)
    Self.add(origin.place, to: &row)
    row.append(origin.evidence.rawValue)
    let cautions = origin.cautions
    row.append(
      cautions.isEmpty ? nil : cautions.map(\.rawValue).joined(separator: " "))
  }

  /// Adds the columns `file`, `offset` and `length`.
  private static func add(_ place: Place?, to row: inout SQLiteRow) {
    row.append(place?.roleName)
    row.append(place?.extent.offset)
    row.append(place?.extent.count)
  }
}
