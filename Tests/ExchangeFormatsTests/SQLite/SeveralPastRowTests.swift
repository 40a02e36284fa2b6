import ExchangeFormats
import GRDB
import KVInput
import KVModel
import KVTestSupport
import SystemPackage
import Testing

/// Several removed rows of one page, rows on either side of a limit, and pages that are used again.
struct SeveralPastRowTests {
  private static let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")

  /// Returns what is left of former rows of the table `t` in the database that `sql` makes.
  private func past(_ sql: String) throws -> [PastRecord] {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    let queue = try DatabaseQueue(path: path.string)
    return try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA secure_delete = OFF; " + sql)
      return Self.reader.read(try Self.reader.discover(at: path)).past?() ?? []
    }
  }

  private static func text(_ count: Int, _ letter: String) -> String {
    String(repeating: letter, count: count)
  }

  /// Tests rows as long as a page just holds, and some bytes longer, which have overflow pages; in an
  /// index, which the rows of a table without row IDs are in, the limit is lower.
  @Test(arguments: ["", "WITHOUT ROWID"], [512, 4096])
  func rowsOnEitherSideOfTheLimitOfAPageAreFound(form: String, size: Int) throws {
    let limits = [size - 35, (size - 12) * 64 / 255 - 23]
    let counts = limits.flatMap { $0 - 12..<$0 + 4 } + [size / 2, size, 2 * size + 77]
    let rows = counts.map { "('k\($0)', '\(Self.text($0, "v"))')" }.joined(separator: ", ")
    let past = try past(
      """
      PRAGMA page_size = \(size); PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE t(k TEXT PRIMARY KEY, v TEXT) \(form); INSERT INTO t VALUES \(rows); DELETE FROM t;
      """)
    let found = Dictionary(past.map { ($0.key.text ?? "", $0.value) }) { $1 }
    for count in counts {
      #expect(found["k\(count)"] == .string(Self.text(count, "v")), "\(count)")
    }
    #expect(past.count == counts.count)
    #expect(past.allSatisfy { $0.state == .removed && $0.origin.evidence == .structure })
  }

  /// Tests that each of several freed cells of a page is known to be one.
  @Test(arguments: [["b"], ["b", "e"], ["c", "f", "i"], ["b", "d", "f", "h"]])
  func eachFreedCellOfAPageIsListed(removed: [String]) throws {
    let rows = "abcdefghij".map { "('\($0)', 'value of \($0)')" }.joined(separator: ", ")
    let names = removed.map { "'\($0)'" }.joined(separator: ", ")
    let past = try past(
      """
      CREATE TABLE t(k TEXT, v TEXT); INSERT INTO t VALUES \(rows);
      DELETE FROM t WHERE k IN (\(names));
      """)
    #expect(past.compactMap(\.key.text).sorted() == removed)
    #expect(past.allSatisfy { $0.area == "freeblock" }, "\(past.map(\.area))")
    #expect(past.allSatisfy { $0.value == .string("value of \($0.key.text ?? "")") })
  }

  /// Tests removed rows with overflow pages that are free and not used again, whatever the numbers of
  /// these pages are: at the end of a cell, a number can look like a freed cell.
  @Test(arguments: 0...5, [559, 1500])
  func aLongRowIsFoundWhateverItsOverflowPageIs(fillerCount: Int, count: Int) throws {
    let fillers = (0..<fillerCount).map { "CREATE TABLE f\($0)(x INTEGER);" }.joined()
    let past = try past(
      """
      PRAGMA page_size = 512; CREATE TABLE t(k TEXT, v TEXT); \(fillers)
      CREATE TABLE last(x INTEGER); INSERT INTO t VALUES('long', '\(Self.text(count, "a"))');
      INSERT INTO t VALUES('other', 'x'); DROP TABLE last; DELETE FROM t WHERE k = 'long';
      """)
    #expect(past.map(\.key.text) == ["long"])
    #expect(past.first?.value == .string(Self.text(count, "a")))
  }

  /// Tests that an overflow page which another row has now, of this table or another one, is none of the
  /// removed row.
  @Test(arguments: ["t", "u"], 1...2)
  func aPageThatIsUsedAgainIsNoPartOfARemovedRow(table: String, between count: Int) throws {
    // Both rows have one overflow page. The newer one has more bytes in its first page, so that it does
    // not overwrite the other one there.
    let usable = 512
    let least = (usable - 12) * 32 / 255 - 23
    let (old, new) = (least + usable - 4 + 20 - 8, least + usable - 4 + 260 - 9)
    let others = (0..<count).map { "INSERT INTO t VALUES('other\($0)', 'x');" }.joined()
    let past = try past(
      """
      PRAGMA page_size = \(usable); CREATE TABLE t(k TEXT, v TEXT); CREATE TABLE u(v TEXT, k INTEGER);
      INSERT INTO t VALUES('long', '\(Self.text(old, "a"))'); \(others)
      DELETE FROM t WHERE k = 'long'; INSERT INTO \(table)(v) VALUES('\(Self.text(new, "b"))');
      """)
    #expect(past.isEmpty, "\(past)")
  }

  /// Tests that removed texts are found whatever type their columns declare, if texts fit it.
  ///
  /// The rows are so long that SQLite overwrites no type.
  @Test(arguments: ["TEXT", "VARCHAR(20)", "CLOB", "STRING", "NUMERIC", "DATETIME", "BLOB", ""])
  func textsOfColumnsOfEachTypeAreFound(type: String) throws {
    let rows = "abcde".map { "('key\($0)', '\(Self.text(150, "\($0)"))')" }.joined(separator: ", ")
    let past = try past(
      """
      CREATE TABLE t(k \(type), v \(type)); INSERT INTO t VALUES \(rows);
      DELETE FROM t WHERE k IN ('keyb', 'keyd');
      """)
    #expect(past.compactMap(\.key.text).sorted() == ["keyb", "keyd"])
    #expect(
      Set(past.map(\.value)) == [.string(Self.text(150, "b")), .string(Self.text(150, "d"))])
  }
}
