import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Everything that a format gets from one line in the catalog.
@Suite("A format in one line of the catalog")
struct ToyFormatTests {
  /// A log in which `name` is set twice, `gone` is set and removed, and eight other keys are set.
  private static let healthy: [UInt8] =
    ToyFormat.magic + record("name", "old") + record("gone", "soon")
    + (1...8).flatMap { record("key \($0)", "value \($0)") }
    + ToyFormat.record(2, Array("gone".utf8)) + record("name", "new")

  private static func record(_ key: String, _ value: String) -> [UInt8] {
    ToyFormat.record(1, Array(key.utf8), Array(value.utf8))
  }

  /// The healthy store with a flipped bit in the value of `key 4`.
  private static var damaged: [UInt8] {
    var bytes = healthy
    let value = Array("value 4".utf8)
    let offset = bytes.indices.first { bytes[$0...].starts(with: value) } ?? 0
    bytes[offset + 6] ^= 4
    return bytes
  }

  private static let keys = (1...8).map { "key \($0)" } + ["name"]

  /// A reader that recognizes files with the same likelihood as another one.
  private struct Rival: EntryReader {
    static let name = "rival"
    func discover(
      at path: FilePath, in source: any FileSource
    ) throws(DiscoveryError) -> [StoreFile] {
      [try source.file(at: path)]
    }
    func recognition(of files: [StoreFile]) -> Recognition { Recognition(90, because: []) }
    func read(_ files: [StoreFile]) -> EntryTable {
      EntryTable(formatName: label, files: files, entries: [], findings: [])
    }
    let label: String
  }

  @Test("is the one that stands first in the catalog, where another is as likely")
  func theFirstOfEqualsIsTaken() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1, 2, 3], to: "table")
    let readers = Readers([Rival(label: "first"), Rival(label: "second")])
    let likeliest = try #require(try readers.likeliest(at: path, in: DiskSource()))
    #expect(likeliest.reader.read(likeliest.files).formatName == "first")
  }

  @Test("is offered by --format, and recognized without it")
  func recognized() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.healthy, to: "store").string
    let refusal = try await ToyTool.run(["check", "--format", "none", path], 16)
    #expect(refusal.errors.contains("toy"))
    for arguments in [["check", "--json", path], ["check", "--json", "--format", "toy", path]] {
      let report = try await ToyTool.run(arguments)
      #expect(try report.strings("format", of: "store") == ["toy"])
    }
  }

  @Test("is checked: a healthy store is clean, and damage is found where it is")
  func checked() async throws {
    let folder = try TemporaryFolder()
    let healthy = try await ToyTool.run(
      ["check", "--json", try folder.write(Self.healthy, to: "healthy").string])
    #expect(try healthy.strings("verdict", of: "summary") == ["clean"])
    #expect(try healthy.objects("finding").isEmpty)
    let damaged = try await ToyTool.run(
      ["check", "--json", try folder.write(Self.damaged, to: "damaged").string], 4)
    #expect(try damaged.strings("verdict", of: "summary") == ["damaged"])
    let findings = try damaged.objects("finding")
    #expect(try damaged.strings("code", of: "finding").contains("record.checksum-mismatch"))
    let record = Self.record("key 4", "value 4")
    let offset = try #require(findings.first?["offset"] as? Int)
    #expect(Array(Self.healthy[offset..<offset + record.count]) == record)
    let own = try folder.write([0] + Self.healthy.dropFirst(), to: "magic").string
    let named = try await ToyTool.run(["check", "--json", "--format", "toy", own], 4)
    #expect(try named.strings("code", of: "finding") == ["toy.magic"])
    let page = try await ToyTool.run(["explain", "toy.magic"])
    #expect(page.output.hasPrefix("toy.magic (finding, damage)\n"))
    #expect(page.output.contains("What to do  None\n"))
  }

  @Test("is dumped: live entries with their evidence, and the history of all records")
  func dumped() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.healthy, to: "store").string
    let entries = try await ToyTool.run(["dump", "--json", path])
    #expect(try entries.strings("key", of: "entry") == Self.keys)
    #expect(Set(try entries.strings("evidence", of: "entry")) == ["checksum"])
    #expect(try await ToyTool.run(["dump", path]).output.contains("value 4"))
    let history = try await ToyTool.run(["dump", "--history", "--json", path])
    let states = try history.strings("state", of: "record")
    #expect(states.count { $0 == "live" } == 9)
    #expect(states.count { $0 == "superseded" } == 1)
    #expect(states.count { $0 == "removed" } == 2)
  }

  @Test("is mapped: every byte has an owner")
  func mapped() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.damaged, to: "store").string
    let map = try await ToyTool.run(["map", "--json", path], 4)
    var end = 0
    for region in try map.objects("region") {
      #expect(region["offset"] as? Int == end)
      end += region["length"] as? Int ?? 0
    }
    #expect(end == Self.damaged.count)
    #expect(try await ToyTool.run(["map", path], 4).output.contains("magic"))
  }

  @Test("declares what its files are for, and every report has the name")
  func ownRole() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("COUNTED\none 1\ntwo 2\n".utf8), to: "store").string
    try folder.write(Array("2".utf8), to: "store.count")
    #expect(try await ToyTool.run(["check", "--json", path]).objects("finding").isEmpty)
    try folder.write(Array("3".utf8), to: "store.count")
    let sarif = folder.path.appending("sarif").string
    let check = try await ToyTool.run(["check", "--json", "--sarif", sarif, path], 4)
    let store = try #require(try check.objects("store").first)
    let files = try #require(store["files"] as? [[String: any Sendable]])
    #expect(files.map { $0["file"] as? String } == ["data", "line count"])
    #expect(try check.strings("code", of: "finding") == ["counted.count"])
    #expect(try check.strings("file", of: "finding") == ["line count"])
    let alerts = String(decoding: try folder.bytes(of: "sarif"), as: UTF8.self)
    #expect(alerts.contains("counted.count:line count:0"))
    let dump = try await ToyTool.run(["dump", "--json", "--readings", "all", path], 4)
    #expect(try dump.strings("file", of: "entry") == ["data", "data"])
    let page = folder.path.appending("report.case").string
    _ = try await ToyTool.run(["report", "--to", "case", "--out", page, path])
    let graph = String(decoding: try folder.bytes(of: "report.case"), as: UTF8.self)
    #expect(graph.contains("\"kvfsck:role\":\"line count\""))
  }

  @Test("is repaired: what is verified is kept, and the new store is clean")
  func repaired() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.damaged, to: "store").string
    let out = folder.path.appending("out").string
    _ = try await ToyTool.run(["repair", "-y", "--out", out, path], 5)
    let check = try await ToyTool.run(["check", "--json", out + "/store"])
    #expect(try check.strings("verdict", of: "summary") == ["clean"])
    let entries = try await ToyTool.run(["dump", "--json", out + "/store"])
    #expect(try entries.strings("key", of: "entry") == Self.keys.filter { $0 != "key 4" })
  }

  @Test("is converted and compared")
  func converted() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.healthy, to: "store").string
    let json = folder.path.appending("store.json").string
    _ = try await ToyTool.run(["convert", "--to", "json", "--out", json, path])
    _ = try await ToyTool.run(["compare", path, json])
  }

  @Test("is damaged by fixtures, with answer keys, and its recovery is scored")
  func damagedAndScored() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.healthy, to: "store").string
    let list = try await ToyTool.run(["fixture", "--list"])
    #expect(list.output.contains("flip-value "))
    let corpus = folder.path.appending("corpus")
    let home = corpus.appending("cases")
    try Folder.make(corpus)
    try Folder.make(home)
    var cases: [String] = []
    for (damage, seed) in [("flip-value", 3), ("truncate", 1), ("delete", 5)] {
      let place = home.appending(damage).string
      _ = try await ToyTool.run(
        ["fixture", "damage", "--operator", damage, "--seed", "\(seed)", "--out", place, path])
      let found = try await ToyTool.run(["check", "--json", place + "/store/store"], 4)
      #expect(try found.strings("format", of: "store") == ["toy"], "\(damage)")
      cases.append(
        """
        {"name":"\(damage)","format":"toy","base":"few","operator":"\(damage)",\
        "store":"cases/\(damage)/store/store","answer":"cases/\(damage)/answer.json"}
        """)
    }
    let manifest = """
      {"schema":1,"generator":"test","seed":"0","placements":1,"omitted":[],\
      "cases":[\(cases.joined(separator: ","))]}
      """
    try folder.write(Array(manifest.utf8), to: "corpus/corpus.json")
    let score = try await ToyTool.run(["fixture", "score", "--json", corpus.string])
    let own = try score.objects("total").filter { $0["subject"] as? String == "kvfsck" }
    let total = try #require(own.first)
    #expect(total["cases"] as? Int == 3)
    #expect(total["missing"] as? Int == 0)
    #expect(total["wrong"] as? Int == 0 && total["invented"] as? Int == 0)
    #expect(total["found"] as? Int == total["must"] as? Int)
    // The modeled engine reads up to the first damage.
    let engine = try score.objects("total").filter { $0["subject"] as? String == "engine-recover" }
    #expect(try #require(engine.first?["missing"] as? Int) > 0)
  }
}
