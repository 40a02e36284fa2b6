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

/// Reading damaged, unfinished and unusual databases, without changing the evidence.
struct SQLiteDamageTests {
  private let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")

  private func make(_ path: FilePath, _ sql: String) throws {
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// The SQL for a table of 200 rows on many pages.
  private let rows = """
    PRAGMA page_size = 512;
    CREATE TABLE t(k TEXT, v);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
    INSERT INTO t SELECT 'key' || i, printf('%0100d', i) FROM n;
    """

  /// Overwrites the page in the middle of a database, and returns the bytes of the file.
  @discardableResult
  private func overwriteAPage(
    of name: String, in folder: borrowing TemporaryFolder
  ) throws -> [UInt8] {
    var bytes = try folder.bytes(of: name)
    let middle = bytes.count / 1024 * 512
    for offset in middle..<middle + 512 { bytes[offset] = 0xff }
    try folder.write(bytes, to: name)
    return bytes
  }

  @Test func rowsBeforeAndAfterTheDamageAreRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    let bytes = try overwriteAPage(of: "x.db", in: folder)
    let table = reader.read(try reader.discover(at: folder.path))
    #expect(table.findings.contains { $0.code == "sqlite.check" })
    let corruption = table.findings.filter { $0.code == "sqlite.corrupt" }
    #expect(corruption.count == 1)
    // Only the rows of the page with the damage are lost.
    let keys = table.entries.compactMap(\.key.text)
    let lost = (0..<200).filter { !keys.contains("key\($0)") }
    #expect((1..<20).contains(lost.count) && keys.count == 200 - lost.count)
    #expect(lost == Array((lost.first ?? 0)...(lost.last ?? 0)))
    let words =
      "\(lost.first ?? 0) rows of \"t\" were read, and \(199 - (lost.last ?? 0)) after the damage"
    #expect(corruption.first?.message.hasSuffix(words) == true, "\(corruption.map(\.message))")
    #expect(try folder.bytes(of: "x.db") == bytes)
  }

  /// Tests that zeros at the end of a text are doubted in a damaged database, and in no other.
  @Test func zerosAtTheEndOfATextAreDoubtedBesideDamage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows + "INSERT INTO t VALUES('zeros', CAST(x'616200' AS TEXT));")
    let healthy = reader.read(try reader.discover(at: folder.path))
    #expect(healthy.findings == [] && healthy.entries.count == 201)
    #expect(healthy.entries.allSatisfy { $0.origin.cautions.isEmpty })
    try overwriteAPage(of: "x.db", in: folder)
    let damaged = reader.read(try reader.discover(at: folder.path))
    #expect(damaged.findings.contains { $0.code == "value.trailing-zeros" })
    let doubted = damaged.entries.filter { !$0.origin.cautions.isEmpty }
    #expect(doubted.map(\.key.text) == ["zeros"])
  }

  /// Tests that what SQLite says of several pages is one line.
  @Test func aMessageOfSQLiteIsOneLine() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    var bytes = try folder.bytes(of: "x.db")
    // The list of free pages names one that does not exist.
    bytes.replaceSubrange(32..<40, with: [0, 0, 0x7f, 0, 0, 0, 0, 9])
    try folder.write(bytes, to: "x.db")
    let table = reader.read(try reader.discover(at: folder.path))
    let messages = table.findings.filter { $0.code == "sqlite.check" }.map(\.message)
    #expect(!messages.isEmpty)
    for message in messages {
      #expect(!message.contains(where: \.isNewline) && !message.contains("***"), "\(message)")
      #expect(message.contains("age "), "\(message)")
    }
  }

  @Test func everyPrefixIsReadWithoutTrapping() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    let bytes = try folder.bytes(of: "x.db")
    for count in stride(from: 1, to: bytes.count, by: 257) {
      try folder.write(Array(bytes.prefix(count)), to: "x.db")
      let table = reader.read(try reader.discover(at: path))
      #expect(!table.findings.isEmpty, "\(count) bytes")
    }
  }

  @Test func everyByteMayBeChangedWithoutTrapping() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(
      path,
      "PRAGMA page_size = 512; CREATE TABLE t(k, v); INSERT INTO t VALUES('k', 1), (x'00', 'ab')")
    let bytes = try folder.bytes(of: "x.db")
    for offset in bytes.indices where bytes[offset] != 0 || offset.isMultiple(of: 16) {
      for mask in [0x01, 0x80, 0xff] as [UInt8] {
        var changed = bytes
        changed[offset] ^= mask
        try folder.write(changed, to: "x.db")
        _ = reader.read(try reader.discover(at: path))
      }
    }
  }

  @Test func rowsThatSharePagesAreNotReadForEver() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    var bytes = try folder.bytes(of: "x.db")
    // The root of the table is page 2, an interior page. All its children become the first one.
    let root = 512
    #expect(bytes[root] == 5)
    let cells = Int(bytes[root + 3]) << 8 | Int(bytes[root + 4])
    func cell(_ ordinal: Int) -> Int {
      root + (Int(bytes[root + 12 + 2 * ordinal]) << 8 | Int(bytes[root + 13 + 2 * ordinal]))
    }
    for ordinal in 1..<cells {
      for byte in 0..<4 { bytes[cell(ordinal) + byte] = bytes[cell(0) + byte] }
    }
    // A shorter file has a smaller budget. The remaining pages belong to no table.
    for byte in 0..<4 { bytes[28 + byte] = byte == 3 ? 8 : 0 }
    let database = bytes.prefix(512 * 8)
    try folder.write(Array(database), to: "x.db")
    let table = reader.read(try reader.discover(at: path))
    #expect(table.findings.contains { $0.message.contains("add up to more bytes than the file") })
    #expect(table.entries.reduce(0) { $0 + $1.key.bytes.count } <= database.count)
  }

  /// Returns a database in which each page from `first` on links to the next page many times.
  ///
  /// The last page is an empty leaf.
  private func fan(_ bytes: [UInt8], from first: Int, header: Int = 0) -> [UInt8] {
    var bytes = Array(bytes.prefix(512))
    let last = 18
    for byte in 0..<4 { bytes[28 + byte] = byte == 3 ? UInt8(last) : 0 }
    bytes += [UInt8](repeating: 0, count: 512 * (last - 1))
    for page in first..<last {
      let start = 512 * (page - 1)
      let header = page == 1 ? header : 0
      bytes.replaceSubrange(
        start + header..<start + header + 12,
        with: [5, 0, 0, 0, 100, 1, 0xf0, 0, 0, 0, 0, UInt8(page + 1)])
      for cell in 0..<100 {
        let pointer = start + header + 12 + 2 * cell
        bytes.replaceSubrange(pointer..<pointer + 2, with: [1, 0xf0])
      }
      bytes.replaceSubrange(start + 0x1f0..<start + 0x1f5, with: [0, 0, 0, UInt8(page + 1), 1])
    }
    bytes.replaceSubrange(512 * (last - 1)..<512 * (last - 1) + 8, with: [13, 0, 0, 0, 0, 2, 0, 0])
    return bytes
  }

  @Test(arguments: [1, 2])
  func pagesThatFanOutAreNotWalkedForYears(_ first: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, "PRAGMA page_size = 512; CREATE TABLE t(k, v)")
    try folder.write(fan(try folder.bytes(of: "x.db"), from: first, header: 100), to: "x.db")
    let table = reader.read(try reader.discover(at: path))
    #expect(table.findings.map(\.code) == ["sqlite.corrupt"])
    #expect(table.findings.first?.message.contains("would never end") == true)
    #expect(table.entries == [])
  }

  @Test func aPageThatIsItsOwnChildEndsTheReading() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    var bytes = try folder.bytes(of: "x.db")
    // The last child of the root becomes the root itself.
    bytes.replaceSubrange(512 + 8..<512 + 12, with: [0, 0, 0, 2])
    try folder.write(bytes, to: "x.db")
    let table = reader.read(try reader.discover(at: path))
    #expect(table.findings.contains { $0.code == "sqlite.corrupt" })
    #expect(!table.entries.isEmpty)
  }

  @Test func aLogIsAppliedToACopy() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x y%.db")
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
          CREATE TABLE t(k TEXT, v); INSERT INTO t VALUES('a', 1);
          """)
    }
    // The copies are in the state in which a killed app leaves the files.
    for name in ["x y%.db", "x y%.db-wal"] {
      try folder.write(try folder.bytes(of: name), to: "copy" + name)
    }
    let before = try folder.names()
    let bytes = try before.map { try folder.bytes(of: $0) }
    let files = try reader.discover(at: folder.path.appending("copyx y%.db"))
    #expect(files.map(\.role) == [.data, .side])
    let table = reader.read(files)
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.int64(1)])
    #expect(try folder.names() == before)
    #expect(try before.map { try folder.bytes(of: $0) } == bytes)
    try queue.close()
  }

  @Test func aCopyThatCannotBeMadeIsNoFindingAboutTheDatabase() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    try folder.write([1], to: "x.db-journal")
    let files = try reader.discover(at: path)
    let missing = folder.path.appending("missing")
    let outcome = DatabaseReading.read(files, copyingTo: missing) { _ in
      Issue.record("nothing was copied")
    }
    #expect(outcome.findings == [])
    #expect(outcome.obstacle == .temporary(folder: missing, errno: .noSuchFileOrDirectory))
    let message = try #require(outcome.obstacle).message
    #expect(message.contains("in \(missing): no such file or directory; set TMPDIR"))
  }

  @Test func copiesAreRemoved() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    try folder.write([1], to: "x.db-journal")
    let files = try reader.discover(at: path)
    try Folder.make(folder.path.appending("temporary"))
    let temporary = folder.path.appending("temporary")
    let outcome = DatabaseReading.read(files, copyingTo: temporary) { _ in
      do {
        let names = try Folder.names(in: temporary)
        #expect(names.count == 1)
        let attributes = try FileManager.default.attributesOfItem(
          atPath: temporary.appending(names[0]).string)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
      } catch {
        Issue.record(error)
      }
    }
    #expect(outcome.obstacle == nil)
    #expect(outcome.findings.map(\.code) == ["sqlite.journal-damaged"])
    #expect(try Folder.names(in: temporary) == [])
  }

  @Test func aDatabaseInLogModeIsReadWithoutALog() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x y%?#ü.db")
    try make(
      path, "PRAGMA journal_mode = WAL; CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 2.5)")
    #expect(try folder.names() == ["x y%?#ü.db"])
    let table = reader.read(try reader.discover(at: folder.path))
    #expect(table.findings.map(\.code) == ["sqlite.wal-missing"])
    #expect(table.entries.map(\.value) == [.double(2.5)])
    #expect(try folder.names() == ["x y%?#ü.db"])
  }

  @Test func aHotJournalIsRolledBackInACopy() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db")
    try make(path, rows)
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET v = 0")
      for name in ["x.db", "x.db-journal"] {
        try folder.write(try folder.bytes(of: name), to: "hot-" + name)
      }
      try database.execute(sql: "ROLLBACK")
    }
    let files = try reader.discover(at: folder.path.appending("hot-x.db"))
    #expect(files.count == 2)
    let table = reader.read(files)
    #expect(table.findings == [])
    #expect(table.entries.count == 200)
    #expect(!table.entries.contains { $0.value == .int64(0) })
  }
}
