import ExchangeFormats
import Foundation
import KVBytes
import KVConversion
import KVFixtures
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import KVToolkit
import SystemPackage
import Testing

/// Files of formats without a log that are written anew.
struct TablePlanTests {
  private static let formats = ["datastore", "plist", "sharedprefs"]

  private static func restorer(_ name: String) throws -> any EntryRestorer {
    try #require(
      FormatCatalog.standard.readers(FormatOptions(now: 0), named: name).first
        as? any EntryRestorer)
  }

  /// Writes the plan for `table` into a new folder, and returns what is read from it.
  private static func restored(
    _ table: EntryTable, by restorer: any EntryRestorer, _ choice: TablePlan.Choice = .newest
  ) throws -> (plan: TablePlan, table: EntryTable) {
    let folder = try TemporaryFolder()
    let plan = try TablePlan(choice, of: table, by: restorer, in: folder.path)
    let new = folder.path.appending("new")
    _ = try StoreWriter().write(plan.files, into: new)
    let name = type(of: restorer).loadedName(of: table.files)
    return (plan, try restorer.table(restorer.discover(at: new.appending(name.components))))
  }

  /// Tests that the library loads from a repaired file all that the damaged one still had.
  @Test(arguments: formats)
  func theLibraryLoadsWhatWasKept(format: String) throws {
    let restorer = try Self.restorer(format)
    let folder = FilePath("Fixtures/libraries/\(format)")
    var count = 0
    for name in try Folder.names(in: folder) where !name.hasSuffix(".tmp") {
      let files = try restorer.discover(at: folder.appending(name))
      let table = try restorer.table(files)
      let (plan, new) = try Self.restored(table, by: restorer)
      #expect(new.verdict == .clean && !new.isRefused, "\(name)")
      #expect(new.entries.count(notIn: plan.kept) == 0, "\(name)")
      #expect(plan.kept.count(notIn: new.entries) == 0, "\(name)")
      #expect(new.lostCount == 0 && new.loads.map(\.load.outcome) == [.loaded], "\(name)")
      #expect(plan.kept.count + plan.dropped.count == table.newest.count, "\(name)")
      if plan.kept.count > (table.loads.first?.entries.count ?? 0) { count += 1 }
    }
    // In some files, entries are whole although the library reads nothing.
    #expect(count > 5, "\(format)")
  }

  /// Tests that of a file that is cut anywhere, no value is invented, and that all that was read is in
  /// the new file.
  @Test(arguments: formats)
  func aFileThatIsCutIsWrittenAnew(format: String) throws {
    let restorer = try Self.restorer(format)
    let original = FilePath("Fixtures/libraries/\(format)")
      .appending(
        ["datastore": "00-good.preferences_pb", "plist": "x00-good.plist"][format]
          ?? "00-good.xml")
    let whole = try restorer.table(restorer.discover(at: original))
    let bytes = try FileImage.read(original).bytes
    let folder = try TemporaryFolder()
    var most = 0
    for count in bytes.indices {
      let name = original.name
      try folder.write(Array(bytes.prefix(count)), to: name)
      let table = try restorer.table(restorer.discover(at: folder.path.appending(name)))
      let (plan, new) = try Self.restored(table, by: restorer)
      let sure = new.entries.filter { entry in
        plan.kept.contains { $0.key == entry.key && $0.origin.cautions.isEmpty }
      }
      #expect(sure.count(notIn: whole.entries) == 0, "\(count) bytes")
      #expect(new.verdict == .clean && new.lostCount == 0, "\(count) bytes")
      most = max(most, new.entries.count)
    }
    #expect(most >= whole.entries.count - 1)
  }

  /// Tests that a database with any bytes changed is written anew without damage, or refused.
  @Test func aChangedDatabaseIsWrittenWhole() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    let restorer = try Self.restorer("asyncstorage")
    let folder = try TemporaryFolder()
    let whole = try Self.database(in: folder, &random)
    var count = 0
    for _ in 0..<TestExtent.count(60, of: 400) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        bytes[index] = .random(in: 0 ... .max, using: &random)
      }
      try folder.write(bytes, to: "RKStorage")
      let table = try restorer.table(
        restorer.discover(at: folder.path.appending("RKStorage")))
      guard let (plan, new) = try? Self.restored(table, by: restorer) else { continue }
      // A schema of which the names are changed is kept as it is.
      let hasTable = !table.findings.contains { $0.code == "sqlite.no-table" }
      #expect(
        new.verdict == .clean || !hasTable, "seed \(seed): \(new.findings.map(\.message))")
      #expect(plan.kept.count(notIn: new.entries) == 0, "seed \(seed)")
      count += 1
    }
    #expect(count > 10)
  }

  /// The databases of AsyncStorage, with the statement that creates the table, and the version.
  private static let databases = [
    ("RKStorage", "catalystLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)", 1),
    ("AsyncStorage", "Storage(key TEXT NOT NULL, value TEXT, PRIMARY KEY(key))", 0),
    ("ExpoSQLiteStorage", "storage(key TEXT PRIMARY KEY NOT NULL, value TEXT)", 0),
    ("AsyncStorage.db", "AsyncLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)", 0),
  ]

  /// Tests that rows to whose pages nothing leads are entries with a caution, that rows which were
  /// deleted are none where the list of free pages is whole, and that a new database has them.
  @Test(arguments: databases)
  func rowsThatSQLiteDoesNotReachAreKept(name: String, definition: String, version: Int) throws {
    let folder = try TemporaryFolder()
    let restorer = try Self.restorer("asyncstorage")
    let rows = try RowDatabase(
      at: folder.path.appending("new"),
      "PRAGMA user_version = \(version); CREATE TABLE \(definition)")
    let table = String(definition.prefix { $0 != "(" })
    let text = { (number: Int) in String(repeating: "\(number) ", count: 40) }
    for number in 0..<300 {
      rows.insert(into: table, [.text("key\(number)"), .text(text(number))])
    }
    try rows.finish("DELETE FROM \(table) WHERE rowid > 200")
    let bytes = try folder.bytes(of: "new")
    let size = 4096
    // The root page of the table follows the schema.
    for (lost, knowsFree) in [(0..<100, false), (0..<size, false), (size..<2 * size, true)] {
      var damaged = bytes
      damaged.replaceSubrange(lost, with: repeatElement(0, count: lost.count))
      try folder.write(damaged, to: name)
      let found = try restorer.table(restorer.discover(at: folder.path.appending(name)))
      #expect(found.verdict == .damaged && found.indexedCount == 0 && found.isRefused)
      #expect(found.entries.allSatisfy { !$0.origin.cautions.isEmpty })
      let (plan, new) = try Self.restored(found, by: restorer)
      #expect(new.verdict == .clean && plan.isLossy && plan.lacking.isEmpty, "\(lost)")
      let values = Dictionary(uniqueKeysWithValues: new.entries.map { ($0.key.text, $0.value) })
      for number in 0..<200 { #expect(values["key\(number)"] == .string(text(number)), "\(lost)") }
      for entry in new.entries {
        let number = Int(entry.key.text?.dropFirst(3) ?? "") ?? -1
        #expect(number < (knowsFree ? 200 : 300) && entry.value == .string(text(number)), "\(lost)")
      }
      let header = plan.files[0].bytes[60..<64].reduce(0) { $0 << 8 | Int($1) }
      #expect(header == version, "\(lost)")
    }
  }

  /// Returns the bytes of a database like those of React Native.
  private static func database(
    in folder: borrowing TemporaryFolder, _ random: inout SeededGenerator
  ) throws -> [UInt8] {
    let rows = try RowDatabase(
      at: folder.path.appending("new"),
      "CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    for number in 0..<120 {
      let text = String(repeating: "v", count: .random(in: 1...200, using: &random))
      rows.insert(into: "catalystLocalStorage", [.text("key\(number)"), .text(text)])
    }
    try rows.finish()
    return try folder.bytes(of: "new")
  }

  @Test func whatTheAppLoadsIsAnotherChoice() throws {
    let folder = try TemporaryFolder()
    let xml = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n"
    try folder.write(
      Array((xml + "<int name=\"a\" value=\"1\" />\n</map>\n").utf8), to: "p.xml.bak")
    try folder.write(
      Array((xml + "<int name=\"a\" value=\"2\" />\n<int name=\"b\" value=\"3\" />\n").utf8),
      to: "p.xml")
    let restorer = try Self.restorer("sharedprefs")
    let table = try restorer.table(restorer.discover(at: folder.path))
    func values(_ choice: TablePlan.Choice) throws -> [String: Value] {
      let (plan, new) = try Self.restored(table, by: restorer, choice)
      #expect(plan.files.map(\.name) == ["p.xml"] && plan.removed == ["p.xml.bak"])
      return Dictionary(
        uniqueKeysWithValues: new.entries.map { ($0.key.text ?? "", $0.value) })
    }
    #expect(try values(.loaded) == ["a": .int32(1)])
    #expect(try values(.newest) == ["a": .int32(2), "b": .int32(3)])
    // The file is cut after the second entry.
    #expect(try values(.certain) == ["a": .int32(2)])
  }
}
