import Foundation
import Testing

/// The stores that a folder leads to, which are read like stores that are named.
struct FolderReopeningTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.makeFolder("app")
    _ = try scratch.copy(.clean, to: "app/other")
  }

  private func copy(_ fixture: String, to name: String) throws {
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/\(fixture)", toPath: scratch.path("app/\(name)"))
  }

  private func repair(_ arguments: [String]) async throws -> Outcome {
    try await Tool.run(["repair", "--in-place", "-y"] + .clock + arguments, in: scratch.path)
  }

  /// Tests that values that are kept in files are found where a link leads, as the app finds them.
  @Test func valuesBehindALinkAreNotMissing() async throws {
    let store = "fastkv-android/golden/old_external"
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(Fixture.root)/\(store)")
    for name in names { try copy("\(store)/\(name)", to: name) }
    let folder = try #require(
      names.first { $0.utf8.allSatisfy { $0 != UInt8(ascii: ".") } }, "\(names)")
    try FileManager.default.moveItem(
      atPath: scratch.path("app/\(folder)"), toPath: scratch.path("app/real"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("app/\(folder)"), withDestinationPath: "real")
    let alone = try await Tool.run(
      ["dump"] + .clock + ["app/\(folder).kva"], in: scratch.path)
    #expect(!alone.output.contains("missing"), "\(alone.testDescription)")
    let before = try FolderState(of: scratch.path("app"))
    let outcome = try await repair(["app"])
    #expect(!outcome.output.contains("missing"), "\(outcome.testDescription)")
    #expect(try FolderState(of: scratch.path("app")) == before)
  }

  #if Archives
    /// Tests that an archive is not replaced, although it is named like a store.
    @Test func anArchiveNamedLikeAStoreStaysAsItIs() async throws {
      let packed = try await Python.run(
        """
        import zipfile
        with zipfile.ZipFile("app/z", "w") as z:
          for s in ("", ".crc"): z.write("app/other/kv" + s, "kv" + s)
        """, [], in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      _ = try scratch.write(try scratch.bytes(of: "app/other/kv.crc"), to: "app/z.crc")
      let archive = try scratch.bytes(of: "app/z")
      let outcome = try await repair(["app"])
      #expect(outcome.errors.contains("app/z is an archive"), "\(outcome.testDescription)")
      #expect(try scratch.bytes(of: "app/z") == archive)
    }
  #endif
}
