import Foundation
import GRDB
import Testing

/// What commands and reports count, and that they find what was overwritten.
struct CountReportTests {
  /// 26 entries that a repair keeps, and two guesses.
  private static let guessed = Fixture("damaged/burst_fwb").path + "/kv"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a store of MMKV from the lines of a script.
  private func make(_ lines: String, _ name: String = "store") async throws -> String {
    let script = try scratch.write(Array("format mmkv\n\(lines)".utf8), to: name + ".script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path(name)])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path(name) + "/kv"
  }

  /// A store in which a text was overwritten in part.
  private func overwritten() async throws -> String {
    try await make("string token ios_secret_token\nclearall\nstring lang de\n")
  }

  private func report(_ form: String, _ arguments: String...) async throws -> String {
    let path = scratch.path("out.\(form)")
    let run = try await Tool.run(["report"] + arguments + ["--to", form, "--out", path])
    #expect(run.status == 0, "\(run.errors)")
    return path
  }

  private func rows<Result>(
    of path: String, _ body: (Database) throws -> Result
  ) throws -> Result {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration).read(body)
  }

  // MARK: Guesses

  @Test func guessesAreCountedApart() async throws {
    let repair = try await Tool.run(["repair", "-y", "--dry-run", "--json", Self.guessed])
    let kept = try repair.objects("entry").count
    let guesses = try repair.objects("aside").count
    #expect(kept == 27 && guesses == 1)
    for command in [["scan"], ["check"], ["dump"], ["repair", "-y", "--dry-run"]] {
      let run = try await Tool.run(command + ["--json", Self.guessed])
      let line = try #require(
        try run.objects(command[0] == "scan" ? "result" : "summary").first, "\(command)")
      #expect(line["entries"]?.integer == kept, "\(command)")
      #expect(line["guesses"]?.integer == guesses, "\(command)")
    }
    let scan = try await Tool.run(["scan", "--json", Self.guessed])
    let result = try #require(try scan.objects("result").first)
    let lost = try #require(result["lost_at_next_launch"]?.integer)
    #expect(result["recoverable"]?.integer == lost)
    #expect(result["recoverable_guesses"]?.integer == result["lost_guesses"]?.integer)
    let totals = try #require(try scan.objects("totals").first)
    #expect(totals["entries"]?.integer == kept && totals["guesses"]?.integer == guesses)
    let check = try await Tool.run([Self.guessed])
    #expect(check.output.contains(": damaged, 27 entries, and 1 guess, mmkv"))
  }

  @Test func aStoreWithoutGuessesMentionsNone() async throws {
    let scan = try await Tool.run(["scan", "--json", Fixture.corrected.path])
    let result = try #require(try scan.objects("result").first)
    #expect(result["guesses"] == nil && result["recoverable_guesses"] == nil)
    #expect(result["recoverable"]?.integer == 29)
  }

  /// Tests that no key is found in the length of a long text whose record is damaged.
  ///
  /// 779 is two bytes, of which the second, 6, is followed by six letters of the text.
  @Test func theStartOfAnotherValueIsNoKey() async throws {
    // As lengths, 1 and 0 are 49 and 48: those of a value that begins with a text of 48 bytes.
    let text = "doJpuT10" + String(repeating: "0123456789abcdefghij", count: 38) + "0123456789a"
    let store = try await make(
      "string item1 hello\nstring item2 \(text)\nstring item3 world\n", "long")
    let bytes = try scratch.bytes(of: "long/kv")
    let start = try #require(Data(bytes).firstRange(of: Data("item2".utf8))?.lowerBound)
    // The record is cut off, or its key is damaged.
    var damaged = bytes
    damaged.replaceSubrange(start - 1..<start + 4, with: [0xfe, 0xfe, 0xfe, 0xfe, 0xfe])
    for (name, bytes) in [("cut", Array(bytes.prefix(start + 300))), ("burst", damaged)] {
      _ = try scratch.makeFolder(name)
      let path = try scratch.write(bytes, to: name + "/kv")
      try FileManager.default.copyItem(atPath: store + ".crc", toPath: path + ".crc")
      let dump = try await Tool.run(["dump", "--json", path])
      let keys = Set(try dump.objects("entry").map { $0["key"]?.string })
      #expect(keys.isSubset(of: ["item1", "item3"]) && keys.contains("item1"), "\(name): \(keys)")
    }
  }

  // MARK: Emptied stores

  @Test func everyReportKnowsAStoreThatWasEmptied() async throws {
    let store = Fixture.emptied.path
    let page = try String(contentsOfFile: try await report("html", store), encoding: .utf8)
    #expect(page.contains(#""emptied":true"#))
    let condition = try rows(of: try await report("sqlite", store)) {
      try String.fetchAll($0, sql: "SELECT verdict || ' ' || condition FROM stores")
    }
    #expect(condition == ["clean emptied"])
    let folder = try await report("leapp", store)
    let table = try String(
      contentsOfFile: folder + "/_TSV Exports/Key-Value Stores.tsv", encoding: .utf8)
    #expect(table.contains("\temptied\t"))
    #expect(
      try String(contentsOfFile: try await report("case", store), encoding: .utf8)
        .contains(#""kvfsck:condition":"emptied""#))
    #expect(
      try String(contentsOfFile: try await report("dfxml", store), encoding: .utf8)
        .contains(#"kvfsck:condition="emptied""#))
    let scan = try await Tool.run(["scan", "--json", store])
    let result = try #require(try scan.objects("result").first)
    #expect(result["verdict"]?.string == "clean" && result["emptied"]?.bool == true)
    #expect(try scan.objects("totals").first?["emptied"]?.integer == 1)
  }

  // MARK: Records that are not live

  @Test func recordsThatAreNotLiveAreCounted() async throws {
    let store = try await make(
      """
      string b three
      string a one
      string a two
      remove b
      string c four
      """)
    for command in ["scan", "check", "dump"] {
      let run = try await Tool.run([command, "--json", store])
      let line = try #require(
        try run.objects(command == "scan" ? "result" : "summary").first, "\(command)")
      #expect(line["superseded"]?.integer == 1 && line["removed"]?.integer == 2, "\(command)")
      #expect(line["residual"]?.integer == 0 && line["residual_bytes"]?.integer == 0)
    }
    let check = try await Tool.run([store])
    #expect(check.lines.contains("Records that are not live: 1 superseded, 2 removed"))
    let emptied = try await Tool.run(["scan", "--json", Fixture.emptied.path])
    #expect(try emptied.objects("result").first?["residual"]?.integer ?? 0 > 100)
  }

  // MARK: What was overwritten

  @Test func everyExportHasWhatWasOverwritten() async throws {
    let store = try await overwritten()
    let history = try await Tool.run(["dump", "--history", "--json", store])
    let gap = try #require(try history.objects("gap").first)
    #expect(gap["text"]?.string?.contains("os_secret_token") == true, "\(history.testDescription)")
    #expect(gap["raw_hex"]?.string?.hasSuffix("5f746f6b656e") == true)
    let text = try await Tool.run(["dump", "--history", store])
    #expect(text.output.contains("os_secret_token"), "\(text.testDescription)")
    try rows(of: try await report("sqlite", store)) { database in
      for table in ["gaps", "regions", "remains"] {
        let count = try Int.fetchOne(
          database,
          sql: """
            SELECT count(*) FROM \(table) WHERE text LIKE '%secret%' AND instr(bytes, 'secret') > 0
            """)
        #expect(count == 1, "\(table)")
      }
    }
    let folder = try await report("leapp", store)
    for table in ["Gaps", "Regions"] {
      let content = try String(
        contentsOfFile: folder + "/_TSV Exports/Key-Value \(table).tsv", encoding: .utf8)
      #expect(content.contains("os_secret_token"), "\(table)")
    }
    for form in ["case", "dfxml"] {
      let content = try String(contentsOfFile: try await report(form, store), encoding: .utf8)
      #expect(content.contains("os_secret_token"), "\(form)")
    }
  }

  @Test func aLongGapIsShortenedAndSaysSo() async throws {
    // A value of 100,000 bytes whose record's head is overwritten.
    let store = try await make(
      "string a \(String(repeating: "secret", count: 20_000))\nclearallkeep\nstring lang de\n")
    let history = try await Tool.run(["dump", "--history", "--json", store])
    let gap = try #require(try history.objects("gap").first, "\(history.testDescription)")
    #expect(gap["raw_hex"]?.string?.utf8.count == 2 << 16)
    #expect(try #require(gap["left_out"]?.integer) > 50_000)
  }

  // MARK: Spreadsheets

  @Test func noCellIsAFormula() async throws {
    let texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "plain"]
    let hex = texts.map { "hex:" + $0.utf8.map { String(format: "%02x", $0) }.joined() }
    let store = try await make(hex.map { "string \($0) \($0)\n" }.joined() + "int32 number -5\n")
    let folder = try await report("leapp", store)
    let table = try String(
      contentsOfFile: folder + "/_TSV Exports/Key-Value Records.tsv", encoding: .utf8)
    for text in ["=1+1", "+1", "-1", "@SUM(A1)", "'=1"] {
      #expect(!table.contains("\t\(text)\t") && table.contains("\t'\(text)\t"), "\(text)")
    }
    #expect(!table.contains("\"\t=1\"") && table.contains("\"'\t=1\""))
    // A number is no formula, and the database of LAVA is no spreadsheet.
    #expect(table.contains("\tplain\t") && table.contains("\t-5\t"))
    let keys = try rows(of: folder + "/_lava_artifacts.db") {
      try String.fetchSet($0, sql: "SELECT key FROM kvfsck_records")
    }
    #expect(keys == Set(texts + ["number"]))
  }

  // MARK: Expiry

  @Test func theGettersOfAnExpiredEntryReturnTheDefault() async throws {
    let store = try await make("now 1700000000\nenableexpire 60\nstring a one\nstring b two\n")
    let check = try await Tool.run(["check", "--now", "2026-01-31T12:00:00Z", store])
    #expect(check.status == 0)
    #expect(
      check.output.contains(
        "the app will load all 2 entries; no handler will be called. 2 of them have expired, so "
          + "the app's getters return the default values instead."), "\(check.testDescription)")
    let lines = try await Tool.run(["check", "--json", "--now", "2026-01-31", store])
    #expect(try lines.objects("prediction").allSatisfy { $0["expired"]?.integer == 2 })
    let earlier = try await Tool.run([
      "check", "--json", "--now", "2023-11-14T22:13:20+00:00", store,
    ])
    #expect(try earlier.objects("prediction").allSatisfy { $0["expired"] == nil })
  }

  @Test func aTimeIsSecondsOrADate() async throws {
    let store = Fixture.clean.path
    for (time, words) in [("yesterday", "is no time"), ("1969-12-31", "between the years")] {
      let run = try await Tool.run(["check", "--now", time, store])
      #expect(run.status == 16 && run.errors.contains(words), "\(run.testDescription)")
    }
  }
}
