import ExchangeFormats
import GRDB
import KVInput
import KVModel
import KVTestSupport
import SystemPackage
import Testing

/// Rows of pages that SQLite does not reach, or reaches where it should not.
struct CutOffRowTests {
  private static let pageSize = 1024
  private let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")

  /// Returns the files of a database that was made with `sql`, by what follows their name, and the
  /// first pages of the tables `t` and `u`.
  private func made(_ sql: String) throws -> (files: [String: [UInt8]], roots: [Int]) {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    let made = try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = \(Self.pageSize); CREATE TABLE t(k TEXT, v TEXT);
          CREATE TABLE u(k TEXT, v TEXT); \(sql)
          """)
      let roots = try Int.fetchAll(
        database, sql: "SELECT rootpage FROM sqlite_schema ORDER BY name")
      let files = try ["", "-wal"].filter { try folder.names().contains("x.db" + $0) }
        .map { ($0, try folder.bytes(of: "x.db" + $0)) }
      return (Dictionary(uniqueKeysWithValues: files), roots)
    }
    try queue.close()
    return made
  }

  private func read(_ files: [String: [UInt8]]) throws -> EntryTable {
    let folder = try TemporaryFolder()
    for (suffix, bytes) in files { try folder.write(bytes, to: "x.db" + suffix) }
    return reader.read(try reader.discover(at: folder.path.appending("x.db")))
  }

  private func rows(_ table: String, _ count: Int) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
    INSERT INTO \(table) SELECT '\(table)' || i, printf('%080d', i) FROM n;
    """
  }

  private static func zeroed(_ bytes: [UInt8], page: Int) -> [UInt8] {
    var bytes = bytes
    let range = (page - 1) * pageSize..<page * pageSize
    bytes.replaceSubrange(range, with: repeatElement(0, count: pageSize))
    return bytes
  }

  /// The offset of the last pointer to a child in the interior page `number`.
  private static func lastPointer(ofPage number: Int) -> Int { (number - 1) * pageSize + 8 }

  @Test func rowsThatWereCommittedToTheLogAreThoseOfToday() throws {
    var (files, roots) = try made(
      """
      DROP TABLE u; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \(rows("t", 200))
      PRAGMA wal_checkpoint; UPDATE t SET v = 'a' || substr(v, 2) WHERE rowid % 3 = 0;
      UPDATE t SET v = 'b' || substr(v, 2) WHERE rowid % 9 = 0;
      """)
    files[""] = files[""].map { Self.zeroed($0, page: roots[0]) }
    let table = try read(files)
    #expect(table.entries.count == 200 && table.strayCount == 200)
    #expect(table.entries.allSatisfy { !$0.origin.cautions.isEmpty })
    for entry in table.entries {
      guard case .string(let text) = entry.value,
        let row = entry.key.text.flatMap({ Int($0.dropFirst()) }).map({ $0 + 1 })
      else {
        Issue.record("\(entry)")
        continue
      }
      #expect(text.first == (row % 9 == 0 ? "b" : row % 3 == 0 ? "a" : "0"), "\(row): \(text)")
    }
  }

  @Test func whereAPointerLeadsAstrayNoRowIsWithoutACaution() throws {
    let (files, roots) = try made(rows("t", 200) + rows("u", 200))
    var bytes = try #require(files[""])
    let (own, other) = (Self.lastPointer(ofPage: roots[0]), Self.lastPointer(ofPage: roots[1]))
    bytes.replaceSubrange(own..<own + 4, with: bytes[other..<other + 4])
    let table = try read(["": bytes])
    #expect(table.verdict == .damaged && !table.isRefused)
    #expect(table.findings.contains { $0.code == "sqlite.shared-page" })
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "x.db")
    let wcdb = WCDBReader(reading: reader)
    let same = wcdb.read(try wcdb.discover(at: folder.path.appending("x.db")))
    for table in [table, same] {
      #expect(table.entries.contains { $0.key.text?.first == "u" })
      #expect(table.entries.allSatisfy { !$0.origin.cautions.isEmpty })
    }
  }

  @Test func pagesThatMayBeOfEitherTableAreOfNone() throws {
    let (files, roots) = try made(rows("t", 200) + rows("u", 200))
    let bytes = try #require(files[""])
    let both = roots.reduce(bytes) { Self.zeroed($0, page: $1) }
    let table = try read(["": both])
    #expect(table.verdict == .damaged && table.entries.isEmpty)
    let past = table.past?() ?? []
    #expect(past.count == 400 && past.allSatisfy { $0.area == "lost-page" })
    // The tree of the other table is whole, so that no page of it is free for the first.
    let single = try read(["": Self.zeroed(bytes, page: roots[0])])
    #expect(single.entries.allSatisfy { $0.key.text?.first == "t" })
  }

  @Test func pagesOfTheOnlyTableAreFound() throws {
    let (files, roots) = try made("DROP TABLE u; \(rows("t", 200))")
    let table = try read(["": Self.zeroed(try #require(files[""]), page: roots[0])])
    #expect(table.entries.count == 200 && table.strayCount == 200)
    #expect(table.entries.allSatisfy { $0.origin.cautions == [.mayBeStale] })
  }
}
