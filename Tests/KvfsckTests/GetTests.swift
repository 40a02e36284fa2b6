import Foundation
import Testing

/// Running `kvfsck get` as a user does.
struct GetTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func get(_ store: String, _ key: String, _ options: [String] = []) async throws -> Outcome
  {
    try await Tool.run(["get"] + .clock + options + [store, key])
  }

  /// Makes a store with a value of each kind.
  private func store() async throws -> String {
    let script = try scratch.write(
      Array(
        """
        string greeting hex:74776f20776f726473
        string config {"a":1}
        string lines hex:610a62
        bool is_open 1
        int64 last_seen 1760000000123
        double ratio 0.25
        vec tags a b
        bytes blob hex:00ff10fe
        string hex:ff00 odd

        """.utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("app")])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path("app")
  }

  @Test func aValueIsPrintedAndNothingElse() async throws {
    let store = try await store()
    for (key, expected) in [
      ("greeting", "two words\n"), ("config", "{\"a\":1}\n"), ("lines", "a\nb\n"),
      ("is_open", "true\n"), ("last_seen", "1760000000123\n"), ("ratio", "0.25\n"),
      ("tags", "[\"a\",\"b\"]\n"), ("blob", "00ff10fe\n"), ("0xff00", "odd\n"),
    ] {
      let outcome = try await get(store, key)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(outcome.output == expected)
      #expect(outcome.errors == "")
    }
  }

  @Test(arguments: [["--raw", "--json"], ["--readings", "all"]])
  func optionsWithoutAnEffectAreRefused(options: [String]) async throws {
    let outcome = try await get(Fixture.clean.path, "count", options)
    #expect(outcome.status == 16 && outcome.output == "", "\(outcome.testDescription)")
  }

  @Test(arguments: [
    ["dump", "STORE", "--history", "--drop-expired"],
    ["dump", "STORE", "--timeline", "--drop-expired"],
    ["fixture", "damage", "STORE", "--operator", "burst", "--out", "new", "--json"],
  ])
  func otherOptionsWithoutAnEffectAreRefused(arguments: [String]) async throws {
    let store = Fixture.clean.path + "/kv"
    let outcome = try await Tool.run(
      arguments.map { $0 == "STORE" ? store : $0 }, in: scratch.path)
    #expect(outcome.status == 16 && outcome.output == "", "\(outcome.testDescription)")
  }

  /// Tests that options about a log are refused if there is none, and accepted if one store has one.
  @Test(arguments: [["--state", "current"], ["--like-engine"]])
  func optionsAboutALogNeedAStoreWithOne(option: [String]) async throws {
    let json = try scratch.write(#"{"count":1}"#.utf8, to: "s.json")
    for command in [
      ["dump", json], ["dump", "--json", json], ["dump", "--timeline", json],
      ["get", json, "count"],
      ["compare", json, json], ["convert", json, "--to", "csv", "--out", scratch.path("new")],
    ] {
      let outcome = try await Tool.run(command + option)
      #expect(outcome.status == 16, "\(command): \(outcome.testDescription)")
      #expect(outcome.errors.contains("\(option[0]) has no effect; leave it out"))
      #expect(!outcome.output.contains("count"), "\(outcome.testDescription)")
      #expect(scratch.names(in: "") == ["s.json"])
    }
    let both = try await Tool.run(["compare", json, Fixture.clean.path] + option + .clock)
    #expect(both.status.map { $0 & 24 } == 0, "\(both.testDescription)")
  }

  /// Scripts ask for the history of files of any format.
  @Test func theHistoryOfAFormatWithoutALogHasItsEntries() async throws {
    let json = try scratch.write(#"{"count":1}"#.utf8, to: "s.json")
    let history = try await Tool.run(["dump", "--history", "--json", json])
    let entries = try await Tool.run(["dump", "--json", json])
    #expect(history.status == 0 && history.output == entries.output)
    #expect(history.output.contains(#""key":"count""#), "\(history.testDescription)")
  }

  @Test func aWidthNeedsAStoreThatHasOne() async throws {
    for command in [["--dry-run", "-y"], ["-y", "--out", scratch.path("new")]] {
      let outcome = try await Tool.run(
        ["repair", "--width", "4"] + command + .clock + [Fixture.clean.path])
      #expect(outcome.status == 16 && outcome.output == "", "\(outcome.testDescription)")
      #expect(outcome.errors.contains("the format mmkv") && outcome.errors.contains("--width"))
      #expect(scratch.names(in: "") == [])
    }
  }

  @Test(arguments: ["get", "dump", "convert"])
  func aStateThatTheFilesDoNotHaveIsNamedWithTheStore(command: String) async throws {
    let store = Fixture.clean.path + "/kv"
    let rest = ["get": ["count"], "convert": ["--to", "json", "--dry-run"]][command] ?? []
    let outcome = try await Tool.run([command, store] + rest + ["--state", "before-reset"])
    #expect((outcome.status ?? 0) & 8 != 0, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("\(store): the state before-reset cannot be recovered"))
  }

  @Test func typesThatAPersonSaysGoBeforeTheLikeliest() async throws {
    let store = try await store()
    let types = try scratch.write(
      Array(
        #"""
        {"kvfsck":"types","schema":1,"types":[
          {"key":"is_open","type":"int32"}, {"pattern":"last*","type":"uint64"},
          {"key":"greeting","type":"double"}]}
        """#.utf8), to: "types.json")
    #expect(try await get(store, "is_open", ["--types", types]).output == "1\n")
    let entries = try await Tool.run(["dump", "--json", "--types", types, store]).objects("entry")
    var kinds: [String: String] = [:]
    for entry in entries { kinds[entry["key"]?.string ?? ""] = entry["value"]?["kind"]?.string }
    // A type that is not in the file is not certain. A value that does not have the given type
    // stays bytes.
    #expect(kinds["is_open"] == "int32" && kinds["last_seen"] == "uint64")
    #expect(kinds["greeting"] == "raw" && kinds["config"] == nil)
    let text = try await Tool.run(["dump", "--types", types, store]).lines
    #expect(text.contains("is_open = int32 1"), "\(text)")
    let refused = try await Tool.run(["dump", "--types", scratch.path("absent"), store])
    #expect(refused.status == 8 && refused.output == "", "\(refused.testDescription)")
    let wrong = try scratch.write(Array("{}".utf8), to: "wrong.json")
    #expect(try await get(store, "is_open", ["--types", wrong]).status == 16)
  }

  @Test func rawPrintsTheBytesAsTheRecordHasThem() async throws {
    let store = try await store()
    #expect(try await get(store, "greeting", ["--raw"]).output == "\u{9}two words")
    #expect(try await get(store, "is_open", ["--raw"]).output == "\u{1}")
  }

  @Test func rawPrintsNothingWhereAFormatStoresNoBytes() async throws {
    let json = try scratch.write(Array(#"{"a":1,"b":"x"}"#.utf8), to: "s.json")
    for key in ["a", "b"] {
      let outcome = try await get(json, key, ["--raw"])
      #expect(outcome.status == 8 && outcome.output == "", "\(outcome.testDescription)")
      #expect(outcome.errors.contains("the format json stores the value of \"\(key)\" as "))
      #expect(outcome.errors.contains("leave out --raw"))
    }
    let plist = try scratch.write(
      Array(
        #"<plist version="1.0"><dict><key>d</key><data>AP8Q</data></dict></plist>"#.utf8),
      to: "s.plist")
    let data = try await Tool.shell(#""$0" get --raw "$1" d | od -An -tx1"#, [plist])
    #expect(data.output.split(separator: " ").joined() == "00ff10\n", "\(data.testDescription)")
  }

  @Test func aKeyThatIsNotThereIsSaidWithTheNearest() async throws {
    let outcome = try await get(try await store(), "greting")
    #expect(outcome.status == 8)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(#"no entry has the key "greting""#))
    #expect(outcome.errors.contains(#"The nearest of 9 is "greeting""#))
  }

  /// Tests that looking for the nearest key takes neither memory nor time by the square of its
  /// length, and that neither key fills the terminal.
  @Test func aLongKeyThatIsNotThereIsSaidInShort() async throws {
    let key = String(repeating: "k", count: 60_000)
    let json = try scratch.write(
      Array("{\"\(key)\":1,\"\(key)2\":2,\"nul\\u0000key\":3}".utf8), to: "s.json")
    for (wrong, nearest) in [
      ("x" + key, "\"kkkk"), (String(repeating: "q", count: 60_000), nil),
      ("nulkey", #""nul\u{0}key", which can be given as 0x6e756c006b6579"#), ("", nil),
    ] {
      let outcome = try await get(json, wrong)
      #expect(outcome.status == 8 && outcome.output == "", "\(outcome.testDescription)")
      #expect(outcome.errors.utf8.count < 500)
      #expect(outcome.errors.contains("The nearest of 3 is") == (nearest != nil))
      #expect(outcome.errors.contains(nearest ?? "no entry has the key"), "\(outcome.errors)")
    }
    #expect(try await get(json, "0x6e756c006b6579").output == "3\n")
  }

  @Test func aKeyThatIsNotThereDoesNotReachTheTerminalAsItIs() async throws {
    let outcome = try await get(try await store(), "gre\u{1b}[2Jting\u{7}")
    #expect(outcome.status == 8)
    #expect(!outcome.errors.contains("\u{1b}") && !outcome.errors.contains("\u{7}"))
    #expect(outcome.errors.contains(#"gre\u{1b}[2Jting\u{7}"#), "\(outcome.errors)")
  }

  @Test func jsonHasTheEntryAsDumpHasIt() async throws {
    let store = try await store()
    let lines = try await get(store, "tags", ["--json"]).lines
    let dumped = try await Tool.run(["dump", "--json"] + .clock + [store]).lines
    #expect(lines.count == 2)
    #expect(lines.first == dumped.first)
    #expect(lines.last == dumped.first { $0.contains(#""key":"tags""#) })
  }

  @Test func ofADamagedStoreTheEvidenceIsSaid() async throws {
    let dumped = try await Tool.run(["dump", "--json"] + .clock + [Fixture.lossy.path])
    let key = try #require(try dumped.objects("entry").first?["key"]?.string)
    let outcome = try await get(Fixture.lossy.path, key)
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("kvfsck: note: the entry's evidence is "))
    #expect(outcome.output.hasSuffix("\n"))
  }

  @Test func aStoreUnderAKeyThatIsMissingIsNotRead() async throws {
    let outcome = try await get(Fixture.encrypted.path, "anything")
    #expect(outcome.status == 8)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("--key"))
  }

  @Test func otherFormatsHaveValuesToo() async throws {
    let json = try scratch.write(Array(#"{"a":1,"b":"x"}"#.utf8), to: "s.json")
    #expect(try await get(json, "b").output == "x\n")
    #expect(
      try await get("\(Fixture.root)/fastkv-android/golden/nb_update_inplace", "s").status == 0)
  }

  /// On a terminal, bytes that it would obey are not written; elsewhere, all bytes are.
  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func rawBytesThatATerminalObeysAreRefusedThere() async throws {
    let store = try await store()
    let piped = try await get(store, "blob", ["--raw"])
    #expect(piped.status == 0 && piped.errors == "", "\(piped.testDescription)")
    // MMKV stores a text with its length before it, which is a control character here.
    for key in ["blob", "greeting", "is_open"] {
      let shown = try await PseudoTerminal().run(["get"] + .clock + ["--raw", store, key])
      #expect(shown.status == 8, "\(shown.testDescription)")
      #expect(shown.output.contains("> FILE"), "\(shown.testDescription)")
    }
    let pipe = PseudoTerminal(pipeDelay: 0)
    let written = try await pipe.run(["get"] + .clock + ["--raw", store, "blob"])
    #expect(written.status == 0, "\(written.testDescription)")
  }
}
