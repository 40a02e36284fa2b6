import Foundation
import Testing

/// Overwriting what earlier logs have left in a store.
struct WipeTests {
  private static let secret = "a-secret-token-0123456789"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a store that was written anew after the secret was removed, and returns its path.
  private func store(_ format: String, _ settings: String = "", ending: String) async throws
    -> String
  {
    let updates = (0..<60).map { "string a \(String(repeating: "\($0 % 10)", count: 900))" }
    let text =
      "format \(format)\n\(settings)\nstring keep this\n" + updates.joined(separator: "\n")
      + "\nstring token \(Self.secret)\nremove token\nstring a short\n\(ending)\n"
    let script = try scratch.write(Array(text.utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path("store")
  }

  private func hasSecret() throws -> Bool {
    try (scratch.names(in: "store") ?? []).contains {
      try Data(scratch.bytes(of: "store/\($0)")).range(of: Data(Self.secret.utf8)) != nil
    }
  }

  private func former(_ store: String, _ key: [String]) async throws -> Int {
    try await Tool.run(["dump", "--json", "--history", store] + key).objects("record").count {
      $0["state"]?.string != "live"
    }
  }

  /// Tests a store of which one copy is older: what `wipe` says is left is what `residue` finds.
  @Test func formerValuesInAnotherCopyAreLeft() async throws {
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-android/golden/nb_then_sync_read_nb",
      toPath: scratch.path("store"))
    let file = scratch.path("store/kv.kva")
    let found = try await Tool.run(["residue", "--json", "--show", file])
    let count = try found.objects("residue").count
    #expect(count == 1, "\(found.testDescription)")
    let wiped = try await Tool.run(["wipe", "--json", "-y", file])
    #expect(try wiped.objects("wiped").first?["left"]?.integer == count)
    #expect(wiped.status == 4, "\(wiped.testDescription)")
  }

  /// Tests a store whose copies have the same former values, of which only those of one are overwritten.
  @Test func formerValuesInBothCopiesAreLeftInOne() async throws {
    let text =
      "format fastkv-android\nmode nb\nstring token \(Self.secret)\nstring b secret2\nclearall\n"
    let script = try scratch.write(Array(text.utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.testDescription)")
    let wiped = try await Tool.run(
      ["wipe", "--json", "-y", "--forget", scratch.path("store/kv.kva")])
    let found = try await Tool.run(["residue", "--json", "--show", scratch.path("store/kv.kva")])
    let count = try found.objects("residue").count
    #expect(try wiped.objects("wiped").first?["left"]?.integer == count)
    #expect(wiped.status == (count > 0 ? 4 : 0), "\(wiped.testDescription)")
    #expect(try hasSecret() == (count > 0))
  }

  @Test(arguments: ["", "key 0123456789abcdef"])
  func nothingIsLeftAfterTheLog(settings: String) async throws {
    #if !Encryption
      guard settings.isEmpty else { return }
    #endif
    let key = settings.isEmpty ? [] : ["--key", "0123456789abcdef"]
    let store = try await store("mmkv", settings, ending: "fullwriteback")
    #expect(try hasSecret() == settings.isEmpty)
    #expect(try await former(store, key) > 0)
    let before = try scratch.bytes(of: "store/kv")
    let meta = try scratch.bytes(of: "store/kv.crc")
    let entries = try await Tool.run(["dump", store] + key)

    let shown = try await Tool.run(["wipe", "--dry-run", store] + key)
    #expect(shown.status == 4, "\(shown.testDescription)")
    #expect(try scratch.bytes(of: "store/kv") == before)
    let unasked = try await Tool.run(["wipe", store] + key)
    #expect(unasked.status == 16, "\(unasked.testDescription)")
    #expect(try scratch.bytes(of: "store/kv") == before)

    let wiped = try await Tool.run(["wipe", "--yes", "--json", store] + key)
    #expect(wiped.status == 0, "\(wiped.testDescription)")
    let line = try wiped.objects("wiped").first
    #expect(line?["bytes"]?.integer ?? 0 > 0)
    #expect(try !hasSecret())
    #expect(try await former(store, key) == 0)
    let after = try scratch.bytes(of: "store/kv")
    #expect(after.count == before.count)
    // Only bytes after the log have changed, and those to zero.
    let count = Int(meta[28]) + Int(meta[29]) << 8
    #expect(after.prefix(4 + count) == before.prefix(4 + count))
    #expect(after.dropFirst(4 + count).allSatisfy { $0 == 0 })
    #expect(try scratch.bytes(of: "store/kv.crc") == meta)
    #expect(try await Tool.run(["dump", store] + key).output == entries.output)
    let again = try await Tool.run(["wipe", "-y", store] + key)
    #expect(again.status == 0 && again.output.contains("Nothing is left"))
  }

  @Test func theLogOfFastKVIsKept() async throws {
    let store = try await store("fastkv-apple", ending: "open")
    let before = try await Tool.run(["dump", "--json", store])
    let wiped = try await Tool.run(["wipe", "--yes", "--json", store])
    #expect([0, 4].contains(wiped.status), "\(wiped.testDescription)")
    #expect(try wiped.objects("wiped").first?["bytes"]?.integer ?? 0 > 0)
    let after = try await Tool.run(["dump", "--json", store])
    #expect(try after.objects("entry") == before.objects("entry"))
    let records = try await Tool.run(["dump", "--json", "--history", store]).objects("record")
    #expect(!records.contains { $0["state"]?.string == "slack" })
  }

  @Test func formerValuesInTheLogAreCounted() async throws {
    let store = try await store("mmkv", ending: "string a other")
    let wiped = try await Tool.run(["wipe", "-y", store])
    #expect(wiped.status == 4, "\(wiped.testDescription)")
    #expect(wiped.output.contains("former values are left in the log itself"))
    let repaired = try await Tool.run(["repair", store, "--out", scratch.path("new")])
    #expect(repaired.status == 0, "\(repaired.testDescription)")
    #expect(
      try Data(scratch.bytes(of: "new/kv")).range(of: Data(Self.secret.utf8)) == nil)
  }

  #if Encryption
    @Test func theLogOfEvidenceHasWhatWasOverwritten() async throws {
      let store = try await store("mmkv", ending: "fullwriteback")
      let wiped = try await Tool.run(["wipe", "-y", store, "--evidence", scratch.path("log")])
      #expect(wiped.status == 0, "\(wiped.testDescription)")
      let lines = try String(decoding: scratch.bytes(of: "log/evidence.jsonl"), as: UTF8.self)
        .split(separator: "\n").map { try JSON(parsing: $0) }
      let output = lines.filter { $0["type"]?.string == "output" }
      #expect(output.map { $0["path"]?.string } == [store + "/kv"])
      let sum = try await Tool.run("sha256sum", [store + "/kv"]).output
      #expect(output.first?["sha256"]?.string == String(sum.prefix(64)))
    }
  #endif

  @Test func aDamagedStoreIsLeftAsItIs() async throws {
    let path = try scratch.copy(.lossy)
    let before = try FolderState(of: path)
    let wiped = try await Tool.run(["wipe", "-y", path])
    #expect(wiped.status == 8, "\(wiped.testDescription)")
    #expect(wiped.errors.contains("repair it first"))
    #expect(try FolderState(of: path) == before)
  }

  @Test func onlyFilesOnTheDiskAreWiped() async throws {
    let store = try await store("mmkv", ending: "fullwriteback")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: store + "/kv")
    let before = try scratch.bytes(of: "store/kv")
    let link = try await Tool.run(["wipe", "-y", scratch.path("link")])
    #expect(link.status == 8, "\(link.testDescription)")
    let input = try await Tool.run(["wipe", "-y", "-"])
    #expect(input.status == 16, "\(input.testDescription)")
    #expect(try scratch.bytes(of: "store/kv") == before)
  }

  /// Tests that bytes after the log that may be newer than it, or were it before the store was emptied,
  /// are not overwritten unawares.
  @Test(arguments: [
    "crash_append_before_meta", "clearall_keepspace", "all_types",
  ])
  func whatCouldBeRecoveredIsKept(fixture: String) async throws {
    let folder = try scratch.makeFolder("store")
    for name in ["kv", "kv.crc"] {
      try FileManager.default.copyItem(
        atPath: "Fixtures/mmkv/golden/\(fixture)/\(name)", toPath: "\(folder)/\(name)")
    }
    let before = try scratch.bytes(of: "store/kv")
    let wiped = try await Tool.run(["wipe", "-y", folder])
    guard fixture != "all_types" else {
      #expect(wiped.status != 8, "\(wiped.testDescription)")
      return
    }
    #expect(wiped.status == 8, "\(wiped.testDescription)")
    #expect(wiped.errors.contains("--forget"))
    #expect(try scratch.bytes(of: "store/kv") == before)
    let forgotten = try await Tool.run(["wipe", "-y", "--forget", folder])
    #expect(try [0, 4].contains(#require(forgotten.status)), "\(forgotten.testDescription)")
    #expect(try scratch.bytes(of: "store/kv") != before)
  }
}
