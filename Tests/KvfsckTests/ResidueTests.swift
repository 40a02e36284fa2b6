import Foundation
import GRDB
import Testing

/// Finding what is left of removed and replaced values.
struct ResidueTests {
  private static let secrets = [
    (key: "accessToken", value: "q7Xz9-aB3kLm0PwR5tYu8v", kind: "token"),
    (key: "password", value: "correct-horse", kind: "password"),
    (key: "mail", value: "mia@example.org", kind: "email"),
    (key: "note", value: "just-a-note", kind: ""),
  ]

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a store in which the secrets were removed, and one of them was replaced.
  private func store(_ format: String) async throws {
    let sets = Self.secrets.map { "string \($0.key) \($0.value)" }
    let removals = Self.secrets.dropFirst().map { "remove \($0.key)" }
    let lines =
      ["format \(format)", "string kept live@example.org"] + sets
      + ["string accessToken another"] + removals + [""]
    let script = try scratch.write(Array(lines.joined(separator: "\n").utf8), to: "app.script")
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path(format)])
    #expect(made.status == 0, "\(made.testDescription)")
  }

  @Test(arguments: ["mmkv", "fastkv-apple", "fastkv-android"])
  func formerValuesOfLogsAreFound(format: String) async throws {
    try await store(format)
    let found = try await Tool.run(["residue", "--json", scratch.path(format)])
    #expect(found.status == 0, "\(found.testDescription)")
    let lines = try found.objects("residue")
    for secret in Self.secrets {
      let line = lines.first { $0["key"]?.string == secret.key }
      #expect(line?["kind"]?.string ?? "" == secret.kind, "\(secret.key)")
      let isReplaced = secret.key == "accessToken"
      #expect(line?["state"]?.string == (isReplaced ? "superseded" : "removed"), "\(secret.key)")
    }
    #expect(!lines.contains { $0["key"]?.string == "kept" })
    #expect(lines.count == Self.secrets.count)
    let totals = try found.objects("totals").first
    #expect(totals?["values"]?.integer == lines.count)
    // Values are shown on request only.
    #expect(!Self.secrets.contains { found.output.contains($0.value) })
    let shown = try await Tool.run(["residue", "--show", scratch.path(format)])
    #expect(Self.secrets.allSatisfy { shown.output.contains($0.value) })
    let only = try await Tool.run(["residue", "--secrets", "--json", scratch.path(format)])
    #expect(try only.objects("residue").count == Self.secrets.count - 1)
  }

  @Test func formerRowsOfDatabasesAreFound() async throws {
    let queue = try DatabaseQueue(path: scratch.path("RKStorage"))
    try await queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA secure_delete = OFF;
          CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL);
          INSERT INTO catalystLocalStorage VALUES ('kept', 'x');
          """)
      for secret in Self.secrets {
        try database.execute(
          sql: "INSERT INTO catalystLocalStorage VALUES (?, ?)",
          arguments: [secret.key, secret.value])
      }
      try database.execute(sql: "DELETE FROM catalystLocalStorage WHERE key <> 'kept'")
    }
    try queue.close()
    let found = try await Tool.run(["residue", "--json", scratch.path("RKStorage")])
    let lines = try found.objects("residue")
    #expect(Set(lines.map { $0["key"]?.string }) == Set(Self.secrets.map(\.key)))
    #expect(lines.allSatisfy { $0["state"]?.string == "removed" })
  }

  @Test func aTreeIsSearchedAndMayFail() async throws {
    for format in ["mmkv", "fastkv-apple"] { try await store(format) }
    let all = try await Tool.run(["residue", scratch.path])
    #expect(all.status == 0, "\(all.testDescription)")
    #expect(all.output.contains("8 former values in 2 of 2 stores: 2 superseded, 6 removed"))
    #expect(all.output.contains("Secrets among them: 2 token, 2 password, 2 email"))
    #expect(try await Tool.run(["residue", "--fail-on", "residue", scratch.path]).status == 4)
    #expect(try await Tool.run(["residue", "--fail-on", "secret", scratch.path]).status == 4)

    let repaired = try await Tool.run([
      "repair", scratch.path("mmkv"), "--out", scratch.path("new"),
    ])
    #expect(repaired.status == 0, "\(repaired.testDescription)")
    let none = try await Tool.run(["residue", "--fail-on", "residue", scratch.path("new")])
    #expect(none.status == 0, "\(none.testDescription)")
    #expect(none.output.contains("No former value is left"))
    for name in scratch.names(in: "new") ?? [] {
      let bytes = try Data(scratch.bytes(of: "new/\(name)"))
      for secret in Self.secrets where secret.key != "accessToken" {
        #expect(bytes.range(of: Data(secret.value.utf8)) == nil)
      }
    }
    let missing = try await Tool.run(["residue", scratch.path("nothing")])
    #expect(missing.status == 8, "\(missing.testDescription)")
  }

  /// Tests that a value which its key still has is nothing that is left, and each other one once.
  @Test(
    arguments: ["mmkv", "fastkv-apple"],
    [["a"], ["a", "b", "a"], ["a", "b", "a", "b"], ["a", "a", "b", "c", "c"]])
  func whatAKeyStillHasIsNotLeft(format: String, values: [String]) async throws {
    let sets = values.map { "string key value.\($0)\n" }.joined()
    let script = try scratch.write(
      Array("format \(format)\nstring other x\n\(sets)".utf8), to: "app.script")
    _ = try await Tool.run(["fixture", "make", script, "--out", scratch.path("kv")])
    let found = try await Tool.run(["residue", "--json", "--show", scratch.path("kv")])
    let expected = Set(values).subtracting(values.suffix(1)).map { "value.\($0)" }
    let shown = try found.objects("residue")
    #expect(shown.count == expected.count, "\(found.testDescription)")
    #expect(expected.allSatisfy { found.output.contains($0) })
  }

  /// Tests that a value which is no secret makes no run fail that asks for secrets.
  @Test(arguments: [("note", "just-a-note", Int32(0)), ("password", "correct-horse", 4)])
  func onlyASecretFailsARunThatAsksForOne(key: String, value: String, status: Int32) async throws {
    let text = "format mmkv\nstring other x\nstring \(key) \(value)\nremove \(key)\n"
    let script = try scratch.write(Array(text.utf8), to: "app.script")
    _ = try await Tool.run(["fixture", "make", script, "--out", scratch.path("kv")])
    let secret = try await Tool.run(["residue", "--fail-on", "secret", scratch.path("kv")])
    #expect(secret.status == status, "\(secret.testDescription)")
    let residue = try await Tool.run(["residue", "--fail-on", "residue", scratch.path("kv")])
    #expect(residue.status == 4, "\(residue.testDescription)")
    let none = try await Tool.run(["residue", scratch.path("kv")])
    #expect(none.status == 0, "\(none.testDescription)")
  }
}
