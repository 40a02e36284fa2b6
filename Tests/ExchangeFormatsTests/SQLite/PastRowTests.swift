import ExchangeFormats
import Foundation
import GRDB
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVTestSupport
import SystemPackage
import Testing

/// Rows that are no longer in their table.
struct PastRowTests {
  private static let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")

  /// Returns the table `t` of the database that `sql` makes, as it is before it is closed.
  private func read(_ sql: String) throws -> EntryTable {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    return try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA secure_delete = OFF; " + sql)
      return Self.reader.read(try Self.reader.discover(at: folder.path.appending("x.db")))
    }
  }

  private static let creation = "CREATE TABLE t(k TEXT PRIMARY KEY, v TEXT);"
  private static let rows = """
    WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
    INSERT INTO t SELECT 'key' || i, 'value ' || i FROM n;
    """

  @Test("Most removed rows are found, hardly any that were never there, and none that still are")
  func randomDatabases() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    var (readable, found, told, invented) = (0, 0, 0, 0)
    for ordinal in 0..<TestExtent.count(2, of: 20) * RandomDatabase.schemas.count {
      let database = try RandomDatabase(ordinal % RandomDatabase.schemas.count, &random)
      let table = try database.read()
      #expect(
        Set(table.entries.map { RandomDatabase.Row(key: $0.key.bytes, value: $0.value) })
          == database.live)
      let past = table.past?() ?? []
      let rows = Set(past.compactMap(\.row))
      #expect(rows.count == past.count)
      #expect(rows.isDisjoint(with: database.live))
      readable += database.readable.count
      found += database.readable.intersection(rows).count
      told += rows.count
      invented += rows.subtracting(database.written).count
    }
    #expect(readable > 500)
    #expect(Double(found) >= 0.85 * Double(readable), "\(found) of \(readable)")
    #expect(Double(invented) <= 0.03 * Double(told), "\(invented) of \(told)")
  }

  @Test("A row says where it is, and what became of its key")
  func places() throws {
    let table = try read(
      """
      PRAGMA journal_mode = PERSIST; \(Self.creation)
      INSERT INTO t VALUES('one', 'first'), ('two', 'second'), ('three', 'third'), ('four', 'x');
      DELETE FROM t WHERE k = 'two'; UPDATE t SET v = 'third again' WHERE k = 'three';
      """)
    let past = table.past?() ?? []
    let names = past.map { "\($0.key.text ?? "") \($0.state)" }
    #expect(Set(names) == ["two removed", "three superseded"])
    for record in past {
      let place = try #require(record.origin.place)
      let file = try #require(table.files.first { $0.index == place.extent.index })
      #expect(record.page == 2)
      #expect(
        file.image.bytes(in: place.extent.range).firstRange(of: record.key.bytes) != nil)
    }
  }

  @Test(
    "Rows are found in each kind of place",
    arguments: [
      ("DELETE FROM t WHERE k = 'key150'", "freeblock", 1),
      ("DELETE FROM t", "free-page", 100),
      ("PRAGMA journal_mode = PERSIST; DELETE FROM t WHERE k = 'key150'", "journal", 1),
      ("PRAGMA journal_mode = WAL; UPDATE t SET v = 'a'; DELETE FROM t", "wal-frame", 200),
    ])
  func areas(_ change: String, _ area: String, _ count: Int) throws {
    let table = try read("PRAGMA page_size = 1024; \(Self.creation) \(Self.rows) \(change)")
    let past = table.past?() ?? []
    #expect(past.count { $0.area == area } >= count, "\(past.map(\.area))")
    #expect(past.allSatisfy { $0.key.text?.hasPrefix("key") ?? false })
  }

  @Test func aLongRowIsReadFromItsOverflowPages() throws {
    let table = try read(
      """
      PRAGMA page_size = 512; \(Self.creation)
      INSERT INTO t VALUES('a', 'b'), ('long', printf('%03000d', 7)); DELETE FROM t WHERE k = 'long';
      """)
    // The first free page has a list of the others, and its own content is lost.
    #expect(table.past?().allSatisfy { $0.key.text != "long" } == true)
    let logged = try read(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = WAL; \(Self.creation)
      INSERT INTO t VALUES('a', 'b'), ('long', printf('%03000d', 7)); DELETE FROM t WHERE k = 'long';
      """)
    let long = logged.past?().first { $0.key.text == "long" }
    #expect(long?.value == .string(String(repeating: "0", count: 2999) + "7"))
    #expect(long?.state == .removed)
    #expect(long?.origin.evidence == .structure)
  }

  @Test(
    "A row from before a column was added has its default, and is no former one of itself",
    arguments: [
      ("TEXT DEFAULT 'standard'", .string("standard")), ("TEXT DEFAULT 5", .string("5")),
      ("INTEGER NOT NULL DEFAULT '-5'", .int64(-5)), ("REAL DEFAULT 5", .double(5)),
      ("DEFAULT word", .string("word")), ("BLOB DEFAULT x'00ff'", .bytes([0, 255])),
      ("TEXT", .null), ("TEXT DEFAULT NULL", .null),
    ] as [(String, Value)], ["", " WITHOUT ROWID"])
  func addedColumns(_ column: (type: String, value: Value), _ option: String) throws {
    let creation = """
      CREATE TABLE t(k TEXT PRIMARY KEY)\(option); INSERT INTO t VALUES('a'), ('b');
      ALTER TABLE t ADD COLUMN v \(column.type);
      """
    let table = try read(creation)
    #expect(table.entries.map(\.value) == [column.value, column.value])
    #expect(table.past?().map(\.key.text) == [])
    let logged = try read("PRAGMA journal_mode = WAL; \(creation) DELETE FROM t WHERE k = 'b'")
    #expect(logged.past?().map(\.key.text) == ["b"])
    #expect(logged.past?().map(\.value) == [column.value])
  }

  @Test("Rows of another table with the same columns are not those of the table")
  func otherTables() throws {
    let table = try read(
      """
      \(Self.creation) CREATE TABLE o(k TEXT PRIMARY KEY, v TEXT);
      INSERT INTO o VALUES('other', 'row'), ('still', 'there'); DELETE FROM o WHERE k = 'other';
      INSERT INTO t VALUES('a', 'b'), ('c', 'd'); DELETE FROM t WHERE k = 'a';
      """)
    #expect(table.past?().map(\.key.text) == ["a"])
  }

  // MARK: Damage

  @Test("Without its first page, or cut off, a database still has the rows of its whole pages")
  func damage() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    let size = 1024
    for ordinal in [0, 3, 4] {
      var database = try RandomDatabase(ordinal, &random)
      while database.files["-wal"] != nil || database.live.count < 30
        || database.files[""].map({ Int($0[16]) << 8 | Int($0[17]) }) != size
      {
        database = try RandomDatabase(ordinal, &random)
      }
      let rows = { (table: EntryTable) in
        Set(table.entries.map { RandomDatabase.Row(key: $0.key.bytes, value: $0.value) })
          .union((table.past?() ?? []).compactMap(\.row))
      }
      let cut = try database.read { files in
        files[""] = files[""].map { Array($0.dropLast($0.count / size / 3 * size)) }
      }
      #expect(cut.verdict == .damaged)
      let bytes = Data((database.files[""] ?? []).prefix(cut.files[0].image.count))
      let whole = database.live.filter { row in
        guard case .string(let text) = row.value else { return false }
        return text.utf8.count < 200 && bytes.range(of: Data(row.key + Array(text.utf8))) != nil
      }
      #expect(whole.isSubset(of: rows(cut)))
    }
  }

  @Test("AsyncStorage's rows are found although the whole first page is lost")
  func lostSchema() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("RKStorage")
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 1024; \(RandomDatabase.schemas[0].creation);
          WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
          INSERT INTO catalystLocalStorage SELECT 'key' || i, '[' || i || ']' FROM n;
          """)
    }
    try queue.close()
    var bytes = try folder.bytes(of: "RKStorage")
    bytes.replaceSubrange(0..<1024, with: repeatElement(0, count: 1024))
    try folder.write(bytes, to: "RKStorage")
    let reader = AsyncStorageReader()
    let table = reader.read(try reader.discover(at: path))
    #expect(table.indexedCount == 0 && table.past?() == [])
    #expect(Set(table.entries.map(\.key.text)) == Set((100..<300).map { "key\($0)" }))
    #expect(table.entries.allSatisfy { $0.origin.evidence == .structure })
    #expect(table.entries.allSatisfy { $0.origin.cautions == [.mayBeStale] })
  }

  @Test("No changed byte of a database makes the reader trap, or tell a row outside of the files")
  func anyChangedByteIsNoTrap() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    for journal in ["PERSIST", "WAL"] {
      let folder = try TemporaryFolder()
      let path = folder.path.appending("x.db")
      let queue = try DatabaseQueue(path: path.string)
      let files = try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: """
            PRAGMA secure_delete = OFF; PRAGMA page_size = 512; PRAGMA journal_mode = \(journal);
            \(Self.creation) \(Self.rows) DELETE FROM t WHERE rowid > 40;
            UPDATE t SET v = printf('%0900d', rowid) WHERE rowid % 9 = 0; DELETE FROM t WHERE rowid < 9
            """)
        return try ["x.db", "x.db-wal", "x.db-journal"].filter(try folder.names().contains)
          .map { ($0, try folder.bytes(of: $0)) }
      }
      try queue.close()
      for _ in 0..<60 {
        for (name, bytes) in files {
          var bytes = bytes
          for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            // Headers are near the starts of pages.
            let page = Bool.random(using: &random) ? 512 : 1
            let start = page * Int.random(in: 0..<bytes.count / page, using: &random)
            let offset = start + (page > 1 ? Int.random(in: 0..<110, using: &random) : 0)
            bytes[min(offset, bytes.count - 1)] = .random(in: 0...255, using: &random)
          }
          try folder.write(bytes, to: name)
        }
        let table = Self.reader.read(try Self.reader.discover(at: path))
        for record in table.past?() ?? [] {
          let place = try #require(record.origin.place)
          let file = try #require(table.files.first { $0.index == place.extent.index })
          #expect(place.extent.end <= file.image.count)
        }
      }
    }
  }

  @Test("Free pages and overflow pages that form a loop end")
  func loops() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA secure_delete = OFF; PRAGMA page_size = 512; \(Self.creation) \(Self.rows)
          INSERT INTO t VALUES('long', printf('%09000d', 7)); DELETE FROM t
          """)
    }
    try queue.close()
    let bytes = try folder.bytes(of: "x.db")
    for page in 1..<bytes.count / 512 {
      var changed = bytes
      // The number of the next trunk or overflow page becomes that of the page itself.
      changed.replaceSubrange(
        512 * page..<512 * page + 4, with: [0, 0, UInt8((page + 1) >> 8), UInt8((page + 1) & 0xff)])
      try folder.write(changed, to: "x.db")
      let table = Self.reader.read(try Self.reader.discover(at: path))
      #expect((table.past?() ?? []).allSatisfy { $0.page <= bytes.count / 512 })
    }
  }
}
