import Foundation
import Testing

/// `check --expect`, which compares a store with a committed description.
struct ExpectationTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func check(_ file: String, _ store: String, _ options: [String] = []) async throws
    -> Outcome
  {
    try await Tool.run(
      ["check", "--expect", file] + options + .clock + [store], in: scratch.path)
  }

  private func expect(
    _ lines: [String], of store: String, _ options: [String] = []
  ) async throws -> Outcome {
    let file = try scratch.write(Array(lines.joined(separator: "\n").utf8), to: "expected")
    return try await check(file, store, options)
  }

  /// Writes a table with the three entries that `tableEntries` expects.
  private func table() throws -> String {
    try scratch.write(Array(#"{"count":5,"name":"Ann","tags":["a"]}"#.utf8), to: "table.json")
  }

  private static let tableEntries = [
    #"{"type":"entry","key":"count","value":{"kind":"int64","value":5}}"#,
    #"{"type":"entry","key_hex":"6e616d65","value":{"kind":"string","value":"Ann"}}"#,
    #"{"type":"entry","key":"tags"}"#,
  ]

  // MARK: Expectations printed by the tool

  @Test(arguments: [
    Fixture.clean.path, Fixture.lossy.path, Fixture.corrected.path, Fixture.emptied.path,
    Fixture("golden/empty_fresh").path, Fixture("golden/binary_keys").path,
    Fixture("damaged/burst_fwb").path, Fixture("damaged/no_key_enc/kv").path,
    "\(Fixture.root)/fastkv-apple/damaged/many64__flip_value@0",
    "\(Fixture.root)/fastkv-android/golden/nb_all_types",
  ])
  func whatCheckAndDumpPrintIsMet(store: String) async throws {
    for commands in ["check", "dump", "check dump"] {
      _ = try await Tool.shell(
        """
        for command in \(commands); do "$0" $command --json --now 1760000000 "$1"; done > expected
        """, [store], in: scratch.path)
      let outcome = try await check("expected", store)
      // Damage that is expected does not count.
      #expect(outcome.status == 0, "\(commands): \(outcome.testDescription)")
      #expect(outcome.lines.count == 1 && outcome.output.hasSuffix(", as expected by expected\n"))
    }
  }

  /// Tests that an expectation may have every field that the tool prints for a healthy store.
  ///
  /// The lines of each format are those that are printed when several stores are named.
  @Test(arguments: ["mmkv", "fastkv-apple", "fastkv-android"])
  func everyFieldThatIsPrintedIsKnown(format: String) async throws {
    let golden = "\(Fixture.root)/\(format)/golden"
    // A store in a subfolder is listed, and lines of a list are not compared.
    let all = try FileManager.default.contentsOfDirectory(atPath: golden).sorted()
      .filter { $0 != "namespace" }
    for index in stride(from: 0, to: all.count, by: 5) {
      let store = "\(golden)/\(all[index])"
      let both = try await Tool.run(["check", "--json"] + .clock + [store, Fixture.clean.path])
      let own = try both.lines.filter {
        try JSON(parsing: $0)["path"]?.string?.hasPrefix(store) == true
      }
      #expect(!own.isEmpty, "\(store)")
      let dump = try await Tool.run(["dump", "--json"] + .clock + [store])
      let outcome = try await expect((own + dump.lines).map { String($0) }, of: store)
      // An unknown field would end the command with 16.
      #expect([0, 4, 8].contains(outcome.status), "\(store): \(outcome.testDescription)")
    }
  }

  /// A file without a log has one prediction for each premise.
  @Test func predictionsOfAFileWithoutALogAreCompared() async throws {
    let file = "\(Fixture.root)/libraries/datastore/10-cut-in-value.preferences_pb"
    let lines = try await Tool.run(["check", "--json", file]).lines.map(String.init)
    #expect(lines.count { $0.contains("\"premise\"") } == 2)
    let same = try await expect(lines, of: file)
    #expect(same.status == 0, "\(same.testDescription)")
    let other = lines.map {
      $0.replacingOccurrences(of: "\"outcome\":\"crashed\"", with: "\"outcome\":\"loaded\"")
    }
    let outcome = try await expect(other, of: file)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(outcome.output.contains("expected loaded, found crashed"), "\(outcome.testDescription)")
  }

  @Test func pathsDoNotMatterAndNeitherDoLineEndsAndEmptyLines() async throws {
    let dump = try await Tool.run(["dump", "--json"] + .clock + [Fixture.lossy.path])
    let text = "\r\n \n" + dump.output.replacing("\n", with: "\r\n\r\n")
    _ = try scratch.write(Array(text.utf8), to: "expected")
    #expect(try await check("expected", try scratch.copy(.lossy)).status == 0)
  }

  @Test func anotherStoreDiffersInEverything() async throws {
    _ = try await Tool.shell(
      """
      for command in check dump; do "$0" $command --json --now 1760000000 "$1"; done > expected
      """, [Fixture.clean.path], in: scratch.path)
    let outcome = try await check("expected", Fixture.lossy.path, ["--json"])
    #expect(outcome.status == 4)
    let unmet = try outcome.objects("unmet")
    #expect(
      Set(unmet.map { $0["line"]?.string }) == [
        "summary", "finding", "state", "prediction", "entry",
      ])
    #expect(
      unmet.contains {
        $0["line"]?.string == "finding" && $0["change"]?.string == "unexpected"
          && $0["subject"]?.string == "mmkv.checksum-mismatch"
      })
    // 45 keys are missing, and 29 are unexpected.
    let entries = unmet.filter { $0["line"]?.string == "entry" }
    #expect(entries.count { $0["change"]?.string == "missing" } == 45)
    #expect(entries.count { $0["change"]?.string == "unexpected" } == 29)
    let verdict = try #require(unmet.first { $0["field"]?.string == "verdict" })
    #expect(verdict["expected"]?.string == "clean" && verdict["found"]?.string == "damaged")
    #expect(try outcome.objects("summary").first?["exit"]?.integer == 4)
    #expect(Set(unmet).count == unmet.count)
  }

  // MARK: Expectations written by hand

  @Test func entriesWrittenByHandAreTheWholeMap() async throws {
    let table = try table()
    let met = try await expect(Self.tableEntries, of: table)
    #expect(
      met.status == 0
        && met.output == "\(table): clean, as expected by \(scratch.path("expected"))\n")
    let outcome = try await expect(
      [
        #"{"type":"entry","key":"count","value":{"kind":"int64","value":6}}"#,
        #"{"type":"entry","key":"token","value":{"kind":"string","value":"x"}}"#,
        #"{"type":"entry","key":"tags"}"#,
      ], of: table)
    #expect(outcome.status == 4)
    #expect(
      outcome.lines == [
        "\(table): clean, 3 differences from \(scratch.path("expected"))",
        "~ entry count: expected int64 6, found int64 5",
        #"- entry token: expected string "x", but missing"#,
        #"+ entry name: not expected, found string "Ann""#,
      ])
  }

  @Test func aValueOfMMKVIsMetByEachOfItsReadings() async throws {
    // The byte 01 can be a Boolean or a number. No finding about either is expected here.
    let dump = try await Tool.run(["dump", "--json"] + .clock + [Fixture.expiring.path])
    let lines = try dump.objects("entry").map { entry -> String in
      let key = try #require(entry["key_hex"]?.string)
      if entry["key"]?.string == "draft_958" {
        return #"{"type":"entry","key_hex":"\#(key)","value":{"kind":"int32","value":1}}"#
      }
      return #"{"type":"entry","key_hex":"\#(key)"}"#
    }
    #expect(try await expect(lines, of: Fixture.expiring.path).status == 0)
    let other = lines.map { $0.replacing(#""value":1}"#, with: #""value":2}"#) }
    let outcome = try await expect(other, of: Fixture.expiring.path)
    #expect(outcome.status == 4)
    #expect(outcome.lines.dropFirst() == ["~ entry draft_958: expected int32 2, found bool true"])
  }

  @Test func bytesThatDifferAfterWhatIsShownAreNamed() async throws {
    let store = try scratch.makeFolder("store")
    try LargeStore.write(entries: 1, of: 300, into: store)
    let raw = "ac02" + String(repeating: "76", count: 299)
    let value = #"{"kind":"string","value":"\#(String(repeating: "v", count: 300))"}"#
    let line = #"{"type":"entry","key":"key_0","likely":[\#(value)],"raw_hex":"\#(raw)"#
    #expect(try await expect([line + #"76"}"#], of: store).status == 0)
    let outcome = try await expect([line + #"77"}"#], of: store)
    #expect(outcome.status == 4)
    let text = try #require(outcome.lines.last)
    #expect(text.contains("with 0x77 at byte 301 of the value, found "))
    #expect(text.hasSuffix("with 0x76 at byte 301 of the value"))
  }

  @Test(arguments: [
    (
      #"{"type":"store","format":"fastkv-apple"}"#,
      "~ store, format: expected fastkv-apple, found mmkv"
    ),
    (#"{"type":"store","encrypted":true}"#, "~ store, encrypted: expected true, found false"),
    (#"{"type":"summary","verdict":"clean"}"#, "~ summary, verdict: expected clean, found damaged"),
    (#"{"type":"summary","findings":9}"#, "~ summary, findings: expected 9, found 4"),
    (#"{"type":"summary","entries":7}"#, "~ summary, entries: expected 7, found 29"),
    (#"{"type":"prediction","lost":0}"#, "~ prediction discard, lost: expected 0, found 29"),
    (
      #"{"type":"prediction","strategy":"discard","outcome":"loaded"}"#,
      "~ prediction discard, outcome: expected loaded, found discarded"
    ),
    (
      #"{"type":"prediction","strategy":"recover","callbacks":[]}"#,
      "~ prediction recover, callbacks: expected none, found onMMKVCRCCheckFail"
    ),
    (#"{"type":"state","name":"confirmed"}"#, "- state confirmed: expected, but missing"),
    (
      #"{"type":"state","name":"salvaged","entries":30}"#,
      "~ state salvaged, entries: expected 30, found 29"
    ),
    (#"{"type":"finding","code":"record.alien"}"#, "- finding record.alien: expected, but missing"),
    (
      #"{"type":"finding","code":"record.zeros","severity":"note"}"#,
      "~ finding record.zeros, severity: expected note, found damage"
    ),
  ])
  func eachLineIsComparedByWhatItStates(line: String, message: String) async throws {
    let outcome = try await expect([line], of: Fixture.lossy.path)
    #expect(outcome.status == 4)
    #expect(outcome.lines.contains(Substring(message)), "\(outcome.testDescription)")
  }

  // MARK: Exit status

  @Test func damageThatIsNotSpokenOfCountsAsWithoutExpectations() async throws {
    let lines = [#"{"type":"store","format":"mmkv"}"#]
    let outcome = try await expect(lines, of: Fixture.lossy.path)
    #expect(outcome.status == 4)
    #expect(outcome.output.contains("\nNot listed in "))
    #expect(outcome.output.contains("[record.zeros]"))
    // A store with warnings only.
    let warned = Fixture("golden/clearall").path
    #expect(try await expect(lines, of: warned).status == 0)
    #expect(try await expect(lines, of: warned, ["--fail-on", "warning"]).status == 4)
    // A verdict does not cover warnings.
    let verdict = [#"{"type":"summary","verdict":"clean"}"#]
    #expect(try await expect(verdict, of: warned, ["--fail-on", "warning"]).status == 4)
    let damaged = [#"{"type":"summary","verdict":"damaged"}"#]
    #expect(try await expect(damaged, of: Fixture.lossy.path).status == 0)
    let findings = try await Tool.run(["check", "--json"] + .clock + [warned])
    _ = try scratch.write(Array(findings.output.utf8), to: "whole")
    #expect(try await check("whole", warned, ["--fail-on", "warning"]).status == 0)
  }

  @Test func aStoreThatCannotBeReadIs8UnlessThatIsExpected() async throws {
    let store = Fixture("damaged/no_key_enc/kv").path
    #expect(try await expect([#"{"type":"summary","verdict":"clean"}"#], of: store).status == 12)
    #expect(try await expect([#"{"type":"entry","key":"a"}"#], of: store).status == 12)
    let met = try await expect([#"{"type":"summary","verdict":"unreadable"}"#], of: store)
    #expect(met.status == 0)
    #expect(try await expect([#"{"type":"summary","entries":0}"#], of: "nowhere").status == 8)
  }

  // MARK: Reports

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func differencesFailTheCaseAndAreResults() async throws {
    let table = try table()
    let options = ["--junit", "report.xml", "--sarif", "report.sarif"]
    #expect(try await expect(Self.tableEntries, of: table, options).status == 0)
    #expect(try await expect(Array(Self.tableEntries.dropLast()), of: table, options).status == 4)
    let read = try await Python.run(
      """
      import sys, json, xml.etree.ElementTree as tree
      [case] = tree.parse('report.xml').getroot().iter('testcase')
      print(case.find('failure').text)
      [result] = json.load(open('report.sarif'))['runs'][0]['results']
      print(result['ruleId'], result['level'], result['message']['text'])
      """, [], in: scratch.path)
    #expect(read.status == 0, "\(read.testDescription)")
    #expect(
      read.lines == [
        "+ entry tags: not expected, found array [\"a\"]",
        "kvfsck.unexpected error + entry tags: not expected, found array [\"a\"]",
      ])
  }

  /// Tests that keys with the same start have separate results.
  ///
  /// Long keys are truncated in messages, but not in the fingerprints that distinguish SARIF
  /// results.
  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func keysThatBeginAlikeAreResultsOfTheirOwn() async throws {
    let start = String(repeating: "k", count: 80)
    let json = #"{"\#(start)1":1,"\#(start)2":2,"other":3}"#
    let table = try scratch.write(json.utf8, to: "long.json")
    let line = #"{"type":"entry","key":"other"}"#
    #expect(try await expect([line], of: table, ["--sarif", "report.sarif"]).status == 4)
    let read = try await Python.run(
      """
      import json
      for result in json.load(open('report.sarif'))['runs'][0]['results']:
        print(result['message']['text'].split(':')[0])
      prints = [result['partialFingerprints']['primaryLocationLineHash']
        for result in json.load(open('report.sarif'))['runs'][0]['results']]
      print(len(prints), len(set(prints)))
      """, [], in: scratch.path)
    #expect(read.status == 0 && read.lines.last == "2 2", "\(read.testDescription)")
    #expect(read.lines[0] == read.lines[1])
  }
}
