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

/// Reading the tables of other programs.
struct SQLiteTableReaderTests {
  private func read(_ sql: String, _ reader: SQLiteTableReader) throws -> EntryTable {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.sqlite3").string)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == 10)
    return reader.read(files)
  }

  @Test func storageClassesBecomeTypes() throws {
    let table = try read(
      """
      CREATE TABLE "my ""table"(id INTEGER PRIMARY KEY, "the key" TEXT, "select" );
      INSERT INTO "my ""table"("the key", "select") VALUES
        ('a', 5), ('b', 1.5), ('c', 'x' || char(0) || 'y'), ('a', x'00ff'), (x'ff', NULL),
        ('', CAST('bplist00' AS BLOB)), ('e', x'');
      """,
      SQLiteTableReader(table: "MY \"table", keyColumn: "The Key", valueColumn: "select"))
    #expect(table.findings.map(\.code) == ["sqlite.duplicate-key"])
    #expect(table.findings.first?.losesContent == true)
    #expect(
      table.entries.map(\.key.bytes) == [[98], [99], [97], [255], [], [101]])
    #expect(
      table.entries.map(\.value) == [
        .double(1.5), .string("x\u{0}y"), .bytes([0, 255]), .null,
        .keyedArchive(className: nil, Array("bplist00".utf8)), .bytes([]),
      ])
  }

  /// SQLite refuses every table of a database whose schema it does not trust, if one index uses a
  /// JSON function.
  @Test(arguments: ["json_extract(x, '$.a')", "x ->> 'a'", "json_valid(x)"])
  func anIndexWithAJSONFunctionIsNoDamage(_ expression: String) throws {
    let table = try read(
      """
      CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1);
      CREATE TABLE o(x); INSERT INTO o VALUES('{"a":1}'); CREATE INDEX i ON o(\(expression));
      """, SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.int64(1)])
  }

  /// Rows do not store what SQLite adds to them, which may be longer than the whole file.
  @Test(arguments: [
    "ALTER TABLE t ADD COLUMN v TEXT NOT NULL DEFAULT '\(String(repeating: "default", count: 300))'",
    "ALTER TABLE t ADD COLUMN v TEXT AS (k || '\(String(repeating: "generated", count: 100))')",
  ])
  func rowsMayBeLongerThanTheFile(_ column: String) throws {
    let table = try read(
      """
      CREATE TABLE t(k);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t SELECT 'key' || i FROM n;
      \(column);
      """, SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings == [])
    #expect(table.entries.count == 2000)
    #expect(
      table.entries.allSatisfy {
        guard case .string(let text) = $0.value else { return false }
        return text.utf8.count > 900 && $0.origin.cautions.isEmpty
      })
  }

  /// Tests that what SQLite computes cannot fill the memory, and that this is no damage.
  @Test func whatIsComputedHasALimit() throws {
    let table = try read(
      """
      CREATE TABLE t(k, v AS (hex(zeroblob(100000)) || k));
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO t SELECT 'key' || i FROM n;
      """, SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings.map(\.code) == ["sqlite.limit"])
    #expect(table.findings.first?.losesContent == true)
    #expect(table.verdict == .clean && !table.isRefused)
    #expect((50..<200).contains(table.entries.count), "\(table.entries.count)")
  }

  /// Tests texts that are equal to Swift, but not to SQLite, one after the other.
  @Test func equalTextsOfDifferentBytesStayApart() throws {
    let table = try read(
      """
      CREATE TABLE t(k, v DEFAULT 'e\u{301}'); INSERT INTO t VALUES('a', 'e\u{301}');
      INSERT INTO t VALUES('b', '\u{e9}'); INSERT INTO t(k) VALUES('c');
      """, SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    let texts = table.entries.map { entry -> [UInt8] in
      guard case .string(let text) = entry.value else { return [] }
      return Array(text.utf8)
    }
    #expect(texts == [Array("e\u{301}".utf8), Array("\u{e9}".utf8), Array("e\u{301}".utf8)])
  }

  @Test(arguments: ["VIRTUAL", "STORED"])
  func generatedColumnsAreRead(_ storage: String) throws {
    let table = try read(
      """
      CREATE TABLE t(k, x, v GENERATED ALWAYS AS (x * 2) \(storage));
      INSERT INTO t(k, x) VALUES('a', 4);
      """, SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.int64(8)])
  }

  @Test(arguments: ["t\u{e9}", "te\u{301}"])
  func aNameIsThatOfTheSameBytes(_ name: String) throws {
    let both = """
      CREATE TABLE "t\u{e9}"(k, "t\u{e9}", "te\u{301}"); CREATE TABLE "te\u{301}"(k, "\(name)");
      INSERT INTO "t\u{e9}" VALUES('a', 'one', 'two'); INSERT INTO "te\u{301}" VALUES('b', 'three');
      """
    let column = try read(
      both, SQLiteTableReader(table: "T\u{e9}", keyColumn: "K", valueColumn: name))
    let isOne = name.unicodeScalars.count == 2
    #expect(column.entries.map(\.value) == [.string(isOne ? "one" : "two")])
    let table = try read(both, SQLiteTableReader(table: name, keyColumn: "k", valueColumn: name))
    #expect(table.entries.map(\.key.text) == [isOne ? "a" : "b"])
    let other = isOne ? "te\u{301}" : "t\u{e9}"
    for (table, column) in [(other, "v"), ("x", other)] {
      let found = try read(
        "CREATE TABLE \"\(name)\"(k, v); CREATE TABLE x(k, \"\(name)\");",
        SQLiteTableReader(table: table, keyColumn: "k", valueColumn: column))
      #expect(found.findings.map(\.code) == ["sqlite.no-table"])
    }
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func textIsReadInEveryEncoding(_ encoding: String) throws {
    let table = try read(
      """
      PRAGMA encoding = '\(encoding)'; CREATE TABLE t(k PRIMARY KEY, v) WITHOUT ROWID;
      INSERT INTO t VALUES('ü😀', 'é'), ('z', CAST(x'd8d8d8d8' AS TEXT));
      """, SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings.map(\.code) == ["sqlite.text"])
    #expect(
      table.entries.contains(TypedEntry(key: Key(Array("ü😀".utf8)), value: .string("é"))))
    #expect(table.entries.first { $0.key.text == "z" }?.value.kind == .bytes)
  }

  @Test func keysThatAreNumbersAreAnOrdinarySchema() throws {
    let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")
    let rows = "INSERT INTO t VALUES(-7, 'a'), (0, 'b'), (9223372036854775807, 'c')"
    for schema in ["k INTEGER PRIMARY KEY, v", "k INT, v", "k, v", "k INTEGER UNIQUE, v"] {
      let table = try read("CREATE TABLE t(\(schema)); \(rows)", reader)
      #expect(table.findings == [], "\(schema)")
      #expect(table.entries.map(\.key.text) == ["-7", "0", "9223372036854775807"], "\(schema)")
    }
    let real = try read(
      "CREATE TABLE t(k REAL, v); INSERT INTO t VALUES(1.5, 1), (2, 2), (0.1 + 0.2, 3)", reader)
    #expect(real.findings == [])
    #expect(real.entries.map(\.key.text) == ["1.5", "2.0", "0.30000000000000004"])
  }

  @Test func aNumberAndItsTextAreOneKeyAndThatIsReported() throws {
    let table = try read(
      "CREATE TABLE t(k, v); INSERT INTO t VALUES(3, 'a'), ('3', 'b')",
      SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings.map(\.code) == ["sqlite.duplicate-key"])
    #expect(table.findings.first?.losesContent == true)
  }

  @Test func aKeyThatIsNullIsReportedAndLeftOut() throws {
    let table = try read(
      "CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1), (NULL, 2), (3, 3)",
      SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"))
    #expect(table.findings.map(\.code) == ["sqlite.null-key"])
    #expect(table.findings.first?.message.hasSuffix("the first is row 2") == true)
    #expect(table.findings.first?.severity == .warning)
    #expect(table.findings.first?.losesContent == true)
    #expect(table.entries.map(\.value) == [.int64(1), .int64(3)])
  }

  @Test(arguments: [
    ("x", "k", "v", "the tables are t, u"), ("t", "q", "v", "its columns are k, v"),
    ("w", "k", "v", "the tables are t, u"),
    ("sqlite_schema", "name", "sql", "the tables are t, u"),
    ("t\u{0}", "k", "v", "the tables are t, u"),
  ])
  func whatIsMissingIsReportedWithWhatThereIs(
    _ table: String, _ key: String, _ value: String, _ words: String
  ) throws {
    let table = try read(
      """
      CREATE TABLE t(k, v); CREATE TABLE u(k, v);
      CREATE VIEW w AS
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i FROM n) SELECT i AS k, i AS v FROM n;
      """, SQLiteTableReader(table: table, keyColumn: key, valueColumn: value))
    #expect(table.findings.map(\.code) == ["sqlite.no-table"])
    #expect(table.findings.first?.message.hasSuffix(words) == true)
    #expect(table.entries == [])
  }
}
