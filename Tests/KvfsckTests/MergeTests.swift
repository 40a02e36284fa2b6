import Testing

/// `kvfsck merge` as a process.
@Suite("merge")
struct MergeTests {
  /// Writes two copies of a fixture, each with other bytes damaged, and returns their paths and the
  /// original bytes.
  private func copies(
    of fixture: Fixture, in scratch: Scratch
  ) throws -> (first: String, second: String, original: [UInt8]) {
    _ = try scratch.copy(fixture, to: "first")
    _ = try scratch.copy(fixture, to: "second")
    let original = try scratch.bytes(of: "first/kv")
    var (one, other) = (original, original)
    for offset in stride(from: 16, to: 200, by: 20) {
      if offset % 40 == 16 { one[offset] ^= 0x5a } else { other[offset] ^= 0xa5 }
    }
    return (
      try scratch.write(one, to: "first/kv"), try scratch.write(other, to: "second/kv"), original
    )
  }

  @Test("writes the original, byte for byte", arguments: [Fixture.clean, .encrypted])
  func originalIsWritten(fixture: Fixture) async throws {
    let scratch = try Scratch()
    let (first, second, original) = try copies(of: fixture, in: scratch)
    let before = try scratch.bytes(of: "first/kv")
    let run = ["merge", "--format", "mmkv", first, second, "--out", scratch.path("new")]
    let outcome = try await Tool.run(run + .clock)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("restored byte for byte"), "\(outcome)")
    #expect(try scratch.bytes(of: "new/kv") == original)
    #expect(try scratch.bytes(of: "new/kv.crc") == scratch.bytes(of: "first/kv.crc"))
    #expect(try scratch.bytes(of: "first/kv") == before)
    // Nothing is overwritten.
    #expect(try await Tool.run(run + .clock).status == 8)
  }

  #if Archives
    @Test("takes copies within archives")
    func copiesInArchivesAreMerged() async throws {
      let scratch = try Scratch()
      let (first, _, original) = try copies(of: .clean, in: scratch)
      let packed = try await Tool.run(
        "/bin/sh", ["-c", "tar czf pull.tgz second && tar cf both.tar pull.tgz first"],
        in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      for (number, pair) in [
        [first, scratch.path("pull.tgz!second/kv")],
        [scratch.path("both.tar!pull.tgz!second/kv"), scratch.path("both.tar!first/kv")],
      ].enumerated() {
        let outcome = try await Tool.run(
          ["merge"] + pair + ["--out", scratch.path("new\(number)")] + .clock)
        #expect(outcome.status == 1, "\(outcome.testDescription)")
        #expect(try scratch.bytes(of: "new\(number)/kv") == original)
      }
    }
  #endif

  @Test("reports each choice to programs, and writes nothing in a dry run")
  func choicesAreReported() async throws {
    let scratch = try Scratch()
    let (first, second, _) = try copies(of: .clean, in: scratch)
    let outcome = try await Tool.run(
      ["merge", "--json", "--dry-run", first, second, "--out", scratch.path("new")] + .clock)
    #expect(outcome.status == 4, "\(outcome)")
    #expect(outcome.output.contains(#""basis":"checksum""#), "\(outcome)")
    #expect(outcome.output.contains(#""proven":true"#), "\(outcome)")
    #expect(scratch.names(in: "new") == nil)
  }

  @Test("of copies that are damaged at the same place keeps the entries that are left")
  func entriesAreKept() async throws {
    let scratch = try Scratch()
    let (first, second, original) = try copies(of: .clean, in: scratch)
    for (path, noise) in [("first/kv", 0x11 as UInt8), ("second/kv", 0x22)] {
      var bytes = try scratch.bytes(of: path)
      for offset in 300..<320 { bytes[offset] = original[offset] ^ noise }
      _ = try scratch.write(bytes, to: path)
    }
    let outcome = try await Tool.run(
      ["merge", first, second, "--out", scratch.path("new")] + .clock)
    #expect(outcome.status == 5 || outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("entries were chosen one by one"), "\(outcome)")
    // The new store is whole.
    #expect(try await Tool.run(["check", scratch.path("new/kv")] + .clock).status == 0)
  }

  @Test("of whole stores that differ says that one is left out")
  func wholeStoresAreNotCalledRestored() async throws {
    let scratch = try Scratch()
    for (name, text) in [("first", "string a one"), ("second", "string b two\nint32 c 3")] {
      let script = try scratch.write(Array("format mmkv\n\(text)\n".utf8), to: "app.script")
      let made = try await Tool.run(
        ["fixture", "make", script, "--seed", "\(name.utf8.count)", "--out", scratch.path(name)])
      #expect(made.status == 0, "\(made.testDescription)")
    }
    let outcome = try await Tool.run(
      ["merge", scratch.path("first"), scratch.path("second"), "--out", scratch.path("new")])
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("several copies are whole, and differ"))
  }

  @Test("of equal copies writes the same store; one copy is not enough, nor is another format")
  func argumentsAreChecked() async throws {
    let scratch = try Scratch()
    let store = try scratch.copy(.clean) + "/kv"
    let same = try await Tool.run(
      ["merge", store, store, "--out", scratch.path("new")] + .clock)
    #expect(same.status == 0, "\(same)")
    #expect(try scratch.bytes(of: "new/kv") == scratch.bytes(of: "store/kv"))
    #expect(try await Tool.run(["merge", store, "--dry-run"]).status == 16)
    #expect(try await Tool.run(["merge", store, store]).status == 16)
    let inside = try await Tool.run(["merge", store, store, "--out", scratch.path("store")])
    #expect(inside.status == 8, "\(inside)")
    let other = "\(Fixture.root)/fastkv-apple/golden"
    #expect(try await Tool.run(["merge", store, other, "--dry-run"]).status == 8)
  }

  @Test("writes nothing into the folder of any copy", arguments: 0...2)
  func foldersOfCopiesAreRefused(number: Int) async throws {
    let scratch = try Scratch()
    let names = ["one", "two", "three"]
    for name in names { _ = try scratch.copy(.clean, to: name) }
    let before = try FolderState(of: scratch.path(names[number]))
    let outcome = try await Tool.run(
      ["merge"] + names.map { scratch.path("\($0)/kv") } + ["--out", scratch.path(names[number])])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains(names[number]) && !outcome.errors.contains("exists"))
    #expect(try FolderState(of: scratch.path(names[number])) == before)
  }

  @Test(
    "says of copies that were cut off what only the longest has",
    arguments: [
      [4096, 8192, 12288], [12288, 4096, 8192], [8192, 12288, 12288], [12288, 8192, 4096],
    ])
  func endsOfCopiesAreReported(counts: [Int]) async throws {
    let scratch = try Scratch()
    let lines = (0..<100).map { "string user.name.\($0) random:90" }.joined(separator: "\n")
    let script = try scratch.write(Array("format mmkv\n\(lines)\n".utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("whole")])
    #expect(made.status == 0, "\(made.testDescription)")
    let bytes = Array(try scratch.bytes(of: "whole/kv").prefix(12288))
    let meta = try scratch.bytes(of: "whole/kv.crc")
    for (index, count) in counts.enumerated() {
      _ = try scratch.makeFolder("\(index)")
      _ = try scratch.write(Array(bytes.prefix(count)), to: "\(index)/kv")
      _ = try scratch.write(meta, to: "\(index)/kv.crc")
    }
    let outcome = try await Tool.run(
      ["merge", "--dry-run", "--json"] + counts.indices.map { scratch.path("\($0)/kv") } + .clock)
    let choices = try outcome.objects("choice")
    let sorted = counts.sorted(by: >)
    let only = choices.filter { $0["basis"]?.string == "only" }
    #expect(
      only.map { $0["offset"]?.integer } == (sorted[0] > sorted[1] ? [sorted[1]] : []),
      "\(outcome.testDescription)")
    #expect(only.allSatisfy { $0["length"]?.integer == sorted[0] - sorted[1] })
  }
}
