import Foundation
import GRDB
import KVReport
import Testing

/// The files that `kvfsck report` writes for other tools.
///
/// `Tests/Exports` compares all of their contents with the output of other commands.
struct ExportTests {
  private static let store = "\(Fixture.root)/mmkv/damaged/flip_keylen_fwb/kv"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func report(_ form: String, _ arguments: String...) async throws -> String {
    let path = scratch.path("out.\(form)")
    let run = try await Tool.run(["report"] + arguments + ["--to", form, "--out", path])
    #expect(run.status == 0, "\(run.errors)")
    return path
  }

  /// Tests that a report can be repeated, because an examiner must be able to compare it.
  @Test(arguments: ["html", "sqlite", "leapp", "case", "dfxml"])
  func aReportCanBeRepeatedToTheByte(form: String) async throws {
    let outcome = try await Tool.shell(
      """
      export SOURCE_DATE_EPOCH=1750000000
      for run in one two; do
        mkdir $run
        (cd $run && "$0" report "$1" --now 1750000000 --to $2 --out out > out.txt) || exit
      done
      diff -r one two
      """, [Self.store, form], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
  }

  /// Expiry is judged at the time that the report states, unless another is given.
  @Test func expiryIsJudgedAtTheTimeOfTheRun() async throws {
    let outcome = try await Tool.shell(
      """
      for time in 1760000000 1760000060; do
        SOURCE_DATE_EPOCH=$time "$0" report "$1" --to case --out $time > $time.txt || exit
        SOURCE_DATE_EPOCH=1 "$0" report "$1" --now $time --to case --out $time.now > $time.now.txt
        cmp $time.txt $time.now.txt || exit
      done
      grep -l store.expired 1760000000.txt 1760000060.txt
      """, [Fixture.expiring.path], in: scratch.path)
    #expect(outcome.lines == ["1760000060.txt"], "\(outcome.testDescription)")
  }

  @Test func aTimeForTheRunThatIsNoneIsRefused() async throws {
    let outcome = try await Tool.shell(
      #"SOURCE_DATE_EPOCH=yesterday "$0" report "$1" --out out.html"#, [Self.store],
      in: scratch.path)
    #expect(outcome.status == 16, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("SOURCE_DATE_EPOCH is 'yesterday'"))
  }

  /// Makes a store with hostile keys and strings.
  private func hostileStore(_ texts: [[UInt8]]) async throws -> String {
    let script = scratch.path("kv.script")
    let lines = texts.map { bytes in
      let hex = "hex:" + bytes.map { String(format: "%02x", $0) }.joined()
      return "string \(hex) \(hex)\n"
    }
    try Data(("format mmkv\n" + lines.joined()).utf8).write(to: URL(filePath: script))
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.errors)")
    return scratch.path("store") + "/kv"
  }

  private func rows<Result>(
    of path: String, _ body: (Database) throws -> Result
  ) throws -> Result {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration).read(body)
  }

  // MARK: SQLite

  @Test func theDatabaseHasTheRecordsOfTheHistory() async throws {
    let path = try await report("sqlite", Self.store)
    let history = try await Tool.run(["dump", "--history", "--json", Self.store])
    let lines = try history.objects("record")
    try rows(of: path) { database in
      let records = try Row.fetchAll(database, sql: "SELECT * FROM records ORDER BY id")
      #expect(records.count == lines.count)
      for (row, line) in zip(records, lines) {
        #expect(row["key"] == line["key"]?.string)
        #expect(row["state"] == line["state"]?.string)
        #expect(row["evidence"] == line["evidence"]?.string)
      }
      let worths = try String.fetchSet(database, sql: "SELECT soundness FROM records")
      #expect(worths.isSubset(of: ["sound", "unverified", "may-be-damaged"]))
      #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
      #expect(try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").isEmpty)
    }
  }

  /// Tests that each key that a prediction says is lost has a row, for each of several predictions.
  @Test func everyLostKeyIsARow() async throws {
    let lines = (0..<9).map { "string key\($0) \(String(repeating: "v", count: 20 + $0))" }
    let script = try scratch.write(
      Array("format mmkv\n\(lines.joined(separator: "\n"))\n".utf8), to: "kv.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.testDescription)")
    var bytes = try scratch.bytes(of: "store/kv")
    bytes[60] ^= 0x70
    _ = try scratch.write(bytes, to: "store/kv")
    let path = try await report("sqlite", scratch.path("store/kv"))
    try rows(of: path) { database in
      let counts = try Row.fetchAll(
        database,
        sql: """
          SELECT lost, (SELECT count(DISTINCT key) FROM losses WHERE prediction = p.id) AS rows
          FROM predictions p
          """)
      #expect(counts.contains { $0["lost"] ?? 0 > 1 })
      for row in counts { #expect(row["lost"] as Int? == row["rows"]) }
    }
  }

  @Test func bytesThatAreNoTextAreInNoTextColumn() async throws {
    let texts: [[UInt8]] = [Array("a'\"\t\r\n\0b".utf8), [0xff, 0xfe]]
    let path = try await report("sqlite", hostileStore(texts))
    try rows(of: path) { database in
      let records = try Row.fetchAll(database, sql: "SELECT * FROM entries ORDER BY id")
      #expect(records.map { $0["key_bytes"] as Data } == texts.map { Data($0) })
      // GRDB reads a string only up to a NUL, so SQLite itself compares the contents.
      let text = "CAST(key AS BLOB) = key_bytes AND CAST(value AS BLOB) = key_bytes"
      let isText = try Bool?.fetchAll(database, sql: "SELECT \(text) FROM entries ORDER BY id")
      #expect(isText == [true, nil])
      #expect(records[1]["type"] != "string")
    }
  }

  /// Tests that a value in a missing file is not given as an empty one, and that the state has as
  /// many records as it has entries.
  @Test func aValueThatIsMissingIsNull() async throws {
    let path = try await report(
      "sqlite", "\(Fixture.root)/fastkv-android/damaged/ext__ext_dir_missing")
    try rows(of: path) { database in
      let missing = try String.fetchAll(
        database,
        sql: """
          SELECT key FROM records
          WHERE value_bytes IS NULL AND type IS NULL AND value IS NULL AND in_states IS NULL
          """)
      #expect(missing == ["big", "arr", "obj"])
      let count = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM records WHERE in_states LIKE '%current%'")
      let stated = try Int.fetchOne(
        database, sql: "SELECT entries FROM states WHERE name = 'current'")
      #expect(count == 2 && stated == 2)
    }
  }

  @Test func timesAreIsoAndUnix() async throws {
    let script = scratch.path("kv.script")
    try Data("format mmkv\nint64 seen_at 1700000000123\n".utf8).write(to: URL(filePath: script))
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0)
    let path = try await report("sqlite", scratch.path("store"))
    try rows(of: path) { database in
      let moments = try Row.fetchAll(database, sql: "SELECT unix, iso8601, source FROM timeline")
      #expect(moments.map { $0["unix"] as Double } == [1_700_000_000.123])
      #expect(moments.map { $0["iso8601"] as String } == ["2023-11-14T22:13:20.123Z"])
      #expect(moments.map { $0["source"] as String } == ["milliseconds since 1970"])
    }
  }

  @Test func aPathThatCannotBeReadIsARow() async throws {
    let path = scratch.path("out.sqlite")
    let run = try await Tool.run(["report", Self.store, "/nowhere/kv", "--out", path])
    #expect(run.status == 8)
    let errors = try rows(of: path) {
      try String.fetchAll($0, sql: "SELECT path FROM stores WHERE error IS NOT NULL")
    }
    #expect(errors == ["/nowhere/kv"])
  }

  // MARK: LEAPP

  @Test func theManifestLeadsToTheTables() async throws {
    let path = try await report("leapp", Self.store)
    let manifest = try JSONDecoder().decode(
      JSON.self, from: Data(scratch.bytes(of: "out.leapp/_lava_data.lava")))
    let artifacts = try #require(manifest["artifacts"]?["Key-Value Stores"]?.array)
    try rows(of: path + "/_lava_artifacts.db") { database in
      for artifact in artifacts {
        let name = try #require(artifact["tablename"]?.string)
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(name)")
        #expect(count == artifact["record_count"]?.integer && count != 0)
      }
    }
    let names = artifacts.compactMap { $0["name"]?.string }
    #expect(names.contains("Key-Value Records"))
  }

  @Test func aFieldWithQuotesTabsAndLineEndsIsOneField() async throws {
    let text = "a\"\u{301}\tb\r\nc"
    let store = try await hostileStore([Array(text.utf8)])
    let path = try await report("leapp", store)
    let table = try scratch.bytes(of: "out.leapp/_TSV Exports/Key-Value Records.tsv")
    #expect(table.starts(with: "\u{FEFF}Id\tTime\tTime Unit\tKey\t".utf8))
    let field = "\t\"a\"\"\u{301}\tb\r\nc\"\t"
    #expect(Data(table).firstRange(of: Data(field.utf8)) != nil, "\(path)")
  }

  @Test func aTimeIsARowOfTheTimeline() async throws {
    let script = scratch.path("kv.script")
    try Data("format mmkv\nint64 seen_at 1700000000123\n".utf8).write(to: URL(filePath: script))
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0)
    let path = try await report("leapp", scratch.path("store"))
    let keys = try rows(of: path + "/_Timeline/tl.db") {
      try String.fetchAll($0, sql: "SELECT key FROM data")
    }
    #expect(keys == ["2023-11-14 22:13:20.123000+00:00"])
    let seconds = try rows(of: path + "/_lava_artifacts.db") {
      try Int.fetchAll($0, sql: "SELECT time FROM kvfsck_records")
    }
    #expect(seconds == [1_700_000_000])
  }

  /// Tests that each of several times of several records is a row, in the order of the columns.
  @Test func eachTimeOfARecordIsARowOfTheTimeline() async throws {
    let script = try scratch.write(
      Array(
        """
        format mmkv
        start 1600000000
        enableexpire 0
        int64 first 1700000000000 @100
        string second text @200
        int64 third 1700000001000

        """.utf8), to: "kv.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.testDescription)")
    let path = try await report("leapp", scratch.path("store"), "--now", "1600000050")
    let times = try rows(of: path + "/_Timeline/tl.db") {
      try String.fetchAll($0, sql: "SELECT key || ' ' || activity FROM data ORDER BY rowid")
    }
    #expect(
      times == [
        "2023-11-14 22:13:20+00:00 Key-Value Records: Time",
        "2020-09-13 12:28:20+00:00 Key-Value Records: Expires",
        "2020-09-13 12:30:00+00:00 Key-Value Records: Expires",
        "2023-11-14 22:13:21+00:00 Key-Value Records: Time",
      ])
  }

  // MARK: CASE and DFXML

  @Test func theGraphHasANodeForEachRecord() async throws {
    let path = try await report("case", Self.store)
    let graph = try JSONDecoder().decode(
      JSON.self, from: try Data(contentsOf: URL(filePath: path)))
    let nodes = try #require(graph["@graph"]?.array)
    let history = try await Tool.run(["dump", "--history", "--json", Self.store])
    let keys = nodes.filter { $0["@type"]?.string == "uco-observable:TableField" }
      .compactMap { $0["kvfsck:key"]?.string }
    #expect(try keys == history.objects("record").compactMap { $0["key"]?.string })
    let names = nodes.compactMap { $0["@id"]?.string }
    #expect(Set(names).count == nodes.count)
  }

  /// Tests that the action has had all files as its objects, and all findings as its results.
  @Test func theActionRefersToEachFileAndFinding() async throws {
    let path = try await report("case", Self.store, "\(Fixture.root)/mmkv/golden/all_types/kv")
    let graph = try JSONDecoder().decode(
      JSON.self, from: try Data(contentsOf: URL(filePath: path)))
    let nodes = try #require(graph["@graph"]?.array)
    let action = nodes.first { $0["@type"]?.string == "case-investigation:InvestigativeAction" }
    for (property, kind, least) in [("object", "files-", 4), ("result", "findings-", 2)] {
      let names = nodes.compactMap { $0["@id"]?.string }.filter { $0.hasPrefix("kb:\(kind)") }
      let found = action?["uco-action:\(property)"]?.array?.compactMap { $0["@id"]?.string }
      #expect(names.count >= least && found == names)
    }
  }

  @Test func whatXMLHasNoPlaceForIsInBytesOnly() async throws {
    let path = try await report("dfxml", hostileStore([[0x61, 0], Array("<&\"\t".utf8)]))
    let document = try String(contentsOfFile: path, encoding: .utf8)
    #expect(document.contains(#" kvfsck:key_bytes="6100""#))
    #expect(document.contains(##" kvfsck:key="&lt;&amp;&quot;&#9;""##))
    #expect(document.components(separatedBy: " kvfsck:key=").count == 2)
  }

  @Test func aPathThatXMLHasNoPlaceForIsSpelled() async throws {
    let folder = try scratch.makeFolder("a\u{1}b")
    for suffix in ["", ".crc"] {
      try FileManager.default.copyItem(
        atPath: "\(Self.store)\(suffix)", toPath: "\(folder)/kv\(suffix)")
    }
    let path = try await report("dfxml", "\(folder)/kv")
    let document = try String(contentsOfFile: path, encoding: .utf8)
    #expect(document.contains(#"/a\u{1}b/kv</filename>"#))
    #expect(document.contains(/<kvfsck:store kvfsck:path="[^"]*\/a\\u\{1\}b\/kv"/))
  }

  // MARK: All forms

  @Test(arguments: ["sqlite", "leapp", "case", "dfxml"])
  func whatIsThereIsLeftAsItIs(form: String) async throws {
    let path = try scratch.write(Array("mine".utf8), to: "taken")
    let run = try await Tool.run(["report", Self.store, "--to", form, "--out", path])
    #expect(run.status == 8)
    #expect(try scratch.bytes(of: "taken") == Array("mine".utf8))
    #expect(scratch.names(in: "") == ["taken"])
  }

  @Test(arguments: ["sqlite", "leapp", "case", "dfxml"])
  func keysOfTheCommandLineAreInNoFile(form: String) async throws {
    let path = try await report(form, "--key", "s3cret-of-mine", Self.store)
    for file in try FileManager.default.subpathsOfDirectory(atPath: scratch.path("")) {
      guard let bytes = FileManager.default.contents(atPath: scratch.path(file)) else { continue }
      #expect(bytes.firstRange(of: Data("s3cret-of-mine".utf8)) == nil, "\(path)")
    }
  }
}
