import Foundation
import Testing

/// `fixture make`, `script` and `crashes` as a user runs them.
@Suite(.timeLimit(.minutes(30)))
struct ScriptFixtureTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func script(_ text: String) throws -> String {
    try scratch.write(Array(text.utf8), to: "app.script")
  }

  @Test func aStoreIsMadeThatIsCleanAndAsExpected() async throws {
    let script = try script("string token abc\nint32 n 1\nint32 n 2\nremove token\nvec names a b\n")
    let made = try await Tool.run([
      "fixture", "make", script, "--out", scratch.path("store"), "--expected",
      scratch.path("expected.jsonl"), "--seed", "5",
    ])
    #expect(made.status == 0, "\(made.testDescription)")
    #expect(made.lines.first == "5 operations, 2 entries, format mmkv")
    #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
    let check = try await Tool.run(
      ["check", "--expect", scratch.path("expected.jsonl"), scratch.path("store")])
    #expect(check.status == 0, "\(check.testDescription)")
    // The same seed makes the same bytes, another one another prefix.
    for (name, seed) in [("same", "5"), ("other", "6")] {
      let again = try await Tool.run([
        "fixture", "make", script, "--out", scratch.path(name), "--seed", seed,
      ])
      #expect(again.status == 0, "\(again.testDescription)")
      #expect(
        try (scratch.bytes(of: "\(name)/kv") == scratch.bytes(of: "store/kv")) == (name == "same"))
    }
  }

  @Test func theFilesAfterEachOperationAreWritten() async throws {
    let script = try script("format fastkv-android\nint32 n 1\nint32 n 2\nremove n\n")
    let made = try await Tool.run([
      "fixture", "make", script, "--each", "--out", scratch.path("each"),
    ])
    #expect(made.status == 0, "\(made.testDescription)")
    #expect(scratch.names(in: "each") == ["1", "2", "3"])
    for (number, entries) in [("1", "1 entry"), ("2", "1 entry"), ("3", "0 entries")] {
      let check = try await Tool.run(["check", scratch.path("each/\(number)/kv.kva")])
      #expect(check.status == 0, "\(check.testDescription)")
      #expect(check.lines.first?.contains("clean, \(entries)") == true, "\(check.output)")
    }
  }

  @Test func whatCannotBeMadeIsSaidWithItsLine() async throws {
    let script = try script("format fastkv-apple\nint32 n 1\nenableexpire 5\n")
    let refused = try await Tool.run([
      "fixture", "make", script, "--out", scratch.path("store"),
    ])
    #expect(refused.status == 16, "\(refused.testDescription)")
    #expect(refused.errors.contains("app.script:3: "))
    #expect(scratch.names(in: "store") == nil)
    let folder = try scratch.makeFolder("taken")
    _ = try scratch.write([1], to: "taken/kv")
    let taken = try await Tool.run([
      "fixture", "make", try self.script("int32 n 1\n"), "--out", folder,
    ])
    #expect(taken.status == 8, "\(taken.testDescription)")
    #expect(scratch.names(in: "taken") == ["kv"])
    #expect(try scratch.bytes(of: "taken/kv") == [1])
  }

  @Test func aScriptIsStoppedAtEveryMoment() async throws {
    let printed = try await Tool.run([
      "fixture", "script", "--format", "fastkv-apple", "--operations", "20", "--seed", "3",
    ])
    #expect(printed.status == 0, "\(printed.testDescription)")
    let script = try script("capacity 4096\n" + printed.output)
    let outcome = try await Tool.run(["fixture", "crashes", script, "--json"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let lines = try outcome.lines.map { try JSON(parsing: $0) }
    let kills = try #require(lines.first { $0["cause"]?.string == "killed" })
    #expect(kills["operations"]?.integer == 20)
    #expect(kills["invented"]?.integer == 0)
    #expect((kills["states"]?.integer ?? 0) > 60)
    let engine = lines.filter { $0["type"]?.string == "engine-crashes" }
    #expect(engine.count == 4)
  }

  #if Encryption
    @Test func theStatesOfAProblemAreKept() async throws {
      // The lone entry is written over under a cipher, first in the clear.
      let script = try script(
        "key secret\nstring a \(String(repeating: "x", count: 30))\nint32 a 7\n")
      let outcome = try await Tool.run([
        "fixture", "crashes", script, "--keep", scratch.path("kept"),
      ])
      let problems = outcome.lines.filter { $0.contains(": line ") }
      #expect(!problems.isEmpty)
      #expect(outcome.status == 4, "\(outcome.testDescription)")
      #expect(scratch.names(in: "kept")?.count == problems.count)
    }
  #endif
}
