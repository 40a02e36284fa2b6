import Foundation
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

  /// Tests that of two stores with the same value, the one without a caution gives it.
  @Test(arguments: [false, true])
  func ofEqualValuesTheOneWithoutACautionIsKept(isFirst: Bool) async throws {
    let store = try await make("string tok abcdefgh\nstring other xyz\n", "damaged")
    var bytes = try scratch.bytes(of: "damaged/kv")
    let place = try #require(bytes.lastIndex(of: UInt8(ascii: "x")))
    for (offset, change) in [0x33, 0x55, 0x11].enumerated() {
      bytes[place + offset] ^= UInt8(change)
    }
    _ = try scratch.write(bytes, to: "damaged/kv")
    let sound = try scratch.write(
      Array(#"<?xml version="1.0"?><map><string name="tok">abcdefgh</string></map>"#.utf8),
      to: "sound.xml")
    _ = try await scratch.convert(isFirst ? [sound, store] : [store, sound], to: "jsonl", "out")
    let lines = try String(contentsOfFile: scratch.path("out"), encoding: .utf8)
      .split(separator: "\n").filter { $0.contains(#""key":"tok""#) }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("sound.xml") == true, "\(lines)")
    #expect(lines.first?.contains("cautions") == false, "\(lines)")
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

  /// Tests that a finding about the whole store, which has no place in a file, is in the export.
  @Test func aFindingWithoutAnOffsetIsInTheExport() async throws {
    let store = "\(Fixture.root)/mmkv/damaged/size_gt_file_small"
    _ = try await Tool.run(
      ["report", store, "--to", "dfxml", "--out", scratch.path("out.xml")] + .clock)
    let text = try String(contentsOfFile: scratch.path("out.xml"), encoding: .utf8)
    #expect(text.contains("engine.silent-loss"))
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
        data, meta = [open(name, "rb").read() for name in sys.argv[2:4]]
        for part in [("kv", data), ("kv.crc", meta), ("kv", data), ("kv.crc", meta), ("kv", data)]:
          add(*part)
      """

    /// Tests a link to a name that two members have, and a member that comes three times with a side
    /// file that comes twice.
    @Test(.enabled("there is no python3") { try await Python.isHere() })
    func membersOfOneNameAreTheLatest() async throws {
      let store = try await make("string a one\nstring b two\n", "store")
      let archive = scratch.path("a.tar")
      let made = try await Python.run(Self.archive, [archive, store, store + ".crc"])
      #expect(made.status == 0, "\(made.testDescription)")
      let link = try await Tool.run(["dump", "\(archive)!two.xml"])
      #expect(link.output == "which = string \"new\"\n", "\(link.testDescription)")
      let third = try await Tool.run(["check", "\(archive)!#3!kv"])
      #expect(third.status == 0, "\(third.testDescription)")
    }
  #endif
}
