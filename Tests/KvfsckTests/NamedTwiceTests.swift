import Foundation
import Testing

/// Stores to which several paths of a command line lead, as a shell's `*` does.
struct NamedTwiceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the paths of the stores that `check` reports.
  private func checked(_ paths: [String]) async throws -> [String?] {
    let outcome = try await Tool.run(["check", "--json"] + .clock + paths, in: scratch.path)
    return try outcome.objects("store").map { $0["files"]?.array?.first?["path"]?.string }
  }

  @Test(arguments: [
    ["store/kv", "store/kv.crc"], ["store/kv.crc", "store/kv"], ["store/kv", "store/kv"],
    ["store/kv", "store/../store/kv"], ["store", "store/kv"], ["store/kv", "store"],
    ["store", "store/"],
  ])
  func aStoreIsCheckedOnce(paths: [String]) async throws {
    _ = try scratch.copy(.lossy)
    #expect(try await checked(paths).count == 1)
    let text = try await Tool.run(["check", "-q"] + .clock + paths, in: scratch.path)
    let once = try await Tool.run(["check", "-q"] + .clock + [paths[0]], in: scratch.path)
    #expect(text.output == once.output && text.status == 4, "\(text.testDescription)")
    let report = try await Tool.run(
      ["check", "--junit", "report.xml"] + .clock + paths, in: scratch.path)
    #expect(report.status == 4)
    let junit = String(decoding: try scratch.bytes(of: "report.xml"), as: UTF8.self)
    #expect(junit.matches(of: /<testcase/).count == 1, "\(junit)")
  }

  @Test func theCopiesOfFastKVAreOneStore() async throws {
    let folder = "\(Fixture.root)/fastkv-android/golden/nb_all_types"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let copies = names.filter { $0.hasSuffix(".kva") || $0.hasSuffix(".kvb") }
    #expect(copies.count == 2)
    #expect(try await checked(copies.map { "\(folder)/\($0)" }).count == 1)
  }

  @Test func aPathThatCannotBeReadIsReportedOnce() async throws {
    let outcome = try await Tool.run(["check", "none", "./none"], in: scratch.path)
    #expect(outcome.status == 8)
    #expect(outcome.errors.matches(of: /cannot read/).count == 1, "\(outcome.errors)")
  }

  /// Tests that a file is checked even if it is named like a side file of another store.
  @Test func aCopyBesideAStoreIsCheckedToo() async throws {
    _ = try scratch.write(Array(#"{"a":1}"#.utf8), to: "settings.json")
    _ = try scratch.write(Array(#"{"a":2}"#.utf8), to: "settings.json.bak")
    let outcome = try await Tool.run(
      ["check", "--format", "json", "settings.json", "settings.json.bak"], in: scratch.path)
    #expect(outcome.output.contains("settings.json: "), "\(outcome.testDescription)")
    #expect(outcome.output.contains("settings.json.bak: "), "\(outcome.testDescription)")
  }

  @Test func theTotalsAreOverAllStores() async throws {
    _ = try scratch.copy(.lossy)
    _ = try scratch.copy(.clean, to: "other")
    _ = try scratch.makeFolder("folder")
    for name in ["one", "two"] { _ = try scratch.copy(.clean, to: "folder/\(name)") }
    let paths = ["store/kv", "store/kv.crc", "other/kv", "folder", "none"]
    let outcome = try await Tool.run(["check"] + .clock + paths, in: scratch.path)
    #expect(outcome.output.contains("\n5 stores: 3 clean, 1 damaged, 1 not read; "))
    let json = try await Tool.run(["check", "--json"] + .clock + paths, in: scratch.path)
    let totals = try #require(try json.objects("totals").last)
    #expect(totals["stores"]?.integer == 5 && totals["failures"]?.integer == 1)
    #expect(totals["path"] == nil && totals["verdicts"]?["clean"]?.integer == 3)
    let alone = try await Tool.run(["check"] + .clock + paths.prefix(2), in: scratch.path)
    #expect(!alone.output.contains("1 store:"), "\(alone.testDescription)")
  }

  /// Tests that a link beside the store that it leads to is not a second store.
  @Test func aLinkBesideItsTargetIsNoStore() async throws {
    _ = try scratch.copy(.clean)
    for (link, target) in [("a", "kv"), ("a.crc", "kv.crc"), ("z", "kv")] {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path("store/\(link)"), withDestinationPath: target)
    }
    let dump = try await Tool.run(["dump", "store"] + .clock, in: scratch.path)
    #expect(dump.status == 0 && dump.lines.count == 45, "\(dump.testDescription)")
    let scan = try await Tool.run(["scan", "store"] + .clock, in: scratch.path)
    #expect(try scan.objects("result").map { $0["path"]?.string } == ["store/kv"])
    // A link that is the only name of a store with its side file is the store.
    try FileManager.default.removeItem(atPath: scratch.path("store/a.crc"))
    try FileManager.default.moveItem(
      atPath: scratch.path("store/kv.crc"), toPath: scratch.path("store/a.crc"))
    #expect(try await checked(["store"]) == ["store/a"])
    let other = try await Tool.run(["scan", "store"] + .clock, in: scratch.path)
    #expect(try other.objects("result").map { $0["path"]?.string } == ["store/a"])
  }

  // MARK: Files that only another format would need

  @Test(arguments: ["check", "scan"])
  func aLinkThatAnotherFormatWouldFollowHidesNoStore(command: String) async throws {
    let folder = try scratch.copy(.lossy)
    _ = try scratch.write([1], to: "outside")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/kv.bak", withDestinationPath: scratch.path("outside"))
    let outcome = try await Tool.run([command, "\(folder)/kv"] + .clock)
    #expect(outcome.status == (command == "scan" ? 0 : 4), "\(outcome.testDescription)")
    #expect(outcome.output.contains("damaged") && outcome.errors == "")
  }

  // MARK: Reports of nothing

  @Test(arguments: ["html", "sqlite", "leapp", "case", "dfxml"])
  func aReportOfNothingIsNotWritten(form: String) async throws {
    let outcome = try await Tool.run(
      ["report", "none", "--to", form, "--out", "new"], in: scratch.path)
    #expect(outcome.status == 8)
    #expect(outcome.errors.matches(of: /cannot read none/).count == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("nothing could be read, so new was not written"))
    #expect(scratch.names(in: "") == [])
  }

  @Test(
    "On a terminal the table has the reason, and nothing else repeats it",
    .enabled("there is no python3") { try await Python.isHere() })
  func theReasonIsPrintedOnce() async throws {
    let outcome = try await PseudoTerminal(columns: 300).run(
      ["report", scratch.path("none"), "--out", scratch.path("new")])
    #expect(outcome.output.matches(of: /cannot read/).count == 1, "\(outcome.output)")
  }

  @Test func whatAReportHasWrittenIsSaid() async throws {
    let store = Fixture.clean.path
    let outcome = try await Tool.run(["report", store, "--out", "a.html"], in: scratch.path)
    let count = try scratch.bytes(of: "a.html").count
    #expect(outcome.status == 0)
    let digits = outcome.errors.filter { $0 != "," }
    #expect(digits.hasSuffix("Wrote a.html \(count) bytes\n"), "\(outcome.errors)")
    let quiet = try await Tool.run(["report", "-q", store, "--out", "b.html"], in: scratch.path)
    #expect(quiet.errors == "")
  }

  @Test(arguments: ["csv", "pdf", "json", "TSV", "jsonl", "zip"])
  func aNameOfAnotherFormatIsRefused(ending: String) async throws {
    let store = Fixture.clean.path
    let outcome = try await Tool.run(["report", store, "--out", "a.\(ending)"], in: scratch.path)
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains("with --to: html, sqlite, leapp, case, dfxml"))
    #expect(scratch.names(in: "") == [])
    let named = try await Tool.run(
      ["report", store, "--to", "html", "--out", "a.\(ending)"], in: scratch.path)
    #expect(named.status == 0)
  }

  @Test func xmlIsDFXML() async throws {
    let outcome = try await Tool.run(
      ["report", Fixture.clean.path, "--out", "a.xml"], in: scratch.path)
    #expect(outcome.status == 0)
    #expect(String(decoding: try scratch.bytes(of: "a.xml"), as: UTF8.self).contains("<dfxml "))
  }

  #if Encryption
    @Test func anEncryptedStoreThatIsNotRepairedIsExplainedOnce() async throws {
      let outcome = try await Tool.run(
        ["repair", Fixture.encrypted.path + "/kv", "--out", "new", "-y"], in: scratch.path)
      #expect(outcome.status == 8)
      #expect(outcome.output.matches(of: /mmkv.key-needed/).count == 1, "\(outcome.output)")
      #expect(outcome.output.hasSuffix("/kv: unreadable\n"))
    }
  #endif
}
