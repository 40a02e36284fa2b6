import Foundation
import Testing

/// Running `fixture make`, `script` and `crashes` as a user does.
struct ScriptFixtureTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func script(_ text: String) throws -> String {
    try scratch.write(Array(text.utf8), to: "app.script")
  }

  /// Makes a store by `script`, expects that it is as expected, and returns the path of the
  /// expectations.
  private func expectations(of script: String) async throws -> String {
    let expected = scratch.path("expected.jsonl")
    let made = try await Tool.run([
      "fixture", "make", script, "--out", scratch.path("store"), "--expected", expected,
    ])
    #expect(made.status == 0, "\(made.testDescription)")
    let check = try await Tool.run(["check", "--expect", expected, scratch.path("store")])
    #expect(check.status == 0, "\(check.testDescription)")
    return expected
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
    // The same seed makes the same bytes, and another seed another prefix.
    for (name, seed) in [("same", "5"), ("other", "6")] {
      let again = try await Tool.run([
        "fixture", "make", script, "--out", scratch.path(name), "--seed", seed,
      ])
      #expect(again.status == 0, "\(again.testDescription)")
      #expect(
        try (scratch.bytes(of: "\(name)/kv") == scratch.bytes(of: "store/kv")) == (name == "same"))
    }
  }

  /// Tests the formats whose entries have no bytes of their own, and an engine that brings cleared
  /// entries back.
  @Test(arguments: [
    "sharedprefs", "datastore", "plist", "plist-xml", "asyncstorage", "fastkv-apple",
    "fastkv-android",
  ])
  func aStoreOfEveryFormatIsAsExpected(format: String) async throws {
    let isApple = format == "fastkv-apple"
    let types = format == "asyncstorage" ? "" : "bool on 1\nint32 n -7\n"
    let script = try script(
      "format \(format)\nstring token abc\n\(types)string gone x\n"
        + (isApple ? "clearall\nstring b 2\n" : "remove gone\nstring b <2>\n"))
    let expected = try await expectations(of: script)
    let lines = try String(contentsOfFile: expected, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0.contains(#""key":"token""#) })
    #expect(lines.contains { $0.contains(#""key":"gone""#) } == isApple)
    // A value of another bit is not as expected.
    let other = try scratch.write(
      lines.joined(separator: "\n").replacing("abc", with: "abd")
        .replacing("616263", with: "616264").utf8, to: "other.jsonl")
    let unmet = try await Tool.run(["check", "--expect", other, scratch.path("store")])
    #expect(unmet.status == 4, "\(unmet.testDescription)")
  }

  /// Tests texts of which the engine reads less than it has stored.
  @Test func whatIsStoredIsExpectedWhereTheEngineReadsLess() async throws {
    let script = try script("format fastkv-apple\nstring a こんにちは\nstring b Привет\nopen\n")
    _ = try await expectations(of: script)
  }

  @Test func anEmptyStoreIsAsExpected() async throws {
    let script = try script("string token abc\nremove token\n")
    let expected = try await expectations(of: script)
    let filled = try self.script("string token abc\n")
    _ = try await Tool.run(["fixture", "make", filled, "--out", scratch.path("filled")])
    let other = try await Tool.run(["check", "--expect", expected, scratch.path("filled")])
    #expect(other.status == 4, "\(other.testDescription)")
  }

  /// Tests the order in which entries with expiry times are written.
  ///
  /// The expected bytes are those of MMKV v2.4.2, built with libstdc++. After the prefix, the
  /// entries are in the order of its hash table. The lifetime is forgotten when the store is
  /// reopened.
  @Test func timesOfExpiryComeInTheOrderOfTheEngine() async throws {
    let script = try script(
      """
      start 1760000000
      string alpha a
      string beta b
      int32 gamma 3
      string delta d
      int32 epsilon 5
      string zeta z
      enableexpire 100
      open
      string eta e
      """)
    let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.testDescription)")
    let expected =
      "07657073696c6f6e05056478e7680567616d6d6105036478e768047a65746106017a6478e768046265746106"
      + "01626478e7680564656c74610601646478e76805616c7068610601616478e7680365746106016500000000"
    let bytes = try scratch.bytes(of: "store/kv")
    let text = bytes[8..<8 + expected.utf8.count / 2]
      .map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    #expect(text == expected)
  }

  #if Encryption
    /// Tests that the same long key counts as a new key each time.
    ///
    /// The engine keeps 16 bytes of a key and compares them with the complete new key. So the first
    /// 16 bytes count as the same key.
    @Test(arguments: [("kkkkkkkkkkkkkkkkkkkk", 3), ("kkkkkkkkkkkkkkkk", 2)])
    func aLongKeyIsAnotherOneEachTime(key: String, sequence: Int) async throws {
      let script = try script(
        "string alpha a\nrekey \(key)\nrekey \(key)\nrekey kkkkkkkkkkkkkkkk\n")
      let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
      #expect(made.status == 0, "\(made.testDescription)")
      #expect(Int(try scratch.bytes(of: "store/kv.crc")[8]) == sequence)
    }
  #endif

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

  @Test func aSampleOfTheStatesHasAnswerKeys() async throws {
    let script = try script("string a one\nint32 b 7\nstring a two\nremove b\n")
    let outcome = try await Tool.run([
      "fixture", "crashes", script, "--keep", scratch.path("kept"), "--sample", "5",
    ])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let names = try #require(scratch.names(in: "kept"))
    #expect(names.count > 5 && names.allSatisfy { $0.hasPrefix("sample-") })
    var values: Set<String?> = []
    for name in names {
      let text = try scratch.bytes(of: "kept/\(name)/answer.json")
      let answer = try JSON(parsing: String(decoding: text, as: UTF8.self))
      let store = try #require(answer["store"]?.string)
      let dump = try await Tool.run(["dump", "--json", scratch.path("kept/\(name)/\(store)")])
      for line in dump.lines {
        let entry = try JSON(parsing: line)
        guard entry["type"]?.string == "entry", let key = entry["key_hex"]?.string else { continue }
        let acceptable = answer["acceptable"]?[key]?.array?.map(\.string) ?? []
        #expect(acceptable.contains(entry["raw_hex"]?.string), "\(name): \(line)")
        values.formUnion(acceptable)
      }
    }
    // The older and the newer text, the number, and that a key may be absent.
    #expect(values.count == 4, "\(values)")
  }

  #if Encryption
    @Test func theStatesOfAProblemAreKept() async throws {
      // The single entry of an encrypted store is overwritten, first in the clear.
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
