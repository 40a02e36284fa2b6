import Foundation
import Testing

/// The reports that `check` writes for continuous integration, as other programs read them.
@Suite(
  .enabled("there is no python3") { try await Python.isHere() })
struct ReportFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Prints a JSON line for each suite and each case of a JUnit report, as a reader gets them.
  private static let readJUnit = """
    import sys, json, xml.etree.ElementTree as tree
    root = tree.parse(sys.argv[1]).getroot()
    assert root.tag == 'testsuites', root.tag
    suites = root.findall('testsuite')
    for element in [root] + suites + root.findall('testsuite/testcase'):
        children = [dict(tag=child.tag, text=child.text, **child.attrib) for child in element
                    if child.tag not in ('testsuite', 'testcase')]
        print(json.dumps(dict(tag=element.tag, children=children, **element.attrib)))
    """

  /// Checks the objects of a SARIF log against the requirements of the schema, and prints the log.
  private static let readSARIF = """
    import sys, json, urllib.parse
    log = json.load(open(sys.argv[1], encoding='utf-8'))
    assert log['version'] == '2.1.0' and 'sarif-2.1.0' in log['$schema']
    assert set(log) <= {'version', '$schema', 'runs', 'inlineExternalProperties', 'properties'}
    [run] = log['runs']
    driver = run['tool']['driver']
    assert driver['name'] == 'kvfsck' and driver['version'][0].isdigit()
    rules = driver['rules']
    assert len({rule['id'] for rule in rules}) == len(rules)
    levels = {'none', 'note', 'warning', 'error'}
    def location(it):
        place = it['physicalLocation']
        uri = place['artifactLocation']['uri']
        assert urllib.parse.urlsplit(uri).scheme in ('', 'file'), uri
        assert all(c.isalnum() or c in '-._~/%:' for c in uri) and uri.isascii(), uri
        region = place['region']
        assert region['startLine'] >= 1
        assert ('byteOffset' in region) == ('byteLength' in region)
        assert region.get('byteOffset', 0) >= 0 and region.get('byteLength', 0) >= 0
    for rule in rules:
        assert rule['shortDescription']['text'] and rule['help']['text']
        assert rule['defaultConfiguration']['level'] in levels
    for result in run['results']:
        assert result['message']['text'] and result['level'] in levels
        assert rules[result['ruleIndex']]['id'] == result['ruleId']
        for place in result['locations']: location(place)
        assert all(type(text) is str for text in result['partialFingerprints'].values())
    [invocation] = run['invocations']
    assert type(invocation['executionSuccessful']) is bool
    assert type(invocation['exitCode']) is int
    for notification in invocation.get('toolExecutionNotifications', []):
        assert notification['message']['text'] and notification['level'] in levels
        for place in notification['locations']: location(place)
    print(json.dumps(log))
    """

  /// Returns the elements that a reader of JUnit gets from the report called `name`.
  private func junit(_ name: String = "report.xml") async throws -> [JSON] {
    let read = try await Python.run(Self.readJUnit, [scratch.path(name)])
    try #require(read.status == 0, "\(read.testDescription)")
    return try read.objects()
  }

  /// Returns the only run that a reader of SARIF gets from the report called `name`.
  private func sarif(_ name: String = "report.sarif") async throws -> JSON {
    let read = try await Python.run(Self.readSARIF, [scratch.path(name)])
    try #require(read.status == 0, "\(read.testDescription)")
    return try #require(try read.objects().first?["runs"]?.array?.first)
  }

  private func check(_ arguments: [String]) async throws -> Outcome {
    try await Tool.run(
      ["check", "--junit", "report.xml", "--sarif", "report.sarif"] + .clock + arguments,
      in: scratch.path)
  }

  @Test func everyPathIsInBothReports() async throws {
    let table = try scratch.write(Array(#"{"a":1}"#.utf8), to: "table.json")
    let android = "\(Fixture.root)/fastkv-android/golden/nb_all_types"
    let paths = [Fixture.clean.path, Fixture.lossy.path, android, table, "nowhere"]
    let outcome = try await check(paths)
    #expect(outcome.status == 12)
    // The output is the same as without reports.
    let plain = try await Tool.run(["check"] + .clock + paths, in: scratch.path)
    #expect(outcome.output == plain.output && outcome.errors == plain.errors)

    let elements = try await junit()
    for element in elements.prefix(2) {
      #expect(element["tests"]?.string == "5")
      #expect(element["failures"]?.string == "1" && element["errors"]?.string == "1")
    }
    let cases = elements.filter { $0["tag"]?.string == "testcase" }
    #expect(cases.map { $0["name"]?.string } == paths)
    #expect(
      cases.map { $0["classname"]?.string } == [
        "kvfsck.mmkv", "kvfsck.mmkv", "kvfsck.fastkv-android", "kvfsck.json", "kvfsck.not-opened",
      ])
    let children = cases.map { $0["children"]?.array ?? [] }
    #expect(children.map(\.count) == [0, 1, 0, 0, 1])
    let failure = try #require(children[1].first)
    #expect(failure["tag"]?.string == "failure" && failure["type"]?.string == "damaged")
    #expect(failure["message"]?.string?.contains("29 entries") == true)
    let lines = failure["text"]?.string?.split(separator: "\n") ?? []
    #expect(lines.count == 4)
    #expect(lines[1].hasPrefix("\(Fixture.lossy.path)/kv:0x5: damage: [record.zeros] "))
    let error = try #require(children[4].first)
    #expect(error["tag"]?.string == "error")
    #expect(error["text"]?.string?.contains("no such file or directory") == true)

    let run = try await sarif()
    let results = run["results"]?.array ?? []
    #expect(
      results.map { $0["ruleId"]?.string } == [
        "mmkv.checksum-mismatch", "record.zeros", "mmkv.confirmed-mismatch", "mmkv.slack-content",
        "kvfsck.not-opened",
      ])
    #expect(
      results.map { $0["level"]?.string } == ["error", "error", "warning", "note", "error"])
    let place = try #require(results[1]["locations"]?.array?.first?["physicalLocation"])
    #expect(
      place["artifactLocation"]?["uri"]?.string == "file://\(Fixture.lossy.path)/kv")
    #expect(place["region"]?["byteOffset"]?.integer == 5)
    #expect(place["region"]?["byteLength"]?.integer == 36)
    let invocation = try #require(run["invocations"]?.array?.first)
    #expect(invocation["exitCode"]?.integer == 12)
    #expect(invocation["executionSuccessful"] == .bool(false))
    #expect(invocation["toolExecutionNotifications"]?.array?.count == 1)
  }

  @Test func aCleanStoreHasNoResults() async throws {
    #expect(try await check([Fixture.clean.path]).status == 0)
    let run = try await sarif()
    #expect(run["results"] == .array([]))
    #expect(run["invocations"]?.array?.first?["executionSuccessful"] == .bool(true))
    #expect(try await junit().first?["failures"]?.string == "0")
  }

  /// Characters that XML, a URI or a line cannot contain, and the ends of XML sections.
  @Test(arguments: [
    "\u{1}", "\u{1b}[31m", "\n", "\r\n", "\t", "\u{fffe}", "\u{ffff}", "\u{85}", "\u{7f}",
    "<&>\"'", "]]>", "<!--", "%41 ?#", "c:d", "\u{1f600}", "\u{202e}", "&#0;",
  ])
  func hostileNamesAndKeysLeaveTheReportsWellFormed(_ hostile: String) async throws {
    let key = String(decoding: try JSONEncoder().encode("k" + hostile), as: UTF8.self)
    let name = "s\(hostile)t.json"
    // A duplicate key and an invalid line are reported, and the key is part of the message.
    _ = try scratch.write(Array("{\(key):1,\(key):2}".utf8), to: name)
    let missing = "no\(hostile)where"
    let outcome = try await check(["--fail-on", "warning", name, missing])
    #expect(outcome.status.map { $0 & 8 } == 8)
    let cases = try await junit().filter { $0["tag"]?.string == "testcase" }
    #expect(cases.count == 2)
    let run = try await sarif()
    let results = run["results"]?.array ?? []
    let uris = results.map {
      $0["locations"]?.array?.first?["physicalLocation"]?["artifactLocation"]?["uri"]?.string
    }
    // The names in the URIs can be decoded unchanged.
    #expect(uris.last??.removingPercentEncoding == missing)
    #expect(uris.dropLast().allSatisfy { $0?.removingPercentEncoding == name })
  }

  @Test func findingsBelowTheThresholdDoNotFailACase() async throws {
    // Apart from notes, the store has only warnings.
    let store = Fixture("golden/clearall").path
    #expect(try await check([store]).status == 0)
    var element = try #require(try await junit().last)
    #expect(element["children"]?.array?.map { $0["tag"]?.string } == ["system-out"])
    #expect(try await check(["--fail-on", "damage", store]).status == 0)
    let strict = try await check(["--json", "--fail-on", "warning", store])
    #expect(strict.status == 4)
    #expect(try strict.objects("summary").first?["exit"]?.integer == 4)
    #expect(try strict.objects("summary").first?["verdict"]?.string == "clean")
    element = try #require(try await junit().last)
    #expect(element["children"]?.array?.map { $0["tag"]?.string } == ["failure"])
    #expect(element["children"]?.array?.first?["type"]?.string == "warning")
    #expect(try await sarif()["invocations"]?.array?.first?["exitCode"]?.integer == 4)
    #expect(try await check(["--fail-on", "warning", Fixture.clean.path]).status == 0)
    #expect(try await check(["--fail-on", "note", Fixture.clean.path]).status == 16)
  }

  @Test func findingsThatAreExpectedAreSuppressed() async throws {
    let lines = try await Tool.run(["check", "--json"] + .clock + [Fixture.lossy.path])
    _ = try scratch.write(Array(lines.output.utf8), to: "expected")
    #expect(try await check(["--expect", "expected", Fixture.lossy.path]).status == 0)
    var results = try await sarif()["results"]?.array ?? []
    #expect(results.count == 4)
    for result in results {
      #expect(result["suppressions"]?.array?.first?["kind"]?.string == "external")
    }
    let element = try #require(try await junit().last)
    #expect(element["children"]?.array?.map { $0["tag"]?.string } == ["system-out"])
    #expect(try await check(["--expect", "expected", Fixture.corrected.path]).status == 4)
    results = try await sarif()["results"]?.array ?? []
    #expect(!results.isEmpty && results.allSatisfy { $0["suppressions"] == nil })
    #expect(
      try await junit().last?["children"]?.array?.first?["type"]?.string == "unexpected")
  }

  @Test func everyOrphanOfACacheHasAPathAndAFingerprintOfItsOwn() async throws {
    let source = try scratch.write(
      Array((#"{"long":""# + String(repeating: "x", count: 40_000) + #""}"#).utf8), to: "a.json")
    let convert = try await Tool.run(
      ["convert", "--to", "yycache", "--out", scratch.path("cache"), source])
    #expect(convert.status == 0, "\(convert.testDescription)")
    let names = ["one", "three", "two"]
    for name in names { _ = try scratch.write([1, 2], to: "cache/data/\(name)") }
    let outcome = try await check(["--json", "cache"])
    let orphans = try outcome.objects("finding").filter {
      $0["code"]?.string == "yycache.orphan-file"
    }
    #expect(orphans.map { $0["path"]?.string } == names.map { "cache/data/\($0)" })
    #expect(orphans.allSatisfy { $0["file"]?.string == "external" && $0["offset"]?.integer == 0 })
    let results = (try await sarif()["results"]?.array ?? []).filter {
      $0["ruleId"]?.string == "yycache.orphan-file"
    }
    let uris = results.map {
      $0["locations"]?.array?.first?["physicalLocation"]?["artifactLocation"]?["uri"]?.string
    }
    #expect(uris == names.map { "cache/data/\($0)" })
    let prints = results.map { $0["partialFingerprints"]?["primaryLocationLineHash"]?.string }
    #expect(
      prints == names.map { "yycache.orphan-file:external:\($0):0" })
    let text = try await Tool.run(["check", "cache"], in: scratch.path)
    for name in names {
      #expect(text.output.contains("cache/data/\(name):0x0: warning: [yycache.orphan-file]"))
    }
  }

  @Test func theReportOfAnEarlierRunIsReplaced() async throws {
    #expect(try await check([Fixture.lossy.path]).status == 4)
    #expect(try await check([Fixture.clean.path]).status == 0)
    #expect(try await junit().first?["failures"]?.string == "0")
    #expect(try await sarif()["results"] == .array([]))
    #expect(scratch.names(in: "") == ["report.sarif", "report.xml"])
    // An empty file is what mktemp creates.
    _ = try scratch.write([], to: "report.xml")
    #expect(try await check([Fixture.lossy.path]).status == 4)
    #expect(try await junit().first?["failures"]?.string == "1")
  }

  @Test func nobodyReadingStdoutDoesNotShortenTheReports() async throws {
    let paths = try (0..<60).map { try scratch.copy(.lossy, to: "store\($0)") }
    _ = try await Tool.shell(
      "\"$0\" check --junit report.xml \"$@\" | head -c 1 > /dev/null", paths, in: scratch.path)
    #expect(try await junit().first?["tests"]?.string == "60")
  }

  @Test func aReportOfOneKindDoesNotDependOnTheOther() async throws {
    let outcome = try await Tool.run(
      ["check", "--junit", "none/report.xml", "--sarif", "report.sarif"] + .clock
        + [Fixture.clean.path], in: scratch.path)
    #expect(outcome.status == 8)
    #expect(outcome.errors.contains("cannot write none/report.xml"))
    // The exit status in the report is that of the run.
    #expect(try await sarif()["invocations"]?.array?.first?["exitCode"]?.integer == 8)
  }
}
