import Foundation
import KVFixtures
import KVInput
import KVTestSupport
import SystemPackage
import Testing

/// Names of apps in the lines of a scan.
struct AppNameTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let uuids = (1...3).map { "\($0)1111111-2222-3333-4444-ABCDEF012345" }

  /// Writes an extraction of both systems, with metadata that `plistlib` makes.
  private static let script = #"""
    import os, plistlib, shutil
    one, two, three = sorted(os.environ["UUIDS"].split(","))
    def write(path, data):
      os.makedirs(os.path.dirname(path), exist_ok=True)
      open(path, "wb").write(data)
    home = "tree/private/var/mobile/Containers/"
    name = "/.com.apple.mobile_container_manager.metadata.plist"
    binary = plistlib.FMT_BINARY
    write(home + "Data/Application/" + one + name, plistlib.dumps(
      {"MCMMetadataContentClass": 2, "MCMMetadataIdentifier": "com.example.notes",
       "MCMMetadataUUID": one, "MCMMetadataInfo": {"x": list(range(500))}}, fmt=binary))
    write(home + "Shared/AppGroup/" + two + name, plistlib.dumps(
      {"MCMMetadataIdentifier": "group.com.example-2"}, fmt=binary))
    write(home + "Data/Application/" + three + name, plistlib.dumps(
      {"MCMMetadataIdentifier": "../../evil\x1b[2J"}, fmt=binary))
    store = plistlib.dumps({"a": 1}, fmt=binary)
    for folder in ["Data/Application/" + one, "Shared/AppGroup/" + two,
        "Data/Application/" + three]:
      write(home + folder + "/Library/Preferences/a.plist", store)
    xml = b"<?xml version='1.0' encoding='utf-8'?>\n<map><int name=\"a\" value=\"1\" /></map>\n"
    for folder in ["data/data/com.a.data", "data/user/10/com.a.user", "data/user_de/0/com.a.de",
        "mnt/expand/" + three + "/user/0/com.a.card", "sdcard/Android/data/com.a.ext",
        "data/user/ten/com.a.none", "data/data/android"]:
      write("tree/" + folder + "/shared_prefs/a.xml", xml)
    shutil.make_archive("tree", "zip", "tree")
    """#

  /// The app of each store, by the beginning of the path in the tree.
  private static let apps: [String: String?] = [
    "private/var/mobile/Containers/Data/Application/\(uuids[0])": "com.example.notes",
    "private/var/mobile/Containers/Shared/AppGroup/\(uuids[1])": "group.com.example-2",
    "private/var/mobile/Containers/Data/Application/\(uuids[2])": nil,
    "data/data/com.a.data": "com.a.data", "data/user/10/com.a.user": "com.a.user",
    "data/user_de/0/com.a.de": "com.a.de",
    "mnt/expand/\(uuids[2])/user/0/com.a.card": "com.a.card",
    "sdcard/Android/data/com.a.ext": "com.a.ext",
    "data/user/ten/com.a.none": nil, "data/data/android": nil,
  ]

  private func expectApps(in outcome: Outcome, after prefix: String) throws {
    var found: [String: String?] = [:]
    for line in try outcome.objects("result") {
      let path = try #require(line["path"]?.string).dropFirst(prefix.count)
      let folder = Self.apps.keys.first { path.hasPrefix($0 + "/") }
      found[folder ?? String(path)] = line["app"]?.string
    }
    #expect(found == Self.apps, "\(outcome.testDescription)")
  }

  private func makeTree() async throws {
    let made = try await Tool.run(
      "env",
      ["UUIDS=" + Self.uuids.joined(separator: ","), "python3", "-c", Self.script],
      in: scratch.path)
    try #require(made.status == 0, "\(made.testDescription)")
  }

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func aScanNamesTheAppOfEachStore() async throws {
    try await makeTree()
    try expectApps(in: try await Tool.run(["scan", "tree"], in: scratch.path), after: "tree/")
    #if Archives
      try expectApps(
        in: try await Tool.run(["scan", "tree.zip"], in: scratch.path), after: "tree.zip!")
    #endif
  }

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func aReportNamesTheAppOfEachStore() async throws {
    try await makeTree()
    let outcome = try await Tool.run(["report", "--out", "r.db", "tree"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let rows = try await Tool.run(
      "python3",
      [
        "-c",
        "import sqlite3; print(sorted(a for a, in sqlite3.connect('r.db')"
          + ".execute('SELECT app FROM stores') if a))",
      ], in: scratch.path)
    let expected = Self.apps.values.compactMap { $0 }.sorted()
    #expect(
      rows.output == "[" + expected.map { "'\($0)'" }.joined(separator: ", ") + "]\n",
      "\(rows.testDescription)")
  }

  @Test func theDomainOfABackupNamesTheApp() {
    func app(_ path: FilePath) -> String? { AppNames().app(of: path, in: DiskSource()) }
    #expect(app("b!/AppDomain-com.a.b/Library/x.plist") == "com.a.b")
    #expect(app("b!/AppDomainGroup-group.a/x.plist") == "group.a")
    #expect(app("b!/AppDomain-/x.plist") == nil)
    #expect(app("b!/AppDomain-a b/x.plist") == nil)
    // The file's own name is none.
    #expect(app("data/data/com.a.b") == nil)
    // The innermost folder decides.
    #expect(app("data/data/com.a.b/data/user/0/com.c.d/x") == "com.c.d")
  }

  /// Tests that damaged metadata of a container names an app as before, another word, or nothing.
  @Test func damagedMetadataIsHarmless() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    let list: [String: Any] = ["MCMMetadataIdentifier": "com.example.app", "other": [1, 2, 3]]
    let whole = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    _ = try scratch.makeFolder(Self.uuids[0])
    let path = try scratch.write(
      whole, to: "\(Self.uuids[0])/.com.apple.mobile_container_manager.metadata.plist")
    let store = FilePath(path).removingLastComponent().appending("a.plist")
    #expect(AppNames().app(of: store, in: DiskSource()) == "com.example.app")
    for _ in 0..<500 {
      var bytes = Array(whole)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 8..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let name = AppNames().app(of: store, in: DiskSource())
      #expect(
        name?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") } ?? true,
        "seed \(RandomSeeds.run)")
    }
  }
}
