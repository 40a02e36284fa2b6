import Foundation
import Testing

/// Files that no report may overwrite.
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

  @Test(arguments: ["--junit", "--sarif", "--markdown"])
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
    for file in ["", "-", "store/other.crc", "new.KVA", "none/", "\(folder)/"] {
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

  /// Tests that a report on the stores in a folder has the permissions of their files, not those of
  /// the folder.
  @Test(arguments: ["html", "sqlite", "case", "dfxml", "leapp"])
  func aReportOnAFolderIsNoMoreOpenThanTheStoresInIt(form: String) async throws {
    for name in ["d", "open"] {
      _ = try scratch.makeFolder(name)
      _ = try scratch.copy(.clean, to: "\(name)/one")
      _ = try scratch.copy(.clean, to: "\(name)/two")
    }
    let script = """
      umask 022
      chmod -R go=rX . && chmod 600 d/one/kv.crc
      for path in d/one d open; do
        name=out-$(basename $path)
        "$0" report --to $1 --out $name --now 1760000000 $path > /dev/null 2>&1 || exit
      done
      umask 077
      "$0" report --to $1 --out out-masked --now 1760000000 open
      """
    let outcome = try await Tool.shell(script, [form], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let isFolder = form == "leapp"
    for name in ["out-one", "out-d", "out-masked", "out-open"] {
      let isOpen = name == "out-open"
      let permissions = try FileManager.default.permissions(of: scratch.path(name))
      let expected = isFolder ? (isOpen ? 0o755 : 0o700) : (isOpen ? 0o644 : 0o600)
      #expect(permissions == expected, "\(name)")
      guard isFolder else { continue }
      for file in try FileManager.default.subpathsOfDirectory(atPath: scratch.path(name)) {
        let path = scratch.path("\(name)/\(file)")
        let permissions = try #require(try FileManager.default.permissions(of: path))
        #expect(permissions & 0o077 == 0 || isOpen, "\(name)/\(file)")
      }
    }
  }

  #if Archives
    @Test func aReportOnAnArchiveIsNoMoreOpenThanTheArchive() async throws {
      _ = try scratch.copy(.clean)
      let script = """
        umask 022
        for mode in 600 644; do
          tar cf $mode.tar store && chmod $mode $mode.tar
          "$0" report --out $mode.html --now 1760000000 $mode.tar > /dev/null 2>&1 || exit
        done
        """
      #expect(try await Tool.shell(script, in: scratch.path).status == 0)
      for (name, expected) in [("600.html", 0o600), ("644.html", 0o644)] {
        #expect(try FileManager.default.permissions(of: scratch.path(name)) == expected)
      }
    }
  #endif
}
