import Foundation
import Testing

/// Stores whose two files were renamed alike, as copies often are.
struct RenamedPairTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let names = [
    ("user.bak", "user.crc.bak"), ("user (1)", "user.crc (1)"), ("USER", "USER.CRC"),
    ("user - Copy", "user.crc - Copy"), ("user - Copy (2)", "user.crc - Copy (2)"),
    ("user.bin", "user.crc.bin"), ("com.app.old", "com.app.crc.old"), ("user_1", "user.crc_1"),
    ("user~", "user.crc~"), ("user - Copy - Copy (2)", "user.crc - Copy - Copy (2)"),
    // The side file sorts before the main one.
    ("user.z", "user.crc.z"),
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

  /// Tests that stores whose names only look like those of a pair are all listed, and that one that is
  /// named is the one that is read.
  @Test func storesThatAreNoPairAreApart() async throws {
    _ = try scratch.makeFolder("copy")
    let made = try await Tool.shell(
      """
      cp "$1/mmkv/golden/all_types/kv" copy/a.b && cp "$1/mmkv/golden/removes/kv" copy/a.crc.b
      echo '<map><string name="a">x</string></map>' > copy/s.xml && cp copy/s.xml copy/s.crc.xml
      """, [Fixture.root], in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    let scan = try await Tool.run(["scan", "copy"] + .clock, in: scratch.path)
    #expect(
      Set(try scan.objects("result").map { $0["path"]?.string }) == [
        "copy/a.b", "copy/a.crc.b", "copy/s.xml", "copy/s.crc.xml",
      ])
    let one = try await Tool.run(["scan", "copy/a.crc.b"] + .clock, in: scratch.path)
    #expect(try one.objects("result").map { $0["path"]?.string } == ["copy/a.crc.b"])
  }

  /// Tests that of several files that may be the meta file none is guessed, and that none is read that
  /// lies elsewhere.
  @Test func aMetaFileIsNotGuessed() async throws {
    try copy(.clean, as: ("com.app.old", "com.app.crc.old"))
    _ = try scratch.write([UInt8](repeating: 0, count: 4096), to: "copy/com.crc.app.old")
    let zeros = try await Tool.run(["check"] + .clock + ["copy/com.app.old"], in: scratch.path)
    #expect(zeros.status == 0, "\(zeros.testDescription)")
    _ = try scratch.write(
      try scratch.bytes(of: "copy/com.app.crc.old"), to: "copy/com.crc.app.old")
    let two = try await Tool.run(["check"] + .clock + ["copy/com.app.old"], in: scratch.path)
    #expect(two.output.contains("mmkv.meta-missing"), "\(two.testDescription)")
    let moved = try await Tool.shell(
      "rm copy/com.crc.app.old && mv copy/com.app.crc.old away && ln -s ../away copy/com.app.crc.old",
      in: scratch.path)
    #expect(moved.status == 0)
    let link = try await Tool.run(["check"] + .clock + ["copy/com.app.old"], in: scratch.path)
    #expect(link.output.contains("mmkv.meta-missing"), "\(link.testDescription)")
  }
}
