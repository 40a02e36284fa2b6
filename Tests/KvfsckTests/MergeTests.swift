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

  // MARK: Copies with other entries

  /// Makes a store of `format` with the operations of `script`, and returns its folder.
  private func store(
    _ script: String, _ name: String, _ format: String, in scratch: Scratch
  ) async throws -> String {
    let path = try scratch.write(
      Array("format \(format)\n\(script)".utf8), to: "\(name).script")
    let made = try await Tool.run(["fixture", "make", path, "--out", scratch.path(name)])
    #expect(made.status == 0, "\(made)")
    return scratch.path(name)
  }

  /// Merges `copies`, and returns the status, the notes, and the entries of the new store by key.
  private func merged(
    _ copies: [String], in scratch: Scratch
  ) async throws -> (status: Int32?, notes: String, lines: [String]) {
    let out = scratch.path("out\(Int.random(in: 0 ... .max))")
    let merge = try await Tool.run(["merge"] + copies + ["--out", out] + .clock)
    let dump = try await Tool.run(["dump", out] + .clock)
    return (
      merge.status, merge.errors, dump.output.split(separator: "\n").map(String.init).sorted()
    )
  }

  @Test(
    "keeps newer entries if the fields of the newer copy are damaged", arguments: [false, true])
  func damagedFieldsOfTheNewerCopy(isNewerFirst: Bool) async throws {
    for (format, file, offset) in [("mmkv", "kv.crc", 28), ("fastkv-apple", "kv", 10)] {
      let scratch = try Scratch()
      let script = "string a one\nstring b two\nstring c three\n"
      let old = try await store(script, "old", format, in: scratch)
      let new = try await store(
        script + "string a newer\nstring d four\n", "new", format, in: scratch)
      var bytes = try scratch.bytes(of: "new/\(file)")
      bytes.replaceSubrange(offset..<offset + 2, with: [0, 0])
      _ = try scratch.write(bytes, to: "new/\(file)")
      let result = try await merged(isNewerFirst ? [new, old] : [old, new], in: scratch)
      // Without a length, FastKV's log is one that was emptied: the older copy may be what is wanted.
      let isSaid = result.status == 5 && result.notes.contains("that the new store lacks")
      if format == "mmkv" {
        #expect(result.lines.contains { $0.hasPrefix("a = string \"newer\"") }, "\(result)")
        #expect(result.lines.contains { $0.hasPrefix("d = string \"four\"") }, "\(result)")
        #expect(result.lines.count == 4, "\(result)")
      } else {
        #expect(isSaid, "\(result)")
      }
    }
  }

  @Test("takes the last of two whole copies that were changed in place, and says so")
  func wholeCopiesChangedInPlace() async throws {
    let scratch = try Scratch()
    let script = "string a one\nstring b two\nstring c three\n"
    let format = "fastkv-android"
    let one = try await store(script, "one", format, in: scratch)
    let other = try await store(script + "string c seven\n", "other", format, in: scratch)
    for (copies, value) in [([one, other], "seven"), ([other, one], "three")] {
      let result = try await merged(copies, in: scratch)
      #expect(result.status == 5, "\(result)")
      #expect(result.notes.contains("has 1 entry that the new store lacks"), "\(result)")
      #expect(result.lines.contains { $0.hasPrefix("c = string \"\(value)\"") }, "\(result)")
    }
    let removed = try await store(script + "remove b\n", "removed", format, in: scratch)
    let result = try await merged([one, removed], in: scratch)
    #expect(result.lines.count == 2, "\(result)")
  }

  @Test(
    "says that a copy is of another store", arguments: ["mmkv", "fastkv-android", "fastkv-apple"])
  func copiesOfOtherStores(format: String) async throws {
    let scratch = try Scratch()
    let one = try await store(
      "string one hello\nstring two world\nstring three again\n", "one", format, in: scratch)
    let other = try await store(
      "string q1 A1\nstring q2 B22\nstring q3 C333\n", "other", format, in: scratch)
    for copies in [[one, other], [other, one]] {
      let result = try await merged(copies, in: scratch)
      #expect(result.status == 5, "\(result)")
      #expect(result.lines.count == 3, "\(result)")
      #expect(
        result.notes.contains("has 3 entries that the new store lacks")
          || result.notes.contains("several copies are whole"), "\(result)")
    }
  }
}
