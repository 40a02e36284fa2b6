#if Encryption
  import Foundation
  import KVTestSupport
  import Testing

  /// Restoring a backup.
  struct UndoTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func repair(_ path: String) async throws {
      let outcome = try await Tool.run(["repair", "-y", "--in-place"] + .clock + [path])
      #expect(outcome.status == 5, "\(outcome.testDescription)")
    }

    @Test(arguments: ["a\nb", "a\\nb", "\\", "\r", "a\r\n\\b "])
    func namesThatNeedEscapesComeBack(name: String) async throws {
      let folder = try scratch.copy(.lossy)
      for suffix in ["", ".crc"] {
        try FileManager.default.moveItem(
          atPath: "\(folder)/kv\(suffix)", toPath: "\(folder)/\(name)\(suffix)")
      }
      let before = try FolderState.bytes(in: folder)
      try await repair("\(folder)/\(name)")
      let backup = "\(folder)/\(name).kvfsck-backup-1"
      // The lists must also be readable by another program.
      let sums = try await Tool.run(
        "sha256sum", ["--check", "--quiet", "BEFORE.sha256"], in: backup)
      #expect(sums.status == 0, "\(sums.testDescription)")
      let undo = try await Tool.run(["undo", backup])
      #expect(undo.status == 0, "\(undo.testDescription)")
      let after = try FolderState.bytes(in: folder)
      for (file, bytes) in before { #expect(after[file] == bytes, "\(file)") }
      #expect(after["\(name).lost-and-found.jsonl"] == nil)
    }

    @Test(arguments: [["kv"], ["kv.crc"], ["kv", "kv.crc", "kv.lost-and-found.jsonl"]])
    func aDeletedStoreComesBack(names: [String]) async throws {
      let folder = try scratch.copy(.lossy)
      let before = try FolderState.bytes(in: folder)
      try await repair(folder)
      for name in names { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
      let undo = try await Tool.run(["undo", "\(folder)/kv.kvfsck-backup-1"])
      #expect(undo.status == 0, "\(undo.testDescription)")
      let after = try FolderState.bytes(in: folder)
      for (file, bytes) in before { #expect(after[file] == bytes, "\(file)") }
    }

    /// Tests that a list of many lines is read.
    ///
    /// Each line is examined once, and no content is held in memory twice.
    @Test func aListOfManyLinesIsRead() async throws {
      let folder = try scratch.copy(.lossy)
      try await repair(folder)
      let list = "store/kv.kvfsck-backup-1/AFTER.sha256"
      var text = String(decoding: try scratch.bytes(of: list), as: UTF8.self)
      let digest = String(repeating: "0", count: 64)
      for number in 0..<TestExtent.count(500, of: 10_000) { text += "\(digest)  gone\(number)\n" }
      _ = try scratch.write(Array(text.utf8), to: list)
      let undo = try await Tool.run(["undo", "\(folder)/kv.kvfsck-backup-1"])
      #expect(undo.status == 0, "\(undo.testDescription)")
    }

    @Test func aNameThatIsListedTwiceIsRefused() async throws {
      let folder = try scratch.copy(.lossy)
      try await repair(folder)
      let list = "store/kv.kvfsck-backup-1/BEFORE.sha256"
      let text = try scratch.bytes(of: list)
      _ = try scratch.write(text + text, to: list)
      let before = try FolderState(of: folder)
      let undo = try await Tool.run(["undo", "\(folder)/kv.kvfsck-backup-1"])
      #expect(undo.status == 8)
      #expect(undo.errors.contains("BEFORE.sha256 is not a backup"))
      #expect(try FolderState(of: folder) == before)
    }
  }
#endif
