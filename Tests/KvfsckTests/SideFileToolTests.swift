import Foundation
import Testing

/// Formats without a log as `check`, `dump`, `scan`, `compare` and `repair` show them: other versions
/// of a file, values without an index, and what to do next.
struct SideFileToolTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func preferences(_ user: String) -> [UInt8] {
    Array("<map><string name='user'>\(user)</string><int name='n' value='1' /></map>".utf8)
  }

  private func run(_ arguments: String...) async throws -> Outcome {
    try await Tool.run(arguments, in: scratch.path)
  }

  @Test func theFileThatIsNamedIsCompared() async throws {
    _ = try scratch.makeFolder("shared_prefs")
    _ = try scratch.write(preferences("zoe"), to: "shared_prefs/a.xml")
    _ = try scratch.write(preferences("mia"), to: "shared_prefs/a.xml.bak")
    let names = ["shared_prefs/a.xml", "shared_prefs/a.xml.bak"]
    let compared = try await Tool.run(["compare"] + names, in: scratch.path)
    #expect(compared.output.contains("1 changed"), "\(compared.testDescription)")
    #expect(try await run("dump", names[0], "--format", "sharedprefs").output.contains("zoe"))
    #expect(try await run("dump", names[1]).output.contains("mia"))
    // The app loads the backup.
    #expect(try await run("dump", "shared_prefs").output.contains("mia"))
    let scan = try await run("scan", "--json", "shared_prefs")
    let results = try scan.objects("result")
    #expect(results.count == 1)
    #expect(results.first?["lost_at_next_launch"]?.integer == 1)
    #expect(results.first?["recoverable"]?.integer == 1)
    let check = try await run("check", "--json", "shared_prefs")
    #expect(try check.objects("state").map { $0["name"]?.string } == ["newer"])
    #expect(try check.objects("summary").first?["recoverable"]?.integer == 1)
  }

  @Test func aZeroedDataStoreNamesTheCommandThatHelps() async throws {
    _ = try scratch.makeFolder("datastore")
    let name = "datastore/s.preferences_pb"
    _ = try scratch.write([UInt8](repeating: 0, count: 30), to: name)
    _ = try scratch.write([0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1], to: name + ".tmp")
    let scan = try await run("scan", "--json", "datastore")
    #expect(try scan.objects("result").map { $0["recoverable"]?.integer } == [1])
    let command = "repair \(name) --out repaired -y"
    let check = try await Tool.run(["check", name], in: scratch.path)
    #expect(check.output.contains(command), "\(check.testDescription)")
    let repaired = try await Tool.shell("\"$0\" \(command)", in: scratch.path)
    #expect(repaired.status == 1, "\(repaired.testDescription)")
    let written = try await run("check", "repaired/s.preferences_pb")
    #expect(written.output.contains("clean, 1 entry"), "\(written.testDescription)")
  }

  @Test func valuesWithoutAnIndexAreListed() async throws {
    _ = try scratch.makeFolder("RCTAsyncLocalStorage_V1")
    // The MD5 of "persist:root".
    let name = "RCTAsyncLocalStorage_V1/817e01dfc9ca7287f4e9a0f6a1c6830b"
    _ = try scratch.write(#"{"user":"mia"}"#.utf8, to: name)
    let gone = try await run("scan", "--json", ".")
    #expect(try gone.objects("result").map { $0["verdict"]?.string } == ["damaged"])
    #expect(try await run("check", "RCTAsyncLocalStorage_V1").status == 4)
    _ = try scratch.write("{}".utf8, to: "RCTAsyncLocalStorage_V1/manifest.json")
    let reset = try await run("check", "RCTAsyncLocalStorage_V1")
    #expect(reset.output.contains("emptied: 0 entries, 1 recoverable"), "\(reset.testDescription)")
    #expect(reset.status == 0)
    let dump = try await run("dump", "RCTAsyncLocalStorage_V1")
    #expect(dump.output.contains("may-be-stale"))
    #if Encryption
      #expect(dump.output.contains("persist:root = "))
    #endif
    let scan = try await run("scan", "--json", ".")
    #expect(try scan.objects("result").map { $0["recoverable"]?.integer } == [1])
    let text = try await Tool.shell("\"$0\" check .", in: scratch.path)
    #expect(text.output.contains("emptied"), "\(text.testDescription)")
  }

  @Test func aFormatWithoutHistorySaysSo() async throws {
    _ = try scratch.write(preferences("zoe"), to: "a.xml")
    let outcome = try await run("dump", "--history", "a.xml")
    #expect(outcome.errors.contains("sharedprefs keeps no history"), "\(outcome.testDescription)")
    #expect(outcome.output.contains("zoe"))
  }
}
