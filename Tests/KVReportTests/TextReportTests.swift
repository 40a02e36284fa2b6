import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

@Suite struct TextReportTests {
  /// Characters that control a terminal or are invisible.
  private static let hostile = [
    "\u{1b}[31m", "\u{9b}2J", "\u{202e}", "\u{2066}", "\u{200f}", "\u{feff}", "\n", "\r", "\u{8}",
    "\u{7f}", "\u{2028}", "\u{2029}", "\u{200b}", "\u{e000}", "\u{0}", "\u{e0041}",
  ]

  private static let code = FindingCode("test.code", .damage, means: "A test", remedy: "None")

  /// Returns all lines of the report of a store.
  private func report(_ builder: MMKVFixtureBuilder, at path: String = "kv") throws -> [String] {
    var lines: [String] = []
    let store = MMKVFormat(now: 0).open(builder.files(at: .init(path))).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    let reporter = check(store, diagnosis) { lines.append($0) }
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    reporter.report(.entries(plan.kept))
    reporter.report(.plan(plan, isExecuted: true))
    let best = try #require(diagnosis.best)
    History(of: store, by: best).forEachGroup { reporter.report(.history($0)) }
    reporter.report(.map(ByteMap(of: store, by: best)))
    return lines
  }

  /// Returns a reporter to which `check` has reported `store`.
  private func check(
    _ store: MMKVStore, _ diagnosis: Diagnosis, inColor: Bool = false,
    _ emit: @escaping (String) -> Void
  ) -> TextReporter {
    let sink = TextReporter.Sink.ofLines(inColor: inColor, emit)
    let reporter = TextReporter(.check, to: sink, errors: sink, advice: { "\($0)" })
    reporter.report(.begun(path: "kv"))
    reporter.report(.opened(store, clock: 0))
    reporter.report(.findings(diagnosis.findings, in: store.files))
    reporter.report(.states(diagnosis.states))
    reporter.report(.predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked))
    reporter.report(.coverage(diagnosis.coverage))
    reporter.report(
      .summary(
        ReportSummary(
          diagnosis.verdict, entries: diagnosis.entries, findings: diagnosis.findings.count, exit: 0
        )))
    return reporter
  }

  @Test(arguments: hostile)
  func nothingFromAFileReachesTheTerminalUnescaped(_ hostile: String) throws {
    var builder = MMKVFixtureBuilder()
    builder.put("key\(hostile)", text: "value\(hostile)")
    builder.put(
      "list",
      [UInt8](MMKVFixtureBuilder.varint(UInt64(hostile.utf8.count + 1)))
        + MMKVFixtureBuilder.varint(UInt64(hostile.utf8.count)) + Array(hostile.utf8))
    builder.put("plain", text: "value")
    let path = hostile.contains("\u{0}") ? "kv" : "folder\(hostile)/kv"
    for line in try report(builder, at: path) {
      for scalar in hostile.unicodeScalars where !("!"..."~").contains(scalar) {
        #expect(!line.unicodeScalars.contains(scalar), "\(line.debugDescription)")
      }
    }
  }

  @Test(arguments: hostile)
  func nothingOfAFindingReachesTheTerminalUnescaped(_ hostile: String) {
    var lines: [String] = []
    let sink = TextReporter.Sink.ofLines { lines.append($0) }
    let reporter = TextReporter(.dump, to: sink, errors: sink, advice: { "\($0)" })
    let file = StoreFile(.data, at: "x.db", FileImage([]))
    reporter.report(
      .findings(
        [Finding(Self.code, at: nil, "the tables are a\(hostile)b")], in: [file]))
    reporter.report(.summary(ReportSummary(.damaged, entries: 0, findings: 1, exit: 4)))
    #expect(lines.contains { $0.contains("the tables are a") })
    for scalar in hostile.unicodeScalars where !("!"..."~").contains(scalar) {
      #expect(!lines.contains { $0.unicodeScalars.contains(scalar) }, "\(lines)")
    }
  }

  @Test func plainTextIsShownAsItIs() throws {
    let lines = try report(
      MMKVFixtureBuilder(texts: [("schlüssel", "日本 \"quoted\" \\ 🔑"), ("b", "2"), ("c", "3")]))
    #expect(lines.contains { $0.contains("schlüssel") && $0.contains("日本 \\\"quoted\\\" \\\\ 🔑") })
  }

  @Test func keyThatIsNoTextIsShownAsBytes() throws {
    var builder = MMKVFixtureBuilder(texts: [("a", "1"), ("b", "2")])
    builder.put([0xff, 0xfe], [1])
    #expect(try report(builder).contains { $0.hasPrefix("0xfffe = ") })
  }

  @Test func longValueIsCutShort() throws {
    let lines = try report(
      MMKVFixtureBuilder(texts: [("a", String(repeating: "x", count: 3000)), ("b", "2")]))
    let line = try #require(lines.first { $0.hasPrefix("a = ") })
    #expect(line.contains("…") && line.count < 400)
  }

  @Test func findingsAreGivenAsFileOffsetSeverityAndCode() throws {
    var builder = MMKVFixtureBuilder(texts: [("a", "1"), ("b", "2")])
    builder.digest = 1
    let lines = try report(builder)
    #expect(lines.contains { $0.hasPrefix("kv:0x4: damage: [mmkv.checksum-mismatch] ") })
  }

  @Test func colorsAreUsedOnlyWhenAskedFor() throws {
    let store = MMKVFixtureBuilder(texts: [("a", "1")]).open()
    let diagnosis = Diagnosis(of: store, now: 0)
    for inColor in [false, true] {
      var text = ""
      _ = check(store, diagnosis, inColor: inColor) { text += $0 }
      #expect(text.contains("\u{1b}[") == inColor)
      #expect(text.contains("clean"))
    }
  }

  @Test func bytesAddUpInTheReport() throws {
    let lines = try report(MMKVFixtureBuilder(texts: [("a", "1"), ("a", "2")]))
    let line = try #require(lines.first { $0.hasPrefix("Bytes: ") })
    let numbers = line.filter { $0 != "," }.split { !$0.isNumber }.compactMap { Int($0) }
    #expect(numbers.first == 8192 && numbers.dropFirst().reduce(0, +) == 8192)
  }
}
