import ExchangeFormats
import Foundation
import GRDB
import KVBytes
import KVCryptography
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading and writing YYCache folders.
struct YYCacheFormatTests {
  private let format = YYCacheFormat()

  private func make(_ rows: String, in folder: borrowing TemporaryFolder) throws {
    let queue = try DatabaseQueue(path: folder.path.appending("manifest.sqlite").string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = wal;
          create table if not exists manifest (key text, filename text, size integer,
            inline_data blob, modification_time integer, last_access_time integer,
            extended_data blob, primary key(key));
          create index if not exists last_access_time_idx on manifest(last_access_time);
          \(rows)
          """)
    }
    try queue.close()
    try Folder.make(folder.path.appending("data"))
    try Folder.make(folder.path.appending("trash"))
    // A log that is there and empty: no newer rows are missing.
    try folder.write([], to: "manifest.sqlite-wal")
  }

  private func row(_ key: String, _ file: String?, _ size: Int, _ inline: String = "NULL") -> String
  {
    "INSERT INTO manifest VALUES(\(key), \(file.map { "'\($0)'" } ?? "NULL"), \(size), \(inline), 1, 1, NULL);"
  }

  @Test func valuesAreReadFromRowsAndFiles() throws {
    let folder = try TemporaryFolder()
    try make(
      row("'a'", nil, 3, "x'000102'") + row("'b'", "f1", 9)
        + row("'c'", "", 8, "CAST('bplist00' AS BLOB)"),
      in: folder)
    try folder.write(Array("bplist00x".utf8), to: "data/f1")
    let before = try folder.names()
    let files = try format.discover(at: folder.path)
    #expect(format.recognition(of: files).likelihood == 95)
    #expect(try format.discover(at: folder.path.appending("manifest.sqlite")) == files)
    let table = format.read(files)
    #expect(table.findings == [])
    #expect(table.entries.map { $0.key.text } == ["a", "b", "c"])
    #expect(
      table.entries.map(\.value) == [
        .bytes([0, 1, 2]), .keyedArchive(className: nil, Array("bplist00x".utf8)),
        .keyedArchive(className: nil, Array("bplist00".utf8)),
      ])
    #expect(table.entries[1].origin.extent == Extent(.external, 0..<9))
    #expect(try folder.names() == before)
  }

  @Test func filesAndRowsThatDoNotMatchAreReported() throws {
    let folder = try TemporaryFolder()
    try make(
      row("'gone'", "f0", 5) + row("'cut'", "f1", 5) + row("'up'", "../manifest.sqlite", 5)
        + row("'in'", nil, 4, "x'00'") + row("'binned'", "f3", 1) + row("NULL", nil, 1, "x'00'"),
      in: folder)
    try folder.write([1, 2], to: "data/f1")
    try folder.write([1, 2, 3], to: "data/f2")
    try Folder.make(folder.path.appending("trash/data"))
    try folder.write([1, 2, 3, 4], to: "trash/data/f3")
    let table = format.read(try format.discover(at: folder.path))
    #expect(
      table.findings.map(\.code) == [
        "sqlite.null-key", "yycache.missing-file", "yycache.size-mismatch", "yycache.missing-file",
        "yycache.size-mismatch", "yycache.missing-file", "yycache.orphan-file", "yycache.trash",
      ])
    #expect(
      table.findings[2].message
        == "the value of \"cut\" in data/f1 has 2 bytes, but its row says 5")
    #expect(table.findings[5].message.hasSuffix("in the trash"))
    #expect(table.findings[6].message.hasPrefix("data/f2 (3 bytes)"))
    #expect(table.findings[7].message.hasPrefix("1 file of 4 bytes"))
    #expect(table.entries.map(\.value) == [.bytes([1, 2]), .bytes([0]), .bytes([1, 2, 3])])
    #expect(table.entries.allSatisfy { $0.origin.cautions.first == .mayBeDamaged })
    #expect(table.entries.last?.key.text == "f2" && table.strayCount == 1)
  }

  @Test func rowsWithoutAKeyAreLeftOut() throws {
    let folder = try TemporaryFolder()
    try make(row("'a'", nil, 1, "x'00'") + row("NULL", nil, 1, "x'01'"), in: folder)
    let table = format.read(try format.discover(at: folder.path))
    #expect(table.findings.map(\.code) == ["sqlite.null-key"])
    #expect(table.findings.first?.message.hasPrefix("1 row with NULL as the key") == true)
    #expect(table.verdict == .clean && table.entries.count == 1)
  }

  /// Tests that of several files in the trash with the name of a removed row's file, the last is taken.
  @Test(arguments: 1...3)
  func theLastFileInTheTrashIsThatOfARemovedRow(count: Int) throws {
    let folder = try TemporaryFolder()
    try make(
      "PRAGMA secure_delete = OFF;" + row("'gone'", "f1", 2) + row("'kept'", nil, 1, "x'00'")
        + "DELETE FROM manifest WHERE key = 'gone';", in: folder)
    for number in 1...count {
      try Folder.make(folder.path.appending("trash/data\(number)"))
      try folder.write([0xee, UInt8(number)], to: "trash/data\(number)/f1")
      try folder.write([0xaa, UInt8(number)], to: "trash/data\(number)/f2")
    }
    let table = format.read(try format.discover(at: folder.path))
    #expect(table.entries.map { $0.key.text } == ["kept"])
    let past = table.past?() ?? []
    #expect(past.map { $0.key.text } == ["gone"])
    #expect(past.map(\.value) == [.bytes([0xee, UInt8(count)])])
  }

  @Test func extendedDataIsReportedAsLost() throws {
    let folder = try TemporaryFolder()
    try make(
      row("'a'", nil, 1, "x'00'") + row("'b'", nil, 1, "x'01'")
        + "UPDATE manifest SET extended_data = x'0203' WHERE key = 'b';", in: folder)
    let table = format.read(try format.discover(at: folder.path))
    #expect(table.entries.map(\.value) == [.bytes([0]), .bytes([1])])
    #expect(table.findings.map(\.code) == ["yycache.extended-data"])
    #expect(table.findings.map(\.losesContent) == [true])
    #expect(table.findings.first?.message.contains("the first is row 2") == true)
  }

  @Test func aManifestThatCannotBeOpenedIsReported() throws {
    let folder = try TemporaryFolder()
    try make("", in: folder)
    try folder.write(Array(repeating: 7, count: 4096), to: "manifest.sqlite")
    try folder.write([1], to: "data/f")
    let files = try format.discover(at: folder.path)
    #expect(format.recognition(of: files).likelihood == 30)
    let table = format.read(files)
    #expect(
      table.findings.map(\.code) == [
        "sqlite.corrupt", "yycache.corrupt-manifest", "yycache.orphan-file",
      ])
  }

  @Test func whatIsNoCacheIsNotFound() throws {
    let folder = try TemporaryFolder()
    #expect(throws: DiscoveryError.noStore(in: folder.path, format: "yycache")) {
      try format.discover(at: folder.path)
    }
    let path = try folder.write([], to: "other")
    #expect(format.recognition(of: try format.discover(at: path)).likelihood == 0)
  }

  // MARK: Files without a row

  private static let hasMD5 = Cryptography.isAvailable
  /// The MD5 of "lost", computed by another program.
  private let lost = "1c9a44eb2e8eaf3da1eb551da310cce7"
  /// The MD5 of "a", from RFC 1321.
  private let nameOfA = "0cc175b9c0f1b6a831c399e269772661"

  @Test(.enabled(if: hasMD5)) func aFileWhoseRowIsLostIsMatchedByItsName() throws {
    let folder = try TemporaryFolder()
    try make(row("'a'", nil, 1, "x'00'"), in: folder)
    try folder.write([7, 8], to: "data/\(lost)")
    try folder.write([9], to: "data/other")
    let files = try format.discover(at: folder.path)
    let nameless = format.read(files)
    #expect(nameless.findings.map(\.code) == ["yycache.orphan-file", "yycache.orphan-file"])
    #expect(nameless.entries.map { $0.key.text } == ["a", lost, "other"])
    #expect(nameless.strayCount == 2)
    let table = YYCacheFormat(candidateKeys: ["x", "lost", "a"]).read(files)
    #expect(table.findings.map(\.code) == ["yycache.orphan-file", "yycache.orphan-file"])
    #expect(table.findings[0].message.contains("key \"lost\", and is read as that"))
    #expect(table.entries.map { $0.key.text } == ["a", "lost", "other"])
    #expect(
      table.entries[1].origin
        == EntryOrigin(
          .guess, cautions: [.mayBeDamaged, .mayBeStale],
          at: RoleNames().place(Extent(.external, 0..<2))))
    #expect(table.entries[1].value == .bytes([7, 8]))
  }

  @Test(.enabled(if: hasMD5)) func aFileOfAKeyThatHasAValueIsNoSecondEntry() throws {
    let folder = try TemporaryFolder()
    try make(row("'a'", nil, 1, "x'00'"), in: folder)
    try folder.write([7, 8], to: "data/\(nameOfA)")
    let table = format.read(try format.discover(at: folder.path))
    #expect(table.findings.map(\.code) == ["yycache.orphan-file"])
    #expect(table.findings[0].message.hasSuffix("key \"a\", which already has another value"))
    #expect(table.entries.map(\.value) == [.bytes([0])])
  }

  @Test(.enabled(if: hasMD5)) func aFileIsFoundThoughItsRowNamesAnother() throws {
    let folder = try TemporaryFolder()
    try make(row("'a'", "gone", 2), in: folder)
    try folder.write([7, 8], to: "data/\(nameOfA)")
    let table = format.read(try format.discover(at: folder.path))
    #expect(table.findings.map(\.code) == ["yycache.missing-file", "yycache.orphan-file"])
    #expect(table.entries.map(\.value) == [.bytes([7, 8])])
    #expect(table.entries.map(\.origin.evidence) == [.guess])
  }

  @Test(.enabled(if: hasMD5)) func filesOutliveTheirManifest() throws {
    let folder = try TemporaryFolder()
    try make("", in: folder)
    try folder.write(Array(repeating: 7, count: 4096), to: "manifest.sqlite")
    try folder.write(Array("bplist00".utf8), to: "data/\(lost)")
    let table = YYCacheFormat(candidateKeys: ["lost"])
      .read(try format.discover(at: folder.path))
    #expect(
      table.findings.map(\.code) == [
        "sqlite.corrupt", "yycache.corrupt-manifest", "yycache.orphan-file",
      ])
    #expect(table.entries.map { $0.key.text } == ["lost"])
    #expect(table.entries.map(\.value.kind) == [.keyedArchive])
  }

  // MARK: Writing

  private func entry(_ key: String, _ value: Value) -> TypedEntry {
    TypedEntry(key: Key(Array(key.utf8)), value: value)
  }

  private func write(
    _ entries: [TypedEntry], _ format: YYCacheFormat, to path: FilePath
  ) throws {
    var files = PendingWrite(existing: .keep)
    try format.write(
      EntrySource(name: "store", formatName: "test", entries), to: path, into: &files)
    try files.commit()
  }

  @Test(.enabled(if: hasMD5)) func longValuesAreInFiles() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("cache")
    let short = [UInt8](repeating: 1, count: 20480)
    let long = [UInt8](repeating: 2, count: 20481)
    try write(
      [entry("lost", .bytes(long)), entry("ü", .bytes(short))], YYCacheFormat(time: 7), to: path)
    #expect(try Folder.names(in: path) == ["data", "manifest.sqlite"])
    #expect(try Folder.names(in: path.appending("data")) == [lost])
    #expect(try folder.bytes(of: "cache/data/\(lost)") == long)
    let queue = try DatabaseQueue(path: path.appending("manifest.sqlite").string)
    let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM manifest") }
    #expect(
      rows == [
        [
          "key": "lost", "filename": lost, "size": 20481, "inline_data": nil,
          "modification_time": 7, "last_access_time": 7, "extended_data": nil,
        ],
        [
          "key": "ü", "filename": nil, "size": 20480, "inline_data": Data(short),
          "modification_time": 7, "last_access_time": 7, "extended_data": nil,
        ],
      ])
    let names = try queue.read {
      try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema ORDER BY name")
    }
    #expect(names == ["last_access_time_idx", "manifest", "sqlite_autoindex_manifest_1"])
    try queue.close()
    let table = format.read(try format.discover(at: path))
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.bytes(long), .bytes(short)])
  }

  @Test func valuesBecomeData() {
    #expect(format.fit(.bytes([1])).losses == [])
    let archive = Value.keyedArchive(className: nil, Array("bplist00".utf8))
    #expect(format.fit(archive).losses == [])
    #expect(format.fitted(.bytes(Array("bplist00".utf8))) == archive)
    #expect(format.losses(.bytes(Array("bplist00".utf8))) == ["convert.type-changed"])
    #expect(format.fitted(.string("ü")) == .bytes([0xc3, 0xbc]))
    #expect(format.losses(.json("[]")) == ["convert.value-changed"])
    #expect(format.fitted(.int64(-5)) == .bytes(Array("-5".utf8)))
    #expect(format.fitted(.list(.bool([true]))) == .bytes(Array("[true]".utf8)))
    #expect(format.losses(.null) == ["convert.value-changed"])
    #expect(format.losses(.raw([1])) == ["convert.value-changed"])
    #expect(format.losses(.object(className: "C", [1])) == ["convert.class-lost"])
    #expect(format.losses(.double(.nan)) == ["convert.left-out"])
    // The cache treats empty data as absent.
    #expect(format.losses(.bytes([])) == ["convert.left-out"])
    for key in [[], [0x61, 0], [0xff]] as [[UInt8]] {
      #expect(format.fit(TypedEntry(key: Key(key), value: .bytes([1]))).entry == nil)
    }
    let mortal = TypedEntry(key: Key([0x61]), value: .bytes([1]), expiry: 5)
    #expect(format.fit(mortal).losses.map(\.code) == ["convert.expiry-lost"])
  }

  @Test func withoutMD5LongValuesAreLeftOut() {
    let format = YYCacheFormat { _ in nil }
    #expect(format.losses(.bytes([UInt8](repeating: 1, count: 20480))) == [])
    let long = format.fit(.bytes([UInt8](repeating: 1, count: 20481)))
    #expect(long.entry == nil)
    #expect(long.losses.first?.message.contains("MD5") == true)
  }

  @Test func nothingIsLeftOfACacheThatCannotBeWritten() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("cache")
    func attempt() throws {
      var files = PendingWrite(existing: .keep)
      let source = EntrySource(name: "store", formatName: "test") {
        (_: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
        throw .library("stop")
      }
      try format.write(source, to: path, into: &files)
    }
    let manifest = path.appending("manifest.sqlite")
    #expect(throws: ConversionError.library("\(manifest): stop")) { try attempt() }
    #expect(try folder.names() == [])
    try Folder.make(path)
    try folder.write([1], to: "cache/file")
    #expect(throws: ConversionError.file(.exists(path: path))) {
      try write([], format, to: path)
    }
    #expect(try Folder.names(in: path) == ["file"])
  }
}
