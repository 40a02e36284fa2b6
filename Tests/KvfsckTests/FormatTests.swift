import Foundation
import Testing

/// The formats that the command line distinguishes, and messages about keys and links.
struct FormatTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: [
    ("mmkv/golden/all_types/kv", "mmkv"),
    ("fastkv-apple/golden/all_types/store.fkv", "fastkv-apple"),
    ("fastkv-android/golden/nb_all_types/kv.kva", "fastkv-android"),
  ])
  func theFormatIsToldFromTheBytes(path: String, format: String) async throws {
    let outcome = try await Tool.run(["check", "--json"] + .clock + ["\(Fixture.root)/\(path)"])
    #expect(outcome.status == 0)
    #expect(try outcome.objects("store").first?["format"]?.string == format)
    #expect(outcome.errors.isEmpty)
  }

  @Test func theFormatThatIsNamedIsTaken() async throws {
    let outcome = try await Tool.run(
      ["check", "--json", "--format", "fastkv-apple"] + .clock + [Fixture.clean.path + "/kv"])
    #expect(try outcome.objects("store").first?["format"]?.string == "fastkv-apple")
    #expect(outcome.status != 0)
  }

  @Test func aFileOfNoFormatIsSaidToBeOne() async throws {
    let path = try scratch.write(Array("nothing of the kind\n".utf8), to: "text")
    let outcome = try await Tool.run(["check"] + [path])
    #expect(outcome.status == 8)
    #expect(outcome.errors.contains("it looks like a text file. If you know the format"))
    #expect(outcome.output.isEmpty)
  }

  @Test func aDatabaseThatNoFormatKnowsIsToldHowToBeRead() async throws {
    let head = Array("SQLite format 3\0".utf8)
    let path = try scratch.write(head + [UInt8](repeating: 0, count: 4080), to: "app.db")
    let outcome = try await Tool.run(["check", path])
    #expect(outcome.status.map { $0 & 8 } == 8)
    #expect(outcome.errors.contains("--table NAME --key-column NAME --value-column NAME"))
    #expect(outcome.errors.contains("--format wcdb"))
    let text = try scratch.write(Array("SQLite format 3 is no file\n".utf8), to: "text")
    #expect(!(try await Tool.run(["check", text])).errors.contains("--table"))
  }

  @Test(arguments: ["magic_bad", "len_beyond_file", "one_byte_segment"])
  func anAppThatIsOnlyToldIsNotSaidToAnswer(damage: String) async throws {
    let store = "\(Fixture.root)/fastkv-apple/damaged/mix64__\(damage)/store.fkv"
    let text = try await Tool.run(["check", store]).output
    let name = ["magic_bad": "4003", "len_beyond_file": "4004"][damage] ?? "NSRangeException"
    #expect(text.contains("; it gets \(name) but is not asked."), "\(text)")
    #expect(text.components(separatedBy: "At its next launch").count == 2)
    #expect(!text.contains("app answers"))
  }

  @Test func eitherPointerWidthIsWritten() async throws {
    let store = "\(Fixture.root)/fastkv-apple/golden/all_types/store.fkv"
    var counts: [Int] = []
    for width in ["4", "8"] {
      let out = scratch.path("w\(width)")
      let repair = try await Tool.run(["repair", "--width", width, "--out", out, store])
      #expect([0, 1].contains(repair.status), "\(repair.testDescription)")
      let check = try await Tool.run(["check", "--json", out])
      counts.append(try check.objects("coverage").first?["live"]?.integer ?? 0)
    }
    // 16 bytes less: four bytes for each of the four wide fields, for each of the 17 entries.
    #expect(counts[1] - counts[0] == 16 * 17)
    #expect(try await Tool.run(["repair", "-n", "--width", "5", store]).status == 16)
  }

  @Test func aLinkIsNotReplacedByWhatItLeadsTo() async throws {
    _ = try scratch.copy(.clean)
    try FileManager.default.createDirectory(
      atPath: scratch.path("links"), withIntermediateDirectories: true)
    for name in ["kv", "kv.crc"] {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path("links/\(name)"), withDestinationPath: scratch.path("store/\(name)"))
    }
    let outcome = try await Tool.run(
      ["repair", "-y", "--in-place"] + .clock + [scratch.path("links/kv")])
    #expect(outcome.status == 8 && outcome.errors.contains("symbolic link"))
    #expect(scratch.names(in: "links") == ["kv", "kv.crc"])
  }

  #if Encryption
    @Test func theNewKeyCanBeInAFile() async throws {
      let key = try scratch.write(Array("k".utf8), to: "key")
      let out = scratch.path("new")
      let repair = try await Tool.run(
        ["repair", "--rekey-file", key, "--out", out] + .clock + [Fixture.clean.path + "/kv"])
      #expect(repair.status == 0 && repair.errors.isEmpty)
      let check = try await Tool.run(["check", "--key-file", key] + .clock + [out])
      #expect(check.status == 0)
    }
  #endif
}
