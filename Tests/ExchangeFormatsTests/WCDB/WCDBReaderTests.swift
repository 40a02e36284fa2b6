import ExchangeFormats
import Foundation
import GRDB
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Reading databases of WCDB, and what WCDB keeps beside them.
struct WCDBReaderTests {
  private let reader = WCDBReader()

  /// Makes a database with a table of 20 rows.
  private func make(in folder: borrowing TemporaryFolder) throws {
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 512; CREATE TABLE t(k TEXT, v);
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
          INSERT INTO t SELECT 'key' || i, printf('%0100d', i) FROM n;
          """)
    }
    try queue.close()
  }

  private func table(in folder: borrowing TemporaryFolder) throws -> EntryTable {
    reader.read(try reader.discover(at: folder.path))
  }

  // MARK: Files and tables

  @Test func tablesAreListedAndOneIsRead() throws {
    let folder = try TemporaryFolder()
    try make(in: folder)
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == 5)
    let listed = reader.read(files)
    #expect(listed.findings.map(\.code) == ["wcdb.tables"])
    #expect(listed.findings[0].message.hasPrefix("the tables are \"t\"(\"k\", \"v\"); none was"))
    #expect(listed.entries == [])
    let read = WCDBReader(
      reading: SQLiteTableReader(table: "T", keyColumn: "k", valueColumn: "v")
    ).read(files)
    #expect(read.findings.map(\.code) == ["wcdb.tables"])
    #expect(read.entries.count == 20)
    #expect(read.entries.first?.key.text == "key0")
    let none = WCDBReader(
      reading: SQLiteTableReader(table: "u", keyColumn: "k", valueColumn: "v")
    ).read(files)
    #expect(none.findings.map(\.code) == ["wcdb.tables", "sqlite.no-table"])
  }

  @Test func aHundredTablesAreListedAndTheOthersCounted() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    try queue.write { database in
      for number in 1...102 { try database.execute(sql: "CREATE TABLE t\(number)(k)") }
    }
    try queue.close()
    let message = try #require(try table(in: folder).findings.first).message
    #expect(message.split(separator: "(\"k\")", omittingEmptySubsequences: false).count == 101)
    #expect(message.contains(" and 2 more; none was chosen"))
  }

  @Test func whatIsBesideTheDatabaseIsFound() throws {
    let folder = try TemporaryFolder()
    try make(in: folder)
    for name in ["first.material", "last.material"] {
      try folder.write(WCDBMaterialTests.bytes(), to: "x.db-" + name)
    }
    for name in ["x.db-incremental.material", "x.db-backup", "other.db"] {
      try folder.write([1], to: name)
    }
    try Folder.make(folder.path.appending("x.db.factory"))
    let files = try reader.discover(at: folder.path)
    #expect(files.map(\.role) == [.data, .firstMaterial, .lastMaterial])
    for name in ["last.material", "incremental.material", "backup"] {
      #expect(try reader.discover(at: folder.path.appending("x.db-" + name)) == files)
    }
    #expect(reader.recognition(of: files).likelihood == 90)
    let findings = reader.read(files).findings
    #expect(
      findings.map(\.code) == ["wcdb.tables", "wcdb.material", "wcdb.material", "wcdb.factory"])
    #expect(findings[1].message.hasPrefix("the checksum of the first material matches"))
    #expect(findings[2].message.hasPrefix("the checksum of the last material matches"))
    #expect(findings[3].message.contains(" in the folder x.db.factory;"))
    #expect(findings.allSatisfy { $0.severity == .note })
  }

  @Test func onlyAFactoryBesideTheDatabaseIsEnough() throws {
    let folder = try TemporaryFolder()
    try make(in: folder)
    try folder.write([1], to: "other.db")
    try Folder.make(folder.path.appending("x.db.factory"))
    let files = try reader.discover(at: folder.path)
    #expect(files.map(\.role) == [.data])
    #expect(reader.recognition(of: files).likelihood == 80)
    #expect(reader.read(files).findings.map(\.code) == ["wcdb.tables", "wcdb.factory"])
  }

  @Test func aFileIsNoFactoryAndAnIncrementalMaterialIsEnough() throws {
    let folder = try TemporaryFolder()
    try make(in: folder)
    try folder.write([], to: "x.db.factory")
    func likelihood() throws -> Int {
      reader.recognition(of: try reader.discover(at: folder.path.appending("x.db"))).likelihood
    }
    #expect(try likelihood() == 5)
    try folder.write([1], to: "x.db-incremental.material")
    #expect(try likelihood() == 80)
    #expect(try table(in: folder).findings.map(\.code) == ["wcdb.tables"])
  }

  @Test("A folder holds one database, whichever of WCDB's files are beside it")
  func filesBesideADatabaseAreNoStores() throws {
    let folder = try TemporaryFolder()
    try make(in: folder)
    let material = WCDBMaterialTests.bytes()
    let names = [
      "first.material", "last.material", "incremental.material", "backup",
    ]
    for name in names { try folder.write(material, to: "x.db-" + name) }
    let survey = try FolderSurvey(
      of: folder.path, Recognizer(Formats([MMKVFormat(now: 0)]), Readers([reader])),
      in: DiskSource())
    #expect(survey.members.map(\.label) == ["x.db (wcdb)"])
    #expect(survey.unknown == [])
  }

  @Test func whatIsNoDatabaseIsNotFound() throws {
    let folder = try TemporaryFolder()
    #expect(throws: DiscoveryError.noStore(in: folder.path, format: "wcdb")) {
      try reader.discover(at: folder.path)
    }
    try folder.write([UInt8](repeating: 7, count: 600), to: "x.db")
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == 0)
    #expect(reader.read(files).findings.map(\.code).contains("sqlite.corrupt"))
    #expect(reader.read([]).findings == [])
  }

  // MARK: Encryption

  @Test func whatLooksRandomIsTakenForEncrypted() throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 1)
    let noise = (0..<8192).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    try folder.write(noise, to: "x.db")
    try folder.write(Array(noise.suffix(4096)), to: "x.db-first.material")
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == 90)
    #expect(reader.read(files).findings.map(\.code) == ["wcdb.encrypted"])
    #expect(reader.read(files).verdict == .unreadable)
    // Random bytes that are not whole pages, and whole pages with a pattern.
    for bytes in [Array(noise.dropLast()), [UInt8](repeating: 7, count: 8192)] {
      let codes = reader.codes(bytes)
      #expect(codes.contains("sqlite.corrupt") && !codes.contains("wcdb.encrypted"))
    }
  }

  // MARK: Damaged materials

  @Test func eachMaterialIsJudgedByItself() throws {
    let folder = try TemporaryFolder()
    try make(in: folder)
    var bytes = WCDBMaterialTests.bytes()
    try folder.write(bytes, to: "x.db-last.material")
    bytes[bytes.count - 1] ^= 1
    try folder.write(bytes, to: "x.db-first.material")
    var findings = try table(in: folder).findings
    #expect(findings.map(\.code) == ["wcdb.tables", "wcdb.material-damaged", "wcdb.material"])
    #expect(findings[1].extent == Extent(.firstMaterial, 0..<bytes.count))
    #expect(findings[1].severity == .damage && findings[1].message.contains(", but it stores 0x"))
    try folder.write([], to: "x.db-last.material")
    findings = try table(in: folder).findings
    #expect(findings.map(\.code).filter { $0 == "wcdb.material-damaged" }.count == 2)
    #expect(findings.last?.extent == Extent(.lastMaterial, 0..<0))
  }
}
