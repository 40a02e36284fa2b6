#if Encryption
  import Foundation
  import KVTestSupport
  import SystemPackage
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
    }

    #if os(Linux)
      /// Tests a store of which some files are replaced by the same bytes, before a step fails: it is as it
      /// was, and can be repaired again, or it can be undone.
      @Test(arguments: [Fault.Call.name, .sync, .remove])
      func aStoreWithFilesThatStayTheSameIsNotLeftHalfReplaced(call: Fault.Call) async throws {
        let script = try scratch.write(
          Array(
            "format asyncstorage\nstring a random:3000\nstring b random:3000\nstring c x\n".utf8),
          to: "app.script")
        for number in 1...100 {
          let root = try scratch.makeFolder("root")
          let store = root + "/store"
          _ = try await Tool.run(["fixture", "make", script, "--out", store])
          let manifest = store + "/manifest.json"
          let whole = try String(contentsOfFile: manifest, encoding: .utf8)
          try Data((whole + "junk").utf8).write(to: URL(filePath: manifest))
          let before = try FolderState.bytes(in: store)
          let usual = try await Tool.run(["check", store]).status
          let (outcome, path) = try await Fault(call: call, errno: .noSpace).run(
            ["repair", "--in-place", "-y", store], number: number, below: root)
          guard path != nil else { return #expect(number > 1) }
          if outcome.status.map({ $0 & 8 }) == 8 {
            var after = try FolderState.bytes(in: store)
            if after != before {
              let undo = try await Tool.run(["undo", store])
              #expect(undo.status == 0, "call \(number) \(undo.testDescription)")
              after = try FolderState.bytes(in: store).filter { !$0.key.contains("backup") }
            }
            #expect(after == before, "call \(number) \(outcome.testDescription)")
            let check = try await Tool.run(["check", store])
            #expect(check.status == usual, "call \(number) \(check.testDescription)")
          }
          try FileManager.default.removeItem(atPath: root)
        }
        Issue.record("after 100 calls there are more")
      }
    #endif

    @Test(arguments: [["kv"], ["kv.crc"], ["kv", "kv.crc"]])
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

    // MARK: Folders

    /// Makes a folder `many` with damaged stores in it and below it, repairs them, and returns the
    /// bytes of all files before that.
    private func repairedFolder() async throws -> [String: Data] {
      for folder in ["many", "many/below"] { _ = try scratch.makeFolder(folder) }
      _ = try scratch.copy(.lossy, to: "many/a")
      _ = try scratch.copy(.corrected, to: "many/below/b")
      _ = try scratch.copy(.clean, to: "many/c")
      let before = try FolderState.bytes(in: scratch.path("many"))
      try await repair(scratch.path("many"))
      return before
    }

    private func undo(_ path: String) async throws -> Outcome {
      try await Tool.run(["undo", path], in: scratch.path)
    }

    @Test func aFolderIsUndoneWithAllStoresBelowIt() async throws {
      let before = try await repairedFolder()
      for round in 1...2 {
        let outcome = try await undo("many")
        #expect(outcome.status == 0 && outcome.errors == "", "\(round) \(outcome.testDescription)")
        #expect(outcome.lines.last == "2 stores with backups in many; 2 restored")
        #expect(outcome.lines.contains("Restored many/below/b/kv"))
        let after = try FolderState.bytes(in: scratch.path("many"))
        for (file, bytes) in before { #expect(after[file] == bytes, "\(file)") }
      }
    }

    @Test func aStoreThatWasWrittenToKeepsNoOtherFromBeingRestored() async throws {
      let before = try await repairedFolder()
      _ = try scratch.write([1, 2, 3], to: "many/a/kv")
      let outcome = try await undo("many")
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("many/a/kv"))
      #expect(outcome.lines.last == "2 stores with backups in many; 1 restored; 1 not restored")
      #expect(try scratch.bytes(of: "many/a/kv") == [1, 2, 3])
      #expect([UInt8](before["below/b/kv"] ?? Data()) == (try scratch.bytes(of: "many/below/b/kv")))
    }

    /// A store that was repaired twice goes back to before the first repair, unless the app has written
    /// to it in between.
    @Test(arguments: [false, true])
    func repairsAreUndoneFromTheNewestOn(isWrittenBetween: Bool) async throws {
      let folder = try scratch.copy(.lossy)
      let first = try FolderState.bytes(in: folder)
      try await repair(folder)
      if isWrittenBetween {
        for file in Fixture.corrected.files {
          _ = try scratch.write(
            try Data(contentsOf: URL(filePath: "\(Fixture.corrected.path)/\(file)")),
            to: "store/\(file)")
        }
      }
      let second = try FolderState.bytes(in: folder)
      let again = try await Tool.run(
        ["repair", "-y", "--in-place", "--rekey", "k"] + .clock + [folder])
      #expect([0, 1].contains(again.status), "\(again.testDescription)")
      #expect(scratch.names(in: "store")?.contains("kv.kvfsck-backup-2") == true)
      let outcome = try await undo("store")
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("kv.kvfsck-backup-1 is not used") == isWrittenBetween)
      let after = try FolderState.bytes(in: folder)
      for name in ["kv", "kv.crc"] {
        #expect(after[name] == (isWrittenBetween ? second : first)[name], "\(name)")
      }
    }

    @Test func aFolderWithoutBackupsIsAnError() async throws {
      _ = try scratch.copy(.lossy)
      let outcome = try await undo("store")
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("no backup written by kvfsck is in store or below it"))
    }
  }
#endif
