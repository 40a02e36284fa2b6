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

/// The files that apps keep beside a file while they replace it: other versions of it.
struct SideFileTests {
  private let one: [UInt8] = [0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1]
  private let two: [UInt8] = [
    0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 0, 0x0a, 7, 0x0a, 1, 0x63, 0x12, 2, 8, 1,
  ]

  // MARK: DataStore

  @Test func theTemporaryFileIsAnotherVersion() throws {
    let folder = try TemporaryFolder()
    try folder.write(one, to: "a.preferences_pb")
    try folder.write(two, to: "a.preferences_pb.tmp")
    let format = DataStoreFormat()
    let files = try format.discover(at: folder.path)
    #expect(try format.discover(at: files[1].path) == files)
    let table = try format.table(files)
    #expect(table.values == ["b": .bool(true)])
    #expect(table.versions.map(\.name) == ["newer"])
    #expect(table.versions.first?.entries.count == 2)
    #expect(table.recoverableCount == 2 && table.lostCount == 0)
    // The file that the user names is the one that is read.
    let named = try format.table(files.led(by: files[1].path))
    #expect(named.files.map(\.path) == files.reversed().map(\.path))
    #expect(named.values == ["b": .bool(false), "c": .bool(true)])
    #expect(named.versions.map(\.name) == ["current"] && named.lostCount == 2)
  }

  @Test func entriesOfAZeroedFileAreRecoveredFromTheTemporaryFile() throws {
    let folder = try TemporaryFolder()
    try folder.write([UInt8](repeating: 0, count: 40), to: "a.preferences_pb")
    try folder.write(two, to: "a.preferences_pb.tmp")
    let format = DataStoreFormat()
    let table = try format.table(try format.discover(at: folder.path))
    #expect(table.verdict == .damaged && table.entries == [])
    #expect(table.recoverableCount == 2)
    let message = try #require(table.findings.last?.message)
    #expect(message.contains("is whole: 2 entries"))
  }

  @Test func aTemporaryFileAloneIsDataStore() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(two, to: "a.preferences_pb.tmp")
    let format = DataStoreFormat()
    for place in [folder.path, path] {
      let files = try format.discover(at: place)
      #expect(files.map(\.path) == [path])
      #expect(format.recognition(of: files).likelihood == 90)
      let table = try format.table(files)
      #expect(table.entries.count == 2 && table.lostCount == 2)
      #expect(table.findings.map(\.code) == ["datastore.temporary"])
    }
  }

  @Test func aDamagedTemporaryFileIsSaidToBe() throws {
    let folder = try TemporaryFolder()
    try folder.write(one, to: "a.preferences_pb")
    try folder.write(Array(two.prefix(14)), to: "a.preferences_pb.tmp")
    let format = DataStoreFormat()
    let table = try format.table(try format.discover(at: folder.path))
    #expect(table.verdict == .clean && table.versions.map(\.isWhole) == [false])
    #expect(table.findings.first?.message.contains("is damaged") == true)
  }

  // MARK: SharedPreferences

  private func preferences(_ user: String, _ level: Int) -> [UInt8] {
    Array(
      "<map><string name='user'>\(user)</string><int name='level' value='\(level)' /></map>".utf8)
  }

  @Test func theFileBesideABackupIsAnotherVersion() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(preferences("zoe", 3), to: "a.xml")
    let backup = try folder.write(preferences("mia", 3), to: "a.xml.bak")
    let format = SharedPreferencesFormat()
    let files = try format.discover(at: path)
    let table = try format.table(files)
    #expect(table.values["user"] == .string("mia"))
    #expect(table.versions.map(\.name) == ["newer"])
    #expect(table.recoverableCount == 1 && table.lostCount == 1)
    #expect(table.findings.first?.message.contains("of which 1 is lost or goes back") == true)
    let named = try format.table(files.led(by: path))
    #expect(named.values["user"] == .string("zoe"))
    #expect(named.versions.map(\.path) == [backup] && named.versions.map(\.name) == ["current"])
    #expect(named.lostCount == 1)
    #expect(named.findings.first?.message.contains("the app will load a.xml.bak") == true)
  }

  @Test func aBackupAloneNamesNoOtherFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(preferences("mia", 3), to: "a.xml.bak")
    let format = SharedPreferencesFormat()
    let table = try format.table(try format.discover(at: path))
    #expect(table.findings.map(\.code) == ["sharedprefs.backup"])
    #expect(table.findings.first?.message.contains("discard") == false)
    #expect(table.findings.first?.message.contains("other") == false)
    #expect(table.lostCount == 0)
  }

  @Test func theNewestValuesOfADamagedFileAreCounted() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(preferences("zoe", 4).prefix(60)), to: "a.xml")
    try folder.write(preferences("mia", 3), to: "a.xml.bak")
    let format = SharedPreferencesFormat()
    let table = try format.table(try format.discover(at: folder.path))
    #expect(table.verdict == .clean && table.entries.count == 2)
    // The last value before the damage may be cut off, and the backup has a whole one.
    #expect(table.versions.map(\.isWhole) == [false] && table.lostCount == 0)
  }

  // MARK: SQLite

  /// Makes a database with a row in its file and another one in its log, as a program leaves it that
  /// did not close the database.
  private func makeDatabase(in folder: borrowing TemporaryFolder) throws {
    let queue = try DatabaseQueue(path: folder.path.appending("live").string)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = wal;
          CREATE TABLE catalystLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL);
          INSERT INTO catalystLocalStorage VALUES('a', '1');
          PRAGMA wal_checkpoint(TRUNCATE);
          UPDATE catalystLocalStorage SET value = '9';
          INSERT INTO catalystLocalStorage VALUES('b', '2');
          """)
    }
    try folder.write(try folder.bytes(of: "live"), to: "kept/RKStorage")
    try folder.write(try folder.bytes(of: "live-wal"), to: "kept/log")
    try queue.close()
  }

  @Test func aMissingLogIsNoted() throws {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path.appending("kept"))
    try makeDatabase(in: folder)
    let home = folder.path.appending("kept")
    let reader = AsyncStorageReader()
    let alone = try reader.table(try reader.discover(at: home))
    #expect(alone.values == ["a": .string("1")])
    #expect(alone.findings.map(\.code) == ["sqlite.wal-missing"])
    #expect(alone.verdict == .clean)
    #expect(alone.findings.first?.message.contains("there is no RKStorage-wal") == true)
    // An empty log shows that the database was closed, and that nothing is missing.
    try folder.write([], to: "kept/RKStorage-wal")
    #expect(try reader.table(try reader.discover(at: home)).findings == [])
    try folder.write(try folder.bytes(of: "kept/log"), to: "kept/RKStorage-wal")
    let whole = try reader.table(try reader.discover(at: home))
    #expect(whole.values == ["a": .string("9"), "b": .string("2")])
    #expect(whole.findings == [])
  }

  @Test(arguments: ["RKStorage-scoped-wal", "old.db-wal", "RKStorage.WAL"])
  func aLogUnderAnotherNameIsNamedAndIsAnotherVersion(_ name: String) throws {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path.appending("kept"))
    try makeDatabase(in: folder)
    try folder.write(try folder.bytes(of: "kept/log"), to: "kept/\(name)")
    let reader = AsyncStorageReader()
    let path = folder.path.appending("kept/RKStorage")
    let table = try reader.table(try reader.discover(at: path))
    #expect(table.values == ["a": .string("1")])
    let message = try #require(table.findings.first?.message)
    #expect(message.contains(name) && message.contains("frames"))
    #expect(table.versions.map { $0.entries.count } == [2])
    #expect(table.recoverableCount == 2)
  }

  @Test func aLogOfAnotherDatabaseIsNotNamed() throws {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path.appending("kept"))
    try makeDatabase(in: folder)
    try folder.write(try folder.bytes(of: "kept/log"), to: "kept/other-wal")
    try folder.write([1], to: "kept/other")
    try folder.write(Array("this is no log, though it is named so".utf8), to: "kept/x-wal")
    let reader = AsyncStorageReader()
    let table = try reader.table(
      try reader.discover(at: folder.path.appending("kept/RKStorage")))
    #expect(table.versions.isEmpty)
    #expect(table.findings.map(\.code) == ["sqlite.wal-missing"])
    #expect(table.findings.first?.message.contains("other") == false)
  }

  @Test func zerosInTheTextOfARowAreDamage() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.path.appending("RKStorage").string)
    let long = String(repeating: "0123456789", count: 3000)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: "CREATE TABLE catalystLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)")
      for (key, value) in [("a", "1"), ("long", long), ("z", "2")] {
        try database.execute(
          sql: "INSERT INTO catalystLocalStorage VALUES(?, ?)", arguments: [key, value])
      }
    }
    try queue.close()
    var bytes = try folder.bytes(of: "RKStorage")
    // The last page holds the end of the long text, and a link that is zero in any case.
    let start = bytes.count - 4096
    bytes.replaceSubrange(start..<bytes.count, with: [UInt8](repeating: 0, count: 4096))
    try folder.write(bytes, to: "RKStorage")
    let reader = AsyncStorageReader()
    let table = try reader.table(try reader.discover(at: folder.path))
    #expect(table.entries.map { $0.key.text } == ["a", "long", "z"])
    #expect(table.findings.map(\.code).contains("value.zeros"))
    #expect(
      table.entries.filter { !$0.origin.cautions.isEmpty }.map { $0.key.text } == ["long"])
  }
}
