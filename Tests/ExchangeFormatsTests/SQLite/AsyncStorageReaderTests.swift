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

/// Reading the storage of React Native's AsyncStorage on Android and iOS.
struct AsyncStorageReaderTests {
  private let reader = AsyncStorageReader()

  private func entry(_ key: String, _ value: Value) -> TypedEntry {
    TypedEntry(key: Key(Array(key.utf8)), value: value)
  }

  @Test(arguments: [
    ("RKStorage", "catalystLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)", 95),
    ("AsyncStorage", "Storage(key TEXT NOT NULL, value TEXT, PRIMARY KEY(key))", 90),
    ("AsyncStorage.db", "AsyncLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)", 95),
    ("AsyncStorage.db", "AsyncLocalStorage(key TEXT, value TEXT)", 95),
    ("ExpoSQLiteStorage", "storage(key TEXT PRIMARY KEY NOT NULL, value TEXT)", 90),
  ])
  func databasesAreRead(_ name: String, _ table: String, _ likelihood: Int) throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending(name).string)
    let rows = "VALUES('b', '{\"x\":[1]}'), ('a', 'plain'), ('c', '[1,')"
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: "CREATE TABLE \(table); INSERT INTO \(table.prefix { $0 != "(" }) \(rows)")
    }
    try queue.close()
    try folder.write([1], to: "other-file")
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == likelihood)
    let contents = reader.read(files)
    #expect(contents.findings == [])
    #expect(
      contents.entries == [
        entry("b", .json("{\"x\":[1]}")), entry("a", .string("plain")), entry("c", .string("[1,")),
      ])
    #expect(try reader.discover(at: folder.path.appending(name)) == files)
  }

  @Test func aDatabaseOfAnotherProgramIsNotRead() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("RKStorage").string)
    try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE x(key, value)") }
    try queue.close()
    let files = try reader.discover(at: folder.path)
    #expect(reader.recognition(of: files).likelihood == 2)
    #expect(reader.read(files).findings.map(\.code) == ["sqlite.no-table"])
  }

  @Test func severalOrNoStoresAreNoneOfThem() throws {
    let folder = try TemporaryFolder()
    #expect(throws: DiscoveryError.self) { try reader.discover(at: folder.path) }
    for name in ["RKStorage", "AsyncStorage"] { try folder.write([], to: name) }
    #expect(
      throws: DiscoveryError.severalFiles(
        in: folder.path, names: ["AsyncStorage", "RKStorage"])
    ) { try reader.discover(at: folder.path) }
  }

  @Test(.enabled(if: Cryptography.isAvailable))
  func aManifestIsReadWithTheFilesOfItsValues() throws {
    let folder = try TemporaryFolder()
    let manifest =
      #"{"small":"text","large":null,"gone":null,"bytes":null,"\u00fc":"[1, 2]","n":5}"#
    try folder.write(Array(manifest.utf8), to: "manifest.json")
    let large = try #require(Cryptography.md5(Array("large".utf8)).map { Hexadecimal.text($0) })
    let gone = try #require(Cryptography.md5(Array("gone".utf8)).map { Hexadecimal.text($0) })
    let bytes = try #require(Cryptography.md5(Array("bytes".utf8)).map { Hexadecimal.text($0) })
    try folder.write(Array("{}".utf8), to: large)
    try folder.write([0xff], to: bytes)
    try folder.write([1, 2, 3], to: "0123456789abcdef0123456789abcdef")
    try folder.write([], to: ".DS_Store")
    let files = try reader.discover(at: folder.path)
    #expect(files.map(\.role) == [.data, .external, .external, .external])
    #expect(try reader.discover(at: folder.path.appending("manifest.json")) == files)
    #expect(reader.recognition(of: files).likelihood == 95)
    let table = reader.read(files)
    let orphan = "0123456789abcdef0123456789abcdef"
    #expect(table.entries.map { $0.key.text } == ["bytes", "large", "small", "ü", orphan])
    #expect(
      table.entries.map(\.value) == [
        .bytes([0xff]), .json("{}"), .string("text"), .json("[1, 2]"), .string("\u{1}\u{2}\u{3}"),
      ])
    #expect(table.strayCount == 1)
    #expect(table.entries[1].origin.extent == Extent(.external, 0..<2))
    #expect(
      table.findings.map(\.code) == [
        "asyncstorage.text", "asyncstorage.missing-value", "asyncstorage.manifest",
        "asyncstorage.orphan-file",
      ])
    #expect(table.findings[0].message.contains("\"bytes\""))
    #expect(table.findings[1].message.contains(gone))
    #expect(table.findings[1].message.contains("the value of \"gone\""))
    #expect(
      table.findings[3].message.contains("0123456789abcdef0123456789abcdef (3 bytes)"))
  }

  /// Tests files named after keys: each value of the manifest is the only one of its key.
  @Test(.enabled(if: Cryptography.isAvailable), arguments: 0..<16)
  func aFileOfAKeyWithAnotherValueIsNoEntry(number: Int) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"a":"1","b":"2","c":null,"d":null}"#.utf8), to: "manifest.json")
    let held = zip(["a", "b", "c", "d"], 0...).filter { number >> $0.1 & 1 == 1 }.map(\.0)
    for key in held {
      let name = try #require(Cryptography.md5(Array(key.utf8)).map { Hexadecimal.text($0) })
      try folder.write(Array("file of \(key)".utf8), to: name)
    }
    let table = reader.read(try reader.discover(at: folder.path))
    let files = ["c", "d"].filter(held.contains)
    #expect(table.entries.map(\.key.text) == ["a", "b"] + files)
    #expect(
      table.entries.map(\.value)
        == [.string("1"), .string("2")] + files.map { .string("file of \($0)") })
    #expect(table.strayCount == 0)
    let orphans = table.findings.filter { $0.code == "asyncstorage.orphan-file" }
    #expect(orphans.count == ["a", "b"].count(where: held.contains))
    #expect(orphans.allSatisfy { $0.message.hasSuffix("which has another value") })
  }

  @Test(.enabled(if: Cryptography.isAvailable)) func namesAreTheMD5OfTheKey() throws {
    // The MD5 is the one in RFC 1321, A.5.
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"abc":null}"#.utf8), to: "manifest.json")
    try folder.write(Array("x".utf8), to: "900150983cd24fb0d6963f7d28e17f72")
    let table = reader.read(try reader.discover(at: folder.path))
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.string("x")])
  }

  @Test func namesAreTheSameByTheirBytesOnly() throws {
    let folder = try TemporaryFolder()
    let text = "{\"caf\u{e9}\":\"1\",\"cafe\u{301}\":\"2\",\"b\":\"3\",\"b\":\"4\"}"
    try folder.write(Array(text.utf8), to: "manifest.json")
    let table = reader.read(try reader.discover(at: folder.path))
    #expect(table.entries.map(\.value) == [.string("4"), .string("2"), .string("1")])
    #expect(table.findings.map(\.code) == ["json.duplicate-key"])
  }

  @Test(arguments: ["", "[]", "{\"a\":", "{\"a\":\"b", "\"a\"", "\u{1}"])
  func aManifestThatDoesNotParseIsReportedAndLeavesOrphans(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(text.utf8), to: "manifest.json")
    try folder.write([65], to: "900150983cd24fb0d6963f7d28e17f72")
    let files = try reader.discover(at: folder.path)
    // The file that is named by a digest shows what the manifest was.
    #expect(reader.recognition(of: files).likelihood == 90)
    #expect(reader.recognition(of: [files[0]]).likelihood == 20)
    let table = reader.read(files)
    #expect(table.findings.map(\.code) == ["asyncstorage.manifest", "asyncstorage.orphan-file"])
    #expect(table.findings.first?.severity == .damage)
    #expect(table.entries.map(\.value) == [.string("A")])
    #expect(table.indexedCount == 0)
  }

  @Test func withoutMD5TheFilesAreNotFound() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"abc":null,"b":"c"}"#.utf8), to: "manifest.json")
    try folder.write(Array("x".utf8), to: "900150983cd24fb0d6963f7d28e17f72")
    let table = AsyncStorageReader { _ in nil }.read(try reader.discover(at: folder.path))
    #expect(table.findings.map(\.code) == ["asyncstorage.no-digest"])
    #expect(table.entries == [entry("b", .string("c"))])
  }

  @Test func everyPrefixOfAManifestIsReadWithoutTrapping() throws {
    let folder = try TemporaryFolder()
    let manifest = Array(#"{"a":"\u00fc😀","b":null,"c":"{\"d\":1}"}"#.utf8)
    for count in manifest.indices {
      try folder.write(Array(manifest.prefix(count)), to: "manifest.json")
      let table = reader.read(try reader.discover(at: folder.path))
      #expect(table.findings.first?.code == "asyncstorage.manifest")
      let whole = [entry("a", .string("\u{fc}😀")), entry("c", .json("{\"d\":1}"))]
      #expect(table.entries == Array(whole.prefix(table.entries.count)))
      #expect(table.entries.isEmpty == (count < 17), "\(count)")
    }
  }

  /// Tests that damage costs only what it hits, and that a value in a file is not taken for null.
  @Test(
    .enabled(if: Cryptography.isAvailable),
    arguments: [
      #"{"b":"1","abc":null,"c":"2","d"#, #"{"b":"1","abc":null,"c":"2",}"#,
      #"{"b":"1","x":"\ud83d","abc":null,"c":"2"}"#, "{\"b\":\"1\",\"abc\":null,\"c\":\"2\"}x",
      "{\"b\":\"1\",\"x\":\"\u{1}\",\"abc\":null,\"c\":\"2\"}",
    ])
  func damageToTheManifestCostsOnlyWhatItHits(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(text.utf8), to: "manifest.json")
    try folder.write(Array("long".utf8), to: "900150983cd24fb0d6963f7d28e17f72")
    let table = reader.read(try reader.discover(at: folder.path))
    #expect(table.entries.map { $0.key.text } == ["abc", "b", "c"])
    #expect(table.entries.map(\.value) == [.string("long"), .string("1"), .string("2")])
    #expect(table.findings.map(\.code) == ["asyncstorage.manifest"])
    #expect(table.findings.allSatisfy { $0.severity == .damage })
  }

  @Test(arguments: [
    ("{}", true), (" [1, {\"a\": null}]\n", true), ("[1,]", false), ("[1] x", false), ("", false),
    ("1", false), ("\"a\"", false), ("[tru]", false), ("[\"\\u12\"]", false), ("[1.]", false),
    ("[01]", false), ("[1e]", false), ("[-]", false), ("{'a':1}", false), ("{a:1}", false),
    ("[\"\u{0}\"]", false), (String(repeating: "[", count: 100_000), false),
  ])
  func onlyObjectsAndArraysAreJSON(_ text: String, _ isJSON: Bool) {
    #expect(JSONText.value(text) == (isJSON ? .json(text) : .string(text)))
  }
}
