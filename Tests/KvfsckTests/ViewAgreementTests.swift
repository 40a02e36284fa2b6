import Foundation
import GRDB
import Testing

/// What several commands and formats say of one store, which must be the same.
struct ViewAgreementTests {
  private static let expiring = "\(Fixture.root)/mmkv/golden/old_v1_3_14_expire/kv"
  private static let unlikely = "\(Fixture.root)/mmkv/golden/crash_append_value_half/kv"
  private static let withoutValue = "\(Fixture.root)/fastkv-android/damaged/ext__ext_empty/kv.kva"
  /// A time after all of them have expired.
  private static let later = ["--now", "1900000000"]

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func run(_ arguments: [String]) async throws -> Outcome {
    try await Tool.run(arguments, in: scratch.path)
  }

  // MARK: Expiry

  /// Returns each key with whether its entry has expired, and when.
  private func expiry(_ path: String) async throws -> [String: [JSON?]] {
    let outcome = try await run(["dump", "--json", path] + Self.later)
    return Dictionary(
      uniqueKeysWithValues: try outcome.objects("entry").map {
        ($0["key_hex"]?.string ?? "", [$0["expired"], $0["expires_at"]])
      })
  }

  /// Tests that a converted entry is marked as expired, and left out like one of the store.
  @Test(arguments: ["jsonl", "json", "sqlite"])
  func expiryIsTheSameInEveryFormat(format: String) async throws {
    let file = "out.\(format)"
    let conversion = try await run(
      ["convert", "--assume-likeliest", Self.expiring, "--to", format, "--out", file] + Self.later)
    #expect(conversion.status != 8, "\(conversion.testDescription)")
    let found = try await expiry(file)
    #expect(try await found == expiry(Self.expiring))
    #expect(!found.isEmpty)
    let text = try await run(["dump", file] + Self.later)
    #expect(text.output.split(separator: "(expired ").count - 1 == found.count)
    let rest = try await run(["dump", "--drop-expired", file] + Self.later)
    #expect(rest.status == 0 && rest.output.isEmpty, "\(rest.testDescription)")
    let comparison = try await run(
      ["compare", "--drop-expired", Self.expiring, file, "--json"] + Self.later)
    #expect(try comparison.objects("difference").isEmpty, "\(comparison.testDescription)")
  }

  // MARK: Values that are missing

  /// Tests that a value whose file is empty is not shown as an empty one, which nobody stored.
  @Test func aMissingValueIsNotShownAsEmpty() async throws {
    let history = try await run(["dump", "--history", "--json", Self.withoutValue] + .clock)
    let record = try #require(
      try history.objects("record").first { $0["key"]?.string == "arr" && $0["reason"] != nil })
    let dump = try await run(["dump", "--json", Self.withoutValue] + .clock)
    let dropped = try #require(try dump.objects("dropped").first)
    for line in [record, dropped] {
      #expect(line["value"] == nil && line["likely"] == nil && line["raw_hex"]?.string == "")
      #expect(line["reason"]?.string?.contains("missing, empty or cannot be decrypted") == true)
    }
    let text = try await run(["dump", "--history", Self.withoutValue] + .clock)
    #expect(text.output.contains("live        arr  (its value is in the file "))
    let map = try await run(["map", Self.withoutValue] + .clock)
    #expect(map.output.contains("live put: arr, without its value"), "\(map.testDescription)")
    let conversion = try await run(
      ["convert", Self.withoutValue, "--to", "sqlite", "--out", "out.sqlite"] + .clock)
    #expect(conversion.status != 8, "\(conversion.testDescription)")
    let database = try DatabaseQueue(path: scratch.path("out.sqlite"))
    let count = try await database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM records WHERE key = 'arr' AND raw IS NULL")
    }
    #expect(count == 1)
  }

  #if Encryption
    /// Tests that the name of its file, which the record has in place of the value, is hidden with values.
    @Test(arguments: [["--history"], ["--history", "--json"], ["--json"]])
    func theNameOfAMissingFileIsHidden(options: [String]) async throws {
      let store = "\(Fixture.root)/fastkv-android/damaged/ext__ext_missing/kv.kva"
      let open = try await run(["dump", "--json", store] + .clock)
      let reason = try open.objects("dropped").first?["reason"]?.string ?? ""
      let name = try #require(
        reason.split(separator: " ").first { $0.utf8.count == 33 }?.dropLast())
      let dump = try await run(["dump", "--redact"] + options + [store] + .clock)
      #expect(!dump.output.contains(name), "\(dump.testDescription)")
      #expect(dump.output.contains("its value is in a file that is missing or cannot be read"))
      if options == ["--json"] { return }
      #expect(!dump.output.contains("[bytes, 0 bytes"), "\(dump.testDescription)")
    }
  #endif

  /// Tests that the prediction counts the key, although the state has no entry for it.
  @Test func aMissingValueIsLost() async throws {
    let check = try await run(["check", "--json", Self.withoutValue] + .clock)
    let state = try #require(try check.objects("state").first)
    let prediction = try #require(try check.objects("prediction").first)
    #expect(state["entries"]?.integer == 4)
    #expect(prediction["lost"]?.integer == 1 && prediction["keys"]?.integer == 4)
  }

  /// Tests a text that the engine reads as nil, as it was cut within a character.
  @Test func whatTheEngineReadsOtherwiseIsAGuess() async throws {
    let store = "\(Fixture.root)/fastkv-apple/golden/nonascii_written/store.fkv"
    let dump = try await run(["dump", "--like-engine", "--json", store] + .clock)
    let guesses = try dump.objects("entry").filter { $0["evidence"]?.string == "guess" }
    let keys = guesses.compactMap { $0["key"]?.string }
    #expect(keys == ["emoji", "mix"], "\(dump.testDescription)")
  }

  // MARK: Counts

  /// Tests that a sound store has no guesses, whatever the command.
  @Test func aSoundStoreIsCountedAlike() async throws {
    for command in [["check"], ["dump"], ["dump", "--history"], ["map"]] {
      let outcome = try await run(command + ["--json", Self.unlikely] + .clock)
      let summary = try #require(try outcome.objects("summary").first)
      #expect(summary["entries"]?.integer == 14 && summary["guesses"] == nil, "\(command)")
    }
  }

  /// Tests that who asks for likely entries gets no others from a sound store either; a repair keeps it
  /// whole.
  @Test func unlikelyEntriesOfASoundStoreCanBeLeftOut() async throws {
    let limit = ["--min-confidence", "0.9"]
    let dump = try await run(["dump", "--json", Self.unlikely] + limit + .clock)
    #expect(try dump.objects("entry").count == 13)
    let conversion = try await run(
      ["convert", Self.unlikely, "--to", "jsonl", "--out", "out.jsonl", "--json"] + limit + .clock)
    #expect(conversion.output.contains("convert.left-out"), "\(conversion.testDescription)")
    let whole = try await run(
      ["convert", Self.unlikely, "--to", "jsonl", "--out", "all.jsonl"] + .clock)
    #expect(!whole.errors.contains("convert.left-out"), "\(whole.testDescription)")
    let repair = try await run(
      ["repair", "-y", "--dry-run", "--plain", "--json", Self.unlikely] + limit + .clock)
    #expect(try repair.objects("entry").count == 14, "\(repair.testDescription)")
  }

  /// Tests that `check` and `dump` of a folder print the totals of `scan`.
  @Test func theTotalsOfAFolderAreTheSame() async throws {
    _ = try scratch.makeFolder("app")
    for name in ["app/one", "app/two"] { _ = try scratch.copy(.clean, to: name) }
    _ = try scratch.write(Array("No store at all.".utf8), to: "app/notes.txt")
    let scan = try await run(["scan", "--json", "app"] + .clock)
    let totals = try #require(try scan.objects("totals").first)
    #expect(totals["others"]?.integer == 1)
    for command in ["check", "dump"] {
      let outcome = try await run([command, "--json", "app"] + .clock)
      #expect(outcome.output == scan.output, "\(outcome.testDescription)")
    }
    let text = try await run(["check", "app"] + .clock)
    #expect(!text.output.contains("of no known format"), "\(text.testDescription)")
  }
}
