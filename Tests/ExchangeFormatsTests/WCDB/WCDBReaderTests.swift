import ExchangeFormats
import Foundation
import GRDB
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading databases of WCDB, and checking them against their materials.
struct WCDBReaderTests {
  private let reader = WCDBReader()

  /// Makes a database with a table on many pages, and returns a material of its leaves.
  private func make(
    in folder: borrowing TemporaryFolder, version: UInt32 = 0x0100_0001
  ) throws -> MaterialBuilder {
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
    let image = FileImage(try folder.bytes(of: "x.db"))
    let leaves = (2...image.count / 512).filter { image[($0 - 1) * 512] == 13 }
    #expect(leaves.count >= 4)
    return MaterialBuilder(
      version: version,
      tables: [
        .init(
          pages: leaves.map {
            (UInt64($0), CRC32.digest(of: image, in: ($0 - 1) * 512..<$0 * 512))
          })
      ])
  }

  /// Sets the modification date of a file.
  private func date(_ name: String, _ time: Double, in folder: borrowing TemporaryFolder) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: time)],
      ofItemAtPath: folder.path.appending(name).string)
  }

  /// Changes a byte of a value on the second leaf, and returns the page number of the leaf.
  private func damage(
    _ builder: MaterialBuilder, in folder: borrowing TemporaryFolder
  ) throws -> Int {
    var bytes = try folder.bytes(of: "x.db")
    let page = Int(builder.tables[0].pages[1].number)
    bytes[page * 512 - 10] ^= 1
    try folder.write(bytes, to: "x.db")
    try date("x.db", 1_000_000, in: folder)
    return page
  }

  private func table(in folder: borrowing TemporaryFolder) throws -> EntryTable {
    reader.read(try reader.discover(at: folder.path))
  }

  // MARK: Files and tables

  @Test func tablesAreListedAndOneIsRead() throws {
    let folder = try TemporaryFolder()
    _ = try make(in: folder)
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
    let builder = try make(in: folder)
    for name in ["x.db-first.material", "x.db-last.material"] {
      try folder.write(builder.bytes, to: name)
    }
    try folder.write(MaterialBuilder.incremental([]), to: "x.db-incremental.material")
    try folder.write([1], to: "x.db-backup")
    try folder.write([1], to: "other.db")
    let deposit = folder.path.appending("x.db.factory")
    try Folder.make(deposit)
    for name in ["2024_01_02", "restore", "empty"] {
      try Folder.make(deposit.appending(name))
      if name != "empty" { try folder.write([1], to: "x.db.factory/\(name)/x.db") }
    }
    let files = try reader.discover(at: folder.path)
    #expect(
      files.map(\.role) == [.data, .firstMaterial, .lastMaterial, .incrementalMaterial, .external])
    #expect(try reader.discover(at: folder.path.appending("x.db-last.material")) == files)
    #expect(reader.recognition(of: files).likelihood == 90)
    let table = reader.read(files)
    #expect(
      table.findings.map(\.code) == [
        "wcdb.tables", "wcdb.material", "wcdb.material", "wcdb.material", "wcdb.backup",
        "wcdb.factory",
      ])
    #expect(table.findings[5].message.hasPrefix("WCDB has set aside 1 damaged database in"))
    #expect(table.findings[5].message.hasSuffix(": \"2024_01_02\""))
    #expect(table.findings.allSatisfy { $0.severity == .note })
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
    try folder.write(Array(noise.prefix(4096)), to: "x.db-first.material")
    try folder.write(Array(noise.suffix(4096)), to: "x.db-last.material")
    try folder.write([1, 2, 3], to: "x.db-incremental.material")
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == 90)
    let table = reader.read(files)
    #expect(
      table.findings.map(\.code) == [
        "wcdb.encrypted", "wcdb.material", "wcdb.material", "wcdb.material-damaged",
      ])
    #expect(table.findings[1].message.hasSuffix("with the salt of the database"))
    #expect(table.findings[2].message.hasSuffix("is probably also encrypted"))
    // Random bytes that are not whole pages, and whole pages with a pattern.
    for bytes in [Array(noise.dropLast()), [UInt8](repeating: 7, count: 8192)] {
      let codes = reader.codes(bytes)
      #expect(codes.contains("sqlite.corrupt") && !codes.contains("wcdb.encrypted"))
    }
  }

  // MARK: Pages

  @Test(arguments: [0x0100_0000, 0x0100_0001] as [UInt32])
  func aMaterialVerifiesPages(_ version: UInt32) throws {
    let folder = try TemporaryFolder()
    let builder = try make(in: folder, version: version)
    try folder.write(builder.bytes, to: "x.db-first.material")
    let table = try table(in: folder)
    #expect(table.findings.map(\.code) == ["wcdb.tables", "wcdb.material"])
    let count = builder.tables[0].pages.count
    #expect(
      table.findings[1].message
        == "the first material of version \(MaterialLayout.hex(version)) has \(count) leaf pages of "
        + "512 bytes in 1 table: \"t\" (\(count))")
  }

  @Test func aPageWithOtherBytesIsDamage() throws {
    let folder = try TemporaryFolder()
    var builder = try make(in: folder)
    let page = try damage(builder, in: folder)
    builder.tables[0].pages.append((9999, 1))
    try folder.write(builder.bytes, to: "x.db-first.material")
    let findings = try table(in: folder).findings
    #expect(
      findings.map(\.code) == [
        "wcdb.tables", "wcdb.material", "wcdb.page-mismatch", "wcdb.page-mismatch",
      ])
    let image = FileImage(try folder.bytes(of: "x.db"))
    let range = (page - 1) * 512..<page * 512
    #expect(findings[2].extent == Extent(.data, range))
    #expect(findings[2].severity == .damage)
    let stored = MaterialLayout.hex(builder.tables[0].pages[1].checksum)
    let computed = MaterialLayout.hex(CRC32.digest(of: image, in: range))
    #expect(
      findings[2].message
        == "page \(page) has the CRC-32 \(stored) in the first material, but that of its bytes is "
        + computed)
    #expect(findings[3].extent == nil)
    #expect(findings[3].message.contains("the database ends before it"))
  }

  @Test func theNewerMaterialCounts() throws {
    let folder = try TemporaryFolder()
    let builder = try make(in: folder)
    try folder.write(builder.bytes, to: "x.db-last.material")
    var old = builder
    old.tables[0].pages[0].checksum ^= 1
    try folder.write(old.bytes, to: "x.db-first.material")
    try date("x.db", 1_000_000, in: folder)
    try date("x.db-first.material", 2_000_000, in: folder)
    try date("x.db-last.material", 3_000_000, in: folder)
    let codes = ["wcdb.tables", "wcdb.material", "wcdb.material"]
    #expect(try table(in: folder).findings.map(\.code) == codes)
    _ = try damage(builder, in: folder)
    let findings = try table(in: folder).findings
    #expect(findings.map(\.code) == codes + ["wcdb.page-mismatch"])
    #expect(findings.last?.message.contains("in the last material") == true)
  }

  @Test func aPageThatWasWrittenLaterIsNoDamage() throws {
    let folder = try TemporaryFolder()
    let builder = try make(in: folder)
    let page = try damage(builder, in: folder)
    try folder.write(builder.bytes, to: "x.db-first.material")
    try date("x.db-first.material", 500_000, in: folder)
    let findings = try table(in: folder).findings
    #expect(findings.map(\.code) == ["wcdb.tables", "wcdb.material", "wcdb.page-changed"])
    #expect(findings[2].severity == .note)
    #expect(
      findings[2].message.hasSuffix(
        "the database was written to after the material; it is page \(page)"))
  }

  @Test func theIncrementalMaterialVerifiesNewerPages() throws {
    let folder = try TemporaryFolder()
    let builder = try make(in: folder)
    let page = try damage(builder, in: folder)
    let image = FileImage(try folder.bytes(of: "x.db"))
    let checksum = CRC32.digest(of: image, in: (page - 1) * 512..<page * 512)
    try folder.write(builder.bytes, to: "x.db-first.material")
    for (stored, code) in [
      (checksum, "wcdb.page-changed"), (nil, "wcdb.page-changed"),
      (checksum ^ 1, "wcdb.page-mismatch"),
    ] as [(UInt32?, String)] {
      try folder.write(
        MaterialBuilder.incremental([(UInt64(page), stored)]), to: "x.db-incremental.material")
      let codes = try table(in: folder).findings.map(\.code)
      #expect(codes == ["wcdb.tables", "wcdb.material", "wcdb.material", code])
    }
  }

  @Test func aPageThatTheLogHasIsNoDamage() throws {
    let folder = try TemporaryFolder()
    var builder = try make(in: folder)
    let queue = try DatabaseQueue(path: folder.path.appending("x.db").string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
          UPDATE t SET v = printf('%0100d', 7) WHERE k = 'key0';
          """)
    }
    let log = WALPages(FileImage(try folder.bytes(of: "x.db-wal")))
    let salt = try #require(log.salt)
    let first = builder.tables[0].pages[0].number
    #expect(log.numbers == [UInt32(first)])
    // The copies are in the state in which a killed app leaves the files. One page in the log and
    // one outside it are damaged.
    let other = try TemporaryFolder()
    var bytes = try folder.bytes(of: "x.db")
    bytes[Int(first) * 512 - 10] ^= 1
    try other.write(bytes, to: "x.db")
    try other.write(try folder.bytes(of: "x.db-wal"), to: "x.db-wal")
    try queue.close()
    try date("x.db", 1_000_000, in: other)
    builder.salt = (salt.first, salt.second)
    try other.write(builder.bytes, to: "x.db-first.material")
    let codes = ["wcdb.tables", "wcdb.material", "wcdb.page-changed"]
    var findings = try table(in: other).findings
    #expect(findings.map(\.code) == codes)
    #expect(findings.last?.message.contains("the log has newer versions") == true)

    let second = try damage(builder, in: other)
    findings = try table(in: other).findings
    #expect(Set(findings.map(\.code)) == Set(codes + ["wcdb.page-mismatch"]))

    builder.salt.0 &+= 1
    try other.write(builder.bytes, to: "x.db-first.material")
    findings = try table(in: other).findings
    #expect(findings.map(\.code) == codes + ["wcdb.page-changed"])
    #expect(
      findings.last?.message.hasSuffix(
        "the log was restarted after the material; it is page \(second)") == true)
  }

  @Test func aLogMayBeAnything() {
    var random = SeededGenerator(seed: 2)
    for count in [0, 31, 32, 100, 2000] {
      var bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      bytes.replaceSubrange(0..<min(4, count), with: [0x37, 0x7f, 6, 0x82].prefix(count))
      for size in [0, 512, .max] as [UInt32] where count >= 12 {
        bytes.replaceSubrange(8..<12, with: MaterialBuilder.word(size))
        #expect(WALPages(FileImage(bytes)).numbers.isEmpty)
      }
      #expect(count > 31 || WALPages(FileImage(bytes)).salt == nil)
    }
  }

  @Test func aMaterialCannotMakeEndlessFindings() throws {
    let folder = try TemporaryFolder()
    _ = try make(in: folder)
    let builder = MaterialBuilder(
      tables: [.init(pages: (1_000_000..<1_002_000).map { (UInt64($0), 0) })])
    try folder.write(builder.bytes, to: "x.db-first.material")
    try date("x.db", 1_000_000, in: folder)
    let findings = try table(in: folder).findings
    #expect(findings.count == 2 + FindingList.limit)
    #expect(findings.last?.message.hasSuffix("(2,000 of these; the others are not listed)") == true)
  }

  // MARK: Damaged materials

  @Test func aDamagedMaterialIsNotUsed() throws {
    let folder = try TemporaryFolder()
    var builder = try make(in: folder)
    _ = try damage(builder, in: folder)
    var bytes = builder.bytes
    bytes[bytes.count - 1] ^= 1
    try folder.write(bytes, to: "x.db-first.material")
    try folder.write([], to: "x.db-last.material")
    try folder.write([1], to: "x.db-incremental.material")
    let findings = try table(in: folder).findings
    #expect(
      findings.map(\.code)
        == ["wcdb.tables"] + [String](repeating: "wcdb.material-damaged", count: 3))
    #expect(findings[1].extent == Extent(.firstMaterial, 32..<bytes.count))
    #expect(findings[1].message.contains(", but it stores 0x"))
    // Pages of another size cannot be compared.
    builder.pageSize = 1024
    for name in ["first", "last"] { try folder.write(builder.bytes, to: "x.db-\(name).material") }
    #expect(
      try table(in: folder).findings.last?.message.hasSuffix(
        "its page size is 1024, but that of the database is 512") == true)
  }
}
