import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Converting all stores of folders and archives.
struct ConvertTreeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func make(_ format: String, _ lines: [String], at place: String) async throws {
    let folder = (place as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(
      atPath: scratch.path(folder), withIntermediateDirectories: true)
    let script = try scratch.write(
      Array((["format \(format)"] + lines + [""]).joined(separator: "\n").utf8), to: "store.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path(place)])
    #expect(made.status == 0, "\(made.testDescription)")
  }

  private func convert(_ arguments: [String]) async throws -> Outcome {
    try await Tool.run(["convert"] + .clock + arguments, in: scratch.path)
  }

  private func totals(_ outcome: Outcome) throws -> [String: Int] {
    let line = try #require(try outcome.objects("totals").last, "\(outcome.testDescription)")
    let names = ["stores", "entries", "converted", "present", "withheld", "unread", "failed"]
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        line[name]?.integer.flatMap { $0 == 0 ? nil : (name, $0) }
      })
  }

  /// Returns random settings of a script.
  private static func settings(_ random: inout SeededGenerator) -> [String] {
    let word = String((0..<12).map { _ in "abcdefghij".randomElement(using: &random) ?? "a" })
    return [
      "string name \(word)", "int64 id \(Int64.random(in: 1 << 40 ... 1 << 50, using: &random))",
      "int32 launch_count \(Int32.random(in: 300...1 << 30, using: &random))",
      "bool is_on \(Bool.random(using: &random))",
    ]
  }

  /// Makes a tree with a store of each format with a log, and a file of Android's and one of iOS.
  private func makeTree(_ random: inout SeededGenerator) async throws {
    for (format, place) in [
      ("mmkv", "app/files/mmkv"), ("fastkv-apple", "app/Documents"), ("fastkv-android", "app/kv"),
    ] {
      try await make(format, Self.settings(&random), at: place)
    }
    _ = try scratch.makeFolder("app/shared_prefs")
    let name = Int.random(in: 0..<1_000_000, using: &random)
    let xml =
      "<map><string name=\"name\">n\(name)</string><int name=\"launch_count\" value=\"7\" /></map>"
    _ = try scratch.write(Array(xml.utf8), to: "app/shared_prefs/main.xml")
  }

  private static let outputs = [
    ("json", ".json"), ("jsonl", ".jsonl"), ("plist", ".plist"), ("sharedprefs", ".xml"),
    ("datastore", ".preferences_pb"), ("sqlite", ".sqlite"), ("csv", ".csv"), ("tsv", ".tsv"),
    ("yycache", ".yycache"), ("mmkv", ""), ("fastkv-apple", ".fkv"), ("fastkv-android", ".kva"),
  ]

  /// Tests that each store has a file of its own, which holds what the store holds.
  @Test(arguments: outputs)
  func eachStoreIsWrittenToItsOwnPlace(format: String, suffix: String) async throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    try await makeTree(&random)
    let outcome = try await convert(["app", "--to", format, "--out", "new", "--json"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try totals(outcome) == ["stores": 4, "entries": 14, "converted": 4])
    for place in ["files/mmkv/kv", "Documents/kv", "kv/kv.kva", "shared_prefs/main.xml"] {
      let new = "new/\(place)\(suffix)"
      #expect(FileManager.default.fileExists(atPath: scratch.path(new)), "\(new)")
      if ["csv", "tsv"].contains(format) { continue }
      let counts = try await scratch.comparison(
        scratch.path("app/\(place)"), scratch.path(new))
      let count = place.hasSuffix("xml") ? 2 : 4
      // A cache has bytes without types.
      if format == "yycache" {
        #expect(counts["added"] == 0 && counts["removed"] == 0, "\(place): \(counts)")
      } else {
        #expect(counts["same", default: 0] + counts["retyped", default: 0] == count, "\(counts)")
      }
    }
    let again = try await convert(["app", "--to", format, "--out", "new", "--json"])
    #expect(again.status == 8, "\(again.testDescription)")
    #expect(try totals(again) == ["stores": 4, "failed": 4])
    let resumed = try await convert(["app", "--to", format, "--out", "new", "--json", "--resume"])
    #expect(resumed.status == 0, "\(resumed.testDescription)")
    #expect(try totals(resumed) == ["stores": 4, "entries": 14, "present": 4])
  }

  /// Python's own readers find the values in the new files.
  @Test func otherProgramsReadTheNewFiles() async throws {
    try await make("mmkv", ["string name hello", "bool is_on true"], at: "app/one")
    try await make("mmkv", ["string name other", "bool is_on false"], at: "app/deep/two")
    let outcome = try await convert(["app", "--to", "plist", "--out", "new"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.lines.last == "2 stores: 2 converted and read back; 4 entries")
    let read = try await Python.run(
      """
      import plistlib, sys
      for path in sys.argv[1:]: print(sorted(plistlib.load(open(path, "rb")).items()))
      """, ["new/one/kv.plist", "new/deep/two/kv.plist"], in: scratch.path)
    #expect(
      read.output
        == "[('is_on', True), ('name', 'hello')]\n[('is_on', False), ('name', 'other')]\n",
      "\(read.testDescription)")
  }

  /// Tests that a run that was killed is completed by the next, which keeps what is there.
  @Test func aKilledRunIsResumed() async throws {
    try await make("mmkv", ["string a one", "int64 number 1234567890123"], at: "many/0")
    let one = scratch.path("many/0")
    for number in 1..<150 {
      try FileManager.default.copyItem(atPath: one, toPath: scratch.path("many/\(number)"))
    }
    let killed = try await Tool.shell(
      #"""
      "$0" convert many --to fastkv-android --out new --jobs 2 >/dev/null 2>&1 &
      until [ "$(ls new 2>/dev/null | wc -l)" -gt 5 ]; do sleep 0.01; done
      kill -KILL $!; wait
      """#, in: scratch.path)
    #expect(killed.signal == nil)
    let done = try #require(scratch.names(in: "new")).count
    #expect(done > 5)
    let arguments = ["many", "--to", "fastkv-android", "--out", "new", "--json"]
    let outcome = try await convert(arguments + ["--resume"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let totals = try totals(outcome)
    #expect(totals["stores"] == 150 && totals["entries"] == 300, "\(totals)")
    #expect(totals["present", default: 0] + totals["converted", default: 0] == 150, "\(totals)")
    // Each of the two threads may have been in a folder.
    #expect(totals["present", default: 0] >= done - 2, "\(totals), \(done)")
    let names = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("new"))
    #expect(names.count == 450 && !names.contains { $0.contains(".kvfsck-") })
  }

  @Test func whatIsThereAndDiffersIsKept() async throws {
    try await make("mmkv", ["string a one"], at: "app/x")
    try await make("mmkv", ["string a two"], at: "app/y")
    for name in ["new", "new/x"] { _ = try scratch.makeFolder(name) }
    let other = Array(#"{"a":"another"}"#.utf8)
    _ = try scratch.write(other, to: "new/x/kv.json")
    for options in [[], ["--resume"]] {
      let outcome = try await convert(
        ["app", "--to", "json", "--plain-json", "--out", "new", "--json"] + options)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("new/x/kv.json"))
      #expect(try scratch.bytes(of: "new/x/kv.json") == other)
      #expect(
        try totals(outcome)
          == ["stores": 2, "entries": 1, options == [] ? "converted" : "present": 1, "failed": 1])
    }
  }

  @Test func aDamagedOrUnreadableStoreDoesNotKeepTheOthers() async throws {
    _ = try scratch.makeFolder("app")
    _ = try scratch.copy(.clean, to: "app/clean")
    _ = try scratch.copy(.lossy, to: "app/lossy")
    #if Encryption
      _ = try scratch.copy(.encrypted, to: "app/secret")
    #else
      _ = try scratch.write([], to: "app/empty")
      _ = try scratch.write([], to: "app/empty.crc")
    #endif
    let before = try FolderState(of: scratch.path("app"))
    let outcome = try await convert(["app", "--to", "sqlite", "--out", "new", "--json"])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    let found = try totals(outcome)
    #expect(found["converted"] == 2 && found["unread"] == 1 && found["stores"] == 3, "\(found)")
    #expect(scratch.names(in: "new") == ["clean", "lossy"])
    #expect(try FolderState(of: scratch.path("app")) == before)
    let strict = try await convert(
      [
        "app/clean", "app/lossy", "--resume", "--strict", "--to", "json", "--out", "strict",
        "--json",
      ])
    #expect(strict.status == 4, "\(strict.testDescription)")
    #expect(try totals(strict)["withheld"] ?? 0 > 0)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("strict/lossy/kv.json")))
  }

  /// Each of several folders has its own below the new one; two of the same name are one.
  @Test(arguments: [["one", "two/one"], ["one/.", "two"], ["one", "one/.."]])
  func foldersWithoutNamesOfTheirOwnAreRefused(_ folders: [String]) async throws {
    for place in ["one/a", "one/b", "two/one/a", "two/one/b"] {
      try await make("mmkv", ["bool on true"], at: place)
    }
    let outcome = try await convert(folders + ["--to", "json", "--out", "new"])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("with another new folder"), "\(outcome.testDescription)")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("new")))
  }

  @Test func storesOfSeveralFolders() async throws {
    for place in ["a/app/x", "a/app/y", "b/app/x", "b/app/z"] {
      try await make("mmkv", ["string a \(place.first ?? "-")"], at: place)
    }
    let outcome = try await convert(["a", "b", "--to", "json", "--out", "new"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(scratch.names(in: "new/a/app") == ["x", "y"])
    #expect(scratch.names(in: "new/b/app") == ["x", "z"])
    for out in ["a/new", "a"] {
      let inside = try await convert(["a", "--to", "json", "--out", out])
      #expect(inside.status == 8 && inside.errors.contains("outside"), "\(inside.testDescription)")
    }
    let streamed = try await convert(["a", "--to", "json", "--out", "-"])
    #expect(streamed.status == 8 && streamed.output.isEmpty, "\(streamed.testDescription)")
    let dry = try await convert(["a", "--to", "json", "--dry-run"])
    #expect(dry.status == 0 && dry.lines.last == "2 stores: 2 can be converted; 2 entries")
  }

  #if Archives
    @Test func anArchiveIsConvertedLikeAFolder() async throws {
      var random = SeededGenerator(seed: RandomSeeds.run)
      try await makeTree(&random)
      let packed = try await Tool.shell("tar -C app -czf app.tgz .", in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      for source in ["app", "app.tgz"] {
        let outcome = try await convert([source, "--to", "json", "--out", "new-\(source)"])
        #expect(outcome.status == 0, "\(outcome.testDescription)")
      }
      let paths = try ["new-app", "new-app.tgz"].map {
        try FileManager.default.subpathsOfDirectory(atPath: scratch.path($0)).sorted()
      }
      #expect(paths[0] == paths[1])
    }
  #endif

  /// Tests that the order in which threads come to the stores changes nothing.
  @Test(arguments: ["json", "mmkv", "yycache"])
  func anyNumberOfJobsWritesAndPrintsTheSame(format: String) async throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    try await makeTree(&random)
    for number in 0..<12 {
      try await make("mmkv", Self.settings(&random), at: "app/many/\(number % 3)/a\(number)")
    }
    _ = try scratch.makeFolder("app/flat")
    // Names that differ in what follows, or in letters that some file systems take for the same.
    for name in ["kv", "KV", "kv.b", "kv1", "one", "two", "three"] {
      for suffix in ["", ".crc"] {
        let bytes = try scratch.bytes(of: "app/many/0/a0/kv\(suffix)")
        _ = try scratch.write(bytes, to: "app/flat/\(name)\(suffix)")
      }
    }
    _ = try scratch.copy(.lossy, to: "app/lossy")
    _ = try scratch.write(Array("no store".utf8), to: "app/flat/none.crc")
    var first: ([String: Data], Outcome)?
    for jobs in [1, 2, 9] {
      let options = ["--to", format, "--out", "new", "--json", "--jobs", "\(jobs)"]
      let outcome = try await convert(["app"] + options)
      let files = try FolderState.bytes(in: scratch.path("new"))
      #expect(try totals(outcome)["converted", default: 0] >= 20, "\(outcome.testDescription)")
      if let first {
        let words = "\(jobs) jobs, seed \(RandomSeeds.run)"
        #expect(files == first.0, "\(words)")
        #expect(outcome.output == first.1.output && outcome.errors == first.1.errors, "\(words)")
      } else {
        first = (files, outcome)
      }
      try FileManager.default.removeItem(atPath: scratch.path("new"))
    }
    let refused = try await convert(["app", "--to", format, "--out", "new", "--jobs", "0"])
    #expect(refused.status == 16)
  }

  #if Archives
    /// Tests that a name that is a folder's elsewhere is not given to a new file.
    @Test func aMemberWithTheNameOfAFolderIsConverted() async throws {
      let packed = try await Python.run(
        """
        import sys, zipfile
        with zipfile.ZipFile("app.zip", "w") as archive:
            for name in ["prefs/..", "prefs/b"]:
                for end in ["", ".crc"]:
                    archive.writestr(name + end, open(sys.argv[1] + "/kv" + end, "rb").read())
        """, [Fixture.clean.path], in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      for (format, names) in [
        ("json", ["...crc.json", "b.json", "store.json"]),
        ("mmkv", ["...crc", "...crc.crc", "b", "b.crc", "store", "store.crc"]),
      ] {
        let outcome = try await convert(["app.zip", "--to", format, "--out", "new-\(format)"])
        #expect(outcome.status == 0, "\(outcome.testDescription)")
        #expect(scratch.names(in: "new-\(format)/prefs") == names)
      }
    }
  #endif

  @Test func anEmptyKeyIsShown() async throws {
    let path = try scratch.write(
      Array(#"<map><string name="">x</string></map>"#.utf8), to: "a.xml")
    let outcome = try await Tool.run(["dump", path])
    #expect(outcome.output.contains(#""" = "#), "\(outcome.testDescription)")
  }

  // MARK: Types

  /// Tests that what one store or file shows about a key decides it in all, and that the file of types
  /// gives the same result again.
  @Test func typesAreLearnedFromAllStores() async throws {
    try await make("mmkv", ["int32 v 1"], at: "app/alone")
    for number in 0..<3 {
      try await make("mmkv", ["int32 v \(700 + number)", "string w x"], at: "app/\(number)")
    }
    _ = try scratch.makeFolder("app/shared_prefs")
    let xml = #"<map><boolean name="q" value="true" /></map>"#
    _ = try scratch.write(Array(xml.utf8), to: "app/shared_prefs/a.xml")
    try await make("mmkv", ["int32 q 1"], at: "app/q")
    func kind(_ path: String, _ key: String) async throws -> String? {
      let dump = try await Tool.run(["dump", "--json", path], in: scratch.path)
      return try dump.objects("entry").first { $0["key"]?.string == key }?["value"]?["kind"]?.string
    }
    let outcome = try await convert(
      ["app", "--to", "json", "--out", "new", "--types-out", "types.json"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try await kind("new/alone/kv.json", "v") == "int32")
    #expect(try await kind("new/q/kv.json", "q") == "bool")
    let types = String(decoding: try scratch.bytes(of: "types.json"), as: UTF8.self)
    #expect(types.contains(#""key": "v", "type": "int32""#), "\(types)")
    #expect(types.contains(#""key": "q", "type": "bool""#), "\(types)")
    let given = try await convert(
      ["app", "--to", "json", "--out", "given", "--types", "types.json"])
    #expect(given.status == 0 && !given.errors.contains("no key matched"))
    for place in ["alone", "0", "q"] {
      #expect(
        try scratch.bytes(of: "new/\(place)/kv.json")
          == scratch.bytes(of: "given/\(place)/kv.json"))
    }
    let taken = try await convert(
      ["app", "--to", "json", "--out", "third", "--types-out", "types.json"])
    #expect(taken.status == 8 && scratch.names(in: "third") == nil, "\(taken.testDescription)")
  }

  #if Encryption
    @Test func encryptedStoresAreReadAndWritten() async throws {
      for (name, key) in [("one", "first key"), ("two", "second key")] {
        try await make("mmkv", ["string token \(name)-secret"], at: "plain/\(name)")
        let made = try await convert(
          ["plain/\(name)/kv", "--to", "mmkv", "--rekey", key, "--out", "app-\(name)"])
        #expect(made.status == 0, "\(made.testDescription)")
      }
      _ = try scratch.makeFolder("app")
      for name in ["one", "two"] {
        _ = try scratch.makeFolder("app/\(name)")
        for suffix in ["", ".crc"] {
          _ = try scratch.write(
            try scratch.bytes(of: "app-\(name)\(suffix)"), to: "app/\(name)/\(name)\(suffix)")
        }
      }
      _ = try scratch.write(Array("one = first key\ntwo = second key\n".utf8), to: "keys")
      _ = try scratch.write(Array("third key".utf8), to: "new.key")
      for (options, keys) in [
        ([], ["first key", "second key"]),
        (["--rekey-file", "new.key"], ["third key", "third key"]),
      ] {
        let out = "new-\(options.count)"
        let outcome = try await convert(
          ["app", "--keys", "keys", "--to", "mmkv", "--out", out] + options)
        #expect(outcome.status == 0, "\(outcome.testDescription)")
        for (name, key) in zip(["one", "two"], keys) {
          let store = scratch.path("\(out)/\(name)/\(name)")
          let value = try await Tool.run(["get", "--key", key, store, "token"])
          #expect(value.output == "\(name)-secret\n", "\(value.testDescription)")
          #expect(try await Tool.run(["get", store, "token"]).status == 8)
        }
        let resumed = try await convert(
          ["app", "--keys", "keys", "--to", "mmkv", "--out", out, "--resume", "--json"] + options)
        #expect(try totals(resumed) == ["stores": 2, "entries": 2, "present": 2])
      }
    }
  #endif

  // MARK: Lists

  @Test(arguments: ["dump", "view"])
  func aCommandAboutOneStoreListsThem(command: String) async throws {
    try await make("mmkv", ["string a one"], at: "app/x")
    try await make("fastkv-apple", ["string a two", "string b three"], at: "app/y")
    guard command == "dump" else {
      let refused = try await Tool.run(["view", "app"], in: scratch.path)
      #if Viewer
        #expect(refused.status == 16, "\(refused.testDescription)")
      #else
        #expect(refused.status == 8, "\(refused.testDescription)")
      #endif
      return
    }
    let listed = try await Tool.run([command, "app"], in: scratch.path)
    #expect(listed.status == 0, "\(listed.testDescription)")
    #expect(listed.output.contains("app/x/kv") && listed.output.contains("app/y/kv"))
    #expect(listed.errors.contains("name one of them: kvfsck dump app/x/kv"))
    let json = try await Tool.run([command, "--json", "app"], in: scratch.path)
    #expect(
      try json.objects("result").map { $0["path"]?.string } == ["app/x/kv", "app/y/kv"])
    #expect(try json.objects("entry").isEmpty)
  }

  /// A file that is named is searched whatever its name, and wherever it is.
  @Test func aNamedPropertyListIsSearched() async throws {
    let made = try await Python.run(
      "import plistlib, sys; plistlib.dump({'token': 'needle-1'}, open(sys.argv[1], 'wb'))",
      [scratch.path("export.bin")])
    #expect(made.status == 0, "\(made.testDescription)")
    let outcome = try await Tool.run(["search", "needle-1", "export.bin"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.output.contains("token = needle-1"), "\(outcome.testDescription)")
    let scanned = try await Tool.run(["scan", "export.bin"], in: scratch.path)
    #expect(scanned.output.contains("\"format\":\"plist\""), "\(scanned.testDescription)")
  }
}
