import Foundation
import Testing

/// Running `convert` and `compare` as a user does.
struct ConvertTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let android = "\(Fixture.root)/fastkv-android/golden/nb_all_types/kv.kva"
  private static let apple = "\(Fixture.root)/fastkv-apple/golden/all_types/store.fkv"

  @Test(arguments: ["jsonl", "json", "sqlite"])
  func everyEntryOfEveryStoreComesBackFromWhatKeepsEverything(format: String) async throws {
    let stores = [
      (Fixture.clean.path + "/kv", 45), (Self.android, 19), (Self.apple, 17),
      (Fixture("golden/expire_mixed").path + "/kv", 14),
    ]
    for (index, (store, count)) in stores.enumerated() {
      let name = "there\(index)"
      let there = try await scratch.convert([store], to: format, name, ["--accept-bytes"])
      #expect(there.status == 0, "\(there.testDescription)")
      let result = try await scratch.comparison(store, scratch.path(name))
      #expect(result["same"] == count, "\(store) \(result)")
      #expect(result.filter { $0.key != "same" }.allSatisfy { $0.value == 0 }, "\(result)")
    }
  }

  /// Tests how many of the 19 entries get another value or type: objects, `null` in a set, and
  /// doubles, bytes, sets and integers of 4 bytes where a format has none.
  @Test(arguments: [
    ("mmkv", 1, 2), ("fastkv-android", 0, 0), ("sharedprefs", 6, 0), ("datastore", 1, 2),
    ("plist", 1, 5),
  ]) func aStoreOfAndroidGoesThereAndBack(format: String, changed: Int, retyped: Int) async throws {
    let there = try await scratch.convert([Self.android], to: format, "there")
    #expect(there.status == 0, "\(there.testDescription)")
    // For a pair of copies, the path of the first is given.
    let path = scratch.path(format == "fastkv-android" ? "there.kva" : "there")
    let check = try await Tool.run(["check", path, "--format", format])
    #expect(check.status == 0, "\(check.testDescription)")
    let result = try await scratch.comparison(Self.android, path)
    #expect(result["changed"] == changed && result["retyped"] == retyped, "\(result)")
    #expect(result["same"] == 19 - changed - retyped, "\(result)")
  }

  @Test func aDamagedStoreIsConvertedAsFarAsItIsSure() async throws {
    let folder = try scratch.copy(.lossy)
    let before = try FolderState(of: folder)
    let outcome = try await scratch.convert(
      [folder], to: "jsonl", "out", ["--json", "--min-confidence", "0.98"])
    #expect(outcome.status == 5)
    let line = try #require(try outcome.objects("conversion").first)
    #expect(line["written"]?.integer == 28 && line["left_out"]?.integer == 1)
    #expect(try FolderState(of: folder) == before)
    let all = try await scratch.convert(
      [folder], to: "jsonl", "all", ["--json", "--include-guesses"])
    #expect(try all.objects("conversion").first?["written"]?.integer == 29)
  }

  @Test func strictWritesNothingWhereSomethingIsLost() async throws {
    let outcome = try await scratch.convert([Self.apple], to: "datastore", "out", ["--strict"])
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("nothing was written"))
    #expect(scratch.names(in: "") == [])
    let lossless = try await scratch.convert(
      [Self.android], to: "jsonl", "out", ["--strict", "--json"])
    #expect(lossless.status == 0, "\(lossless.testDescription)")
    #expect(scratch.names(in: "") == ["out"])
  }

  @Test func aDryRunSaysEverythingAndWritesNothing() async throws {
    let outcome = try await Tool.run(
      ["convert", "--to", "sharedprefs", "--dry-run"] + .clock + [Self.apple])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("[convert.value-changed]"))
    #expect(outcome.output.contains("Nothing was written."))
  }

  /// Tests that a value of an untyped store is the same as that of a typed one, whose type is kept.
  @Test func theSameNumberInAnUntypedStoreIsNoConflict() async throws {
    let script = try scratch.write("int32 n 5\nstring s one\n".utf8, to: "a.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("app")])
    #expect(made.status == 0, "\(made.testDescription)")
    let json = try scratch.write(#"{"n": 5, "s": "one"}"#.utf8, to: "a.json")
    for stores in [[scratch.path("app"), json], [json, scratch.path("app")]] {
      let outcome = try await Tool.run(["convert", "--to", "jsonl", "--out", "-"] + stores)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(outcome.output.contains(#""type":"int64","value":5"#))
      #expect(!outcome.errors.contains("conflict"))
    }
  }

  /// Tests that types from a file do not change those that a store has.
  @Test func typesOfAnUntypedStoreAreNotThoseOfItsTypedCopy() async throws {
    let script = try scratch.write("int32 views 7\nstring profile {\"a\":1}\n".utf8, to: "a.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("app")])
    #expect(made.status == 0, "\(made.testDescription)")
    let types = try scratch.write(
      #"{"kvfsck":"types","schema":1,"types":[{"key":"views","type":"uint32"},{"key":"profile","type":"json"}]}"#
        .utf8, to: "types.json")
    for (format, name) in [("fastkv-android", "u.kva"), ("fastkv-apple", "u.fkv")] {
      let there = try await scratch.convert(
        [scratch.path("app")], to: format, name, ["--types", types])
      #expect(there.status == 0, "\(there.testDescription)")
      let compare = try await Tool.run(
        ["compare", "--types", types, scratch.path("app"), scratch.path(name)])
      #expect(compare.output.contains("0 changed"), "\(compare.testDescription)")
    }
  }

  @Test func aQuietConversionSaysOnlyWhatIsLost() async throws {
    let store = try await undecided()
    let outcome = try await scratch.convert([store], to: "datastore", "out", ["-q"])
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(!outcome.output.contains("note:") && !outcome.output.contains("--types"))
    #expect(outcome.output.contains("1 value of undecided type was written as bytes: q\n"))
  }

  @Test(arguments: ["mmkv", "json"]) func aPointersWidthIsOnlyForFastKVOfIOS(
    format: String
  ) async throws {
    let outcome = try await scratch.convert([Self.apple], to: format, "out", ["--width", "4"])
    #expect(outcome.status == 16, "\(outcome.testDescription)")
  }

  @Test func differencesHaveTheColorOfTheirKind() async throws {
    let one = try scratch.write(#"{"a":1,"b":2,"c":3}"#.utf8, to: "one.json")
    let two = try scratch.write(#"{"b":2,"c":4,"d":5}"#.utf8, to: "two.json")
    let plain = try await Tool.run(["compare", one, two])
    let color = try await Tool.run(["compare", "--color", "always", one, two])
    #expect(!plain.output.contains("\u{1b}"))
    for line in ["\u{1b}[32m+ d = ", "\u{1b}[31m- a = ", "\u{1b}[33m~ c: "] {
      #expect(color.output.contains(line), "\(color.testDescription)")
    }
  }

  @Test(arguments: ["", "-", "new/"]) func typesNeedAFile(name: String) async throws {
    let outcome = try await Tool.run(
      ["convert", "--to", "json", "--dry-run", "--types-out", name] + .clock + [Self.apple])
    #expect(outcome.status == 16 && outcome.output == "", "\(outcome.testDescription)")
    #expect(outcome.errors.contains("--types-out takes the name of a file"))
  }

  @Test func typesAreWrittenCorrectedAndTaken() async throws {
    let store = Fixture.clean.path + "/kv"
    let types = scratch.path("types.json")
    let first = try await Tool.run(
      ["convert", "--to", "datastore", "--dry-run", "--accept-bytes", "--types-out", types]
        + .clock + [store])
    #expect(first.status == 0, "\(first.testDescription)")
    let text = try String(contentsOfFile: types, encoding: .utf8)
    let line = try #require(
      text.split(separator: "\n").first { $0.contains(#""key": "flag_187.s.empty""#) })
    #expect(line.contains(#""readings": ["#) && line.contains(#""string""#), "\(line)")
    try text.replacing(line, with: #"{ "key": "flag_187.s.empty", "type": "string" },"#)
      .write(toFile: types, atomically: true, encoding: .utf8)
    let second = try await scratch.convert(
      [store], to: "jsonl", "out", ["--types", types, "--accept-bytes"])
    #expect(second.status == 0)
    let entries = try String(contentsOfFile: scratch.path("out"), encoding: .utf8)
    #expect(
      entries.split(separator: "\n").contains {
        $0.contains(#""key":"flag_187.s.empty""#) && $0.hasSuffix(#""type":"string","value":""}"#)
      })
  }

  /// Returns a store with strings, flags and numbers, and one key whose value is `00` and whose
  /// name has no meaning; most numbers are too large to be 0 as often.
  private func undecided() async throws -> String {
    let script = try scratch.write(
      Array(
        """
        string a hello
        string b {"x":1}
        string g hello
        string h world
        int32 launch_count 1
        bool is_open 1
        int32 c 7
        int32 d 800
        int32 e 900
        int32 f 1000
        int32 i 1200
        string q %

        """.utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("app")])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path("app")
  }

  @Test func whatIsUndecidedIsOneLineAtTheEndAndAStatus() async throws {
    let store = try await undecided()
    let outcome = try await scratch.convert([store], to: "json", "out")
    #expect(outcome.status == 4)
    #expect(
      outcome.lines.map { $0.prefix(while: { $0 != ";" }) } == [
        "Wrote \(scratch.path("out")): 12 entries as json",
        "6 untyped values were given their likeliest type",
        "1 value of undecided type was written as bytes: q",
      ])
    let text = try String(contentsOfFile: scratch.path("out"), encoding: .utf8)
    for value in [
      #""type":"string","value":"hello""#, #""type":"string","value":"{\"x\":1}""#,
      #""type":"int32","value":1}"#,
      #""type":"bool","value":true"#, #"{"base64":"AA==","#,
    ] { #expect(text.contains(value), "\(value) in \(text)") }
    let counted = try await scratch.convert([store], to: "jsonl", "counted", ["--json"])
    let line = try #require(try counted.objects("conversion").first)
    #expect(line["likely"]?.integer == 6 && line["undecided"]?.integer == 1)
  }

  @Test(arguments: [
    ["--accept-bytes"], ["--assume-likeliest"], ["--to", "mmkv"],
  ])
  func whatIsUndecidedCanBeAccepted(options: [String]) async throws {
    let store = try await undecided()
    let format = options.first == "--to" ? [] : ["--to", "json"]
    let outcome = try await Tool.run(
      ["convert", store, "--out", scratch.path("out")] + .clock + format + options)
    // MMKV has no types either, so the bytes are the value.
    #expect(outcome.status == 0, "\(outcome.testDescription)")
  }

  @Test func strictTakesWhatIsUndecidedForALoss() async throws {
    let outcome = try await scratch.convert(
      [try await undecided()], to: "json", "out", ["--strict"])
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("1 loss"))
    #expect(scratch.names(in: "")?.contains("out") == false)
  }

  @Test("dump, its JSON and convert agree on what is likeliest")
  func oneLikeliest() async throws {
    for store in [Fixture.clean.path, try await undecided()] {
      let lines = try await Tool.run(["dump"] + .clock + [store]).lines
      let entries = try await Tool.run(["dump", "--json"] + .clock + [store]).objects("entry")
      #expect(lines.count == entries.count)
      let out = "out\(lines.count)"
      _ = try await scratch.convert([store], to: "jsonl", out, ["--assume-likeliest"])
      let converted = try String(contentsOfFile: scratch.path(out), encoding: .utf8)
        .split(separator: "\n").dropFirst().map { try JSON(parsing: String($0)) }
      for (index, entry) in entries.enumerated() {
        let kind = try #require(
          (entry["value"] ?? entry["likely"]?.array?.first)?["kind"]?.string)
        #expect(lines[index].contains(" = \(kind) "), "\(lines[index])")
        #expect(converted[index]["type"]?.string == kind, "\(lines[index])")
      }
    }
  }

  @Test func mergedStoresThatDisagreeAreAnErrorUnlessSomebodyDecides() async throws {
    let one = try scratch.write(Array(#"{"a":1,"b":2}"#.utf8), to: "one.json")
    let two = try scratch.write(Array(#"{"a":3,"c":4}"#.utf8), to: "two.json")
    let refused = try await scratch.convert([one, two], to: "json", "out")
    #expect(refused.status == 8)
    #expect(refused.errors.contains(#"disagree on 1 key ("a")"#))
    #expect(scratch.names(in: "") == ["one.json", "two.json"])
    let decided = try await scratch.convert(
      [one, two], to: "json", "out", ["--on-conflict", "last", "--plain-json"])
    #expect(decided.status == 0)
    #expect(
      try String(contentsOfFile: scratch.path("out"), encoding: .utf8)
        == "{\n  \"a\": 3,\n  \"b\": 2,\n  \"c\": 4\n}\n")
  }

  @Test func nothingIsOverwritten() async throws {
    let path = try scratch.write(Array("mine".utf8), to: "out")
    let outcome = try await scratch.convert([Self.android], to: "jsonl", "out")
    #expect(outcome.status == 8)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test func aFolderGetsAFileByTheStoresName() async throws {
    let folder = try scratch.makeFolder("folder")
    let outcome = try await Tool.run(
      ["convert", "--to", "csv", "--out", folder] + .clock + [Self.android])
    #expect(outcome.status == 0)
    #expect(scratch.names(in: "folder") == ["kv.kva.csv"])
  }

  @Test func whatKeepsEvidenceSaysItAndTheRestIsWarnedOf() async throws {
    let folder = try scratch.copy(.lossy)
    func cautions(_ path: String) async throws -> [String: String] {
      let lines = try await Tool.run(["dump", "--json"] + .clock + [path]).objects("entry")
      return Dictionary(
        uniqueKeysWithValues: lines.map {
          (
            $0["key_hex"]?.string ?? "",
            "\($0["evidence"]?.string ?? "") \($0["cautions"]?.array?.compactMap(\.string) ?? [])"
          )
        })
    }
    let there = try await cautions(folder)
    #expect(Set(there.values).count > 1)
    for format in ["json", "jsonl", "sqlite", "plist"] {
      let outcome = try await scratch.convert(
        [folder], to: format, format, ["--json", "--include-guesses"])
      let isWarned = outcome.output.contains("convert.unverified")
      #expect(isWarned == (format == "plist"), "\(outcome.testDescription)")
      if !isWarned { #expect(try await cautions(scratch.path(format)) == there) }
    }
  }

  @Test func aTableThatIsNamedIsReadWhateverStandsBesideIt() async throws {
    let store = Fixture.clean.path
    #expect(try await scratch.convert([store + "/kv"], to: "sqlite", "db").status == 0)
    let meta = try Data(contentsOf: URL(filePath: store + "/kv.crc"))
    _ = try scratch.write(Array(meta), to: "db.crc")
    let outcome = try await Tool.run(
      ["dump", "--json", "--table", "files", "--key-column", "file", "--value-column", "size"]
        + .clock + [scratch.path("db")])
    let entries = try outcome.objects("entry")
    #expect(Set(entries.compactMap { $0["key"]?.string }) == ["data", "meta"])
  }

  /// Tests that a table in a database can be compared with a file that is not a database.
  @Test func aTableIsComparedWithAFileOfAnotherFormat() async throws {
    #expect(try await scratch.convert([Fixture.clean.path + "/kv"], to: "sqlite", "db").status == 0)
    let table = ["--table", "files", "--key-column", "file", "--value-column", "size"]
    #expect(
      try await scratch.convert([scratch.path("db")], to: "json", "out.json", table).status == 0)
    let outcome = try await Tool.run(
      ["compare", "--exit-code"] + table + .clock + [scratch.path("db"), scratch.path("out.json")])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.output.contains("2 unchanged"))
  }

  @Test func noCellOfASpreadsheetIsAFormula() async throws {
    let store = try scratch.write(
      Array(##"{"=1+1":"@SUM(A1)","n":-5,"q":"a\"b,c\nd"}"##.utf8), to: "s.json")
    #expect(try await scratch.convert([store], to: "csv", "out").status == 0)
    let text = try String(contentsOfFile: scratch.path("out"), encoding: .utf8)
    let rows = text.components(separatedBy: "\r\n")
    #expect(rows[1].hasPrefix("'=1+1,3d312b31,string,'@SUM(A1),"))
    #expect(rows[2].hasPrefix("n,6e,int64,-5,"))
    #expect(rows[3].hasPrefix("q,71,string,\"a\"\"b,c\nd\","))
  }

  @Test(arguments: [
    (["--to", "xml", "--dry-run"], "xml"), (["--to", "json"], "--out"),
    (["--to", "csv", "--plain-json", "--dry-run"], "--plain-json"),
    (["--to", "json", "--xml", "--dry-run"], "--xml"),
    (["--to", "json", "--dry-run", "--table", "t"], "--key-column"),
    (["--to", "json", "--dry-run", "-y"], "-y"),
  ])
  func whatMakesNoSenseIsRefused(options: [String], named: String) async throws {
    let outcome = try await Tool.run(["convert"] + options + [Self.android])
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains(named), "\(outcome.errors)")
  }

  @Test func aTextBesideAStoreIsNotTakenForIt() async throws {
    let folder = try scratch.copy(.encrypted)
    _ = try scratch.write(Array(#"{"a":1}"#.utf8), to: "store/notes.json")
    let outcome = try await Tool.run(
      ["check", "--json", "--key", Fixture.key] + .clock + [folder])
    #expect(try outcome.objects("store").first?["format"]?.string == "mmkv")
  }

  @Test func aStoreUnderAKeyThatIsMissingIsNotConverted() async throws {
    let outcome = try await scratch.convert([Fixture.encrypted.path], to: "jsonl", "out")
    #expect(outcome.status == 8)
    #expect(scratch.names(in: "") == [])
  }

  @Test func aComparisonNamesWhatDiffersAndWhere() async throws {
    let one = try scratch.write(Array(#"{"a":1,"b":"x","c":null}"#.utf8), to: "one.json")
    let two = try scratch.write(Array(#"{"a":2,"b":"x","d":true}"#.utf8), to: "two.json")
    let outcome = try await Tool.run(["compare", one, two])
    #expect(outcome.status == 0)
    #expect(
      outcome.lines == [
        "~ a: int64 1 (data 0x1) → int64 2 (data 0x1)", "+ d = bool true (data 0xf)",
        "- c = null null (data 0xf)",
        "1 added, 1 removed, 1 changed, 0 retyped, 1 unchanged",
      ])
    #expect(try await Tool.run(["compare", "--exit-code", one, two]).status == 1)
    #expect(try await Tool.run(["compare", "--exit-code", one, one]).status == 0)
  }

  @Test(
    "A comparison is 4 where one of the stores is damaged, whichever it is",
    arguments: [
      (Fixture.clean, Fixture.clean, 0), (.clean, .lossy, 4), (.lossy, .clean, 4),
      (.lossy, .lossy, 4), (.clean, .corrected, 4),
    ] as [(Fixture, Fixture, Int32)])
  func comparisonOfADamagedStore(first: Fixture, second: Fixture, status: Int32) async throws {
    let stores = [first.path + "/kv", second.path + "/kv"]
    let outcome = try await Tool.run(["compare"] + .clock + stores)
    #expect(outcome.status == status, "\(outcome.testDescription)")
    let exit = try await Tool.run(["compare", "--exit-code"] + .clock + stores)
    #expect(exit.status == status | (first.name == second.name ? 0 : 1))
  }

  @Test func whatIsRepairedComparesByValueAndOffset() async throws {
    let folder = try scratch.copy(.corrected)
    _ = try await Tool.run(["repair", "-y", "--out", scratch.path("new")] + .clock + [folder])
    let outcome = try await Tool.run(
      ["compare", "--json"] + .clock + [folder, scratch.path("new")])
    #expect(outcome.status == 4, "the first of them is damaged")
    #expect(try outcome.objects("comparison").first?["same"]?.integer == 29)
  }

  @Test func aDocumentOnOneLineIsNoHeader() async throws {
    let text =
      #"{"kvfsck":"entries","schema":1,"name":"s","format":"x","entries":"#
      + #"[{"key":"a","type":"int32","value":5}]}"#
    let store = try scratch.write(Array(text.utf8), to: "s")
    let dump = try await Tool.run(["dump", store])
    #expect(dump.lines == ["a = int32 5"])
  }

  #if Encryption
    @Test func aFileOfACacheIsMatchedWithTheKeysThatAreGiven() async throws {
      let text = String(repeating: "x", count: 30_000)
      let store = try scratch.write(
        Array(#"{"kvfsck":"entries","schema":1,"name":"s","format":"x","entries":["#.utf8)
          + Array(#"{"key":"big","type":"string","value":"\#(text)"},"#.utf8)
          + Array(#"{"key":"small","type":"string","value":"y"}]}"#.utf8), to: "s.json")
      #expect(try await scratch.convert([store], to: "yycache", "cache").status == 0)
      let manifest = scratch.path("cache/manifest.sqlite")
      // The manifest of the cache is partly lost: the row of the file is missing.
      let one = try scratch.write(Array(#"{"small":"y"}"#.utf8), to: "one.json")
      #expect(try await scratch.convert([one], to: "yycache", "other").status == 0)
      try FileManager.default.removeItem(atPath: manifest)
      try FileManager.default.copyItem(
        atPath: scratch.path("other/manifest.sqlite"), toPath: manifest)
      let keys = try scratch.write(Array("nobody\nbig\n".utf8), to: "keys.txt")
      let without = try await Tool.run(["dump", "--json", scratch.path("cache")])
      #expect(try without.objects("entry").map { $0["key"]?.string?.utf8.count } == [5, 32])
      let with = try await Tool.run(
        ["dump", "--json", "--candidate-keys", keys, scratch.path("cache")])
      let entries = try with.objects("entry")
      #expect(entries.map { $0["key"]?.string } == ["small", "big"])
      #expect(entries.last?["evidence"]?.string == "guess")
    }
  #endif

  @Test func mapSaysThatAFileHasNoLog() async throws {
    let store = try scratch.write(Array(#"{"a":1}"#.utf8), to: "a.json")
    let map = try await Tool.run(["map", store])
    #expect(map.status == 8)
    #expect(map.errors.contains("has the format json, which has no log"))
    let dump = try await Tool.run(["dump", store])
    #expect(dump.lines == ["a = int64 1"])
  }

  @Test func theFileOfTypesIsNoMoreOpenThanTheStore() async throws {
    let store = try scratch.copy(.clean)
    let script = """
      umask 022
      chmod 600 store/kv
      "$0" convert --accept-bytes store --to json --out new.json --types-out types.json
      """
    #expect(try await Tool.shell(script, in: scratch.path).status == 0, "\(store)")
    for name in ["new.json", "types.json"] {
      #expect(try FileManager.default.permissions(of: scratch.path(name)) == 0o600, "\(name)")
    }
  }

  @Test func anOutputWithASlashMustBeAFolder() async throws {
    let arguments = ["convert", "--accept-bytes", Fixture.clean.path]
    for command in [arguments + ["--to", "json"], ["report", Fixture.clean.path]] {
      let outcome = try await Tool.run(command + ["--out", "new/"], in: scratch.path)
      #expect(outcome.status == 16, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("there is no such folder: create it first, or name a file"))
      #expect(scratch.names(in: ".") == [])
    }
    let cache = try await Tool.run(
      arguments + ["--to", "yycache", "--out", "cache/"], in: scratch.path)
    #expect(cache.status == 0, "\(cache.testDescription)")
    _ = try scratch.makeFolder("new")
    let outcome = try await Tool.run(
      arguments + ["--to", "json", "--out", "new/"], in: scratch.path)
    #expect(outcome.status == 0 && scratch.names(in: "new")?.count == 1)
  }

  /// Tests that a misspelled key in a file of types does not go unnoticed.
  @Test func typesForKeysThatDoNotExistAreNoted() async throws {
    let rules = #"""
      { "kvfsck": "types", "schema": 1, "types": [
        { "key": "flag_187.d.0", "type": "double" }, { "key": "tokn", "type": "bool" },
        { "pattern": "flag_*", "type": "bytes" }, { "pattern": "x_*", "type": "bool" } ] }
      """#
    let types = try scratch.write(rules.utf8, to: "types.json")
    let store = Fixture.clean.path
    for command in [
      ["dump", store], ["compare", store, store], ["convert", store, "--to", "json", "--dry-run"],
      ["get", store, "flag_187.d.0"],
    ] {
      let outcome = try await Tool.run(command + ["--types", types])
      #expect(
        outcome.errors.contains("note: \(types): no key matched rules 2 (\"tokn\"), 4 (\"x_*\")\n"),
        "\(outcome.testDescription)")
    }
  }
}
