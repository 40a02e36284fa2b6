import Foundation
import Testing

/// Folders with several files, and files that look like something else.
///
/// Nothing may be reported about the wrong file. No file may be replaced unless it is recognized
/// for certain.
struct WrongStoreTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let commands = [
    ["check"], ["dump"], ["map"], ["repair", "-y", "--dry-run"], ["convert", "--to", "json"],
  ]
  /// The commands that need exactly one store.
  ///
  /// `check` and `dump` list several, and `repair` and `convert` write each anew.
  private static let commandsOfOneStore = commands.filter { $0.first == "map" }

  /// Runs every command on `path`, and expects each to fail with all of `parts`.
  private func expectRefusal(
    _ path: String, of commands: [[String]] = commands, _ parts: String...
  ) async throws {
    for (index, command) in commands.enumerated() {
      let out = command[0] == "convert" ? ["--out", scratch.path("out\(index)")] : []
      let outcome = try await Tool.run(command + .clock + out + [path], in: scratch.path)
      #expect(outcome.status == 8, "\(command): \(outcome.testDescription)")
      for part in parts { #expect(outcome.errors.contains(part), "\(command): \(outcome.errors)") }
      #expect(!FileManager.default.fileExists(atPath: scratch.path("out\(index)")))
    }
  }

  /// Copies the store of `fixture` under another name.
  private func copy(_ fixture: Fixture, to folder: String, as name: String) throws {
    for suffix in ["", ".crc"] {
      try FileManager.default.copyItem(
        atPath: "\(fixture.path)/kv\(suffix)", toPath: "\(folder)/\(name)\(suffix)")
    }
  }

  private static let json = Array(#"{"a":1}"#.utf8)
  private static let plist = Array(
    #"""
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>
    """#.utf8)
  private static let preferences = Array(
    "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map><int name=\"a\" value=\"1\" /></map>"
      .utf8)

  // MARK: Folders

  @Test func aStoreWithALogIsJudgedAndNotAFileBesideIt() async throws {
    let folder = try scratch.copy(.lossy)
    _ = try scratch.write(Self.json, to: "store/config.json")
    _ = try scratch.write(Self.plist, to: "store/app.plist")
    _ = try scratch.write(Self.preferences, to: "store/prefs.xml")
    let outcome = try await Tool.run(["check", "--json"] + .clock + [folder])
    #expect(outcome.status == 4)
    #expect(try outcome.objects("store").first?["format"]?.string == "mmkv")
    #expect(try outcome.objects("summary").first?["entries"]?.integer ?? 0 > 20)
    for name in ["app.plist (plist)", "config.json (json)", "prefs.xml (sharedprefs)"] {
      #expect(outcome.errors.contains(name), "\(outcome.errors)")
    }
  }

  @Test func aStoreWithoutItsMetaFileWinsAsWell() async throws {
    let folder = try scratch.copy(.clean)
    try FileManager.default.removeItem(atPath: folder + "/kv.crc")
    _ = try scratch.write(Self.json, to: "store/config.json")
    let outcome = try await Tool.run(["check", "--json"] + .clock + [folder])
    #expect(outcome.status == 4)
    #expect(try outcome.objects("store").first?["format"]?.string == "mmkv")
  }

  @Test(arguments: [[], ["config.json"], ["app.plist"], ["config.json", "app.plist"]])
  func severalStoresAreListedAndNotJudgedByAFileBesideThem(others: [String]) async throws {
    let folder = try scratch.makeFolder("several")
    try copy(.lossy, to: folder, as: "first")
    try copy(.clean, to: folder, as: "second")
    for other in others {
      _ = try scratch.write(
        other.hasSuffix("json") ? Self.json : Self.plist, to: "several/\(other)")
    }
    try await expectRefusal(
      folder, of: Self.commandsOfOneStore, "2 stores", "first (mmkv)", "second (mmkv)")
    let json = try await Tool.run(["check", "--json", folder])
    let paths = try json.objects("result").map { $0["path"]?.string }
    #expect(json.status == 4 && paths == ["\(folder)/first", "\(folder)/second"])
  }

  @Test func storesOfSeveralFormatsAreListed() async throws {
    let folder = try scratch.copy(.clean)
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-apple/golden/all_types/store.fkv",
      toPath: folder + "/default.fkv")
    for suffix in ["kva", "kvb"] {
      try FileManager.default.copyItem(
        atPath: "\(Fixture.root)/fastkv-android/golden/nb_all_types/kv.\(suffix)",
        toPath: "\(folder)/settings.\(suffix)")
    }
    try await expectRefusal(
      folder, of: Self.commandsOfOneStore, "3 stores", "default.fkv (fastkv-apple)", "kv (mmkv)",
      "settings.kva (fastkv-android)")
    for (format, name) in [("mmkv", "kv"), ("fastkv-android", "settings.kva")] {
      let outcome = try await Tool.run(
        ["check", "--json", "--format", format] + .clock + [folder])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let path = try outcome.objects("store").first?["path"]?.string
      #expect(path?.hasSuffix("/" + name) == true)
    }
  }

  @Test func aPairDoesNotHideAStoreWithoutItsMetaFile() async throws {
    let folder = try scratch.makeFolder("several")
    try copy(.clean, to: folder, as: "first")
    try copy(.clean, to: folder, as: "second")
    try FileManager.default.removeItem(atPath: folder + "/second.crc")
    try await expectRefusal(
      folder, of: Self.commandsOfOneStore, "2 stores", "first (mmkv)", "second (mmkv)")
  }

  @Test func severalFilesWithoutALogAreListed() async throws {
    let folder = try scratch.makeFolder("files")
    _ = try scratch.write(Self.json, to: "files/a.json")
    _ = try scratch.write(Self.plist, to: "files/b.plist")
    for command in [["check"], ["dump"]] {
      let outcome = try await Tool.run(command + [folder])
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains("a.json (json), b.plist (plist)"))
    }
    try FileManager.default.removeItem(atPath: folder + "/b.plist")
    #expect(try await Tool.run(["check", folder]).status == 0)
  }

  @Test func filesThatNoFormatKnowsAreNotCalledStores() async throws {
    let folder = try scratch.makeFolder("notes")
    for name in ["a.txt", "b.txt"] {
      _ = try scratch.write(Array("nothing of the kind\n".utf8), to: "notes/\(name)")
    }
    try await expectRefusal(folder, "2 files, but none is known to be a store", "a.txt")
  }

  @Test func aLinkInAFolderIsNotFollowedOutOfIt() async throws {
    _ = try scratch.copy(.clean)
    let folder = try scratch.makeFolder("links")
    for name in ["kv", "kv.crc"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(name)", withDestinationPath: scratch.path("store/\(name)"))
    }
    try await expectRefusal(folder, "outside the store's folder", scratch.path("store/kv"))
    // A path that the user names is followed.
    let named = try await Tool.run(["check"] + .clock + [folder + "/kv"])
    #expect(named.status == 0, "\(named.testDescription)")
  }

  @Test func aLinkToADataFileFindsItsMetaFile() async throws {
    let store = try scratch.copy(.clean)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: store + "/kv")
    for path in [scratch.path("link"), scratch.path("link") + "/"] {
      let outcome = try await Tool.run(["check"] + .clock + [path])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
    }
    let repair = try await Tool.run(
      ["repair", "-y", "--in-place"] + .clock + [scratch.path("link")])
    #expect(repair.status == 8 && repair.errors.contains("symbolic link"))
  }

  // MARK: Files that are not stores

  @Test(arguments: ["csv", "tsv"])
  func aTableOfConvertIsSaidToBeOne(format: String) async throws {
    let path = scratch.path("table")
    let convert = try await Tool.run(
      ["convert", "--to", format, "--out", path] + .clock + [Fixture.clean.path])
    #expect(convert.status == 0)
    try await expectRefusal(path, "a \(format.uppercased()) file that kvfsck wrote")
  }

  @Test func aLostAndFoundFileIsSaidToBeOne() async throws {
    let out = scratch.path("repaired")
    let burst = Fixture("damaged/burst_fwb")
    _ = try await Tool.run(["repair", "-y", "--out", out] + .clock + [burst.path])
    let path = out + "/kv.lost-and-found.jsonl"
    #expect(FileManager.default.fileExists(atPath: path))
    try await expectRefusal(path, "a lost-and-found file")
    // The file does no harm beside its store.
    let check = try await Tool.run(["check"] + .clock + [out])
    #expect(check.status == 0, "\(check.testDescription)")
  }

  @Test func aReportIsSaidToBeOne() async throws {
    let report = try await Tool.run(["check", "--json"] + .clock + [Fixture.clean.path])
    let path = try scratch.write(report.output.utf8, to: "report.json")
    try await expectRefusal(path, "a JSON report of kvfsck")
  }

  @Test func aTableOfAnotherToolIsNoStoreEither() async throws {
    let rows = (0..<50).map { "key\($0),value \($0),\($0)\n" }.joined()
    let path = try scratch.write(Array(("name,value,count\n" + rows).utf8), to: "table.csv")
    let repair = try await Tool.run(["repair", "-y", "--in-place", path])
    #expect(repair.status == 8)
    #expect(try scratch.bytes(of: "table.csv") == Array(("name,value,count\n" + rows).utf8))
  }

  // MARK: Unreadable side files

  enum Obstacle: String, CaseIterable {
    case folder, pipe, link, sparse, loop
  }

  /// Replaces `path` with something that cannot be read.
  private func block(_ path: String, with obstacle: Obstacle) async throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
    let script =
      switch obstacle {
      case .folder: "mkdir"
      case .pipe: "mkfifo"
      case .link: "ln -s /etc/passwd"
      case .sparse: "truncate -s 1T"
      case .loop: "ln -s \"$1\""
      }
    let made = try await Tool.shell("\(script) \"$1\"", [path])
    #expect(made.status == 0, "\(made.testDescription)")
  }

  @Test(arguments: Obstacle.allCases)
  func aMetaFileThatCannotBeReadIsAnErrorAndNoOtherFormat(obstacle: Obstacle) async throws {
    let folder = try scratch.copy(.clean)
    try await block(folder + "/kv.crc", with: obstacle)
    let before = try scratch.bytes(of: "store/kv")
    for path in [folder, folder + "/kv"] {
      try await expectRefusal(path, "kv.crc")
      let repair = try await Tool.run(["repair", "-y", "--in-place"] + .clock + [path])
      #expect(repair.status == 8)
      #expect(!repair.output.contains("fastkv"))
    }
    #expect(try scratch.bytes(of: "store/kv") == before)
    #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
    let named = try await Tool.run(["check"] + .clock + [folder + "/kv"])
    #expect(named.errors.contains("copy only \(folder)/kv to another folder"))
  }

  @Test func anUnreadableMetaFileDoesNotHideAnotherFormatThatIsCertain() async throws {
    let folder = try scratch.makeFolder("apple")
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-apple/golden/all_types/store.fkv",
      toPath: folder + "/default.fkv")
    try await block(folder + "/default.fkv.crc", with: .folder)
    let outcome = try await Tool.run(["check", "--json", folder + "/default.fkv"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try outcome.objects("store").first?["format"]?.string == "fastkv-apple")
  }

  @Test func aFileBesideASQLiteDatabaseIsReported() async throws {
    let path = scratch.path("table.sqlite")
    let convert = try await Tool.run(
      ["convert", "--to", "sqlite", "--out", path] + .clock + [Fixture.clean.path])
    #expect(convert.status == 0)
    try await block(path + "-wal", with: .pipe)
    let outcome = try await Tool.run(["check", "--json", path])
    #expect(outcome.status == 4)
    #expect(try outcome.objects("summary").first?["entries"]?.integer == 45)
    #expect(outcome.output.contains("store.file-unread"))
  }

  // MARK: External values

  @Test(arguments: Obstacle.allCases)
  func aValueThatCannotBeReadIsReportedAndTheOthersAreGiven(obstacle: Obstacle) async throws {
    let store = scratch.path("store")
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-android/golden/old_external", toPath: store)
    try FileManager.default.removeItem(atPath: store + "/case.json")
    let whole = try await Tool.run(["dump", "--json", store]).objects("entry")
    let name = "05fcd64d2b74ee9ee8f63b4c970c27a2"
    try await block("\(store)/kv/\(name)", with: obstacle)
    // A folder of that name is not one of the store's files.
    let code = obstacle == .folder ? "fastkv-android.external-missing" : "store.file-unread"
    for path in [store, store + "/kv.kva"] {
      let outcome = try await Tool.run(["dump", "--json", path])
      #expect(outcome.status == 4, "\(outcome.testDescription)")
      #expect(try outcome.objects("store").first?["format"]?.string == "fastkv-android")
      #expect(try outcome.objects("finding").contains { $0["code"]?.string == code })
      let entries = try outcome.objects("entry")
      #expect(entries.count == whole.count - 1)
      #expect(!outcome.output.contains("root:"))
    }
    let before = try scratch.bytes(of: "store/kv.kva")
    if obstacle != .folder {
      let repair = try await Tool.run(["repair", "-y", "--in-place", store + "/kv.kva"])
      #expect(repair.status == 8 && repair.errors.contains("cannot be read"))
    }
    #expect(try scratch.bytes(of: "store/kv.kva") == before)
  }

  @Test(arguments: [Obstacle.pipe, .link, .sparse, .loop])
  func aCopyThatCannotBeReadLeavesTheOther(obstacle: Obstacle) async throws {
    let store = scratch.path("store")
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-android/golden/nb_all_types", toPath: store)
    try FileManager.default.removeItem(atPath: store + "/case.json")
    let whole = try await Tool.run(["dump", "--json", store]).objects("entry")
    try await block(store + "/kv.kvb", with: obstacle)
    let outcome = try await Tool.run(["dump", "--json", store])
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(try outcome.objects("entry").count == whole.count)
    #expect(outcome.output.contains("store.file-unread"))
    #expect(!outcome.output.contains("fastkv-android.copy-missing"))
  }

  // The names of value files are MD5 hashes.
  #if Encryption
    @Test(arguments: [Obstacle.pipe, .link, .sparse])
    func aValueOfYYCacheThatCannotBeReadIsReported(obstacle: Obstacle) async throws {
      let source = try scratch.write(
        Array((#"{"long":""# + String(repeating: "x", count: 40_000) + #"","short":"y"}"#).utf8),
        to: "source.json")
      let cache = scratch.path("cache")
      let convert = try await Tool.run(["convert", "--to", "yycache", "--out", cache, source])
      let name = try #require(scratch.names(in: "cache/data")?.first, "\(convert.testDescription)")
      try await block("\(cache)/data/\(name)", with: obstacle)
      let outcome = try await Tool.run(["dump", "--json", cache])
      #expect(outcome.status == 4, "\(outcome.testDescription)")
      #expect(try outcome.objects("store").first?["format"]?.string == "yycache")
      #expect(try outcome.objects("entry").map { $0["key"]?.string } == ["short"])
      #expect(outcome.output.contains("store.file-unread"))
      #expect(outcome.output.contains("cannot be read"))
      #expect(!outcome.output.contains("root:"))
    }
  #endif

  @Test func aFolderOfValuesThatIsALinkIsNotEntered() async throws {
    let source = try scratch.write(
      Array((#"{"long":""# + String(repeating: "x", count: 40_000) + #""}"#).utf8),
      to: "source.json")
    let cache = scratch.path("cache")
    _ = try await Tool.run(["convert", "--to", "yycache", "--out", cache, source])
    try FileManager.default.moveItem(atPath: cache + "/data", toPath: scratch.path("elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: cache + "/data", withDestinationPath: scratch.path("elsewhere"))
    let outcome = try await Tool.run(["dump", "--json", cache])
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(try outcome.objects("entry").isEmpty)
    #expect(outcome.output.contains("outside the store's folder"))
  }

  /// Tests that a damaged store with a hashed name is not taken for a file of FastKV.
  ///
  /// FastKV for Android has files with such names, which have no structure that could be damaged.
  @Test(arguments: [[0, 0, 0, 0], nil] as [[UInt8]?])
  func aDamagedStoreUnderAHashIsNoFileOfFastKV(meta: [UInt8]?) async throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path("store/specialCharacter"), withIntermediateDirectories: true)
    let name = "store/specialCharacter/38db0276fd6727033a637b7dd14d5708"
    let noise = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ $0 >> 3) }
    let path = try scratch.write(noise, to: name)
    if let meta { _ = try scratch.write(meta, to: name + ".crc") }
    let outcome = try await Tool.run(["check", "--json"] + .clock + [path])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(try outcome.objects("store").first?["format"]?.string == "mmkv")
    #expect(try outcome.objects("summary").first?["verdict"]?.string == "unreadable")
  }

  // MARK: Replacing files

  @Test func whatIsNotCertainlyRecognizedIsNotReplaced() async throws {
    let folder = try scratch.copy(.lossy)
    try FileManager.default.removeItem(atPath: folder + "/kv.crc")
    let before = try FolderState(of: folder)
    let refused = try await Tool.run(["repair", "-y", "--in-place"] + .clock + [folder + "/kv"])
    #expect(refused.status == 8, "\(refused.testDescription)")
    for part in ["not replaced", "may not be a store of mmkv", "--out DIR", "--format NAME"] {
      #expect(refused.errors.contains(part), "\(refused.errors)")
    }
    #expect(try FolderState(of: folder) == before)
    // The result can still be written elsewhere, or replace the store if the user names the format.
    let aside = try await Tool.run(
      ["repair", "-y", "--out", scratch.path("new")] + .clock + [folder + "/kv"])
    #expect(aside.status.map { $0 & 8 } == 0)
    // A backup needs SHA-256.
    #if Encryption
      let named = try await Tool.run(
        ["repair", "-y", "--in-place", "--format", "mmkv"] + .clock + [folder + "/kv"])
      #expect(named.status.map { $0 & 8 } == 0, "\(named.testDescription)")
      #expect(try FolderState(of: folder) != before)
    #endif
  }

  // MARK: Names

  @Test func aNameThatIsNotUTF8IsFoundReadAndWritten() async throws {
    let folder = try scratch.copy(.clean)
    let outcome = try await Tool.shell(
      #"""
      cd "$1" || exit 1
      name=$(printf 'st\377re')
      mv kv "$name" && mv kv.crc "$name.crc" || exit 1
      "$0" check --now 1760000000 "$name"; echo "named $?"
      "$0" check --now 1760000000 .; echo "folder $?"
      "$0" dump --json "$name" >dump.txt; echo "dump $?"
      "$0" scan --now 1760000000 .; echo "scan $?"
      "$0" repair -y --in-place --now 1760000000 "$name"; echo "replaced $?"
      "$0" repair -y --now 1760000000 --out "$(printf 'o\376')" "$name"; echo "repaired $?"
      "$0" convert --to json --out="$(printf 'j\376')" "$name" 2>/dev/null; echo "converted $?"
      test -d "$(printf 'o\376')" && test -f "$(printf 'j\376')" && echo written
      cat dump.txt
      """#, [folder])
    for line in [
      "named 0", "folder 0", "dump 0", "scan 0", "replaced 8", "repaired 0", "converted 0",
    ] {
      #expect(outcome.output.contains(line + "\n"), "\(outcome.testDescription)")
    }
    #expect(outcome.output.contains("\nwritten\n"))
    #expect(outcome.output.contains(#"st\xffre: clean, 45 entries"#))
    #expect(outcome.output.contains(#""path":"st\\xffre","path_hex":"7374ff7265""#))
    let found = outcome.lines.first { $0.contains(#""type":"result""#) } ?? ""
    #expect(found.contains(#""path":"./st\\xffre","path_hex":"2e2f7374ff7265""#), "\(found)")
    #expect(outcome.errors.contains("is not UTF-8"))
  }

  #if Encryption
    @Test func aKeyThatIsNotUTF8IsTakenAsItIs() async throws {
      let outcome = try await Tool.shell(
        #"""
        key=$(printf 'k\377y')
        "$0" repair -y --rekey "$key" --out "$2" --now 1760000000 "$1" || exit
        "$0" check --key-hex 6bff79 --now 1760000000 "$2" || exit
        "$0" check --key "$key" --now 1760000000 "$2"
        """#, [Fixture.clean.path, scratch.path("new")])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
    }
  #endif

  @Test func aNameWithALineFeedStaysOnItsLine() async throws {
    let folder = try scratch.copy(.clean)
    for suffix in ["", ".crc"] {
      try FileManager.default.moveItem(
        atPath: "\(folder)/kv\(suffix)", toPath: "\(folder)/a\nb\(suffix)")
    }
    let outcome = try await Tool.run(["check"] + .clock + [folder])
    #expect(outcome.status == 0)
    #expect(outcome.lines.first?.hasSuffix(#"a\nb: clean, 45 entries, mmkv version 4"#) == true)
  }

  // MARK: Special files

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/maps")),
    arguments: ["/proc/self/maps", "/proc/self/status"])
  func aFileThatStatesNoSizeIsNotCalledEmpty(path: String) async throws {
    try await expectRefusal(path, "a file without a size")
  }

  @Test func anEmptyMetaFileIsDamage() async throws {
    let folder = try scratch.copy(.clean)
    _ = try scratch.write([], to: "store/kv.crc")
    let outcome = try await Tool.run(["check"] + .clock + [folder])
    #expect(outcome.status == 4 && outcome.output.contains("mmkv.meta-short"))
    #expect(outcome.output.contains("45 entries"))
  }

  // MARK: The longest key

  @Test(arguments: [(65_531, 1), (65_532, 0)])
  func theLongestKeyThatTheEngineReadsIsConverted(count: Int, kept: Int) async throws {
    let key = String(repeating: "k", count: count)
    let source = try scratch.write(Array("{\"\(key)\":true,\"a\":1}".utf8), to: "source.json")
    let out = scratch.path("kv")
    let convert = try await Tool.run(["convert", "--to", "mmkv", "--out", out, source])
    #expect(convert.status == 0, "\(convert.status ?? -1)")
    #expect((convert.output + convert.errors).contains("its key has") == (kept == 0))
    let check = try await Tool.run(["check", "--json", out])
    #expect(check.status == 0)
    #expect(try check.objects("summary").first?["entries"]?.integer == 1 + kept)
    let prediction = try check.objects("prediction").first
    #expect(prediction?["keys"]?.integer == 1 + kept)
  }
}
