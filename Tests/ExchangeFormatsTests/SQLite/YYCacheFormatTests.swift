import Foundation
import GRDB
import KVBytes
import KVModel
import KVTestSupport
import SystemPackage
import Testing

@testable import ExchangeFormats

/// Folders of YYCache.
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
        "sqlite.key", "yycache.missing-file", "yycache.size-mismatch", "yycache.missing-file",
        "yycache.size-mismatch", "yycache.missing-file", "yycache.orphan-file", "yycache.trash",
      ])
    #expect(table.findings[2].message == "a value in data/f1 has 2 bytes; its row says 5")
    #expect(table.findings[5].message.hasSuffix("in the trash"))
    #expect(table.findings[6].message.hasSuffix("data/f2, of 3 bytes"))
    #expect(table.findings[7].message.hasPrefix("1 file of 4 bytes"))
    #expect(table.entries.map(\.value) == [.bytes([1, 2]), .bytes([0])])
    #expect(table.entries.allSatisfy { $0.origin.cautions == [.mayBeDamaged] })
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
}
