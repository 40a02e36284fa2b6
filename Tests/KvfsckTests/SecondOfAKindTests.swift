import Foundation
import KVTestSupport
import Testing

/// What is decided among several of a kind, and at the edge of a limit: with one of each, the first,
/// the last and the best are the same.
struct SecondOfAKindTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes the store of a script in a folder called `name`, and returns the path of its data file.
  private func make(_ script: String, _ name: String) async throws -> String {
    let path = try scratch.write("format mmkv\n\(script)".utf8, to: "\(name).script")
    let made = try await Tool.run(["fixture", "make", path, "--out", scratch.path(name)])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path("\(name)/kv")
  }

  @Test func entriesThatExpireAtOtherTimesDiffer() async throws {
    var stores: [String] = []
    for lifetime in [1000, 2000] {
      stores.append(
        try await make(
          "start 1760000000\nenableexpire 0\nstring tok abc @\(lifetime)\n", "in\(lifetime)"))
    }
    let counts = try await scratch.comparison(stores[0], stores[1])
    #expect(counts == ["added": 0, "removed": 0, "changed": 1, "retyped": 0, "same": 0])
  }

  /// Tests the longest text whose length FastKV for Android writes in two bytes.
  @Test(arguments: [(65_534, [0x06, 0x01, 0x6b, 0xfe, 0xff]), (65_535, [0x09, 0x01, 0x6b, 0xff])])
  func theFormOfALongTextChangesAtItsLimit(count: Int, record: [UInt8]) async throws {
    let text = #"{"k":"\#(String(repeating: "a", count: count))"}"#
    let source = try scratch.write(Array(text.utf8), to: "long.json")
    let outcome = try await scratch.convert([source], to: "fastkv-android", "out")
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try scratch.bytes(of: "out.kva").dropFirst(12).starts(with: record))
    let raw = try await Tool.shell(#""$0" get --raw "$1" k | wc -c"#, [scratch.path("out.kva")])
    #expect(raw.output.filter(\.isNumber) == "\(count)", "\(raw.testDescription)")
  }

  /// Tests that a store is written with room for half as many entries again, not for more.
  @Test func manySmallEntriesStayInOnePage() async throws {
    let entries = (100..<250).map { "string k\($0) abcdefghij\n" }
    let store = try await make(entries.joined(), "many")
    let outcome = try await Tool.run(["repair", "-y", "--out", scratch.path("new"), store])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try scratch.bytes(of: "new/kv").count == 4096)
  }

  /// Tests that two findings at one place are two results for code scanning.
  @Test func equalFindingsHaveFingerprintsOfTheirOwn() async throws {
    // Both keys have the object at 0x11, whose type no property list has.
    var bytes: [UInt8] = Array("bplist00".utf8) + [0xd2, 1, 2, 3, 3, 0x51, 0x61, 0x51, 0x62]
    bytes += [0x70, 1] + [0x08, 0x0d, 0x0f, 0x11] + [0, 0, 0, 0, 0, 0, 1, 1]
    for number: UInt8 in [4, 0, 0x13] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
    let store = try scratch.write(bytes, to: "a.plist")
    _ = try await Tool.run(["check", store, "--sarif", scratch.path("sarif")])
    let text = try String(contentsOfFile: scratch.path("sarif"), encoding: .utf8)
    let hash = /"primaryLocationLineHash": ?"([^"]+)"/
    let prints = text.matches(of: hash).map { String($0.output.1) }
    #expect(prints.count >= 2)
    #expect(Set(prints).count == prints.count, "\(prints)")
  }

  /// Tests that a scan lists the stores of a folder, hidden ones too, and nothing else.
  @Test func aScanListsTheStoresAndNothingElse() async throws {
    let preferences = Array(#"<?xml version="1.0"?><map><string name="k">v</string></map>"#.utf8)
    let attributes: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0] + Array("Mac OS X        ".utf8)
    _ = try scratch.makeFolder("tree")
    for folder in ["sub", ".hidden", "kv.kvfsck-backup-1"] {
      _ = try scratch.makeFolder("tree/\(folder)")
      for name in ["one.xml", "two.xml"] {
        _ = try scratch.write(preferences, to: "tree/\(folder)/\(name)")
      }
    }
    for name in [".settings.xml", "shown.xml"] {
      _ = try scratch.write(preferences, to: "tree/\(name)")
    }
    for name in ["._shown.xml", "._kv", "._settings.plist"] {
      _ = try scratch.write(attributes, to: "tree/\(name)")
    }
    let shown = scratch.path("tree/shown.xml")
    for arguments in [
      ["check", shown, "--junit", scratch.path("tree/junit.xml")],
      ["convert", shown, "--to", "csv", "--out", scratch.path("tree/table.csv")],
      ["report", shown, "--to", "dfxml", "--out", scratch.path("tree/report.xml")],
      ["report", shown, "--out", scratch.path("tree/report.html")],
    ] {
      let outcome = try await Tool.run(arguments)
      #expect(outcome.status == 0, "\(arguments): \(outcome.testDescription)")
    }
    let report = try await Tool.run(["check", "--json", shown])
    _ = try scratch.write(Array(report.output.utf8), to: "tree/check.jsonl")
    let scan = try await Tool.run(["scan", "--json", "tree"], in: scratch.path)
    let paths = try scan.objects("result").compactMap { $0["path"]?.string }
    #expect(
      paths.sorted() == [
        "tree/.hidden/one.xml", "tree/.hidden/two.xml", "tree/.settings.xml", "tree/shown.xml",
        "tree/sub/one.xml", "tree/sub/two.xml",
      ])
  }

  #if Archives
    private static let archive = """
      import io, sys, tarfile
      with tarfile.open(sys.argv[1], "w") as archive:
        def add(name, data):
          info = tarfile.TarInfo(name)
          info.size = len(data)
          archive.addfile(info, io.BytesIO(data))
        for which in ["old", "new"]:
          add("one.xml", f'<map><string name="which">{which}</string></map>'.encode())
        link = tarfile.TarInfo("two.xml")
        link.type, link.linkname = tarfile.LNKTYPE, "one.xml"
        archive.addfile(link)
        both = ["kv", "kv.crc"]
        for folder, names in (sys.argv[2], both), (sys.argv[3], both), (sys.argv[3], ["kv"]):
          for name in names:
            add(name, open(folder + "/" + name, "rb").read())
      """

    /// Tests a link to a name that two members have, and a member that comes three times with a side
    /// file that comes twice.
    @Test(.enabled("there is no python3") { try await Python.isHere() })
    func membersOfOneNameAreTheLatest() async throws {
      for (name, script) in [("older", "string a one\n"), ("newer", "string a 1\nstring b 2\n")] {
        _ = try await make(script, name)
      }
      let archive = scratch.path("a.tar")
      let made = try await Python.run(
        Self.archive, [archive, scratch.path("older"), scratch.path("newer")])
      #expect(made.status == 0, "\(made.testDescription)")
      let link = try await Tool.run(["dump", "\(archive)!two.xml"])
      #expect(link.output == "which = string \"new\"\n", "\(link.testDescription)")
      let third = try await Tool.run(["check", "\(archive)!#3!kv"])
      #expect(third.status == 0, "\(third.testDescription)")
      let entries = try await Tool.run(["dump", "\(archive)!#3!kv"])
      #expect(entries.output == "a = string \"1\"\nb = string \"2\"\n")
    }
  #endif

  /// Tests that the remains in a gap are text from three characters in a row on.
  @Test func textInAGapBeginsWithThreeCharacters() async throws {
    var builder = MMKVFixtureBuilder()
    for index in 0..<8 { builder.put("key\(index)", text: "value \(index)") }
    let pieces = ["ab", "abc", "abcd", "xy", "z", "the rest"].flatMap { [UInt8(0xff)] + $0.utf8 }
    builder.slack = [UInt8](repeating: 0xff, count: 12) + pieces
    let store = try scratch.write(builder.data, to: "kv")
    _ = try scratch.write(builder.meta, to: "kv.crc")
    let outcome = try await Tool.run(["dump", "--history", "--json", store])
    let gap = try #require(try outcome.objects("gap").first, "\(outcome.testDescription)")
    #expect(gap["text"]?.string == ".abc.abcd.the rest")
  }
}
