import Foundation
import KVFixtures
import KVInput
import KVTestSupport
import SystemPackage
import Testing

/// Scanning, which must find every store below a path and report nothing else.
struct ScanTests {
  private let scratch: Scratch
  private let extraction: Extraction

  init() throws {
    scratch = try Scratch()
    extraction = Extraction(in: scratch)
  }

  @Test func everyStoreOfAnExtractionIsFoundOnceAndNoneIsInvented() async throws {
    let seed = RandomSeeds.run
    let stores = try extraction.make(seed: seed)
    let outcome = try await Tool.run(
      ["scan", "--json"] + .clock + ["tree"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let paths = try outcome.objects("result").map {
      Array(try #require($0["path"]?.string).utf8.dropFirst("tree/".count))
    }
    #expect(paths.count == stores.count && Set(paths) == stores)
    let totals = try #require(try outcome.objects("totals").first)
    #expect(totals["stores"]?.integer == stores.count)
  }

  /// Tests that the files that a walk has passed at its end are all that were counted before it, so
  /// that the progress of a scan is right.
  @Test func aWalkPassesTheFilesThatAreCounted() throws {
    _ = try extraction.make(seed: RandomSeeds.run)
    let roots = [FilePath(scratch.path("tree")), FilePath(scratch.path("tree/data/com.first"))]
    let file = FilePath(scratch.path("tree/data/com.first/files/alone/lone"))
    var walk = TreeWalk(roots + [file])
    var passed = 0
    while walk.next() != nil {
      #expect(walk.passedCount >= passed)
      passed = walk.passedCount
    }
    #expect(passed > 100 && passed == TreeWalk.fileCount(below: roots + [file]))
  }

  @Test func partsTogetherAreAllStoresAndEachStoreIsInOne() async throws {
    let stores = try extraction.make(seed: RandomSeeds.run)
    var paths: [[UInt8]] = []
    for part in 1...3 {
      let outcome = try await Tool.run(
        ["scan", "--shard", "\(part)/3", "--jobs", "\(part)", "tree"], in: scratch.path)
      #expect(outcome.status == 0)
      let found = try outcome.objects("result").map {
        Array(try #require($0["path"]?.string).utf8)
      }
      #expect(!found.isEmpty && found.count < stores.count)
      paths += found
    }
    #expect(paths.count == stores.count && Set(paths).count == stores.count)
  }

  @Test(arguments: 1...3)
  func aPathThatCannotBeReadIsInOnePart(count: Int) async throws {
    _ = try scratch.makeFolder("tree")
    var paths: [String] = []
    for part in 1...count {
      let scan = try await Tool.run(
        ["scan", "--json", "--shard", "\(part)/\(count)", "missing", "tree", "gone"],
        in: scratch.path)
      paths += try scan.objects("result").compactMap { $0["path"]?.string }
    }
    #expect(paths.sorted() == ["gone", "missing"])
  }

  /// Tests that app stores without a log are found, but not other documents in the same formats.
  @Test func storesOfAppsWithoutALogAreFoundAndOtherDocumentsAreNot() async throws {
    let source = "\(Fixture.root)/fastkv-apple/golden/all_types/store.fkv"
    _ = try scratch.makeFolder("app")
    for folder in ["Preferences", "RCTAsyncLocalStorage_V1"] {
      _ = try scratch.makeFolder("app/\(folder)")
    }
    for (format, name) in [
      ("sharedprefs", "prefs.xml"), ("datastore", "app.preferences_pb"), ("yycache", "cache"),
      ("plist", "Preferences/com.app.plist"), ("plist", "Info.plist"), ("json", "a.json"),
      ("sqlite", "a.db"), ("csv", "a.csv"),
    ] {
      let made = try await Tool.run(
        ["convert", source, "--to", format, "--out", scratch.path("app/\(name)")])
      #expect([0, 1, 4, 5].contains(made.status), "\(format): \(made.errors)")
    }
    _ = try scratch.write(
      Array(#"{"key":"value"}"#.utf8), to: "app/RCTAsyncLocalStorage_V1/manifest.json")
    let outcome = try await Tool.run(["scan", "app"] + .clock, in: scratch.path)
    let found = try outcome.objects("result").map { $0["format"]?.string ?? "" }
    #expect(
      found.sorted() == ["asyncstorage", "datastore", "plist", "sharedprefs", "yycache"],
      "\(outcome.output)")
    #expect(outcome.output.contains("Preferences/com.app.plist"))
  }

  /// Tests that a scan continues after a store that takes too long.
  ///
  /// However short the timeout, each store has a line, and the scan ends.
  @Test func aStoreThatTakesTooLongIsReportedAndTheScanGoesOn() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "z")
    _ = try scratch.write(
      (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0) }, to: "tree/kv")
    _ = try scratch.write(
      try scratch.bytes(of: "tree/z.crc"), to: "tree/kv.crc")
    let outcome = try await Tool.run(
      ["scan", "tree", "--timeout", "0.001", "--jobs", "1"] + .clock, in: scratch.path)
    #expect(outcome.status == 8)
    let results = try outcome.objects("result")
    #expect(results.map { $0["path"]?.string } == ["tree/kv", "tree/z"])
    #expect(results.first?["error"]?.string == "it takes longer than 0.001 seconds")
    let patient = try await Tool.run(["scan", "tree/z", "--timeout", "1000"], in: scratch.path)
    #expect(patient.status == 0)
    #expect(try patient.objects("result").first?["verdict"]?.string == "clean")
    #expect(try await Tool.run(["scan", "tree", "--timeout", "0"]).status == 16)
  }

  @Test func aStoreThatSeveralPathsLeadToIsReportedOnce() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    let outcome = try await Tool.run(
      ["scan", "tree", "./tree/kv", "tree/kv.crc", "tree"], in: scratch.path)
    #expect(try outcome.objects("result").map { $0["path"]?.string } == ["tree/kv"])
  }

  @Test func storesWhoseNamesDifferInTheEndingOnlyAreTwo() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    try extraction.copy("fastkv-android/golden/nb_all_types", "tree", as: "kv")
    for paths in [["tree"], ["tree/kv.kvb", "tree/kv"]] {
      let outcome = try await Tool.run(["scan"] + paths, in: scratch.path)
      let found = try outcome.objects("result").map { $0["path"]?.string ?? "" }
      #expect(found.sorted() == ["tree/kv", "tree/kv.kva"], "\(paths)")
    }
    let check = try await Tool.run(["check", "--json", "tree/kv"] + .clock, in: scratch.path)
    #expect(try check.objects("store").first?["format"]?.string == "mmkv")
  }

  /// Tests that a store is found even if it is named like a file beside another store.
  ///
  /// An app can name an MMKV store like the files beside a database.
  @Test func aStoreThatIsNamedAsAFileBesideAnotherIsFound() async throws {
    let names = ["user", "user-journal", "user-shm", "user-wal", "user.bak"]
    for name in names { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
    try extraction.copy("fastkv-android/golden/nb_all_types", "tree", as: "user")
    _ = try scratch.write(try scratch.bytes(of: "tree/user"), to: "tree/other.bak")
    try extraction.copy("mmkv/golden/removes", "tree", as: "other")
    let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    let found = try outcome.objects("result").map { $0["path"]?.string ?? "" }
    let wanted = (names + ["other", "other.bak", "user.kva"]).map { "tree/\($0)" }
    #expect(found.sorted() == wanted.sorted())
    let named = try await Tool.run(["scan", "tree/user.bak"] + .clock, in: scratch.path)
    #expect(try named.objects("result").map { $0["path"]?.string } == ["tree/user.bak"])
  }

  /// Tests that a file with a few records is not a store, but a truncated store is.
  ///
  /// In a quarter of GNU gettext catalogs, some bytes decode as records. A truncated store has
  /// records from its start.
  @Test func aFileWithAFewRecordsIsNoStoreAndOneThatWasCutIs() async throws {
    let store = try Data(contentsOf: URL(filePath: Fixture.clean.path + "/kv"))
    var catalog: [UInt8] = [0xde, 0x12, 0x04, 0x95, 0, 0, 0, 0, 3, 0, 0, 0, 0x1c, 0, 0, 0]
    for index in 0..<1200 { catalog += [UInt8(index % 200), UInt8(index / 200), 0, 0] }
    catalog += store[600..<900]
    _ = try scratch.makeFolder("tree")
    _ = try scratch.write(catalog, to: "tree/messages.mo")
    _ = try scratch.write(Array(store[..<1000]), to: "tree/cut")
    let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    #expect(try outcome.objects("result").map { $0["path"]?.string } == ["tree/cut"])
    let named = try await Tool.run(["check", "tree/messages.mo"] + .clock, in: scratch.path)
    #expect(named.errors.contains("does not look like "), "\(named.errors)")
  }

  /// Tests that an empty file is reported where an app keeps a store, or has files beside it, and
  /// nowhere else.
  @Test func anEmptyFileOnItsOwnIsNoStore() async throws {
    let reported = [
      "Library/Preferences/com.a.plist", "RCTAsyncLocalStorage_V1/manifest.json",
      "databases/RKStorage", "files/datastore/a.preferences_pb", "shared_prefs/x.xml", "x/c.kva",
      "x/w",
    ]
    let others = ["empty", "files/mmkv/kv", "x/b", "x/b.tmp", "x/q.xml"]
    let sides = ["databases/RKStorage-journal", "x/c.kvb", "x/w.crc"]
    for path in reported + others + sides {
      let file = scratch.path("tree/\(path)")
      try FileManager.default.createDirectory(
        at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: file))
    }
    let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    let found = try outcome.objects("result").map { $0["path"]?.string ?? "" }
    #expect(found.sorted() == reported.map { "tree/\($0)" })
    let totals = try #require(try outcome.objects("totals").first)
    #expect(totals["others"]?.integer == others.count)
  }

  /// Tests that the files in which macOS keeps extended attributes are not stores.
  ///
  /// macOS writes them on volumes and in archives without extended attributes.
  @Test func attributesThatMacOSKeepsAreNoStore() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    let attributes: [UInt8] =
      [0, 5, 0x16, 7, 0, 2, 0, 0] + Array("Mac OS X        ".utf8) + [0, 2, 0, 0, 0, 9]
    for (name, count) in [("._kv", 4096), ("._kv.crc", 180)] {
      let rest = [UInt8](repeating: 0, count: count - attributes.count)
      _ = try scratch.write(attributes + rest, to: "tree/\(name)")
    }
    let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    #expect(try outcome.objects("result").map { $0["path"]?.string } == ["tree/kv"])
    let check = try await Tool.run(["check", "tree"] + .clock, in: scratch.path)
    #expect(check.status == 0, "\(check.output)")
    #expect(check.output.contains("clean"))
  }

  /// Tests that a store is found under a hashed name, even if no key opens it.
  ///
  /// FastKV for Android keeps long values in files with such names, and MMKV gives such names to
  /// stores.
  @Test func aStoreThatNoKeyOpensIsFoundUnderAHashedName() async throws {
    let name = "af5d6b2cd61dae6887aa911cbd14ded1"
    for folder in ["mmkv", "specialCharacter"] {
      try extraction.copy("mmkv/damaged/burst_enc", "tree/\(folder)", as: name)
    }
    let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    let results = try outcome.objects("result")
    #expect(
      results.map { $0["path"]?.string }
        == ["tree/mmkv/\(name)", "tree/specialCharacter/\(name)"], "\(outcome.output)")
    #expect(results.allSatisfy { $0["format"]?.string == "mmkv" })
  }

  /// Tests that a truncated copy is still recognized as FastKV.
  ///
  /// The rest of the first record, followed by zeros, decodes as a log of MMKV.
  @Test func aCopyThatIsCutOffIsStillOneOfFastKV() async throws {
    _ = try scratch.makeFolder("tree")
    let start: [UInt8] = [
      0x25, 0, 0, 0, 0x6c, 7, 1, 1, 0x78, 0x1e, 0x1e, 2, 2, 1, 0x61, 2,
    ]
    _ = try scratch.write(start + [UInt8](repeating: 0, count: 4080), to: "tree/kv.kva")
    let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    let result = try #require(try outcome.objects("result").first)
    #expect(result["format"]?.string == "fastkv-android", "\(outcome.output)")
  }

  @Test func aStoreWithFilesOfItsOwnIsReportedOnce() async throws {
    let source = "\(Fixture.root)/fastkv-android/golden/old_external"
    for script in [
      "cp -r \(source) tree", "tar cf a.tar tree", "python3 -m zipfile -c a.zip tree",
      "rm tree/kv.kvb", "tar cf b.tar tree",
    ] {
      #expect(try await Tool.run("/bin/sh", ["-c", script], in: scratch.path).status == 0)
    }
    #if Archives
      let paths = ["tree", "a.tar", "b.tar", "a.zip"]
    #else
      let paths = ["tree"]
    #endif
    for path in paths {
      let outcome = try await Tool.run(["scan", path] + .clock, in: scratch.path)
      #expect(try outcome.objects("result").count == 1, "\(path): \(outcome.output)")
    }
  }

  // MARK: Lists of paths

  @Test func aStoreThatIsNamedByItsFilesIsReportedOnceInTheOrderOfTheList() async throws {
    try extraction.copy("mmkv/golden/all_types", "list", as: "b")
    try extraction.copy("mmkv/damaged/flip_keylen_fwb", "list", as: "a")
    let outcome = try await Tool.shell(
      "printf 'list/b.crc\\nlist/missing\\nlist/b\\nlist/a\\nlist/a.crc\\n' | $0 scan -",
      in: scratch.path)
    let results = try outcome.objects("result")
    #expect(results.map { $0["path"]?.string } == ["list/b", "list/missing", "list/a"])
    #expect(results[1]["error"]?.string?.contains("no such file") == true, "\(results[1])")
    #expect(results[2]["verdict"]?.string == "repairable")
    #expect(results[2]["lost_at_next_launch"]?.integer == 29)
    #expect(outcome.status == 8)
  }

  @Test func pathsThatEndInAZeroByteMayHaveLineFeeds() async throws {
    try extraction.copy("mmkv/golden/all_types", "list", as: "line\nfeed")
    for script in [
      "find list -type f -print0 | $0 scan --files0-from -",
      "find list -type f -print0 > paths; $0 scan --files0-from paths",
    ] {
      let outcome = try await Tool.shell(script, in: scratch.path)
      #expect(try outcome.objects("result").map { $0["path"]?.string } == ["list/line\nfeed"])
      #expect(outcome.status == 0)
    }
  }

  /// Tests that a list for `xargs -0` is read as it is meant, in its order, and no path ends at its
  /// zero byte.
  @Test func aZeroByteEndsAPathInAnyList() async throws {
    for name in ["a", "b", "c"] { try extraction.copy("mmkv/golden/all_types", "list", as: name) }
    let outcome = try await Tool.shell(
      "printf '\\0list/c\\0\\0list/a\\nlist/b\\0\\n' | $0 scan -", in: scratch.path)
    #expect(
      try outcome.objects("result").map { $0["path"]?.string } == ["list/c", "list/a", "list/b"])
    #expect(outcome.status == 0)
  }

  /// Tests that a result is printed before the list of paths ends.
  ///
  /// A program may write a path and wait for its result while the list is still open.
  @Test func aResultComesBeforeTheListEnds() async throws {
    try extraction.copy("mmkv/golden/all_types", "list", as: "one")
    let script = """
      mkfifo in out
      "$0" scan - < in > out & exec 3> in 4< out
      echo list/one >&3; IFS= read -r line <&4; printf '%s\\n' "$line"
      exec 3>&-; cat <&4; wait
      """
    let outcome = try await Tool.shell(script, in: scratch.path)
    #expect(try outcome.objects("result").count == 1)
    #expect(try outcome.objects("totals").count == 1)
  }

  @Test func whatAnEarlierScanHasIsPassedOver() async throws {
    for name in ["a", "b", "c"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
    let first = try await Tool.run(["scan", "tree"], in: scratch.path)
    // The file is truncated within its second line.
    let lines = first.output.split(separator: "\n")
    _ = try scratch.write(Array("\(lines[0])\n\(lines[1].prefix(20))".utf8), to: "earlier.jsonl")
    let rest = try await Tool.run(
      ["scan", "tree", "--resume", "earlier.jsonl"], in: scratch.path)
    #expect(
      try rest.objects("result").map { $0["path"]?.string } == ["tree/b", "tree/c"])
  }

  @Test func anEarlierScanHasPathsThatAreNotUTF8() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "a")
    let outcome = try await Tool.shell(
      """
      folder=$(printf 'tree/n\\377a') && mkdir "$folder" && cp tree/a tree/a.crc "$folder"
      cp -r "$folder" 'tree/n\\xffa'
      "$0" scan tree | sed 2d > earlier.jsonl && "$0" scan tree --resume earlier.jsonl
      """, in: scratch.path)
    let all = try await Tool.run(["scan", "tree"], in: scratch.path).objects("result")
    #expect(all.count == 3)
    #expect(try outcome.objects("result") == [all[1]])
  }

  @Test(arguments: ["{\"a\": 1}\n", "no JSON", "\u{0}\u{1}\n"])
  func aFileThatIsNoScansOutputIsNotResumed(text: String) async throws {
    let path = try scratch.write(text.utf8, to: "earlier")
    let outcome = try await Tool.run(["scan", scratch.path, "--resume", path])
    #expect(outcome.status == 8 && outcome.output == "", "\(outcome.testDescription)")
    #expect(outcome.errors.contains("is not the JSON output of kvfsck scan"))
  }

  // MARK: Unreadable files

  @Test func aFileThatIsTooLargeIsReportedAndNotRead() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    for path in ["tree", "tree/kv"] {
      let outcome = try await Tool.run(["scan", "--max-bytes", "100", path], in: scratch.path)
      let result = try #require(try outcome.objects("result").first)
      #expect(result["verdict"] == .null && result["error"]?.string?.contains("100") == true)
      #expect(outcome.status == 8, "\(path)")
    }
  }

  /// Tests that a file beside the store's main one that is not read is not called missing.
  @Test func aSecondFileThatIsTooLargeIsReportedAndNotRead() async throws {
    _ = try scratch.makeFolder("tree")
    let external = "\(Fixture.root)/fastkv-android/golden/old_external"
    let made = try await Tool.shell(
      "cp -r '\(external)' tree/old && rm tree/old/case.json", in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    _ = try scratch.write(Array("<map><string name=\"a\">".utf8), to: "tree/y.xml")
    let items = (0..<300).map { "<string name=\"\($0)\">v</string>" }.joined()
    _ = try scratch.write(Array("<map>\(items)</map>".utf8), to: "tree/y.xml.bak")
    let whole = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    #expect(try whole.objects("result").map { $0["verdict"]?.string } == ["clean", "clean"])
    let part = try await Tool.run(["scan", "--max-bytes", "4096", "tree"], in: scratch.path)
    for result in try part.objects("result") {
      #expect(result["verdict"] == .null && result["error"]?.string?.contains("4,096") == true)
    }
    #expect(try part.objects("result").count == 2 && part.status == 8)
  }

  /// Tests that a link in place of the trash is not followed and is not damage.
  ///
  /// Files in the trash are older. If the trash is a link, `check` reports a note.
  @Test func aLinkToAnotherTrashIsNotFollowedAndIsNoDamage() async throws {
    let source = try scratch.write(#"{"key":"value"}"#.utf8, to: "a.json")
    _ = try await Tool.run(["convert", "--to", "yycache", "--out", scratch.path("cache"), source])
    let before = try await Tool.run(["scan", "cache"] + .clock, in: scratch.path)
    _ = try scratch.makeFolder("elsewhere")
    _ = try scratch.write([1, 2, 3], to: "elsewhere/secret")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("cache/trash"), withDestinationPath: "../elsewhere")
    let outcome = try await Tool.run(["scan", "cache"] + .clock, in: scratch.path)
    #expect(outcome.output == before.output)
    #expect(try outcome.objects("result").map { $0["verdict"]?.string } == ["clean"])
  }

  /// Tests that a named link leads to its store, as with `check`, and that a store is reported
  /// once.
  @Test func aNamedLinkLeadsToTheStore() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    _ = try scratch.makeFolder("links")
    for (link, target) in [("tree/same", "kv"), ("links/other", "../tree/kv")] {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path(link), withDestinationPath: target)
      let alone = try await Tool.run(["scan", link] + .clock, in: scratch.path)
      #expect(try alone.objects("result").map { $0["verdict"]?.string } == ["clean"])
      let check = try await Tool.run(["check", link] + .clock, in: scratch.path)
      let path = try #require(try alone.objects("result").first?["path"]?.string)
      #expect(check.output.hasPrefix("\(path): clean"))
      let page = scratch.path("\(target.count).html")
      let report = try await Tool.run(
        ["report", link, "--out", page] + .clock, in: scratch.path)
      #expect(report.status == 0, "\(report.testDescription)")
    }
    let all = try await Tool.run(
      ["scan", "tree/same", "tree/kv", "links/other", "tree/kv.crc", "./tree/../tree/kv"] + .clock,
      in: scratch.path)
    #expect(try all.objects("result").map { $0["verdict"]?.string } == ["clean"])
  }

  @Test func aFolderWithoutAStoreHasNone() async throws {
    let folder = try scratch.makeFolder("junk")
    try extraction.writeJunk(to: "junk", seed: RandomSeeds.run)
    let outcome = try await Tool.run(["scan", folder])
    #expect(outcome.status == 0)
    #expect(try outcome.objects("result").isEmpty)
  }

  // MARK: Folders for check

  @Test func aFolderWithSeveralStoresIsListedAndJudgedByCheck() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "sound")
    try extraction.copy("mmkv/damaged/flip_keylen_fwb", "tree", as: "hurt")
    let outcome = try await Tool.run(["tree"], in: scratch.path)
    #expect(outcome.status == 4)
    #expect(outcome.output.contains("tree/sound") && outcome.output.contains("tree/hurt"))
    #expect(outcome.output.contains("2 stores: 1 clean, 1 repairable"))
    let json = try await Tool.run(["check", "--json", "tree"], in: scratch.path)
    #expect(json.status == 4)
    #expect(try json.objects("result").count == 2)
  }

  @Test func theWorstIsLastAndMostOfTheCleanAreCounted() async throws {
    for index in 0..<25 {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "clean\(index)")
    }
    try extraction.copy("mmkv/damaged/burst_fwb", "tree", as: "aDamaged")
    try extraction.copy("mmkv/damaged/flip_keylen_fwb", "tree", as: "bRepairable")
    let lines = try await Tool.run(["check"] + .clock + ["tree"], in: scratch.path)
      .output.split(separator: "\n")
    let rows = lines.prefix { !$0.hasPrefix("27 stores") }
    #expect(rows[1] == "… and 5 more clean stores")
    #expect(rows.count { $0.hasPrefix("clean") } == 20)
    #expect(rows.last?.hasSuffix("tree/aDamaged") == true, "\(lines)")
    #expect(rows.dropLast().last?.hasSuffix("tree/bRepairable") == true)
  }

  @Test func twoFoldersHaveATableEach() async throws {
    for folder in ["one", "two"] {
      for name in ["a", "b"] { try extraction.copy("mmkv/golden/all_types", folder, as: name) }
    }
    let outcome = try await Tool.run(["check", "one", "two"] + .clock, in: scratch.path)
    #expect(outcome.output.components(separatedBy: "one/a").count == 2, "\(outcome.output)")
    #expect(outcome.output.components(separatedBy: "2 stores: 2 clean").count == 3)
  }

  @Test func optionsThatMakeNoSenseAreRefused() async throws {
    for options in [
      ["--format", "json"],
      ["--shard", "0/2"], ["--shard", "3/2"], ["--shard", "2"], ["--jobs", "0"],
      ["--max-bytes", "0"], ["-", "x"], ["--files0-from", "-", "x"],
    ] {
      let outcome = try await Tool.run(["scan"] + options + ["."], in: scratch.path)
      #expect(outcome.status == 16, "\(options): \(outcome.testDescription)")
    }
    let table = ["--table", "t", "--key-column", "k", "--value-column", "v"]
    let outcome = try await Tool.run(["scan"] + table + ["."], in: scratch.path)
    #expect(outcome.status == 16 && outcome.errors.contains("kvfsck check --table"))
    #expect(!outcome.errors.contains("--format"), "\(outcome.errors)")
  }
}
