import Testing

#if Encryption
  import Crypto
  import Foundation
#endif

/// The guarantees of `--json` for programs.
struct JSONReportTests {
  private static let commands = [["check"], ["dump"], ["dump", "--history"], ["map"]]
  private static let fixtures =
    [
      Fixture.clean, .lossy, .repairable, .expiring, .emptied, .encrypted,
      Fixture("golden/binary_keys"),
    ].map(\.name) + ["mmkv/damaged/data_missing_fwb/kv.crc", "mmkv/damaged/crc_missing_small/kv"]
  private static let files = ["data", "meta", "copyA", "copyB", "copyC", "external"]
  private static let evidences = ["checksum", "corrected", "structure", "guess"]

  private func run(_ command: [String], _ fixture: String) async throws -> Outcome {
    try await Tool.run(command + ["--json"] + .clock + [fixture], in: Fixture.root)
  }

  @Test(arguments: commands, fixtures)
  func everyLineIsAnObjectWithAType(command: [String], fixture: String) async throws {
    let outcome = try await run(command, fixture)
    let objects = try outcome.objects()
    #expect(objects.allSatisfy { $0["type"]?.string != nil })
    #expect(objects.first?["type"]?.string == "store")
    #expect(objects.last?["type"]?.string == "summary")
    #expect(objects.last?["exit"]?.integer == outcome.status.map { Int($0) })
    #expect(
      objects.last?["findings"]?.integer
        == objects.count { $0["type"]?.string == "finding" })
  }

  @Test(arguments: commands, [Fixture.lossy, .expiring].map(\.name))
  func equalStoresGiveEqualReports(command: [String], fixture: String) async throws {
    let first = try await run(command, fixture)
    let second = try await run(command, fixture)
    #expect(first.output == second.output)
    #expect(first.errors == second.errors)
  }

  @Test func theFirstLineDescribesTheStore() async throws {
    let store = try #require(try await run(["check"], Fixture.lossy.name).objects().first)
    #expect(store["schema"]?.integer == 1)
    #expect(store["path"]?.string == Fixture.lossy.name + "/kv")
    #expect(store["format"]?.string == "mmkv")
    #expect(store["encrypted"]?.bool == false)
    #expect(store["version"]?.integer == 4)
    let files = try #require(store["files"]?.array)
    #expect(files.map { $0["file"]?.string } == ["data", "meta"])
    #expect(
      files.map { $0["path"]?.string }
        == [Fixture.lossy.name + "/kv", Fixture.lossy.name + "/kv.crc"])
    #expect(files.map { $0["size"]?.integer } == [4096, 4096])
  }

  #if Encryption
    @Test func digestsAreThoseOfTheFiles() async throws {
      let store = try #require(try await run(["check"], Fixture.lossy.name).objects().first)
      for file in try #require(store["files"]?.array) {
        let path = try #require(file["path"]?.string)
        let bytes = try Data(contentsOf: URL(filePath: "\(Fixture.root)/\(path)"))
        let digest = SHA256.hash(data: bytes).map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(file["sha256"]?.string == digest.joined())
      }
    }

    @Test func anEncryptedStoreSaysSo() async throws {
      let outcome = try await run(["check", "--key", Fixture.key], Fixture.encrypted.name)
      #expect(try outcome.objects().first?["encrypted"]?.bool == true)
      #expect(outcome.status == 0)
    }
  #endif

  /// Returns the positions in `types` of the types of the lines, in order.
  ///
  /// Lines of other types are left out.
  private func order(of outcome: Outcome, _ types: [String]) throws -> [Int] {
    try outcome.objects().compactMap { $0["type"]?.string }.compactMap { types.firstIndex(of: $0) }
  }

  @Test(arguments: fixtures)
  func checkPrintsStoreFindingsStatesPredictionsSummary(fixture: String) async throws {
    let order = try order(
      of: try await run(["check"], fixture),
      ["store", "finding", "state", "prediction", "summary"])
    #expect(order == order.sorted())
  }

  @Test(arguments: fixtures)
  func dumpPrintsStoreEntriesFindingsSummary(fixture: String) async throws {
    let order = try order(
      of: try await run(["dump"], fixture), ["store", "entry", "finding", "summary"])
    #expect(order == order.sorted())
  }

  @Test(arguments: fixtures)
  func historyPrintsRecordsAndGapsInFileOrder(fixture: String) async throws {
    let outcome = try await run(["dump", "--history"], fixture)
    let order = try order(of: outcome, ["store", "record", "finding", "summary"])
    #expect(order == order.sorted())
    let events = try outcome.objects().filter {
      $0["type"]?.string == "record" || $0["type"]?.string == "gap"
    }
    var end = 0
    for event in events {
      let offset = try #require(event["offset"]?.integer)
      #expect(offset >= end)
      end = offset + (try #require(event["length"]?.integer))
    }
  }

  private func checkPlace(_ object: JSON) {
    #expect(JSONReportTests.files.contains(object["file"]?.string ?? ""))
    #expect((object["offset"]?.integer ?? -1) >= 0)
    #expect((object["length"]?.integer ?? 0) > 0)
  }

  private func checkRecord(_ object: JSON) throws {
    checkPlace(object)
    let members = try #require(object.object)
    #expect(members["key"] != nil)
    #expect(members["value"] != nil)
    #expect(members["readings"]?.array != nil)
    if object["evidence"]?.string == "checksum" { #expect(object["rules"]?.array != nil) }
    let keyHex = try #require(object["key_hex"]?.string)
    if let key = object["key"]?.string {
      #expect(keyHex == key.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }
    #expect(object["raw_hex"]?.string != nil)
    #expect(JSONReportTests.evidences.contains(object["evidence"]?.string ?? ""))
    if let cautions = members["cautions"] {
      let names = try #require(cautions.array).compactMap(\.string)
      #expect(!names.isEmpty)
      #expect(Set(names).isSubset(of: ["may-be-damaged", "may-be-stale"]))
    }
    if members["expires_at"] != nil {
      #expect(object["expires_at"]?.integer != nil)
      #expect(object["expired"]?.bool != nil)
    }
    if object["value"] != .null { #expect(object["value"]?["kind"]?.string != nil) }
  }

  @Test(arguments: fixtures)
  func entriesHaveTheirFields(fixture: String) async throws {
    let all = ["dump", "--readings", "all"]
    for entry in try await run(all, fixture).objects("entry") { try checkRecord(entry) }
  }

  /// Tests that a line without `--readings all` has nothing that the full line has not.
  @Test(arguments: fixtures)
  func shortLinesArePartsOfFullLines(fixture: String) async throws {
    for command in [["dump"], ["dump", "--history"]] {
      let short = try await run(command, fixture).objects().filter { $0["key_hex"] != nil }
      let full = try await run(command + ["--readings", "all"], fixture).objects()
        .filter { $0["key_hex"] != nil }
      #expect(short.count == full.count)
      for (short, full) in zip(short, full) {
        for (name, value) in try #require(short.object) where name != "likely" {
          #expect(full[name] == value, "\(name) of \(full)")
        }
        let readings = full["readings"]?.array?.compactMap { $0["value"] } ?? []
        let likely = short["likely"]?.array ?? []
        #expect(readings.first == likely.first ?? short["value"])
        #expect(Set(likely).isSubset(of: readings))
      }
    }
  }

  @Test(arguments: fixtures)
  func recordsAndGapsHaveTheirFields(fixture: String) async throws {
    let outcome = try await run(["dump", "--history", "--readings", "all"], fixture)
    for record in try outcome.objects("record") {
      try checkRecord(record)
      #expect(["put", "remove"].contains(record["operation"]?.string))
      #expect(
        ["live", "superseded", "removed", "slack", "carved"].contains(record["state"]?.string))
    }
    for gap in try outcome.objects("gap") {
      checkPlace(gap)
      #expect(gap["cause"]?.string?.hasPrefix("record.") == true)
    }
  }

  @Test(arguments: fixtures)
  func findingsStatesAndPredictionsHaveTheirFields(fixture: String) async throws {
    let outcome = try await run(["check"], fixture)
    for finding in try outcome.objects("finding") {
      #expect(finding["code"]?.string?.contains(".") == true)
      #expect(["note", "warning", "damage"].contains(finding["severity"]?.string))
      #expect(finding["message"]?.string?.isEmpty == false)
      if finding["file"] != nil { #expect((finding["offset"]?.integer ?? -1) >= 0) }
    }
    for state in try outcome.objects("state") {
      #expect(
        ["current", "confirmed", "before-reset", "salvaged"].contains(state["name"]?.string))
      #expect(state["entries"]?.integer != nil)
      #expect(JSONReportTests.evidences.contains(state["evidence"]?.string ?? ""))
      #expect(state["message"]?.string?.isEmpty == false)
    }
    let predictions = try outcome.objects("prediction")
    for prediction in predictions {
      let callbacks = try #require(prediction["callbacks"]?.array).compactMap(\.string)
      #expect(Set(callbacks).isSubset(of: ["onMMKVCRCCheckFail", "onMMKVFileLengthError"]))
      #expect(
        ["loaded", "rolled-back", "recovered", "discarded"]
          .contains(prediction["outcome"]?.string))
      #expect(prediction["keys"]?.integer != nil)
      #expect(prediction["lost"]?.integer != nil)
    }
    if !predictions.isEmpty {
      #expect(predictions.map { $0["strategy"]?.string } == ["discard", "recover"])
    }
    let summary = try #require(try outcome.objects("summary").first)
    #expect(
      ["clean", "repairable", "damaged", "unreadable"].contains(summary["verdict"]?.string))
    #expect(summary["entries"]?.integer != nil)
  }

  @Test(arguments: [
    "golden/all_types", "golden/binary_keys", "golden/unicode", "golden/removes_fwb",
    "golden/empty_values", "golden/expire_mixed", "golden/growth_16k", "golden/all_removed",
  ])
  func dumpOfAHealthyStoreIsTheEnginesMap(name: String) async throws {
    let fixture = Fixture(name)
    let facts = try fixture.facts()
    let outcome = try await Tool.run(["dump", "--json"] + .clock + [fixture.path])
    let map = try #require(facts["live"]?.object)
    var found: [String: String] = [:]
    for entry in try outcome.objects("entry") {
      found[try #require(entry["key_hex"]?.string)] = entry["raw_hex"]?.string
    }
    #expect(Set(found.keys) == Set(map.keys))
    for (key, value) in map {
      if let hex = value["hex"]?.string { #expect(found[key] == hex) }
    }
    #expect(outcome.status == 0)
  }

  @Test func keysThatAreNoTextAreNull() async throws {
    let outcome = try await run(["dump"], Fixture("golden/binary_keys").name)
    #expect(try outcome.objects("entry").contains { $0["key"] == .null })
    // In a format without a log too.
    let lines = try await Tool.shell(
      #"printf '%s\n' '{"kvfsck":"entries","schema":1}' "$1" | "$0" dump --json -"#,
      [#"{"key_base64":"/wA=","type":"int32","value":1}"#])
    #expect(try lines.objects("entry").map { $0["key"] } == [.null], "\(lines.testDescription)")
  }

  @Test func whatAnAnswerLeavesOutIsNamed() async throws {
    let named = try await Tool.run(
      ["repair", "-p", "--dry-run", "--json"] + .clock + [Fixture.lossy.path])
    #expect(try named.objects("dropped").count == 29)
    #expect(
      try named.objects("dropped").allSatisfy {
        $0["reason"]?.string?.contains("onMMKVCRCCheckFail, discard, leaves it out") == true
      })
  }

  @Test func expiryIsJudgedByTheClock() async throws {
    for (now, expired) in [("1759999999", 0), ("1760000060", 1), ("1800000000", 12)] {
      let outcome = try await Tool.run(
        ["dump", "--json", "--now", now, Fixture.expiring.path])
      let entries = try outcome.objects("entry")
      #expect(entries.count == 14)
      #expect(entries.count { $0["expired"]?.bool == true } == expired)
    }
  }

  @Test func aStoreThatCannotBeReadStillGivesAnObject() async throws {
    let outcome = try await Tool.run(["check", "--json", "nowhere"], in: Fixture.root)
    #expect(outcome.status == 8)
    #expect(try outcome.objects().map { $0["path"]?.string } == ["nowhere"])
    #expect(try outcome.objects().allSatisfy { $0["type"]?.string != nil })
    let scan = try await Tool.run(["scan", "--json", "nowhere"], in: Fixture.root)
    let result = try #require(try scan.objects("result").first)
    #expect(result["error"] != nil && result["entries"] == nil && result["recoverable"] == nil)
  }
}
