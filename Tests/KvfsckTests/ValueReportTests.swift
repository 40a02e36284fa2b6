import Foundation
import Testing

/// How values are printed: how much of each, from which store, and as which type.
struct ValueReportTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func make(_ name: String, _ lines: String) async throws -> String {
    let script = try scratch.write(Array((lines + "\n").utf8), to: "\(name).script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path(name)])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path(name) + "/kv"
  }

  // MARK: Readings

  @Test func theLikeliestReadingIsThereWithItsTimes() async throws {
    let store = try await make("app", "string name Bob\nint64 seen 1760000000123")
    let entries = try await Tool.run(["dump", "--json", store]).objects("entry")
    let name = try #require(entries.first)
    #expect(name["likely"]?.array?.map { $0["kind"]?.string } == ["string"])
    #expect(name["value"] == nil)
    let seen = try #require(entries.last)
    #expect(seen["likely"]?.array?.map { $0["kind"]?.string } == ["int64", "date"])
    // Eight bytes can also be a double, but the time is that of the integer.
    for (number, seconds) in [
      ("1760000000123456", 1_760_000_000.123456), ("13404473600000000", 1_760_000_000),
    ] {
      let store = try await make("app\(number)", "int64 seen \(number)")
      let entry = try #require(
        try await Tool.run(["dump", "--json", store]).objects("entry").first)
      let likely = try #require(entry["likely"]?.array)
      #expect(likely.map { $0["kind"]?.string } == ["int64", "date"])
      #expect(likely.last?["value"]?.number == seconds)
    }
  }

  @Test func allReadingsAreThereWhereThatIsAskedFor() async throws {
    let store = try await make("app", "string name Bob\nbool on 1")
    for line in try await Tool.run(["dump", "--json", "--readings", "all", store]).objects("entry")
    {
      let best = try await Tool.run(["get", "--json", store, line["key"]?.string ?? ""])
      let entry = try #require(try best.objects("entry").first)
      let kinds = line["readings"]?.array?.compactMap { $0["value"]?["kind"]?.string } ?? []
      let shown = entry["likely"]?.array?.compactMap { $0["kind"]?.string } ?? []
      #expect(kinds.count > 1 && kinds.count > shown.count && kinds.starts(with: shown))
    }
    let text = try await Tool.run(["dump", "--readings", "all", store]).lines
    #expect(text.last == "on = bool true | int32 1")
    #expect(
      try await Tool.run(["dump", "--readings", "best", store]).lines.last == "on = bool true")
    #expect(try await Tool.run(["dump", "--readings", "most", store]).status == 16)
  }

  @Test("A dump of a store of strings takes a few times its bytes")
  func aDumpIsNotManyTimesTheStore() async throws {
    for count in [200, 1000, 100_000, 1 << 20] {
      let store = try await make("s\(count)", "string text random:\(count)")
      let outcome = try await Tool.run(["dump", "--json", store])
      #expect(outcome.output.utf8.count < 3 * count + 1500, "\(count)")
    }
  }

  @Test func fullPrintsLongValuesToTheirEnd() async throws {
    let text = String(repeating: "abc_", count: 30) + "end"
    let words = (1...20).map { "word\($0)" }
    let store = try await make(
      "app", "string text \(text)\nvec list \(words.joined(separator: " "))")
    let short = try await Tool.run(["dump", store]).lines
    #expect(short.allSatisfy { !$0.contains("end\"") && !$0.contains("word20") })
    let full = try await Tool.run(["dump", "--full", store]).lines
    #expect(full.first?.hasPrefix("text = string \"\(text)\"") == true)
    let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
    #expect(full.last?.hasPrefix("list = list<string> [\(list)]") == true, "\(full)")
  }

  // MARK: Agreement

  private static let stores: [String] = {
    let folders = ["golden", "damaged"].flatMap { folder in
      let path = "\(Fixture.root)/mmkv/\(folder)"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      return names.map { "\(path)/\($0)" }
    }
    return folders.filter { FileManager.default.fileExists(atPath: $0 + "/kv") }.sorted()
  }()

  @Test("The text of a dump, its JSON and what is converted begin with the same type")
  func oneLikeliest() async throws {
    #expect(Self.stores.count > 200)
    var count = 0
    for (index, store) in Self.stores.enumerated() {
      let path = store + "/kv"
      let text = try await Tool.run(["dump"] + .clock + [path])
      let entries = try await Tool.run(["dump", "--json"] + .clock + [path]).objects("entry")
      // An encrypted store cannot be read without its key.
      guard text.status != 8, !entries.isEmpty else { continue }
      let out = scratch.path("\(index)")
      _ = try await Tool.run(
        [
          "convert", "--to", "jsonl", "--out", out, "--include-guesses", "--assume-likeliest", path,
        ] + .clock)
      let converted = try String(contentsOfFile: out, encoding: .utf8)
        .split(separator: "\n").dropFirst().map { try JSON(parsing: String($0)) }
      #expect(text.lines.count == entries.count && converted.count == entries.count, "\(store)")
      for (line, (entry, type)) in zip(text.lines, zip(entries, converted)) {
        let kind = try #require((entry["value"] ?? entry["likely"]?.array?.first)?["kind"]?.string)
        #expect(line.contains(" = \(kind) "), "\(store): \(line)")
        #expect(type["type"]?.string == kind, "\(store): \(line)")
        count += 1
      }
    }
    #expect(count > 2000)
  }

  // MARK: Several stores

  @Test func aComparisonOfStoresWithoutTypesShowsValues() async throws {
    let before = try await make("before", "string note hello\nbool is_on 1\nint32 launches 7")
    let after = try await make("after", "string note %\nbool is_on 0\nint32 launches 8")
    for command in ["compare", "diff"] {
      let outcome = try await Tool.run([command, before, after])
      #expect(
        outcome.lines.map { $0.replacing(#/ \(data 0x[0-9a-f]+\)/#, with: "") } == [
          #"~ note: string "hello" → string """#, "~ is_on: bool true → bool false",
          "~ launches: int32 7 → int32 8", "0 added, 0 removed, 3 changed, 0 retyped, 0 unchanged",
        ], "\(outcome.testDescription)")
    }
    let lines = try await Tool.run(["compare", "--json", before, after]).objects()
    #expect(lines.allSatisfy { $0["path"]?.string != nil })
    #expect(lines.first?["before"]?["path"]?.string == before)
    #expect(lines.first?["after"]?["path"]?.string == after)
    #expect(lines.first?["before"]?["raw_hex"]?.string == "0568656c6c6f")
    #expect(lines.last?["stores"]?.array?.map(\.string) == [before, after])
  }

  @Test func everyLineHasThePathOfItsStoreIfSeveralAreNamed() async throws {
    let stores = [Fixture.clean, .lossy, .expiring].map { $0.path + "/kv" }
    let lines = try await Tool.run(["check", "--json"] + .clock + stores + ["nowhere"]).objects()
    #expect(lines.last?["type"]?.string == "totals" && lines.last?["path"] == nil)
    #expect(lines.dropLast().allSatisfy { $0["path"]?.string != nil })
    for type in ["state", "prediction", "coverage", "summary"] {
      let paths = lines.filter { $0["type"]?.string == type }.compactMap { $0["path"]?.string }
      #expect(Set(paths) == Set(stores), "\(type)")
    }
    // For a single store, only the first line names it.
    let alone = try await Tool.run(["check", "--json"] + .clock + [stores[0]]).objects("summary")
    #expect(alone.first?["path"] == nil)
    let converted = try await Tool.run(
      ["convert", "--json", "--dry-run", "--to", "json", "--on-conflict", "last"] + .clock + stores
    ).objects()
    #expect(converted.count > 50 && converted.allSatisfy { $0["path"]?.string != nil })
    #expect(converted.last?["stores"]?.array?.map(\.string) == stores)
  }

  @Test func rowsOfSeveralStoresSayWhichTheyAreOf() async throws {
    let one = try await make("one", "string a x\nint64 t 1760000000123")
    let two = try await make("two", "string b y")
    let convert = ["convert", "--to", "csv", "--out"]
    _ = try await Tool.run(convert + [scratch.path("both.csv"), one, two])
    let both = try String(contentsOfFile: scratch.path("both.csv"), encoding: .utf8)
    let rows = both.split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(rows.map(\.last) == ["store", Substring(one), Substring(one), Substring(two)])
    #expect(rows[0][4] == "iso8601" && rows[0][5] == "time_unit")
    #expect(rows[2][4] == "2025-10-09T08:53:20.123Z" && rows[2][5] == "milliseconds since 1970")
    _ = try await Tool.run(convert + [scratch.path("one.csv"), one])
    let alone = try String(contentsOfFile: scratch.path("one.csv"), encoding: .utf8)
    #expect(!alone.contains("store"))
  }
}
