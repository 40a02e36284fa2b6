import Foundation
import GRDB
import Testing

/// `repair` of files of formats without a log, as users run it.
struct TableRepairTests {
  private let scratch: Scratch
  private let declaration = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n"

  init() throws { scratch = try Scratch() }

  private func preferences(_ elements: String, isWhole: Bool = true) -> [UInt8] {
    Array((declaration + elements + (isWhole ? "</map>\n" : "")).utf8)
  }

  private func repair(_ arguments: String...) async throws -> Outcome {
    try await Tool.run(["repair"] + arguments, in: scratch.path)
  }

  private func dump(_ path: String) async throws -> [String] {
    try await Tool.run(["dump", path], in: scratch.path).lines.map(String.init)
  }

  @Test func aDamagedFileNeedsAnAnswer() async throws {
    _ = try scratch.write(
      preferences("<int name=\"a\" value=\"1\" />\n", isWhole: false), to: "p.xml")
    let unasked = try await repair("p.xml", "--out", "new")
    #expect(unasked.status == 16 && scratch.names(in: "new") == nil)
    #expect(unasked.errors.contains("-y for the newest readable values (1 entry)"))
    let check = try await Tool.run(["check", "p.xml"], in: scratch.path)
    #expect(check.output.contains("At its next launch, the app will discard the one entry"))
    #expect(check.output.contains("kvfsck repair p.xml --out repaired -y"))
    let planned = try await repair("p.xml", "-n", "--json")
    #expect(planned.status == 4)
    #expect(try planned.objects("entry").map { $0["key"]?.string } == ["a"])
    let written = try await repair("-y", "p.xml", "--out", "new")
    // 1: repaired; 4: what came after the damage is not known.
    #expect(written.status == 5, "\(written.testDescription)")
    #expect(try await dump("new/p.xml") == ["a = int32 1"])
    let discarded = try await repair("--on-crc-fail", "discard", "p.xml", "--out", "none")
    #expect(discarded.status == 5)
    #expect(try await dump("none/p.xml") == [])
  }

  /// Tests that a value that the new file has in another form is told, and is a loss.
  @Test func whatTheNewFileHoldsOtherwiseIsALoss() async throws {
    _ = try scratch.write(
      preferences(
        """
        <double name="d" value="1.5" />
        <byte-array name="b" num="2">0102</byte-array>
        <string name="s">x</string>

        """), to: "p.xml")
    let outcome = try await repair("p.xml", "--out", "new")
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(outcome.output.contains("d: warning: [convert.value-changed] double becomes string"))
    let lines = try await repair("p.xml", "-n", "--json")
    let codes = try lines.objects("finding").map { $0["code"]?.string }
    #expect(lines.status == 4 && codes == ["convert.value-changed", "convert.value-changed"])
    #expect(try lines.objects("summary").first?["findings"]?.integer == 2)
  }

  /// Tests that what an app's library writes of characters that XML forbids is written as there.
  @Test func charactersThatXMLForbidsAreKept() async throws {
    let texts = ["k&#1;": "a&#0;b&#31;c&#9;", "other": "\u{fffe}"]
    let elements = texts.sorted { $0.key < $1.key }.map {
      "    <string name=\"\($0.key)\">\($0.value)</string>\n"
    }
    _ = try scratch.write(
      preferences(
        elements.joined() + "    <set name=\"z\">\n        <string>&#2;</string>\n    </set>\n"),
      to: "p.xml")
    let outcome = try await repair("p.xml", "--out", "new")
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let made = String(decoding: try scratch.bytes(of: "new/p.xml"), as: UTF8.self)
    #expect(made.contains(#"name="k&#1;">a&#0;b&#31;c&#9;<"#), "\(made)")
    #expect(try await dump("new/p.xml") == dump("p.xml"))
    let converted = try await Tool.run(
      ["convert", "p.xml", "--to", "sharedprefs", "--out", "c.xml"], in: scratch.path)
    #expect(converted.status == 0, "\(converted.testDescription)")
    #expect(try await dump("c.xml") == dump("p.xml"))

    let list =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n"
      + "\t<key>k\u{1}</key>\n\t<string>a\u{1f}b</string>\n</dict>\n</plist>\n"
    _ = try scratch.write(Array(list.utf8), to: "p.plist")
    let listed = try await repair("p.plist", "--out", "new")
    #expect(listed.status == 0, "\(listed.testDescription)")
    #expect(try await dump("new/p.plist") == dump("p.plist"))
    // Other programs than Apple's refuse a list with such a character.
    let other = try await Tool.run(
      ["convert", "p.plist", "--to", "plist", "--xml", "--out", "c.plist"], in: scratch.path)
    #expect(other.output.contains("XML cannot contain U+0001"), "\(other.testDescription)")
  }

  /// Tests that a program is told which entries are left out, and how many are kept.
  @Test func whatIsDroppedIsNamed() async throws {
    // A binary property list with the integer `kept`, and the date `none`, which is no point in time.
    var list = Array("bplist00".utf8) + [0xd2, 1, 2, 3, 4]
    let objects: [[UInt8]] = [
      [0x54] + "kept".utf8, [0x54] + "none".utf8, [0x10, 1],
      [0x33, 0x7f, 0xf8] + [0, 0, 0, 0, 0, 0],
    ]
    var offsets: [UInt8] = [8]
    for object in objects {
      offsets.append(UInt8(list.count))
      list += object
    }
    let table = UInt8(list.count)
    list += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [5, 0, table] { list += [0, 0, 0, 0, 0, 0, 0, number] }
    _ = try scratch.write(list, to: "p.plist")
    let outcome = try await repair("p.plist", "--out", "new", "--json")
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    let dropped = try outcome.objects("dropped")
    #expect(dropped.map { $0["key"]?.string } == ["none"])
    #expect(dropped.first?["reason"]?.string?.contains("not a point in time") == true)
    #expect(dropped.first?["evidence"] == nil)
    #expect(try outcome.objects("entry").map { $0["key"]?.string } == ["kept"])
    #expect(try outcome.objects("summary").first?["entries"]?.integer == 1)
  }

  /// Tests that entries are named which are in the files but not in what was asked for.
  @Test func whatTheAnswerLeavesOutIsNamed() async throws {
    _ = try scratch.write(preferences("<int name=\"a\" value=\"0\" />\n"), to: "p.xml.bak")
    _ = try scratch.write(
      preferences("<int name=\"a\" value=\"1\" />\n<int name=\"new\" value=\"7\" />\n"),
      to: "p.xml")
    for choice in [["--on-crc-fail", "discard"], ["--like-engine"], ["--state", "current"]] {
      let outcome = try await Tool.run(
        ["repair", "p.xml", "--dry-run", "--json"] + choice, in: scratch.path)
      #expect(try outcome.objects("entry").map { $0["value"]?["value"]?.integer } == [0])
      let dropped = try outcome.objects("dropped")
      #expect(dropped.map { $0["key"]?.string } == ["a", "new"], "\(outcome.testDescription)")
    }
    let text = try await repair("p.xml", "--dry-run", "--like-engine")
    #expect(text.output.contains("Drops 2 entries:\n  a: the answer leaves it out"))
    let newest = try await repair("p.xml", "-n", "-y", "--json")
    #expect(try newest.objects("dropped").isEmpty)
  }

  /// Tests that content which an undamaged file has, and the new one has not, is told.
  @Test func whatIsNotReadIsMissing() async throws {
    _ = try scratch.write(
      preferences("<string>lost</string>\n<int name=\"a\" value=\"1\" />\n"), to: "p.xml")
    let outcome = try await repair("p.xml", "--out", "new")
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(outcome.output.contains("[sharedprefs.null-key]"), "\(outcome.testDescription)")
    // A field that DataStore does not have is only a note, but what it has is not in the new file.
    _ = try scratch.write(
      [0x0a, 7, 0x0a, 1, 0x61, 0x12, 2, 0x18, 1, 0x18, 5], to: "p.preferences_pb")
    let other = try await repair("p.preferences_pb", "--out", "new")
    #expect(other.status == 4, "\(other.testDescription)")
    #expect(other.output.contains("[datastore.unknown-field]"), "\(other.testDescription)")
  }

  /// Tests that texts of a database in UTF-16 are copied with their first character, also if it looks
  /// like a byte order mark.
  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func textsAreCopiedAsTheyAre(encoding: String) async throws {
    func texts(_ path: String) throws -> [String] {
      let queue = try DatabaseQueue(path: scratch.path(path))
      defer { try? queue.close() }
      return try queue.read { database in
        try ["catalystLocalStorage", "other"].flatMap { name in
          try String.fetchAll(
            database,
            sql:
              "SELECT typeof(key) || hex(CAST(key AS BLOB)) || hex(CAST(value AS BLOB)) FROM \(name)"
          )
        }
      }
    }
    let queue = try DatabaseQueue(path: scratch.path("RKStorage"))
    try await queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA encoding = '\(encoding)'")
      for name in ["catalystLocalStorage", "other"] {
        try database.execute(
          sql: "CREATE TABLE \(name) (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        for (key, value) in [("\u{feff}k", "1"), ("k", "\u{feff}\u{feff}2"), ("e", "\u{fffe}")] {
          try database.execute(sql: "INSERT INTO \(name) VALUES(?, ?)", arguments: [key, value])
        }
      }
    }
    try queue.close()
    let outcome = try await repair("RKStorage", "--out", "new")
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try texts("new/RKStorage") == texts("RKStorage"))
    #expect(try texts("RKStorage").contains { $0.contains("FEFF") || $0.contains("FFFE") })
  }

  @Test func anOptionAboutLogsHasNoEffect() async throws {
    _ = try scratch.write(preferences(""), to: "p.xml")
    for option in [["--drop-expired"], ["--state", "before-reset"], ["--plain"]] {
      let outcome = try await Tool.run(
        ["repair", "p.xml", "--out", "new"] + option, in: scratch.path)
      #expect(outcome.status == 16, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("has no effect"), "\(outcome.testDescription)")
    }
  }

  #if Encryption
    @Test func aBackupIsReplacedInPlaceAndComesBack() async throws {
      let old = preferences("<int name=\"a\" value=\"1\" />\n")
      let new = preferences(
        "<int name=\"a\" value=\"2\" />\n<int name=\"b\" value=\"3\" />\n")
      _ = try scratch.makeFolder("app")
      _ = try scratch.write(old, to: "app/p.xml.bak")
      _ = try scratch.write(new, to: "app/p.xml")
      let outcome = try await repair("-y", "--in-place", "app/p.xml")
      #expect(outcome.status == 1, "\(outcome.testDescription)")
      #expect(scratch.names(in: "app") == ["p.xml", "p.xml.kvfsck-backup-1"])
      #expect(try await dump("app/p.xml") == ["a = int32 2", "b = int32 3"])
      let again = try await repair("-y", "--in-place", "app/p.xml")
      #expect(again.status == 0 && again.output.contains("nothing to repair"))
      let undo = try await Tool.run(["undo", "app/p.xml.kvfsck-backup-1"], in: scratch.path)
      #expect(undo.status == 0, "\(undo.testDescription)")
      #expect(try scratch.bytes(of: "app/p.xml") == new)
      #expect(try scratch.bytes(of: "app/p.xml.bak") == old)
    }
  #endif

  // MARK: AsyncStorage

  /// Makes a database as React Native does, with `count` rows, and returns its path.
  private func makeDatabase(_ name: String, rows count: Int) throws -> String {
    let path = scratch.path(name)
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 1024; PRAGMA user_version = 7;
          CREATE TABLE android_metadata (locale TEXT);
          INSERT INTO android_metadata VALUES('de_DE');
          CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL);
          CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB DEFAULT "x");
          CREATE INDEX others ON other(data);
          INSERT INTO other VALUES(41, x'00ff');
          CREATE TRIGGER none AFTER INSERT ON other BEGIN DELETE FROM other; END;
          """)
      for number in 0..<count {
        try database.execute(
          sql: "INSERT INTO catalystLocalStorage VALUES(?, ?)",
          arguments: ["key\(number)", "value \(number)"])
      }
    }
    try queue.close()
    return path
  }

  @Test func aDatabaseIsWrittenWithAllThatSQLiteCanRead() async throws {
    _ = try makeDatabase("RKStorage", rows: 300)
    var bytes = try scratch.bytes(of: "RKStorage")
    // The header of a leaf of a table in the middle.
    let leaves = stride(from: 0, to: bytes.count, by: 1024).filter { bytes[$0] == 13 }
    let page = leaves[leaves.count / 2]
    for offset in page..<page + 8 { bytes[offset] = 0xff }
    _ = try scratch.write(bytes, to: "RKStorage")
    let check = try await Tool.run(["check", "--json", "RKStorage"], in: scratch.path)
    let predictions = try check.objects("prediction")
    #expect(predictions.map { $0["outcome"]?.string } == ["discarded", "crashed"])
    #expect(predictions.first?["premise"]?.string == "with Android's SQLiteOpenHelper")
    let outcome = try await repair("-y", "RKStorage", "--out", "new")
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    let count = try await dump("RKStorage").count
    #expect((250..<300).contains(count))
    let queue = try DatabaseQueue(path: scratch.path("new/RKStorage"))
    let values = try await queue.read { database in
      try [
        "PRAGMA integrity_check", "PRAGMA user_version", "PRAGMA page_size",
        "SELECT count(*) FROM catalystLocalStorage", "SELECT locale FROM android_metadata",
        "SELECT hex(data) FROM other WHERE id = 41", "SELECT seq FROM sqlite_sequence",
        "SELECT count(*) FROM sqlite_schema WHERE name IN ('others', 'none')",
      ].map { try String.fetchOne(database, sql: $0) }
    }
    #expect(values == ["ok", "7", "1024", "\(count)", "de_DE", "00FF", "41", "2"])
  }

  /// Tests that the first line counts rows that SQLite does not reach.
  @Test func rowsThatCanBeRecoveredAreCounted() async throws {
    _ = try makeDatabase("RKStorage", rows: 300)
    var bytes = try scratch.bytes(of: "RKStorage")
    for offset in 0..<100 { bytes[offset] = 0 }
    _ = try scratch.write(bytes, to: "RKStorage")
    let check = try await Tool.run(["check", "RKStorage"], in: scratch.path)
    #expect(
      check.lines.first?.contains("damaged, 0 entries, 300 recoverable") == true,
      "\(check.testDescription)")
  }

  /// Tests that a copy has all that SQLite allows, and that what it refuses is said.
  @Test func whatSQLiteRefusesIsSaid() async throws {
    let queue = try DatabaseQueue(path: scratch.path("x.db"))
    try await queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          CREATE TABLE a (i INTEGER PRIMARY KEY AUTOINCREMENT, v);
          INSERT INTO a VALUES(7, 'x'); DELETE FROM a; INSERT INTO a VALUES(3, 'y');
          CREATE TABLE kv (k TEXT, v TEXT CHECK(v <> 'bad'));
          PRAGMA ignore_check_constraints = ON;
          INSERT INTO kv(rowid, k, v) VALUES(9, 'a', 'bad'), (20, 'b', 'ok');
          CREATE VIRTUAL TABLE words USING fts5(w);
          INSERT INTO words VALUES('hello world');
          """)
    }
    try queue.close()
    let table = [
      "--format", "sqlite3", "--table", "kv", "--key-column", "k", "--value-column", "v",
    ]
    let outcome = try await Tool.run(["repair", "x.db", "--out", "new"] + table, in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let copy = try DatabaseQueue(path: scratch.path("new/x.db"))
    let values = try await copy.read { database in
      try [
        "SELECT group_concat(rowid || k || v) FROM kv", "SELECT seq FROM sqlite_sequence",
        "SELECT count(*) FROM sqlite_sequence", "SELECT w FROM words WHERE words MATCH 'hello'",
      ].map { try String.fetchOne(database, sql: $0) }
    }
    #expect(values == ["9abad,20bok", "7", "1", "hello world"])
    try copy.close()
    // The index was made before both rows had the same key.
    let odd = try DatabaseQueue(path: scratch.path("odd.db"))
    try await odd.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          CREATE TABLE kv (k TEXT, v TEXT);
          INSERT INTO kv VALUES('a', '1'), ('a', '2');
          CREATE INDEX u ON kv(k);
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX u ON kv(k)' WHERE name = 'u';
          """)
    }
    try odd.close()
    let lossy = try await Tool.run(
      ["repair", "odd.db", "--out", "other"] + table, in: scratch.path)
    #expect(lossy.status == 4, "\(lossy.testDescription)")
    #expect(lossy.output.contains("Lacks: SQLite refuses to create the index u"))
    let lines = try await Tool.run(["repair", "odd.db", "-n", "--json"] + table, in: scratch.path)
    let words = try lines.objects("lacking").map { $0["message"]?.string }
    #expect(words == ["SQLite refuses to create the index u"], "\(lines.testDescription)")
  }

  @Test func whatTheAppWouldLoadIsAnEmptyDatabase() async throws {
    _ = try makeDatabase("RKStorage", rows: 300)
    var bytes = try scratch.bytes(of: "RKStorage")
    let leaves = stride(from: 0, to: bytes.count, by: 1024).filter { bytes[$0] == 13 }
    for offset in leaves[leaves.count / 2]..<leaves[leaves.count / 2] + 8 { bytes[offset] = 0xff }
    _ = try scratch.write(bytes, to: "RKStorage")
    let outcome = try await repair("--on-crc-fail", "discard", "RKStorage", "--out", "new")
    #expect(outcome.status == 5 && outcome.output.contains("Keeps 0 entries"))
    #expect(try await dump("new/RKStorage") == [])
  }

  #if Encryption
    @Test func anEmptiedManifestIsRestoredOnRequest() async throws {
      let long = String(repeating: "x", count: 1500)
      _ = try scratch.makeFolder("RCTAsyncLocalStorage_V1")
      _ = try scratch.write(Array("{}".utf8), to: "RCTAsyncLocalStorage_V1/manifest.json")
      for name in ["0f5264038205edfb1ac05fbb0e8c5e94", "ffffffffffffffffffffffffffffffff"] {
        _ = try scratch.write(Array(long.utf8), to: "RCTAsyncLocalStorage_V1/\(name)")
      }
      _ = try scratch.write(Array("long\n".utf8), to: "keys.txt")
      let outcome = try await repair(
        "RCTAsyncLocalStorage_V1", "--state", "before-reset", "--candidate-keys", "keys.txt",
        "--out", "new")
      // 4: the key of the other value is unknown.
      #expect(outcome.status == 4, "\(outcome.testDescription)")
      #expect(try await dump("new").map { $0.prefix(6) } == ["long ="])
      let usual = try await repair("RCTAsyncLocalStorage_V1", "--in-place")
      #expect(usual.status == 0 && usual.output.contains("nothing to repair"))
    }

    @Test func aManifestThatIsCutIsWrittenWithItsValues() async throws {
      _ = try scratch.makeFolder("RCTAsyncLocalStorage_V1")
      let long = String(repeating: "x", count: 1500)
      _ = try scratch.write(
        Array(#"{"a":"1","long":null,"b":"{\"c\":2}","d":"cut"#.utf8),
        to: "RCTAsyncLocalStorage_V1/manifest.json")
      // The MD5 of "long".
      _ = try scratch.write(
        Array(long.utf8), to: "RCTAsyncLocalStorage_V1/0f5264038205edfb1ac05fbb0e8c5e94")
      let outcome = try await repair("-y", "RCTAsyncLocalStorage_V1", "--out", "new")
      #expect(outcome.status == 5, "\(outcome.testDescription)")
      let check = try await Tool.run(["check", "--json", "new"], in: scratch.path)
      #expect(check.status == 0, "\(check.testDescription)")
      let table = try await Tool.run(["dump", "--json", "new"], in: scratch.path)
      let entries = try table.objects("entry")
      #expect(entries.map { $0["key"]?.string } == ["a", "b", "long"])
      #expect(entries.last?["value"]?["value"]?.string == long)
    }
  #endif
}
