import ExchangeFormats
import Foundation
import GRDB
import KVBytes
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading databases with unexpected cells, schemas or folders.
struct SQLiteHostileTests {
  private let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")

  private func read(_ sql: String) throws -> EntryTable {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, sql)
    let bytes = try folder.bytes(of: "x.db")
    let table = reader.read(try reader.discover(at: path))
    #expect(try folder.names() == ["x.db"])
    #expect(try folder.bytes(of: "x.db") == bytes)
    return table
  }

  private func make(_ path: FilePath, _ sql: String) throws {
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test func everyCellIsReadAsItIs() throws {
    let table = try read(
      """
      CREATE TABLE t(k, v);
      INSERT INTO t VALUES
        ('a' || char(0) || 'b', 'x' || char(0)), ('a', char(0)), ('empty text', ''),
        ('empty blob', x''), ('null', NULL), (x'00', x'00ff00'),
        ('least', -9223372036854775808), ('greatest', 9223372036854775807),
        ('infinite', 9e999), ('no number', 9e999 - 9e999), ('minus zero', -0.0),
        ('malformed', CAST(x'c3280041' AS TEXT)), (CAST(x'ff00' AS TEXT), 1);
      """)
    #expect(table.findings.map(\.code) == ["sqlite.text"])
    let entries: [([UInt8], Value)] = [
      ([0x61, 0, 0x62], .string("x\u{0}")), ([0x61], .string("\u{0}")),
      (Array("empty text".utf8), .string("")), (Array("empty blob".utf8), .bytes([])),
      (Array("null".utf8), .null), ([0], .bytes([0, 0xff, 0])),
      (Array("least".utf8), .int64(.min)), (Array("greatest".utf8), .int64(.max)),
      (Array("infinite".utf8), .double(.infinity)), (Array("no number".utf8), .null),
      (Array("minus zero".utf8), .double(0)),
      (Array("malformed".utf8), .bytes([0xc3, 0x28, 0, 0x41])), ([0xff, 0], .int64(1)),
    ]
    #expect(table.entries.map(\.key.bytes) == entries.map(\.0))
    #expect(table.entries.map(\.value) == entries.map(\.1))
  }

  @Test(arguments: [("UTF-16le", "6100000062"), ("UTF-16be", "0061000000")])
  func halfAUnitIsNoText(_ encoding: String, _ bytes: String) throws {
    let table = try read(
      """
      PRAGMA encoding = '\(encoding)'; CREATE TABLE t(k, v);
      INSERT INTO t VALUES('k' || char(0), 'a' || char(0) || 'ü😀'), ('odd', CAST(x'\(bytes)' AS TEXT));
      """)
    #expect(table.entries.map(\.key.text) == ["k\u{0}", "odd"])
    #expect(table.entries.first?.value == .string("a\u{0}ü😀"))
    // SQLite may drop the odd byte when it writes.
    #expect(table.entries.count == 2)
  }

  @Test func everyCellIsWrittenAsItIs() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.sqlite")
    let values: [(Value, String)] = [
      (.string("a\u{0}b"), "text 610062"), (.string("\u{0}"), "text 00"), (.string(""), "text "),
      (.bytes([]), "blob "), (.bytes([0, 1]), "blob 0001"),
      (.int64(.min), "integer 2D39323233333732303336383534373735383038"),
      (.int64(.max), "integer 39323233333732303336383534373735383037"),
    ]
    let entries = values.enumerated().map {
      TypedEntry(key: Key([0x6b, 0, UInt8($0.offset)]), value: $0.element.0)
    }
    var files = PendingWrite(existing: .keep)
    let source = EntrySource(name: "x", formatName: "test", entries)
    try SQLiteFormat().write(source, to: path, into: &files)
    try files.commit()
    let queue = try DatabaseQueue(path: path.string)
    let cells = try queue.read {
      try String.fetchAll($0, sql: "SELECT typeof(value) || ' ' || hex(value) FROM entries")
    }
    #expect(cells == values.map(\.1))
    let keys = try queue.read { try String.fetchAll($0, sql: "SELECT hex(key) FROM entries") }
    #expect(keys == (0..<values.count).map { "6B000\($0)" })
    #expect(SQLiteFormat().read(try SQLiteFormat().discover(at: path)).entries == entries)
  }

  /// Schema rows that replace the row of an existing table.
  static let schemas = [
    "CREATE VIEW t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i FROM n) SELECT i k, i v FROM n",
    """
    CREATE VIEW t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i FROM n)
    SELECT i k, i v FROM n WHERE i > 0
    """,
    "CREATE VIRTUAL TABLE t USING fts5(k, v)", "CREATE VIRTUAL TABLE t USING rtree(k, v, w)",
    "CREATE VIRTUAL TABLE t USING none(k, v)",
    "CREATE TRIGGER t AFTER INSERT ON t BEGIN SELECT 1; END", "CREATE INDEX t ON t(k)",
    "CREATE TABLE t(k, v AS (v))", "CREATE TABLE u(k, v)",
    "CREATE TABLE t(k, v", "SELECT 1", "",
  ]

  @Test(arguments: schemas)
  func aSchemaThatLiesEnds(_ schema: String) throws {
    for kind in ["table", "view", "index", "trigger"] {
      let table = try read(
        """
        CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1), ('b', 2);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET type = '\(kind)', sql = '\(schema)' WHERE name = 't';
        """)
      #expect(!table.findings.isEmpty)
      #expect(table.indexedCount == 0)
      // The rows are there, if the statement describes them.
      #expect(table.entries.allSatisfy { !$0.origin.cautions.isEmpty })
    }
  }

  @Test("A table is found beside views, triggers, virtual tables and columns that are computed")
  func anOrdinarySchemaIsReadWithAllItHas() throws {
    let table = try read(
      """
      CREATE TABLE t(k PRIMARY KEY, g AS (k || k), v, s NOT NULL AS (v + 1) STORED, CHECK(v > 0));
      CREATE TABLE log(k);
      CREATE VIRTUAL TABLE f USING fts5(k);
      CREATE VIEW w AS SELECT * FROM t;
      CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.k); END;
      INSERT INTO t(k, v) VALUES('a', 1), ('b', 2);
      INSERT INTO f VALUES('a');
      """)
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.int64(1), .int64(2)])
  }

  @Test(arguments: [
    "k TEXT COLLATE mine, v", "k TEXT COLLATE mine PRIMARY KEY, v) WITHOUT ROWID --",
  ])
  func anOrderThatOnlyTheAppKnowsIsNoObstacle(_ columns: String) throws {
    let schema = "CREATE TABLE t(\(columns))"
    let table = try read(
      """
      \(schema.replacing(" COLLATE mine", with: ""))
      ; CREATE INDEX i ON t(k); INSERT INTO t VALUES('a', 1), ('b', 2);
      PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(schema)' WHERE name = 't';
      """)
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.int64(1), .int64(2)])
  }

  @Test("No expression of a schema makes a value that is longer than the files")
  func computedColumnsDoNotFillTheMemory() throws {
    let table = try read(
      """
      CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql =
        'CREATE TABLE t(k, v, g TEXT NOT NULL AS (hex(zeroblob(400000000))))' WHERE name = 't';
      """)
    #expect(table.findings.map(\.code) == ["sqlite.limit"])
    #expect(table.findings.first?.message.contains("too big") == true)
    #expect(table.entries.map(\.value) == [.int64(1)])
  }

  /// Tests a row that says it is longer than the file, in a table with a default: that is damage.
  @Test func aLengthBeyondTheFileIsDamage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(
      path, "CREATE TABLE t(k, v TEXT DEFAULT 'x'); INSERT INTO t VALUES('a', 'b'), ('c', 'd')")
    var bytes = try folder.bytes(of: "x.db")
    // The last cell of the second page: the size of the row, its id, the size of the header, and types.
    let cell = try #require(bytes[4096...].firstRange(of: [5, 1, 3, 15, 15])?.lowerBound)
    bytes.replaceSubrange(cell..<cell + 5, with: [0xff, 0xff, 0x7f, 1, 3])
    _ = try folder.write(bytes, to: "x.db")
    let table = reader.read(try reader.discover(at: path))
    #expect(table.findings.contains { $0.severity == .damage }, "\(table.findings)")
    #expect(!table.findings.contains { $0.code == "sqlite.limit" })
  }

  @Test func aLockOfTheAppIsNoObstacle() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, "CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1)")
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN EXCLUSIVE")
      let table = reader.read(try reader.discover(at: path))
      #expect(table.findings == [])
      #expect(table.entries.map(\.value) == [.int64(1)])
      try database.execute(sql: "ROLLBACK")
    }
  }

  @Test func aFolderThatMayNotBeWrittenToIsRead() throws {
    let folder = try TemporaryFolder()
    let store = folder.path.appending("store")
    try Folder.make(store)
    let path = store.appending("x.db")
    try make(
      path, "PRAGMA journal_mode = WAL; CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1)")
    func allow(_ mode: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.string)
    }
    try allow(0o555)
    let table = reader.read(try reader.discover(at: path))
    try allow(0o755)
    #expect(table.findings.map(\.code) == ["sqlite.wal-missing"])
    #expect(table.entries.map(\.value) == [.int64(1)])
    #expect(try Folder.names(in: store) == ["x.db"])
  }
}
