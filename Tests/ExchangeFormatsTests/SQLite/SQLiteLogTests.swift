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

/// Reading write-ahead logs and rollback journals that SQLite silently applies only in part.
struct SQLiteLogTests {
  private static let reader = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")
  private static let frame = 24 + 512

  /// A database with a log of three transactions.
  ///
  /// Only the creation of the table is in the database itself.
  private static let logged: (database: [UInt8], log: [UInt8]) = {
    do {
      let folder = try TemporaryFolder()
      let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
      return try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: """
            PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE t(k TEXT, v); INSERT INTO t VALUES('a', 1); PRAGMA wal_checkpoint(TRUNCATE);
            INSERT INTO t VALUES('b', 2); UPDATE t SET v = 3 WHERE k = 'a';
            INSERT INTO t VALUES('c', zeroblob(2000));
            """)
        return (try folder.bytes(of: "x.db"), try folder.bytes(of: "x.db-wal"))
      }
    } catch {
      Issue.record(error)
      return ([], [])
    }
  }()

  private func read(
    _ database: [UInt8], _ side: [UInt8], _ suffix: String = "-wal"
  ) throws -> EntryTable {
    let folder = try TemporaryFolder()
    let path = try folder.write(database, to: "x.db")
    try folder.write(side, to: "x.db" + suffix)
    return Self.reader.read(try Self.reader.discover(at: path))
  }

  @Test func aWholeLogIsNothingToReport() throws {
    let table = try read(Self.logged.database, Self.logged.log)
    #expect(table.findings == [])
    #expect(table.entries.map(\.key.text) == ["a", "b", "c"])
    #expect(table.entries.first?.value == .int64(3))
  }

  @Test("Frames of something else after a whole log are said to be that, and are not its end")
  func foreignFrames() throws {
    let (database, log) = Self.logged
    var foreign = [UInt8](repeating: 0xab, count: Self.frame)
    // Salts that neither this log nor an earlier one has.
    foreign.replaceSubrange(8..<16, with: log[16..<24])
    foreign[8] ^= 0x80
    foreign[15] ^= 1
    let count = (log.count - 32) / Self.frame
    let table = try read(database, log + foreign)
    #expect(table.findings.map(\.code) == ["sqlite.wal-unfinished"])
    #expect(table.findings.first?.message.hasPrefix("frame \(count + 1) belongs neither") == true)
    #expect(table.entries.map(\.key.text) == ["a", "b", "c"])
  }

  @Test func everyChangedByteOfALogIsDamage() throws {
    let (database, log) = Self.logged
    #expect((log.count - 32) / Self.frame > 5)
    for offset in log.indices {
      // In pages, every 64th byte is enough. In headers, every byte is changed.
      let isHeader = offset < 32 || (offset - 32) % Self.frame < 24
      guard isHeader || offset.isMultiple(of: 64) else { continue }
      var changed = log
      changed[offset] ^= 1 << (offset % 8)
      let findings = WALCheck.findings(in: FileImage(changed))
      #expect(findings.map(\.code) == ["sqlite.wal-damaged"], "byte \(offset)")
      #expect(findings.first?.extent?.file == .side)
    }
    var changed = log
    changed[32 + Self.frame + 100] ^= 1
    let table = try read(database, changed)
    #expect(table.findings.map(\.code) == ["sqlite.wal-damaged"])
    #expect(table.findings.first?.extent?.offset == 32 + Self.frame)
    #expect(table.entries.map(\.key.text) == ["a", "b"])
  }

  @Test func aLogOfOtherBytesIsDamage() throws {
    for count in [1, 31, 32, 5000] {
      let noise = (0..<count).map { UInt8(truncatingIfNeeded: ($0 + 1) &* 2_654_435_761 >> 13) }
      let table = try read(Self.logged.database, noise)
      #expect(table.findings.map(\.code) == ["sqlite.wal-damaged"], "\(count) bytes")
      #expect(table.entries.map(\.value) == [.int64(1)])
    }
  }

  @Test func framesOfAnEarlierLogAreNone() throws {
    var log = Self.logged.log
    // A shorter log was written over the start of a longer one.
    let start = log.count - Self.frame * 4
    for frame in stride(from: start, to: log.count, by: Self.frame) {
      // The first salt of each log is one more than that of the previous log, and the second one is
      // random.
      for byte in 12..<16 { log[frame + byte] = ~log[frame + byte] }
      var salt = log[16..<20].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } &- 1
      for byte in (8..<12).reversed() {
        log[frame + byte] = UInt8(truncatingIfNeeded: salt)
        salt >>= 8
      }
    }
    let findings = WALCheck.findings(in: FileImage(log))
    // The frames before them end with a commit, or within an unfinished transaction.
    #expect(findings.allSatisfy { $0.severity == .warning })
    let commit = Array(stride(from: 32, to: start, by: Self.frame))
      .last { log[$0 + 4..<$0 + 8].contains { $0 != 0 } }
    let whole = Array(log.prefix((commit ?? 0) + Self.frame) + log[start...])
    #expect(WALCheck.findings(in: FileImage(whole)) == [])
    let blank = Array(whole.prefix((commit ?? 0) + Self.frame)) + Array(repeating: 0, count: 2000)
    #expect(WALCheck.findings(in: FileImage(blank)).map(\.code) == ["sqlite.wal-unfinished"])
  }

  @Test(arguments: ["", "ROLLBACK; INSERT INTO t VALUES('z', 1)"])
  func framesWithoutACommitAreAWarning(_ end: String) throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    try queue.writeWithoutTransaction { database in
      // Pages are written to the log repeatedly before the commit.
      try database.execute(
        sql: """
          PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
          CREATE TABLE t(k TEXT, v); INSERT INTO t VALUES('a', 1);
          PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
          INSERT INTO t SELECT 'key' || i, printf('%0100d', i) FROM n;
          UPDATE t SET v = 0; UPDATE t SET v = 1; \(end)
          """)
      let table = try read(try folder.bytes(of: "x.db"), try folder.bytes(of: "x.db-wal"))
      #expect(table.findings.map(\.code) == ["sqlite.wal-unfinished"])
      #expect(table.entries.map(\.key.text) == (end.isEmpty ? ["a"] : ["a", "z"]))
      if end.isEmpty { try database.execute(sql: "ROLLBACK") }
    }
  }

  @Test func aLogThatEndsEarlyIsAWarning() throws {
    let (database, log) = Self.logged
    var isWhole: Set<Int> = [32]
    for frame in stride(from: 32, to: log.count, by: Self.frame)
    where log[frame + 4..<frame + 8].contains(where: { $0 != 0 }) {
      isWhole.insert(frame + Self.frame)
    }
    #expect(isWhole.count == 4)
    for count in 32...log.count where count.isMultiple(of: 7) || isWhole.contains(count) {
      let findings = WALCheck.findings(in: FileImage(Array(log.prefix(count))))
      #expect(
        findings.map(\.code) == (isWhole.contains(count) ? [] : ["sqlite.wal-unfinished"]),
        "\(count) bytes")
    }
    let table = try read(database, Array(log.dropLast(1)))
    #expect(table.findings.map(\.code) == ["sqlite.wal-unfinished"])
    #expect(table.entries.map(\.key.text) == ["a", "b"])
  }

  /// Returns a partly changed database with its journal.
  private func interrupted() throws -> (database: [UInt8], journal: [UInt8]) {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    return try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 512; CREATE TABLE t(k TEXT, v);
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
          INSERT INTO t SELECT 'key' || i, printf('%0100d', i) FROM n;
          PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET v = 0
          """)
      let files = (try folder.bytes(of: "x.db"), try folder.bytes(of: "x.db-journal"))
      try database.execute(sql: "ROLLBACK")
      return files
    }
  }

  @Test func aJournalThatDoesNotHoldIsDamage() throws {
    let (database, journal) = try interrupted()
    #expect(try read(database, journal, "-journal").findings == [])
    for offset in [0, 3, 13, 500, 512, 516 + 112, 516 + 312, 516 + 512] {
      var changed = journal
      changed[offset] ^= 0x10
      let codes = JournalCheck.findings(in: FileImage(changed)).map(\.code)
      // The rest of the header's sector is unused.
      #expect(codes == (offset == 500 ? [] : ["sqlite.journal-damaged"]), "byte \(offset)")
    }
    for side in [Array(journal.prefix(800)), [1]] {
      let codes = try read(database, side, "-journal").findings.map(\.code)
      #expect(codes.contains("sqlite.journal-damaged"))
    }
  }

  @Test func recordsOfAnEarlierJournalAreNone() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    try queue.writeWithoutTransaction { database in
      // Without synchronization, the journal header does not count the records.
      try database.execute(
        sql: """
          PRAGMA page_size = 512; PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF;
          CREATE TABLE t(k TEXT, v);
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
          INSERT INTO t SELECT 'key' || i, printf('%0100d', i) FROM n;
          UPDATE t SET v = printf('%0100d', 1);
          PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;
          UPDATE t SET v = printf('%0100d', 2) WHERE rowid < 50
          """)
      var journal = try folder.bytes(of: "x.db-journal")
      #expect(journal[8..<12].allSatisfy { $0 == 0xff })
      let table = try read(try folder.bytes(of: "x.db"), journal, "-journal")
      #expect(table.findings == [])
      #expect(
        table.entries.allSatisfy { $0.value == .string(String(repeating: "0", count: 99) + "1") })
      journal[512 + 4 + 112] ^= 1
      let codes = JournalCheck.findings(in: FileImage(journal)).map(\.code)
      #expect(codes == ["sqlite.journal-damaged"])
      try database.execute(sql: "ROLLBACK")
    }
  }

  @Test func aJournalThatIsDoneIsNothingToReport() throws {
    let (_, journal) = try interrupted()
    let done = [UInt8](repeating: 0, count: 28) + journal.dropFirst(28)
    #expect(JournalCheck.findings(in: FileImage(done)) == [])
  }

  /// Tests a commit whose page count lost its only bit, which looks like a transaction that was never
  /// committed.
  @Test func aCommitThatLostItsOnlyBitIsDamage() throws {
    let (database, log) = Self.logged
    var count = 0
    for frame in stride(from: 32, to: log.count, by: Self.frame) {
      let pages = log[frame + 4..<frame + 8].reduce(0) { $0 << 8 | Int($1) }
      guard pages.nonzeroBitCount == 1 else { continue }
      count += 1
      var cut = Array(log.prefix(frame + Self.frame))
      #expect(try read(database, cut).findings == [])
      for offset in frame + 4..<frame + 8 { cut[offset] = 0 }
      let table = try read(database, cut)
      #expect(table.findings.map(\.code) == ["sqlite.wal-damaged"], "\(pages) pages")
      #expect(table.findings.first?.severity == .damage)
    }
    #expect(count > 0)
  }
}
