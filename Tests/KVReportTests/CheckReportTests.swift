import Foundation
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// The reports for continuous integration, and expectations, as the libraries provide them.
@Suite struct CheckReportTests {
  /// Returns the text of a document to which a path that cannot be opened was reported.
  private func notOpened(
    _ form: CheckDocument.Form, _ path: String, _ reason: String = "no"
  ) -> [UInt8] {
    let document = CheckDocument(form, version: "1.0.0")
    document.report(.begun(path: ReportedPath(stringLiteral: path)))
    document.report(.failed(path: ReportedPath(stringLiteral: path), reason: reason))
    return document.bytes(exit: 8)
  }

  private func uri(of path: String) throws -> String {
    let document = notOpened(.sarif, path)
    let log = try JSONSerialization.jsonObject(with: Data(document))
    let runs = try #require((log as? [String: Any])?["runs"] as? [[String: Any]])
    let results = try #require(runs.first?["results"] as? [[String: Any]])
    let places = try #require(results.first?["locations"] as? [[String: Any]])
    let place = try #require(places.first?["physicalLocation"] as? [String: Any])
    let artifact = try #require(place["artifactLocation"] as? [String: Any])
    return try #require(artifact["uri"] as? String)
  }

  @Test(arguments: [
    ("a/b", "a/b"), ("./a", "a"), (".//a", "a"), ("../a", "../a"), (".", "."),
    ("/a b/c", "file:///a%20b/c"), ("a:b", "a%3Ab"), ("a%41#?", "a%2541%23%3F"),
    ("\u{e9}", "%C3%A9"), (".hidden", ".hidden"),
  ])
  func pathsBecomeURIs(path: String, uri: String) throws {
    #expect(try self.uri(of: path) == uri)
  }

  @Test func anEarlierReportIsKnownByItsOpening() {
    for form in [CheckDocument.Form.junit, .sarif] {
      let empty = CheckDocument(form, version: "1.0.0").bytes(exit: 0)
      #expect(empty.starts(with: form.opening.utf8))
      #expect(notOpened(form, "a").starts(with: form.opening.utf8))
    }
  }

  /// Tests that no character ends or breaks an attribute.
  ///
  /// The characters include the two kinds that XML cannot represent, and one that ends an
  /// attribute.
  @Test func noCharacterEndsOrBreaksAnAttribute() throws {
    let document = notOpened(.junit, "a\"b\u{0}c\u{ffff}<\n", "d\u{1b}&e")
    let text = String(decoding: document, as: UTF8.self)
    #expect(text.contains(#" name="a&quot;b\u{0}c\u{ffff}&lt;\n" "#))
    #expect(text.contains(#">d\u{1b}&amp;e</error>"#))
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
  }

  @Test func equalFindingsInOneFileHaveFingerprintsOfTheirOwn() throws {
    let findings = [4, 9].map { offset in
      Finding(LogFindings.zeros, at: Extent(.data, offset..<offset + 1), "zeros")
    }
    let files = [StoreFile(.data, at: "kv", FileImage([]))]
    let reporter = CheckDocument(.sarif, version: "1.0.0")
    reporter.report(.begun(path: "kv"))
    reporter.report(
      .read(
        EntryTable(formatName: "json", files: files, entries: [], findings: findings), clock: 0))
    reporter.report(.findings(findings, in: files))
    reporter.report(.summary(ReportSummary(.damaged, entries: 0, findings: 2, exit: 4)))
    let log = try JSONSerialization.jsonObject(with: Data(reporter.bytes(exit: 4)))
    let runs = try #require((log as? [String: Any])?["runs"] as? [[String: Any]])
    let results = try #require(runs.first?["results"] as? [[String: Any]])
    let prints = results.compactMap { $0["partialFingerprints"] as? [String: String] }
    #expect(Set(prints).count == 2)
    let driver = (runs.first?["tool"] as? [String: Any])?["driver"] as? [String: Any]
    #expect((driver?["rules"] as? [Any])?.count == 1)
  }

  @Test("The rules of SARIF have the texts of the findings' declarations")
  func sarifRulesAreTheDeclarations() throws {
    let codes = [LogFindings.zeros, LogFindings.newerTail, LogFindings.bloat]
    let findings = codes.map { Finding($0, at: nil, "a message") }
    let reporter = CheckDocument(.sarif, version: "1.0.0")
    reporter.report(.begun(path: "kv"))
    reporter.report(.findings(findings, in: []))
    reporter.report(.summary(ReportSummary(.damaged, entries: 0, findings: 3, exit: 4)))
    let log = try JSONSerialization.jsonObject(with: Data(reporter.bytes(exit: 4)))
    let runs = try #require((log as? [String: Any])?["runs"] as? [[String: Any]])
    let driver = (runs.first?["tool"] as? [String: Any])?["driver"] as? [String: Any]
    let rules = try #require(driver?["rules"] as? [[String: Any]])
    #expect(rules.map { $0["id"] as? String } == codes.map(\.name).sorted())
    for rule in rules {
      let code = try #require(codes.first { $0.name == rule["id"] as? String })
      let texts = ["fullDescription", "help"].map { (rule[$0] as? [String: String])?["text"] }
      let lines = code.paragraphs.map { "\($0.title): \($0.text)." }
      #expect(texts[0] == code.meaning + ".")
      #expect(texts[1] == lines.joined(separator: "\n"))
      #expect(lines.last?.hasPrefix(code.rules.isEmpty ? "What to do: " : "Follows from: ") == true)
    }
  }

  @Test func ofAKeyThatIsThereTwiceEachIsComparedWithItsOwn() throws {
    func entry(_ value: Int64) -> TypedEntry {
      TypedEntry(key: Key(Array("a".utf8)), value: .int64(value))
    }
    let table = EntryTable(
      formatName: "json", files: [], entries: [entry(1), entry(2)], findings: [])
    let facts = StoreFacts(table, verdict: .clean)
    func messages(_ values: [Int]) throws -> [String] {
      let lines = values.map {
        #"{"type":"entry","key":"a","value":{"kind":"int64","value":\#($0)}}"#
      }
      return try Expectations(parsing: Array(lines.joined(separator: "\n").utf8))
        .differences(from: facts).map(\.message)
    }
    #expect(try messages([1, 2]) == [])
    #expect(
      try messages([2, 1]) == [
        "~ entry a: expected int64 2, found int64 1", "~ entry a: expected int64 1, found int64 2",
      ])
    #expect(try messages([1]) == ["+ entry a: not expected, found int64 2"])
    #expect(try messages([1, 2, 3]) == ["- entry a: expected int64 3, but missing"])
  }

  @Test func expectationsAtRandomTrapNothing() throws {
    let seed = RandomSeeds.run
    print("expectationsAtRandomTrapNothing: seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var builder = MMKVFixtureBuilder(texts: [("name", "Ann"), ("flag", "x")])
    builder.digest = 1
    let store = builder.open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
    let facts = StoreFacts(store, diagnosis, plan)
    var text = ""
    let reporter = JSONLinesReporter.ofLines { text += $0 + "\n" }
    reporter.report(.opened(store, clock: 0))
    reporter.report(.findings(diagnosis.findings, in: store.files))
    reporter.report(.states(diagnosis.states))
    reporter.report(.predictions(diagnosis.predictions, isAppAsked: true))
    reporter.report(.entries(plan?.kept ?? []))
    reporter.finish()
    let bytes = Array(text.utf8)
    #expect(try Expectations(parsing: bytes).differences(from: facts) == [])
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = changed.indices.randomElement(using: &generator) ?? 0
        changed[index] = UInt8.random(in: .min ... .max, using: &generator)
      }
      do throws(ExpectationError) {
        _ = try Expectations(parsing: changed).differences(from: facts)
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }
}
