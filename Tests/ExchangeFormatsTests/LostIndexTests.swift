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

/// Stores whose values are still there, but whose index is gone, empty or reset.
@Suite(.enabled(if: Cryptography.isAvailable))
struct LostIndexTests {
  private func name(_ key: String) -> String {
    Cryptography.md5(Array(key.utf8)).map { Hexadecimal.text($0) } ?? ""
  }

  private static let text = #"{"user":"mia","draft":"a long value"}"#

  // MARK: AsyncStorage

  /// A manifest that is missing or lists nothing, and whether that is damage.
  @Test(arguments: [(nil, true), ("{}", false), ("", true), ("\0\0\0\0\0\0\0\0\0\0", true)])
  func valuesOutliveTheManifest(_ manifest: String?, _ isDamage: Bool) throws {
    let folder = try TemporaryFolder()
    let home = folder.path.appending("RCTAsyncLocalStorage_V1")
    try Folder.make(home)
    if let manifest {
      try folder.write(Array(manifest.utf8), to: "RCTAsyncLocalStorage_V1/manifest.json")
    }
    for key in ["persist:root", "@app:own"] {
      try folder.write(Array(Self.text.utf8), to: "RCTAsyncLocalStorage_V1/\(name(key))")
    }
    let reader = AsyncStorageReader()
    let files = try reader.discover(at: home)
    #expect(reader.recognition(of: files).likelihood >= Readers.recognizedUnnamed)
    let table = try reader.table(files)
    #expect(table.verdict == (isDamage ? .damaged : .clean))
    #expect(table.isEmptied == !isDamage)
    #expect(table.indexedCount == 0 && table.recoverableCount == 2)
    #expect(Set(table.entries.map { $0.key.text }) == ["persist:root", name("@app:own")])
    #expect(table.entries.allSatisfy { $0.value == .json(Self.text) })
    #expect(table.entries.allSatisfy { $0.origin.evidence == .guess })
    if !isDamage { #expect(table.findings.first?.code == "store.emptied") }
    let known = try AsyncStorageReader(candidateKeys: ["x", "@app:own"]).table(files)
    #expect(Set(known.entries.map { $0.key.text }) == ["persist:root", "@app:own"])
  }

  @Test func aFolderWithoutManifestIsFoundOnceByItsFirstFile() throws {
    let folder = try TemporaryFolder()
    let names = ["a", "b", "persist:root"].map(name).sorted()
    for name in names { try folder.write(Array("text".utf8), to: name) }
    let reader = AsyncStorageReader()
    let files = try reader.discover(at: folder.path.appending(names[0]))
    #expect(files.count == 3)
    #expect(try reader.discover(at: folder.path) == files)
    #expect(throws: DiscoveryError.self) {
      try reader.discover(at: folder.path.appending(names[1]))
    }
    // The name of a well-known key is evidence; names that only look like an MD5 are none.
    #expect(reader.recognition(of: files).likelihood == 75)
    #expect(reader.recognition(of: [files[0]].filter { _ in false }).likelihood == 0)
    let other = try TemporaryFolder()
    try other.write(Array("text".utf8), to: name("a key that no one guesses"))
    let unknown = try reader.discover(at: other.path)
    #expect(reader.recognition(of: unknown).likelihood < Readers.recognized)
  }

  @Test func anOlderValueOfAKeyInTheManifestIsNoSecondEntry() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"session":"short"}"#.utf8), to: "manifest.json")
    try folder.write(Array(Self.text.utf8), to: name("session"))
    let reader = AsyncStorageReader()
    let table = try reader.table(try reader.discover(at: folder.path))
    #expect(table.values == ["session": .string("short")])
    #expect(table.strayCount == 0)
    #expect(table.findings.map(\.code) == ["asyncstorage.orphan-file"])
    #expect(table.findings.first?.message.contains("which has another value") == true)
  }

  @Test func valuesInFilesAreCheckedForLostPages() throws {
    let folder = try TemporaryFolder()
    let values: [(String, [UInt8])] = [
      ("whole", Array(Self.text.utf8)),
      ("zeros", Array(Self.text.utf8.prefix(20)) + [UInt8](repeating: 0, count: 17)),
      ("few", Array("text".utf8) + [0, 0]), ("cut", Array(Self.text.utf8.dropLast(5))),
    ]
    let items = values.map { "\"\($0.0)\":null" }.joined(separator: ",")
    try folder.write(Array("{\(items)}".utf8), to: "manifest.json")
    for (key, bytes) in values { try folder.write(bytes, to: name(key)) }
    let reader = AsyncStorageReader()
    let table = try reader.table(try reader.discover(at: folder.path))
    let marked = table.entries.filter { $0.origin.cautions == [.mayBeDamaged] }
    #expect(marked.map { $0.key.text } == ["cut", "few", "zeros"])
    #expect(
      table.findings.map(\.code) == [
        "asyncstorage.cut-value", "value.trailing-zeros", "value.zeros",
      ])
    let zeros = try #require(table.findings.last)
    #expect(table.files.path(of: zeros)?.lastComponent?.string == name("zeros"))
  }

  // MARK: YYCache

  private static let archive = Array("bplist00".utf8) + [0xd0, 8, 0, 9]

  /// Makes a cache of which the manifest is missing, empty, zeros, or without rows.
  private func makeCache(
    _ manifest: [UInt8]?, rows: Bool, in folder: borrowing TemporaryFolder
  ) throws {
    try Folder.make(folder.path.appending("data"))
    for key in ["user", "@app:own"] { try folder.write(Self.archive, to: "data/\(name(key))") }
    if let manifest { try folder.write(manifest, to: "manifest.sqlite") }
    guard rows else { return }
    let queue = try DatabaseQueue(path: folder.path.appending("manifest.sqlite").string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          create table if not exists manifest (key text, filename text, size integer,
            inline_data blob, modification_time integer, last_access_time integer,
            extended_data blob, primary key(key));
          """)
    }
    try queue.close()
  }

  @Test(
    arguments: [
      (nil, false, true), ([], false, true), ([UInt8](repeating: 0, count: 4096), false, true),
      (nil, true, false),
    ] as [([UInt8]?, Bool, Bool)])
  func valuesOutliveTheCachesManifest(
    _ manifest: [UInt8]?, _ hasTable: Bool, _ isDamage: Bool
  ) throws {
    let folder = try TemporaryFolder()
    try makeCache(manifest, rows: hasTable, in: folder)
    let format = YYCacheFormat()
    let files = try format.discover(at: folder.path)
    #expect(format.recognition(of: files).likelihood >= Readers.recognizedUnnamed)
    let table = try format.table(files)
    #expect(table.verdict == (isDamage ? .damaged : .clean))
    #expect(table.isEmptied == !isDamage)
    #expect(table.indexedCount == 0 && table.recoverableCount == 2)
    #expect(Set(table.entries.map { $0.key.text }) == ["user", name("@app:own")])
    let known = try YYCacheFormat(candidateKeys: ["@app:own"]).table(files)
    #expect(Set(known.entries.map { $0.key.text }) == ["user", "@app:own"])
    if !isDamage { #expect(table.findings.map(\.code).contains("store.emptied")) }
  }

  @Test func aFolderOfDigestsIsNoCacheByItself() throws {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path.appending("data"))
    try folder.write([1, 2, 3], to: "data/\(name("a key that no one guesses"))")
    let format = YYCacheFormat()
    let files = try format.discover(at: folder.path)
    #expect(format.recognition(of: files).likelihood < Readers.recognized)
    #expect(try format.table(files).recoverableCount == 1)
  }

  @Test func aValueThatEndsWithALostPageIsMarked() throws {
    let folder = try TemporaryFolder()
    let bytes = Self.archive + [UInt8](repeating: 0, count: 500)
    try makeCache(nil, rows: true, in: folder)
    try folder.write(bytes, to: "data/\(name("user"))")
    let queue = try DatabaseQueue(path: folder.path.appending("manifest.sqlite").string)
    let row =
      "INSERT INTO manifest VALUES('user', '\(name("user"))', \(bytes.count), NULL, 1, 1, NULL)"
    try queue.writeWithoutTransaction { try $0.execute(sql: row) }
    try queue.close()
    let format = YYCacheFormat()
    let table = try format.table(try format.discover(at: folder.path))
    #expect(table.verdict == .damaged)
    #expect(table.findings.first?.code == "value.zeros")
    #expect(table.entries.first?.origin.cautions == [.mayBeDamaged])
  }
}
