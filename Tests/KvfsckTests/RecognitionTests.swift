import Foundation
import KVTestSupport
import Testing

/// Recognizing files by their place, their names and what they contain, however a path is typed.
struct RecognitionTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let list =
    #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>a</key>"#
    + "<integer>1</integer><key>b</key><string>text of some length</string></dict></plist>"

  private func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(
      atPath: scratch.path(folder), withIntermediateDirectories: true)
    _ = try scratch.write(bytes, to: path)
  }

  /// Returns the formats of the stores that a scan finds, by their paths.
  private func formats(
    _ arguments: [String] = ["."], in folder: String? = nil
  ) async throws -> [String: String] {
    let scan = try await Tool.run(
      ["scan", "--json"] + arguments, in: folder.map(scratch.path) ?? scratch.path)
    return Dictionary(
      try scan.objects("result").map { line in
        (line["path"]?.string ?? "", line["format"]?.string ?? "-")
      }, uniquingKeysWith: { "\($0) twice \($1)" })
  }

  // MARK: Places

  @Test(
    "a property list in a folder of settings is found",
    arguments: [
      "Library/Preferences/com.example.app.plist", "Library/Preferences/.GlobalPreferences.plist",
      "Library/Preferences/ByHost/com.example.app.0A1B.plist",
      "private/var/preferences/SystemConfiguration/preferences.plist",
      "Library/Managed Preferences/mobile/com.example.app.plist",
      "Library/SyncedPreferences/com.example.app.plist",
    ])
  func settings(path: String) async throws {
    try write(Self.list.utf8, to: "x/" + path)
    #expect(try await formats(["x"]) == ["x/" + path: "plist"])
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let name = path.split(separator: "/").last ?? ""
    #expect(try await formats(["."], in: "x/" + folder) == ["./\(name)": "plist"])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: scratch.path("x/" + folder))
    #expect(try await formats(["link"]) == ["link/\(name)": "plist"])
  }

  @Test(
    "a property list elsewhere is not",
    arguments: ["Info.plist", "Preferences/A.bundle/Info.plist", "Preferences/a/b/c.plist"])
  func otherLists(path: String) async throws {
    try write(Self.list.utf8, to: "x/" + path)
    #expect(try await formats(["x"]) == [:])
  }

  // MARK: Damage

  private static let damaged: [(path: String, bytes: [UInt8], format: String, verdict: String)] = {
    let zeros = [UInt8](repeating: 0, count: 512)
    let binary = Array("bplist00".utf8) + [0xd1, 1, 2, 0x51, 0x61, 0x10, 5, 8]
    return [
      ("Preferences/empty.plist", [], "plist", "unreadable"),
      ("Preferences/zeros.plist", zeros, "plist", "unreadable"),
      ("Preferences/cut.plist", Array(list.utf8.dropLast(30)), "plist", "damaged"),
      ("Preferences/no-trailer.plist", binary, "plist", "damaged"),
      (
        "preferences/ByHost/other.plist", [0x89] + Array("PNG\r\n\u{1a}\nand so on".utf8), "plist",
        "damaged"
      ),
      ("shared_prefs/empty.xml", [], "sharedprefs", "unreadable"),
      ("shared_prefs/zeros.xml", zeros, "sharedprefs", "unreadable"),
      (
        "shared_prefs/start.xml", Array("<?xml version='1.0' encoding='utf-8'?>\n".utf8),
        "sharedprefs", "damaged"
      ),
      ("databases/RKStorage", zeros, "asyncstorage", "unreadable"),
      ("datastore/a.preferences_pb", zeros, "datastore", "unreadable"),
    ]
  }()

  @Test("damage does not change what a file is", arguments: damaged)
  func damage(
    of file: (path: String, bytes: [UInt8], format: String, verdict: String)
  ) async throws {
    try write(file.bytes, to: "x/" + file.path)
    let scan = try await Tool.run(["scan", "--json", "x"], in: scratch.path)
    let lines = try scan.objects("result")
    #expect(lines.map { $0["path"]?.string } == ["x/" + file.path], "\(scan.testDescription)")
    #expect(lines.first?["format"]?.string == file.format)
    #expect(lines.first?["verdict"]?.string == file.verdict)
    #expect((lines.first?["error"] != nil) == (file.verdict == "unreadable"))
    #expect(scan.status == (file.verdict == "unreadable" ? 8 : 0))
    let check = try await Tool.run(["check", "x/" + file.path], in: scratch.path)
    #expect(check.status == 4, "\(check.testDescription)")
  }

  @Test("a list has one line for the files of 0 bytes in a folder, and JSON has one for each")
  func empty() async throws {
    for name in ["a", "b", "c"] { try write([], to: "x/Preferences/\(name).plist") }
    try write(Self.list.utf8, to: "x/Preferences/d.plist")
    let text = try await Tool.run(["check", "x"], in: scratch.path)
    #expect(text.status == 8, "\(text.testDescription)")
    #expect(text.output.contains("x/Preferences  (3 files have 0 bytes)"))
    #expect(text.output.contains("4 stores: 1 clean, 3 unreadable"))
    #expect(try await formats(["x"]).count == 4)
  }

  // MARK: Names

  @Test("a temporary file of DataStore is not one of FastKV, and is read once")
  func temporary() async throws {
    let bytes = (0..<4).flatMap { number -> [UInt8] in
      let key = Array("setting\(number)".utf8)
      return [0x0a, UInt8(key.count + 6), 0x0a, UInt8(key.count)] + key + [0x12, 2, 0x18, 7]
    }
    try write(bytes, to: "alone/a.preferences_pb.tmp")
    try write(bytes, to: "both/b.preferences_pb")
    try write(bytes, to: "both/b.preferences_pb.tmp")
    try write(bytes, to: "renamed/copy")
    #expect(
      try await formats() == [
        "./alone/a.preferences_pb.tmp": "datastore", "./both/b.preferences_pb": "datastore",
        "./renamed/copy": "datastore",
      ])
    let check = try await Tool.run(["check", "alone/a.preferences_pb.tmp"], in: scratch.path)
    #expect(check.output.contains("datastore"), "\(check.testDescription)")
  }

  @Test(
    "an unfinished file of another program is not one of FastKV",
    arguments: [
      Array("a text file that an editor has not finished\n".utf8),
      Array("{\"a\":1,\"b\":[1,2,3]}".utf8), [0x50, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ])
  func unfinished(bytes: [UInt8]) async throws {
    try write(bytes, to: "x/a.tmp")
    #expect(try await formats(["x"]) == [:])
    let check = try await Tool.run(["check", "x/a.tmp"], in: scratch.path)
    #expect(!check.output.contains("fastkv"), "\(check.testDescription)")
  }

  #if Encryption
    @Test(
      "a file named by the MD5 of a key shows what a manifest is, whatever the folder is called",
      arguments: [
        ("session", "21d6f40cfb511982e4424e0e250a9557"),
        ("persist:root", "817e01dfc9ca7287f4e9a0f6a1c6830b"),
        ("токен", "ca771cfc4eb3502bb5ee7b9953a23824"),
      ])
    func manifest(key: String, name: String) async throws {
      try write("{\"\(key)\":null,\"theme\":\"dark\"}".utf8, to: "pulled/manifest.json")
      try write("{\"user\":\"mia\"}".utf8, to: "pulled/\(name)")
      #expect(try await formats(["pulled"]) == ["pulled/manifest.json": "asyncstorage"])
      for (path, folder) in [("pulled", ""), (".", "pulled"), ("manifest.json", "pulled")] {
        let dump = try await Tool.run(["dump", path], in: scratch.path(folder))
        #expect(dump.output.contains("mia"), "\(path): \(dump.testDescription)")
      }
    }
  #endif

  @Test(
    "a manifest in its own folder is found by any path",
    arguments: [
      "RCTAsyncLocalStorage_V1", "RCTAsyncLocalStorage", "RCTAsyncLocalStorage_expo_dev",
    ])
  func home(folder: String) async throws {
    try write("{\"theme\":\"dark\"}".utf8, to: "\(folder)/manifest.json")
    #expect(try await formats() == ["./\(folder)/manifest.json": "asyncstorage"])
    #expect(try await formats(["."], in: folder) == ["./manifest.json": "asyncstorage"])
    let check = try await Tool.run(["check", "manifest.json"], in: scratch.path(folder))
    #expect(check.output.contains("asyncstorage"), "\(check.testDescription)")
  }

  // MARK: Other files

  private static let known: [(name: String, bytes: [UInt8], words: String)] = {
    var ext4 = [UInt8](repeating: 0, count: 4096)
    ext4.replaceSubrange(0x438..<0x43a, with: [0x53, 0xef])
    ext4.replaceSubrange(0x418..<0x419, with: [2])
    var f2fs = [UInt8](repeating: 0, count: 4096)
    f2fs.replaceSubrange(0x400..<0x404, with: [0x10, 0x20, 0xf5, 0xf2])
    let top: [UInt8] = [24] + [UInt8](repeating: 0, count: 15)
    let record: [UInt8] =
      [1, 2, 3, 4, 19, 0, 1] + [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0] + [1, 2] + "ab".utf8 + [2]
      + "xy".utf8
    return [
      ("prefs.hive", [30, 0, 0, 0, 1, 3] + Array("key".utf8), "Hive"),
      ("000003.log", record, "LevelDB"),
      (
        "000005.ldb",
        [UInt8](repeating: 7, count: 60) + [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb],
        "LevelDB"
      ),
      ("default.realm", top + "T-DB".utf8 + [9, 9, 0, 0], "Realm"),
      ("packages.xml", Array("ABX\0".utf8) + [0x10, 0x32, 0xff], "Android binary XML"),
      ("datastore/user.pb", [8, 1, 0x12, 3, 1, 2, 3], "Proto DataStore"),
      ("data.img", ext4, "ext4"), ("userdata.img", f2fs, "mount it read-only"),
    ]
  }()

  @Test("files of known kinds are said to be what they are", arguments: known)
  func others(file: (name: String, bytes: [UInt8], words: String)) async throws {
    try write(file.bytes, to: "x/" + file.name)
    for command in ["dump", "scan"] {
      let outcome = try await Tool.run([command, "x/" + file.name], in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect((outcome.output + outcome.errors).contains(file.words), "\(outcome.testDescription)")
    }
    let isDisk = file.name.hasSuffix(".img")
    #expect(try await formats(["x"]) == (isDisk ? ["x/" + file.name: "-"] : [:]))
  }

  @Test("the totals count the files that are not stores")
  func totals() async throws {
    for number in 0..<7 { try write("text \(number)".utf8, to: "x/\(number).txt") }
    try write("<map></map>".utf8, to: "x/shared_prefs/a.xml")
    let scan = try await Tool.run(["scan", "--json", "x"], in: scratch.path)
    #expect(try scan.objects("totals").first?["others"]?.integer == 7)
  }

  @Test("a scan that is resumed passes over what it has printed, by whichever file that was found")
  func resumed() async throws {
    let path = "\(Fixture.root)/fastkv-android/golden/async_all_types/kv.kvc"
    let copy = try Data(contentsOf: URL(fileURLWithPath: path))
    for name in ["a/kv.kvc", "a/kv.tmp", "b/kv.kvc", "c/kv.tmp"] {
      try write(copy, to: "x/" + name)
    }
    let all = try await Tool.run(["scan", "--json", "x"], in: scratch.path)
    #expect(try all.objects("result").count == 3, "\(all.output)")
    _ = try scratch.write(all.output.utf8, to: "all.jsonl")
    #expect(try await formats(["x", "--resume", "all.jsonl"]) == [:])
  }
}
