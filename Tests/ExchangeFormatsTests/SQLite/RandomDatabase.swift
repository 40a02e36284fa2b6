import ExchangeFormats
import Foundation
import GRDB
import KVFixtures
import KVInput
import KVModel
import KVTestSupport
import SystemPackage

/// A database of an app that SQLite changed at random, with what was in it.
struct RandomDatabase {
  /// A row: the bytes of its key, and its value as an entry has it.
  struct Row: Hashable {
    let key: [UInt8]
    let value: Value
  }

  /// A table of an app.
  struct Schema {
    let creation: String
    let table: String
    let key: String
    let value: String
    /// Whether values are bytes.
    var hasBlobs = false
  }

  static let schemas = [
    Schema(
      creation: "CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
      table: "catalystLocalStorage", key: "key", value: "value"),
    Schema(
      creation:
        "CREATE TABLE Storage (`key` TEXT NOT NULL, `value` TEXT, PRIMARY KEY(`key`))",
      table: "Storage", key: "key", value: "value"),
    Schema(
      creation: "CREATE TABLE storage (key TEXT PRIMARY KEY NOT NULL, value TEXT)",
      table: "storage", key: "key", value: "value"),
    Schema(
      creation: """
        CREATE TABLE manifest (key text, filename text, size integer, inline_data blob, \
        modification_time integer, last_access_time integer, extended_data blob, primary key(key))
        """, table: "manifest", key: "key", value: "inline_data", hasBlobs: true),
    Schema(
      creation: "CREATE TABLE settings (id INTEGER PRIMARY KEY, name TEXT UNIQUE, value TEXT)",
      table: "settings", key: "name", value: "value"),
    Schema(
      creation: "CREATE TABLE kv (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID", table: "kv",
      key: "k", value: "v"),
    Schema(
      creation: "CREATE TABLE cache (k TEXT PRIMARY KEY, v BLOB)", table: "cache", key: "k",
      value: "v", hasBlobs: true),
    Schema(
      creation: """
        CREATE TABLE prefs (name TEXT, value TEXT, kind INTEGER DEFAULT 3, stamp REAL DEFAULT 1.5, \
        note TEXT, flags INTEGER DEFAULT 300, UNIQUE(name))
        """, table: "prefs", key: "name", value: "value"),
    Schema(
      creation: "CREATE TABLE n (value VARCHAR(20), key VARCHAR(40) PRIMARY KEY)", table: "n",
      key: "key", value: "value"),
    Schema(
      creation: "CREATE TABLE t (a INTEGER DEFAULT 7, k TEXT UNIQUE, v TEXT, b DEFAULT NULL)",
      table: "t", key: "k", value: "v"),
  ]

  private(set) var schema: Schema
  /// The bytes of the database and of the files beside it, by the suffixes of their names.
  private(set) var files: [String: [UInt8]] = [:]
  /// The rows at the end.
  private(set) var live: Set<Row> = []
  /// All rows that were ever in the table.
  private(set) var written: Set<Row> = []

  /// Creates a database of the schema with this ordinal.
  init(_ ordinal: Int, _ random: inout SeededGenerator) throws {
    schema = Self.schemas[ordinal]
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    let journal =
      ["DELETE", "WAL", "PERSIST", "TRUNCATE", "WAL"].randomElement(using: &random) ?? ""
    let page = [512, 1024, 4096, 4096, 8192, 65536].randomElement(using: &random) ?? 0
    var made = self
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = \(page); PRAGMA auto_vacuum = \(Int.random(in: 0...2, using: &random));
          PRAGMA secure_delete = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = \(journal);
          \(schema.creation)
          """)
      for _ in 0..<Int.random(in: 5...12, using: &random) { try made.change(database, &random) }
      for suffix in ["", "-wal", "-journal"] {
        made.files[suffix] = try? folder.bytes(of: "x.db" + suffix)
      }
    }
    self = made
  }

  private mutating func change(_ database: Database, _ random: inout SeededGenerator) throws {
    var rows = Dictionary(uniqueKeysWithValues: live.map { ($0.key, $0) })
    let share: Double = [0.1, 0.4, 0.9].randomElement(using: &random) ?? 0.1
    try database.execute(sql: "BEGIN")
    for _ in 0..<Int.random(in: 5...60, using: &random) {
      let key = "user:\(Int.random(in: 0..<80, using: &random) * 7919)"
      if Double.random(in: 0..<1, using: &random) < share {
        try database.execute(
          sql: "DELETE FROM \(schema.table) WHERE \(schema.key) = ?", arguments: [key])
        rows[Array(key.utf8)] = nil
      } else {
        let row = try put(key, database, &random)
        written.insert(row)
        rows[row.key] = row
      }
    }
    try database.execute(sql: "COMMIT")
    live = Set(rows.values)
  }

  private func put(
    _ key: String, _ database: Database, _ random: inout SeededGenerator
  ) throws -> Row {
    let count = Int.random(in: 0...10, using: &random) == 0 ? 1500 : 150
    let text =
      "{\"n\":\""
      + (0..<Int.random(in: 0..<count, using: &random)).map { _ in
        String(UnicodeScalar(UInt8.random(in: 0x61...0x7a, using: &random)))
      }.joined() + "é\"}"
    let columns = "\(schema.key), \(schema.value)"
    try database.execute(
      sql: "INSERT OR REPLACE INTO \(schema.table) (\(columns)) VALUES (?, ?)",
      arguments: [key, schema.hasBlobs ? Data(text.utf8) : text])
    return Row(
      key: Array(key.utf8), value: schema.hasBlobs ? .bytes(Array(text.utf8)) : .string(text))
  }

  /// The rows that are not in the table any more, and whose key and value are in the files one after
  /// the other.
  var readable: Set<Row> {
    let all = files.values.map { Data($0) }
    return written.subtracting(live).filter { row in
      let value =
        switch row.value {
        case .string(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        default: [UInt8]()
        }
      let isReversed = schema.table == "n"
      let body = Data(isReversed ? value + row.key : row.key + value)
      return all.contains { $0.range(of: body) != nil }
    }
  }

  /// Reads the database, whose bytes `change` can change before.
  func read(_ change: (inout [String: [UInt8]]) -> Void = { _ in }) throws -> EntryTable {
    var files = files
    change(&files)
    let folder = try TemporaryFolder()
    for (suffix, bytes) in files { try folder.write(bytes, to: "x.db" + suffix) }
    let reader = SQLiteTableReader(
      table: schema.table, keyColumn: schema.key, valueColumn: schema.value)
    return reader.read(try reader.discover(at: folder.path.appending("x.db")))
  }
}

extension PastRecord {
  /// The row that the record was, if its value is known.
  var row: RandomDatabase.Row? { value.map { RandomDatabase.Row(key: key.bytes, value: $0) } }
}
