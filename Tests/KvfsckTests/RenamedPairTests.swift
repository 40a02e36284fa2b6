import Foundation
import Testing

/// Stores whose two files were renamed alike, as copies often are.
@Suite(.timeLimit(.minutes(30)))
struct RenamedPairTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let names = [
    ("user.bak", "user.crc.bak"), ("user (1)", "user.crc (1)"), ("USER", "USER.CRC"),
    ("user - Copy", "user.crc - Copy"), ("user - Copy (2)", "user.crc - Copy (2)"),
    ("user.bin", "user.crc.bin"), ("com.app.old", "com.app.crc.old"), ("user_1", "user.crc_1"),
    ("user~", "user.crc~"),
  ]

  private func copy(_ fixture: Fixture, as names: (data: String, meta: String)) throws {
    _ = try scratch.makeFolder("copy")
    for (file, name) in [("kv", names.data), ("kv.crc", names.meta)] {
      try FileManager.default.copyItem(
        atPath: "\(fixture.path)/\(file)", toPath: scratch.path("copy/\(name)"))
    }
  }

  @Test(arguments: names)
  func aHealthyStoreIsClean(data: String, meta: String) async throws {
    try copy(.clean, as: (data, meta))
    for path in ["copy", "copy/\(data)", "copy/\(meta)"] {
      let outcome = try await Tool.run(["check"] + .clock + [path], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(outcome.output.hasPrefix("copy/\(data): clean, 45 entries"), "\(path)")
      #expect(outcome.output.contains("[mmkv.meta-renamed] the .crc file is called \(meta):"))
    }
    let scan = try await Tool.run(["scan", "copy"] + .clock, in: scratch.path)
    let results = try scan.objects("result")
    #expect(results.map { $0["path"]?.string } == ["copy/\(data)"])
    #expect(results.first?["verdict"]?.string == "clean")
    let both = try await Tool.run(
      ["check"] + .clock + ["copy/\(data)", "copy/\(meta)"], in: scratch.path)
    #expect(both.status == 0)
  }

  #if Archives
    @Test(arguments: names)
    func anArchiveHasTheSameStore(data: String, meta: String) async throws {
      try copy(.clean, as: (data, meta))
      let packed = try await Tool.shell("tar cf a.tar copy", in: scratch.path)
      #expect(packed.status == 0)
      let scan = try await Tool.run(["scan", "a.tar"] + .clock, in: scratch.path)
      let results = try scan.objects("result")
      #expect(results.map { $0["path"]?.string } == ["a.tar!copy/\(data)"])
      #expect(results.first?["verdict"]?.string == "clean")
    }
  #endif

  @Test func anEncryptedStoreIsFound() async throws {
    try copy(.encrypted, as: ("user.bak", "user.crc.bak"))
    let scan = try await Tool.run(["scan", "copy"] + .clock, in: scratch.path)
    let results = try scan.objects("result")
    #expect(results.map { $0["path"]?.string } == ["copy/user.bak"])
    #expect(scan.output.contains("mmkv.key-needed"))
  }

  @Test func aRepairNeedsAnotherFolder() async throws {
    try copy(.lossy, as: ("user.bak", "user.crc.bak"))
    let refused = try await Tool.run(["repair", "-y", "--in-place", "copy"], in: scratch.path)
    #expect(refused.status == 8, "\(refused.testDescription)")
    #expect(refused.errors.contains("its files were renamed"))
    #expect(scratch.names(in: "copy") == ["user.bak", "user.crc.bak"])
    let repair = try await Tool.run(
      ["repair", "-y", "--out", "new"] + .clock + ["copy"], in: scratch.path)
    #expect([0, 1, 4, 5].contains(repair.status), "\(repair.testDescription)")
    #expect(
      scratch.names(in: "new")?.filter { !$0.hasSuffix(".jsonl") } == ["user.bak", "user.bak.crc"])
    let check = try await Tool.run(["check"] + .clock + ["new/user.bak"], in: scratch.path)
    #expect(check.status == 0 && !check.output.contains("meta-renamed"))
  }

  /// Tests that neither another file with such a name is taken, nor one beside the usual file.
  @Test func aFileThatIsNoMetaFileIsNotTaken() async throws {
    try copy(.clean, as: ("user.bak", "user.bak.crc"))
    _ = try scratch.write([UInt8](repeating: 0xaa, count: 4096), to: "copy/user.crc.bak")
    let usual = try await Tool.run(["check"] + .clock + ["copy/user.bak"], in: scratch.path)
    #expect(usual.status == 0 && !usual.output.contains("meta-renamed"))
    try FileManager.default.removeItem(atPath: scratch.path("copy/user.bak.crc"))
    let other = try await Tool.run(["check"] + .clock + ["copy/user.bak"], in: scratch.path)
    #expect(other.output.contains("mmkv.meta-missing"), "\(other.testDescription)")
    // Texts with such names are no store.
    for name in ["notes.txt", "notes.crc.txt"] {
      _ = try scratch.write(Array("a line of text\n".utf8), to: "copy/\(name)")
    }
    let scan = try await Tool.run(["scan", "copy"] + .clock, in: scratch.path)
    #expect(try scan.objects("result").map { $0["path"]?.string } == ["copy/user.bak"])
  }
}
