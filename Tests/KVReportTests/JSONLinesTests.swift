import Foundation
import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVTestSupport
import MMKVFormat
import Testing

/// Compares the JSON lines, as another parser reads them, with the fields that the contract names.
@Suite struct JSONLinesTests {
  private typealias Line = [String: Any]

  /// A store with entries of several kinds, a stale value, a removal, a gap and a leftover record.
  private var builder: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder(texts: [("name", "Ann"), ("name", "Bob")])
    builder.put("flag", [1])
    builder.put([0xff, 0xfe], [0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0x19, 0x40])
    builder.put("gone", [7])
    builder.remove("gone")
    for index in 0..<4 { builder.put("key \(index)", text: "value") }
    builder.records += [UInt8](repeating: 0xff, count: 30)
    for index in 4..<8 { builder.put("key \(index)", text: "value") }
    var stale = MMKVFixtureBuilder()
    stale.put("stale", text: "value")
    builder.slack = stale.records
    builder.digest = 1
    return builder
  }

  private func lines(
    _ values: ValueDetail = ValueDetail(), _ write: (JSONLinesReporter) -> Void
  ) throws -> [Line] {
    var lines: [Line] = []
    var failure: (any Error)?
    let reporter = JSONLinesReporter.ofLines(values) { text in
      do {
        #expect(!text.contains("\n"))
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        lines.append(try #require(object as? Line))
      } catch {
        failure = error
      }
    }
    write(reporter)
    reporter.finish()
    if let failure { throw failure }
    return lines
  }

  private func history(_ store: MMKVStore, _ diagnosis: Diagnosis) throws -> [Line] {
    let best = try #require(diagnosis.best)
    return try lines { reporter in
      reporter.report(.opened(store, clock: 0))
      History(of: store, by: best).forEachGroup { reporter.report(.history($0)) }
    }.filter { $0["type"] as? String != "store" }
  }

  private func entries(
    _ plan: RepairPlan, _ store: MMKVStore, _ readings: ValueDetail.Readings? = nil,
    clock: UInt32 = 0
  ) throws -> [Line] {
    try lines(ValueDetail(readings: readings)) { reporter in
      reporter.report(.opened(store, clock: clock))
      reporter.report(.entries(plan.kept))
    }.filter { $0["type"] as? String == "entry" }
  }

  /// Expects that a line has these fields, with these types.
  ///
  /// More fields are allowed.
  private func expect(
    _ line: Line, has fields: [String: Any.Type], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (name, type) in fields {
      let value = line[name]
      let isRight =
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(Int.self): value is Int && !(value is String)
        case ObjectIdentifier(String.self): value is String
        case ObjectIdentifier([Any].self): value is [Any]
        case ObjectIdentifier(Bool.self): value is Bool
        case ObjectIdentifier(Line.self): value is Line
        default: value is NSNull
        }
      #expect(isRight, "\(name) of \(line)", sourceLocation: sourceLocation)
    }
  }

  /// Lines are written in parts by several threads; a long value, or a gap, comes between parts.
  @Test func linesOfManyRecordsComeInTheOrderOfTheRecords() throws {
    var builder = MMKVFixtureBuilder()
    let texts = (0..<4000).map { index in
      String(repeating: "word \(index) ", count: index % 1300 == 700 ? 10_000 : 1 + index % 5)
    }
    for (index, text) in texts.enumerated() {
      builder.put("key \(index % 1900)", text: text)
      if index == 2500 { builder.records += [UInt8](repeating: 0xff, count: 30) }
    }
    builder.digest = 1
    let store = builder.open()
    let lines = try history(store, Diagnosis(of: store, now: 0))
    let records = lines.filter { $0["type"] as? String == "record" }
    #expect(records.map { $0["key"] as? String } == texts.indices.map { "key \($0 % 1900)" })
    for (record, text) in zip(records, texts) {
      let hex = try #require(record["raw_hex"] as? String)
      #expect(hex.hasSuffix(Hexadecimal.text(Array(text.utf8))))
    }
    #expect(lines.count { $0["type"] as? String == "gap" } == 1)
    let offsets = lines.compactMap { $0["offset"] as? Int }
    #expect(offsets.count == lines.count && offsets == offsets.sorted())
  }

  @Test func storeLineHasTheContractsFields() throws {
    let store = builder.open()
    let line = try #require(try lines { $0.report(.opened(store, clock: 0)) }.first)
    expect(
      line,
      has: [
        "type": String.self, "schema": Int.self, "path": String.self, "format": String.self,
        "files": [Any].self, "encrypted": Bool.self, "version": Int.self,
      ])
    #expect(line["type"] as? String == "store" && line["schema"] as? Int == 1)
    #expect(line["format"] as? String == "mmkv" && line["version"] as? Int == 4)
    #expect(line["path"] as? String == "kv" && line["encrypted"] as? Bool == false)
    let files = try #require(line["files"] as? [Line])
    #expect(files.map { $0["file"] as? String } == ["data", "meta"])
    #expect(files.map { $0["path"] as? String } == ["kv", "kv.crc"])
    #expect(files.map { $0["size"] as? Int } == [4096, 4096])
    #if Encryption
      #expect(files.allSatisfy { ($0["sha256"] as? String)?.count == 64 })
    #endif
  }

  @Test func findingStateAndPredictionLinesHaveTheContractsFields() throws {
    let diagnosis = Diagnosis(of: builder.open(), now: 0)
    let findings = try lines { $0.report(.findings(diagnosis.findings, in: [])) }
    #expect(findings.count == diagnosis.findings.count && findings.count > 2)
    for line in findings {
      expect(line, has: ["code": String.self, "severity": String.self, "message": String.self])
      #expect(line["type"] as? String == "finding")
      #expect(["note", "warning", "damage"].contains(line["severity"] as? String))
    }
    let mismatch = try #require(
      findings.first { $0["code"] as? String == "mmkv.checksum-mismatch" })
    #expect(mismatch["file"] as? String == "data" && mismatch["offset"] as? Int == 4)
    #expect(mismatch["length"] as? Int == builder.payload.count)
    let states = try lines { $0.report(.states(diagnosis.states)) }
    #expect(states.map { $0["name"] as? String } == diagnosis.states.map(\.name.rawValue))
    for line in states {
      expect(line, has: ["entries": Int.self, "evidence": String.self, "message": String.self])
      #expect((line["rules"] as? [String])?.isEmpty == false)
      #expect(line["type"] as? String == "state")
    }
    let predictions = try lines {
      $0.report(.predictions(diagnosis.predictions, isAppAsked: true))
    }
    #expect(predictions.map { $0["strategy"] as? String } == ["discard", "recover"])
    for line in predictions {
      expect(
        line,
        has: [
          "callbacks": [Any].self, "outcome": String.self, "keys": Int.self, "lost": Int.self,
        ])
      #expect(line["type"] as? String == "prediction")
    }
  }

  @Test func entryLinesHaveTheContractsFields() throws {
    let store = builder.open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    let entries = try entries(plan, store, .all)
    #expect(entries.count == plan.kept.count)
    for line in entries {
      expect(
        line,
        has: [
          "key_hex": String.self, "raw_hex": String.self, "readings": [Any].self,
          "file": String.self, "offset": Int.self, "length": Int.self, "evidence": String.self,
        ])
      #expect(line["type"] as? String == "entry")
      #expect((line["rules"] as? [String])?.isEmpty == false)
      #expect(line["key"] != nil && line["value"] != nil, "null, but there: \(line)")
    }
    let name = try #require(entries.first { $0["key"] as? String == "name" })
    #expect(name["key_hex"] as? String == "6e616d65")
    // The value as the record stores it, including its inner length.
    #expect(name["raw_hex"] as? String == "03426f62")
    let readings = try #require(name["readings"] as? [Line])
    let first = try #require(readings.first?["value"] as? Line)
    #expect(first["kind"] as? String == "string" && first["value"] as? String == "Bob")
    let bytes = try #require(entries.first { $0["key_hex"] as? String == "fffe" })
    #expect(bytes["key"] is NSNull)
    // These bytes can only be 6.4 as a double, so the value is stated.
    let value = try #require(bytes["value"] as? Line)
    #expect(value["kind"] as? String == "double" && value["value"] as? Double == 6.4)
    #expect(entries.contains { ($0["cautions"] as? [String]) == ["may-be-damaged"] })
  }

  @Test func shortLinesOmitWhatIsTheSameForEverySoundEntryAndWhatFollowsFromTheRest() throws {
    var builder = MMKVFixtureBuilder(texts: [("name", "Ann"), ("other", "Bob")])
    builder.put([0xff, 0xfe], [0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0x19, 0x40])
    builder.put("seen", MMKVFixtureBuilder.varint(1_760_000_000_123))
    let store = builder.open()
    let plan = try #require(
      RepairPlanner(strategy: .recover).plan(store, given: Diagnosis(of: store, now: 0)))
    let entries = try entries(plan, store)
    let always: Set = ["evidence", "key", "key_hex", "offset", "raw_hex", "type"]
    #expect(
      entries.map { Set($0.keys).subtracting(always) }
        == [["likely"], ["likely"], ["value"], ["likely"]])
    let likely = entries.map { ($0["likely"] as? [Line])?.map { $0["kind"] as? String } }
    #expect(likely == [["string"], ["string"], nil, ["int64", "date"]])
    let values = entries.map { ($0["likely"] as? [Line])?.map { $0["value"] as? String } }
    #expect(values[..<2] == [["Ann"], ["Bob"]])
  }

  @Test func shortLinesOfDamagedEntriesStateTheirProbabilityAndRules() throws {
    let store = builder.open()
    let plan = try #require(
      RepairPlanner(strategy: .recover).plan(store, given: Diagnosis(of: store, now: 0)))
    let entries = try entries(plan, store)
    #expect(entries.count == plan.kept.count && entries.count > 8)
    for (line, entry) in zip(entries, plan.kept) {
      #expect(line["probability"] as? Double == entry.probability?.value)
      #expect(line["rules"] as? [String] == entry.assessment.rules.map(\.text))
      #expect(line["length"] == nil && line["file"] == nil && line["readings"] == nil)
      #expect((line["value"] == nil) != (line["likely"] == nil))
    }
  }

  @Test func cautionsAreAbsentWhereThereAreNone() throws {
    let store = MMKVFixtureBuilder(texts: [("a", "1")]).open()
    let plan = try #require(
      RepairPlanner(strategy: .recover).plan(store, given: Diagnosis(of: store, now: 0)))
    let line = try #require(try entries(plan, store).first)
    #expect(line["cautions"] == nil && line["evidence"] as? String == "checksum")
    #expect(line["expires_at"] == nil && line["expired"] == nil)
  }

  @Test func recordAndGapLinesTellEveryFate() throws {
    let store = builder.open()
    let events = try history(store, Diagnosis(of: store, now: 0))
    let records = events.filter { $0["type"] as? String == "record" }
    for line in records {
      expect(line, has: ["operation": String.self, "state": String.self, "key_hex": String.self])
    }
    func fates(_ key: String) -> [String?] {
      records.filter { $0["key"] as? String == key }.map { $0["state"] as? String }
    }
    #expect(fates("name") == ["superseded", "live"])
    #expect(fates("gone") == ["removed", "removed"])
    #expect(fates("stale") == ["slack"])
    #expect(fates("flag") == ["live"])
    #expect(
      records.filter { $0["key"] as? String == "gone" }.map { $0["operation"] as? String }
        == ["put", "remove"])
    let offsets = events.compactMap { $0["offset"] as? Int }
    #expect(offsets == offsets.sorted() && offsets.count == events.count)
    let gap = try #require(events.first { $0["type"] as? String == "gap" })
    expect(
      gap,
      has: ["file": String.self, "offset": Int.self, "length": Int.self, "cause": String.self])
    #expect(gap["cause"] as? String == "record.malformed-length" && gap["length"] as? Int == 30)
  }

  @Test func summaryLineHasTheContractsFields() throws {
    let line = try #require(
      try lines {
        $0.report(
          .summary(ReportSummary(.damaged, entries: 3, findings: 2, cautioned: 1, exit: 4)))
      }.first)
    expect(
      line,
      has: [
        "type": String.self, "verdict": String.self, "entries": Int.self, "findings": Int.self,
        "exit": Int.self,
      ])
    #expect(line["exit"] as? Int == 4 && line["type"] as? String == "summary")
  }

  @Test func expiryIsOnTheLineOfItsEntry() throws {
    var builder = MMKVFixtureBuilder()
    builder.flags = 1
    for (key, time) in [("never", 0), ("past", 1000), ("then", 1001)] {
      builder.put(key, [7] + MMKVFixtureBuilder.little(UInt32(time)))
    }
    let store = builder.open(now: 1000)
    let plan = try #require(
      RepairPlanner(strategy: .recover).plan(store, given: Diagnosis(of: store, now: 1000)))
    let entries = try entries(plan, store, clock: 1000)
    #expect(entries.map { $0["expires_at"] as? Int } == [nil, 1000, 1001])
    #expect(entries.map { $0["expired"] as? Bool } == [nil, true, false])
  }

  @Test func equalStoresGiveEqualReports() throws {
    func report() -> [String] {
      var lines: [String] = []
      let store = builder.open()
      let diagnosis = Diagnosis(of: store, now: 0)
      let reporter = JSONLinesReporter.ofLines { lines.append($0) }
      reporter.report(.opened(store, clock: 0))
      reporter.report(.findings(diagnosis.findings, in: store.files))
      reporter.report(.states(diagnosis.states))
      reporter.report(.predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked))
      reporter.report(.coverage(diagnosis.coverage))
      return lines
    }
    let first = report()
    #expect(first == report() && first.count > 6)
  }

  @Test func numbersThatJSONCannotHaveAreStrings() throws {
    var builder = MMKVFixtureBuilder()
    let infinity = MMKVFixtureBuilder.little(Double.infinity.bitPattern)
    builder.put("infinite", infinity)
    builder.put("other", text: "x")
    let store = builder.open()
    let plan = try #require(
      RepairPlanner(strategy: .recover).plan(store, given: Diagnosis(of: store, now: 0)))
    let line = try #require(try entries(plan, store, .all).first)
    let readings = try #require(line["readings"] as? [Line])
    let values = readings.compactMap { ($0["value"] as? Line)?["value"] as? String }
    #expect(values.contains("Infinity"))
  }
}
