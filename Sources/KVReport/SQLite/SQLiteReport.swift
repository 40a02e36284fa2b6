import ExchangeFormats
import KVSystem
import SystemPackage

/// A report as a SQLite database, for queries; its tables are in `Docs/EXPORTS.md`.
enum SQLiteReport {
  /// The version of the layout, which grows with each change.
  static let version = 2

  /// Writes the database.
  static func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError) {
    try PendingWrite.fill([path]) { (temporary) throws(FileError) in
      let database = try RowDatabase(at: temporary[0], creation)
      for table in ReportTable.all {
        for column in table.columns {
          database.insert(
            into: "columns", [.text(table.name), .text(column.name), .text(column.meaning)])
        }
      }
      let granted = body(TableReporter(run) { database.insert(into: $0.table.name, $0.cells) })
      try database.finish(completion)
      return granted
    }
  }

  private static var creation: String {
    ReportTable.all.map(\.statement).joined()
      + "CREATE TABLE columns(table_name TEXT, name TEXT, meaning TEXT);"
      + "PRAGMA user_version = \(version);"
  }

  /// The statements that create the indexes and views, once all rows are present.
  private static let completion = """
    CREATE INDEX files_sha256 ON files(sha256);
    CREATE INDEX findings_store ON findings(store);
    CREATE INDEX records_key ON records(key);
    CREATE INDEX records_store ON records(store, key_bytes);
    CREATE INDEX records_time ON records(time_unix) WHERE time_unix IS NOT NULL;
    CREATE INDEX readings_record ON readings(record);
    CREATE VIEW history AS
      SELECT stores.path AS store_path, files.path AS file_path, records.*
      FROM records JOIN stores ON stores.id = records.store
        LEFT JOIN files ON files.id = records.file;
    CREATE VIEW remains AS
      SELECT stores.path AS store_path, files.path AS file_path, regions.*
      FROM regions JOIN stores ON stores.id = regions.store
        LEFT JOIN files ON files.id = regions.file
      WHERE bytes IS NOT NULL;
    CREATE VIEW entries AS SELECT * FROM history WHERE state = 'live' AND operation = 'put';
    CREATE VIEW timeline AS
      SELECT time_unix AS unix, time_iso8601 AS iso8601, time_unit AS source, *
        FROM history WHERE time_unix IS NOT NULL
      UNION ALL
      SELECT expires_unix, expires_iso8601, 'expiry', * FROM history
        WHERE expires_unix IS NOT NULL
      ORDER BY unix;
    """
}

extension ReportTable {
  /// The statement that creates the table.
  var statement: String {
    let columns = columns.map { "\"\($0.name)\"\($0.content.declaration)" }
    return "CREATE TABLE \(name)(\(columns.joined(separator: ", ")));\n"
  }
}

extension ReportTable.Content {
  fileprivate var declaration: String {
    switch self {
    case .id: " INTEGER PRIMARY KEY"
    case .row(let table): " INTEGER REFERENCES \(table)"
    case .integer: " INTEGER"
    case .real: " REAL"
    case .text: " TEXT"
    case .bytes: " BLOB"
    // Without a type, SQLite keeps what is inserted as it is.
    case .value, .time: ""
    }
  }
}
