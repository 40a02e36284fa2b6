import Foundation
import Testing

/// Files that no report may overwrite.
@Suite(.timeLimit(.minutes(30)))
struct ReportRefusalTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func expectRefusal(
    _ option: String, _ file: String, _ stores: [String], status: Int32 = 8,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try FolderState(of: scratch.path)
    let outcome = try await Tool.run(
      ["check", option, file] + .clock + stores, in: scratch.path)
    #expect(outcome.status == status, sourceLocation: sourceLocation)
    #expect(!outcome.errors.isEmpty, sourceLocation: sourceLocation)
    #expect(try FolderState(of: scratch.path) == before, sourceLocation: sourceLocation)
  }

  @Test(arguments: ["--junit", "--sarif"])
  func nothingButAReportIsReplaced(option: String) async throws {
    let store = try scratch.copy(.clean)
    _ = try scratch.write(Array("<?xml version=\"1.0\"?><map/>".utf8), to: "prefs.xml")
    _ = try scratch.write(Array(#"{"a":1}"#.utf8), to: "table.json")
    let folder = try scratch.makeFolder("folder")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: "folder/target")
    for file in ["prefs.xml", "table.json", folder, "link", "none/report", "store/kv"] {
      try await expectRefusal(option, file, [store])
    }
    // This file is an input, even if it could be an older report.
    try await expectRefusal(option, "table.json", ["table.json"])
    for file in ["", "-", "store/other.crc", "new.KVA"] {
      try await expectRefusal(option, file, [store], status: 16)
    }
  }

  @Test func aFileWithMMKVsSideFileIsAStoreThoughItIsEmptyOrLost() async throws {
    let store = try scratch.copy(.clean)
    _ = try scratch.write([], to: "store/kv")
    try await expectRefusal("--junit", "store/kv", [Fixture.clean.path])
    try FileManager.default.removeItem(atPath: "\(store)/kv")
    try await expectRefusal("--sarif", "store/kv", [Fixture.clean.path])
  }

  @Test func anEmptyInputIsNotReplaced() async throws {
    _ = try scratch.write([], to: "empty")
    _ = try scratch.write([], to: "key")
    let outcome = try await Tool.run(["check", "--junit", "empty", "empty"], in: scratch.path)
    #expect(outcome.status.map { $0 & 8 } == 8)
    #expect(try scratch.bytes(of: "empty") == [])
    try await expectRefusal("--junit", "key", ["--key-file", "key", Fixture.clean.path])
  }

  @Test func theTwoReportsNeedAFileEach() async throws {
    for other in ["report", "./report"] {
      let outcome = try await Tool.run(
        ["check", "--junit", "report", "--sarif", other] + .clock + [Fixture.clean.path],
        in: scratch.path)
      #expect(outcome.status == (other == "report" ? 16 : 8))
    }
  }

  @Test func aReportIsNoMoreOpenThanTheStores() async throws {
    let store = try scratch.copy(.clean)
    for name in ["kv", "kv.crc"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: "\(store)/\(name)")
    }
    let outcome = try await Tool.run(
      ["check", "--junit", "report.xml"] + .clock + [store], in: scratch.path)
    #expect(outcome.status == 0)
    #expect(try FileManager.default.permissions(of: scratch.path("report.xml")) == 0o600)
  }
}
