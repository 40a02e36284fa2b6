import Foundation
import Testing

/// Comparing the stores of two folders or archives.
struct CompareTreeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func store(_ lines: String..., at place: String) async throws {
    let folder = (place as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(
      atPath: scratch.path(folder), withIntermediateDirectories: true)
    let script = try scratch.write(
      Array((lines.joined(separator: "\n") + "\n").utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path(place)])
    #expect(made.status == 0, "\(made.testDescription)")
  }

  /// Makes two trees with a store that was changed, one that is only in the first, one that is only in
  /// the second, and one that is the same.
  private func trees() async throws {
    try await store("format mmkv", "string a one", "string b two", at: "old/files/mmkv")
    try await store("format mmkv", "string a other", "string c three", at: "new/files/mmkv")
    try await store("format fastkv-apple", "string x y", at: "old/gone")
    try await store("format fastkv-android", "string x y", "string z 1", at: "new/added")
    for tree in ["old", "new"] {
      try await store("format mmkv", "string same value", at: "\(tree)/same")
    }
  }

  private func changes(_ outcome: Outcome) throws -> [String?] {
    try outcome.objects("store_difference").map {
      "\($0["change"]?.string ?? "") \($0["path"]?.string ?? "")"
    }
  }

  /// Tests an archive that ends early, in place of a store that one tree has and the other has not, and
  /// alone: what cannot be read was neither added nor removed.
  @Test func whatCannotBeReadIsNotADifference() async throws {
    try await store("format mmkv", "string a one", at: "old/files")
    _ = try scratch.write(
      Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 30), to: "x.zip")
    for (first, second) in [("old", "x.zip"), ("x.zip", "old"), ("x.zip", "x.zip")] {
      let compared = try await Tool.run(["compare", "--json", first, second], in: scratch.path)
      #expect(compared.status == 8, "\(compared.testDescription)")
      let changes = try changes(compared)
      #expect(!changes.contains { $0?.contains("x.zip") ?? false }, "\(changes)")
      let failures = try compared.objects("failure")
      #expect(failures.count >= (first == second ? 2 : 1), "\(compared.testDescription)")
      #expect(failures.allSatisfy { $0["path"]?.string?.hasPrefix("x.zip") ?? false })
      #expect(compared.errors.contains("x.zip"), "\(compared.testDescription)")
      #expect(!compared.errors.contains("x.zip: cannot read x.zip"))
    }
  }

  /// Tests preferences that were overwritten with zeros: nothing is in them, which is a difference.
  @Test func aFileOfZerosIsComparedAndRepaired() async throws {
    for (tree, bytes) in [
      ("old", Array(#"<map><int name="n" value="1" /></map>"#.utf8)),
      ("new", [UInt8](repeating: 0, count: 200)),
    ] {
      try FileManager.default.createDirectory(
        atPath: scratch.path("\(tree)/shared_prefs"), withIntermediateDirectories: true)
      _ = try scratch.write(bytes, to: "\(tree)/shared_prefs/p.xml")
      _ = try scratch.write(
        Array(#"<map><int name="m" value="2" /></map>"#.utf8), to: "\(tree)/shared_prefs/q.xml")
    }
    let compared = try await Tool.run(["compare", "--json", "old", "new"], in: scratch.path)
    #expect(compared.status == 4, "\(compared.testDescription)")
    #expect(try changes(compared) == ["changed new/shared_prefs/p.xml"])
    #expect(try compared.objects("difference").map { $0["key"]?.string } == ["n"])
    let repaired = try await Tool.run(["repair", "new", "-y", "--out", "fixed"], in: scratch.path)
    #expect(repaired.status == 5, "\(repaired.testDescription)")
    #expect(scratch.names(in: "fixed/shared_prefs") == ["p.xml", "q.xml"])
  }

  @Test func storesAreAddedRemovedAndChanged() async throws {
    try await trees()
    let compared = try await Tool.run(["compare", "--json", "old", "new"], in: scratch.path)
    #expect(compared.status == 0, "\(compared.testDescription)")
    let changes = try changes(compared)
    #expect(changes.count == 3, "\(changes)")
    #expect(changes.contains("changed new/files/mmkv/kv"))
    #expect(changes.contains { $0?.hasPrefix("removed old/gone/") ?? false })
    #expect(changes.contains { $0?.hasPrefix("added new/added/") ?? false })
    let keys = try compared.objects("difference").map {
      "\($0["change"]?.string ?? "") \($0["key"]?.string ?? "")"
    }
    #expect(keys == ["changed a", "added c", "removed b"])
    let totals = try compared.objects("totals").first
    for (change, count) in [
      ("added", 1), ("removed", 1), ("changed", 1), ("same", 1), ("failed", 0),
    ] {
      #expect(totals?[change]?.integer == count, "\(change)")
    }
    let strict = try await Tool.run(["compare", "--exit-code", "old", "new"], in: scratch.path)
    #expect(strict.status == 1)
    #expect(strict.output.contains("Stores: 1 added, 1 removed, 1 changed, 1 same"))
    let same = try await Tool.run(["compare", "--exit-code", "old", "old"], in: scratch.path)
    #expect(same.status == 0)
    #expect(same.output == "Stores: 3 same\n")
  }

  #if Archives
    @Test func anArchiveHasTheSamePlaces() async throws {
      try await trees()
      let packed = try await Tool.shell("tar -C new -czf new.tgz .", in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      let same = try await Tool.run(
        ["compare", "--exit-code", "new.tgz", "new"], in: scratch.path)
      #expect(same.status == 0, "\(same.testDescription)")
      #expect(same.output == "Stores: 3 same\n")
      let compared = try await Tool.run(["compare", "--json", "old", "new.tgz"], in: scratch.path)
      #expect(try changes(compared).count == 3)
    }

    @Test func storesOfArchivesInTheFoldersAreCompared() async throws {
      try await trees()
      for tree in ["old", "new"] {
        let packed = try await Tool.shell(
          "mkdir packs-\(tree); tar -C \(tree) -czf packs-\(tree)/all.tgz .", in: scratch.path)
        #expect(packed.status == 0, "\(packed.testDescription)")
      }
      let folders = try await Tool.run(["compare", "old", "new"], in: scratch.path)
      let packs = try await Tool.run(["compare", "packs-old", "packs-new"], in: scratch.path)
      #expect(packs.status == 0, "\(packs.testDescription)")
      #expect(packs.output.contains("Stores: 1 added, 1 removed, 1 changed, 1 same"))
      #expect(
        packs.output.replacing("packs-old/all.tgz!", with: "old/")
          .replacing("packs-new/all.tgz!", with: "new/") == folders.output)
    }

    @Test(arguments: [["compare", "app"], ["convert", "--to", "json", "--out", "new"]])
    func whyAStoreInAnArchiveCannotBeReadIsSaid(arguments: [String]) async throws {
      try await store("format mmkv", "string a one", at: "kept")
      let packed = try await Tool.shell(
        """
        python3 - <<'END'
        import os, zipfile
        os.mkdir("app")
        with zipfile.ZipFile("app/in.zip", "w") as file: file.write("kept/kv", "kv")
        bytes = bytearray(open("app/in.zip", "rb").read())
        for mark, offset in ((b"PK\\3\\4", 6), (b"PK\\1\\2", 8)):
          bytes[bytes.index(mark) + offset] |= 1
        open("app/in.zip", "wb").write(bytes)
        END
        """, in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      let outcome = try await Tool.run(arguments + ["app"], in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("app/in.zip!kv: it is encrypted"), "\(outcome.errors)")
    }
  #endif

  @Test func whatIsDamagedIsComparedAndSaid() async throws {
    try await trees()
    let path = "new/files/mmkv/kv"
    var bytes = try scratch.bytes(of: path)
    bytes[9] ^= 0xff
    _ = try scratch.write(bytes, to: path)
    let compared = try await Tool.run(["compare", "old", "new"], in: scratch.path)
    #expect(compared.status == 4, "\(compared.testDescription)")
    let empty = try scratch.makeFolder("empty")
    let all = try await Tool.run(["compare", "old", empty], in: scratch.path)
    #expect(all.status == 0, "\(all.testDescription)")
    #expect(all.output.contains("Stores: 3 removed"))
  }
}
