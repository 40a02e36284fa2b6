import Foundation
import Testing

/// What one form of a report says of several stores, the others say too.
struct ReportAgreementTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Stores with several findings, with findings about the whole store, and without any.
  private static let stores =
    [
      "mmkv/damaged/size_gt_file_small/kv", "mmkv/damaged/head_zero_16_fwb/kv",
      "mmkv/golden/all_types/kv", "mmkv/damaged/flip_keylen_fwb/kv",
      "fastkv-android/damaged/ext__ext_orphan/kv.kva",
      "fastkv-apple/damaged/many64__byte_lost/store.fkv",
    ].map { "\(Fixture.root)/\($0)" }

  private static func codes(_ text: String, _ form: some RegexComponent<(Substring, Substring)>)
    -> [String]
  {
    text.matches(of: form).map { String($0.output.1) }.sorted()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: scratch.path(name), encoding: .utf8)
  }

  @Test func everyFormOfAReportHasEveryFinding() async throws {
    let check = try await Tool.run(
      ["check", "--json", "--sarif", scratch.path("sarif"), "--junit", scratch.path("junit")]
        + ["--markdown", scratch.path("markdown")]
        + .clock + Self.stores)
    let lines = try check.objects("finding")
    let codes = lines.compactMap { $0["code"]?.string }.sorted()
    #expect(Set(codes).count > 5 && codes.count > Set(codes).count, "\(codes)")
    #expect(lines.contains { $0["offset"] == nil })
    #expect(Self.codes(try text("sarif"), /"ruleId": ?"([^"]+)"/) == codes)
    for name in ["junit", "markdown"] {
      #expect(Self.codes(try text(name), /(?:note|warning|damage): \[([^\]]+)\]/) == codes)
    }
    let report = try await Tool.run(
      ["report", "--to", "dfxml", "--out", scratch.path("dfxml")] + .clock + Self.stores)
    let finding = /<kvfsck:finding [^>]*kvfsck:code="([^"]+)"/
    #expect(Self.codes(try text("dfxml"), finding) == codes)
    let shown = try await Tool.run(["check"] + .clock + Self.stores)
    #expect(Self.codes(shown.output, /\[([a-z-]+\.[a-z-]+)\]/) == codes, "\(shown.output)")
    // A scan says which findings each store has, and each once.
    let scan = try await Tool.run(["scan", "--json"] + .clock + Self.stores)
    for run in [scan, report] {
      let results = try run.objects("result")
      #expect(results.count == Self.stores.count)
      for result in results {
        // A finding can be about another file in the folder of the store.
        let path = try #require(result["path"]?.string)
        let folder = String(path.prefix(upTo: try #require(path.lastIndex(of: "/"))))
        let known = lines.filter { $0["path"]?.string?.hasPrefix(folder + "/") ?? false }
          .compactMap { $0["code"]?.string }
        let found = (result["findings"]?.array ?? []).compactMap(\.string)
        #expect(found.count == Set(found).count)
        #expect(Set(found) == Set(known), "\(result)")
      }
    }
  }

  /// Tests that every number of a scan's totals is the sum over its lines.
  @Test func theTotalsOfAScanAreSumsOfItsLines() async throws {
    let others = [Fixture.emptied, .expiring].map { "\($0.path)/kv" }
    let scan = try await Tool.run(
      ["scan", "--json"] + .clock + Self.stores + others + [scratch.path("missing")])
    let results = try scan.objects("result").compactMap(\.object)
    let totals = try #require(try scan.objects("totals").first?.object)
    var sums: [String: Int] = [:]
    for (name, value) in totals where value.integer != nil {
      sums[name] = results.reduce(0) { $0 + ($1[name]?.integer ?? 0) }
    }
    sums["schema"] = 1
    sums["stores"] = results.count
    sums["failures"] = results.count { $0["verdict"]?.string == nil }
    sums["emptied"] = results.count { $0["emptied"]?.bool == true }
    #expect(sums == totals.compactMapValues(\.integer))
    let lost = sums["lost_at_next_launch"] ?? 0
    #expect(lost > 0 && lost != sums["recoverable"] && sums["failures"] == 1, "\(sums)")
    func counts(_ values: [String]) -> [String: Int] {
      Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
    }
    let codes = results.flatMap { ($0["findings"]?.array ?? []).compactMap(\.string) }
    for (name, values) in [
      ("findings", codes), ("formats", results.compactMap { $0["format"]?.string }),
      ("verdicts", results.compactMap { $0["verdict"]?.string }),
    ] {
      #expect(totals[name]?.object?.compactMapValues(\.integer) == counts(values), "\(name)")
    }
  }

  /// Tests that a check counts what a scan counts, also in stores without an index of all values.
  @Test func aCheckCountsWhatAScanCounts() async throws {
    let home = try scratch.makeFolder("RCTAsyncLocalStorage_V1")
    for (name, text) in [
      ("manifest.json", #"{"a":"1","b":"2"}"#), ("817e01dfc9ca7287f4e9a0f6a1c6830b", #"{"x":1}"#),
      ("0123456789abcdef0123456789abcdef", #"{"y":2}"#),
    ] {
      _ = try scratch.write(Array(text.utf8), to: "RCTAsyncLocalStorage_V1/\(name)")
    }
    let stores = Self.stores + ["\(Fixture.emptied.path)/kv", home]
    let checks = try await Tool.run(["check", "--json"] + .clock + stores).objects("summary")
    let results = try await Tool.run(["scan", "--json"] + .clock + stores).objects("result")
    #expect(checks.count == stores.count && results.count == stores.count)
    let names = [
      "entries", "guesses", "recoverable", "removed", "residual", "residual_bytes", "superseded",
      "verdict",
    ]
    for (check, result) in zip(checks, results) {
      for name in names { #expect(check[name] == result[name], "\(name): \(result)") }
    }
  }
}
