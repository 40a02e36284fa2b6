import Foundation
import Testing

/// `dump --timeline`: the times found in the contents of a store.
struct TimelineTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func store(_ script: String) async throws -> String {
    let path = scratch.path("app.script")
    try Data(script.utf8).write(to: URL(filePath: path))
    let made = try await Tool.run(["fixture", "make", path, "--out", scratch.path("store")])
    #expect(made.status == 0, "\(made.testDescription)")
    return scratch.path("store") + "/kv"
  }

  /// Returns the time, key, source, state and unit of each line of the type `moment`.
  private func moments(_ store: String) async throws -> [[String?]] {
    let outcome = try await Tool.run(["dump", "--timeline", "--json"] + .clock + [store])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    return try outcome.objects("moment").map {
      [
        $0["time"]?.string, $0["key"]?.string, $0["source"]?.string, $0["state"]?.string,
        $0["unit"]?.string,
      ]
    }
  }

  @Test func timesAreInOrderWhateverCountsThem() async throws {
    let store = try await store(
      """
      format mmkv
      int64 opened_at 1760000000123
      int64 seen_at 1700000000
      string name Ann
      int32 count 7
      int64 seen_at 1750000000
      remove opened_at
      """)
    #expect(
      try await moments(store) == [
        ["2023-11-14T22:13:20Z", "seen_at", "value", "superseded", "seconds since 1970"],
        ["2025-06-15T15:06:40Z", "seen_at", "value", "live", "seconds since 1970"],
        ["2025-10-09T08:53:20.123Z", "opened_at", "value", "removed", "milliseconds since 1970"],
      ])
  }

  @Test func anEntryThatExpiresIsInItByThatTime() async throws {
    let store = "\(Fixture.root)/mmkv/golden/expire_mixed/kv"
    let expiries = try await Tool.run(["dump", "--history", "--json"] + .clock + [store])
      .objects("record").compactMap { $0["expires_at"]?.integer }
    let found = try await moments(store).filter { $0[2] == "expiry" }
    #expect(found.count == expiries.count)
    #expect(!found.isEmpty)
    let formatter = ISO8601DateFormatter()
    let times = try found.map { try #require(formatter.date(from: $0[0] ?? "")) }
    #expect(times.map { Int($0.timeIntervalSince1970) } == expiries.sorted())
  }

  @Test func aFormatWithoutALogHasOneToo() async throws {
    let path = scratch.path("list.plist")
    let list: [String: Any] = ["b": Date(timeIntervalSince1970: 1_700_000_000), "a": "text"]
    try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      .write(to: URL(filePath: path))
    let found = try await moments(path)
    #expect(found.map { [$0[0], $0[1], $0[3]] } == [["2023-11-14T22:13:20Z", "b", nil]])
    // The format has dates; no reader has to know from when a number counts.
    let text = try await Tool.run(["dump", "--timeline", path]).output
    #expect(text.contains("(a date)"), "\(text)")
  }

  /// Tests that times are in order also below what a number of seconds can tell.
  @Test func tenthsOfMicrosecondsAreInOrder() async throws {
    let document =
      #"{"kvfsck":"entries","schema":1,"entries":["#
      + #"{"key":"later","type":"int64","value":133444736000000001},"#
      + #"{"key":"first","type":"int64","value":133444736000000000},"#
      + #"{"key":"date","type":"date","value":1e15}]}"#
    _ = try scratch.write(Array(document.utf8), to: "times.json")
    let found = try await moments(scratch.path("times.json"))
    #expect(found.map { $0[1] } == ["first", "later"], "\(found)")
    let table = try await Tool.run(
      ["convert", scratch.path("times.json"), "--to", "csv", "--out", "-"])
    #expect(table.output.contains(",1000000000000000.0,,,"), "\(table.testDescription)")
  }

  @Test func aDateThatIsNoNumberIsNotATime() async throws {
    let path = scratch.path("list.plist")
    let list: [String: Any] = [
      "a": Date(timeIntervalSinceReferenceDate: 2), "b": Date(timeIntervalSinceReferenceDate: .nan),
      "c": Date(timeIntervalSinceReferenceDate: 1),
      "d": Date(timeIntervalSinceReferenceDate: .infinity),
    ]
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      .write(to: URL(filePath: path))
    #expect(try await moments(path).map { $0[1] } == ["c", "a"])
    let csv = scratch.path("list.csv")
    _ = try await Tool.run(["convert", path, "--out", csv])
    let rows = try String(contentsOfFile: csv, encoding: .utf8).split(separator: "\r\n")
    #expect(rows.filter { $0.contains(",nan,,,") || $0.contains(",inf,,,") }.count == 2)
  }

  @Test func aPictureIsNotForPrograms() async throws {
    let store = Fixture.clean.path + "/kv"
    #expect(try await Tool.run(["map", "--blocks", "--json", store]).status == 16)
    #expect(try await Tool.run(["dump", "--timeline", "--history", store]).status == 16)
  }
}
