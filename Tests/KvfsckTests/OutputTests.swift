import Foundation
import Testing

/// The places where new files may be written.
///
/// A failure must not leave anything behind.
struct OutputTests {
  private let scratch: Scratch
  private let store: String
  private let before: FolderState

  init() throws {
    scratch = try Scratch()
    store = try scratch.copy(.lossy)
    before = try FolderState(of: store)
  }

  private func repair(out: String, in folder: String? = nil) async throws -> Outcome {
    try await Tool.run(
      ["repair", "-y", "--min-confidence", "0.98", "--out", out] + .clock + [store], in: folder)
  }

  /// Expects a failure that names `path` and leaves the input unchanged.
  private func expectFailure(_ outcome: Outcome, naming path: String) throws {
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("kvfsck: error: "))
    #expect(outcome.errors.contains(path))
    #expect(!outcome.output.contains("Wrote "))
    #expect(try FolderState(of: store) == before)
  }

  @Test func aMissingFolderIsMade() async throws {
    let outcome = try await repair(out: scratch.path("new"))
    #expect(outcome.status == 5)
    #expect(scratch.names(in: "new") == ["kv", "kv.crc", "kv.lost-and-found.jsonl"])
    #expect(outcome.output.contains("Wrote \(scratch.path("new"))/kv, 4,096 bytes\n"))
    #expect(try FolderState(of: store) == before)
  }

  @Test func anExistingFolderIsUsed() async throws {
    _ = try scratch.makeFolder("new")
    _ = try scratch.write([1], to: "new/other")
    #expect(try await repair(out: scratch.path("new")).status == 5)
    #expect(scratch.names(in: "new") == ["kv", "kv.crc", "kv.lost-and-found.jsonl", "other"])
  }

  /// Tests that the name of a file of entries that a repair sets aside fits, however long that of the
  /// store is.
  @Test func theNameOfTheFileOfEntriesSetAsideIsShortened() async throws {
    let name = String(repeating: "ä", count: 120)
    for suffix in ["", ".crc"] {
      _ = try scratch.write(
        try scratch.bytes(of: "store/kv" + suffix), to: "store/" + name + suffix)
      try FileManager.default.removeItem(atPath: scratch.path("store/kv" + suffix))
    }
    let outcome = try await Tool.run(
      ["repair", "-y", "--min-confidence", "0.98", "--out", scratch.path("new")] + .clock
        + [scratch.path("store/" + name)])
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    let names = try #require(scratch.names(in: "new"))
    #expect(names.contains(name) && names.contains { $0.hasSuffix("ä.lost-and-found.jsonl") })
  }

  /// Tests that no new file gets a name with which it would belong to a store that is there.
  @Test(arguments: [
    ["convert", "--to", "json", "--out", "plain.crc"],
    ["convert", "--to", "json", "--out", "lost"],
    ["convert", "--to", "json", "--out", "new.json", "--types-out", "plain.crc"],
    ["convert", "--to", "json", "--out", "copies.kvc"],
    ["report", "--to", "html", "--out", "plain.crc"],
  ])
  func noNewFileJoinsAStore(arguments: [String]) async throws {
    for name in ["plain", "copies.kva"] {
      _ = try scratch.write(try scratch.bytes(of: "store/kv"), to: name)
    }
    _ = try scratch.write(try scratch.bytes(of: "store/kv.crc"), to: "lost.crc")
    let outcome = try await Tool.run(arguments + .clock + ["store/kv"], in: scratch.path)
    try expectFailure(outcome, naming: "would belong to the store with ")
    #expect(scratch.names(in: "") == ["copies.kva", "lost.crc", "plain", "store"])
  }

  @Test func aMissingParentIsNotMade() async throws {
    let path = scratch.path("none/new")
    try expectFailure(try await repair(out: path), naming: path)
    #expect(scratch.names(in: "") == ["store"])
  }

  @Test(arguments: ["file", "file/new"])
  func aFileInTheWayIsAnError(out: String) async throws {
    let file = try scratch.write([1, 2, 3], to: "file")
    try expectFailure(try await repair(out: scratch.path(out)), naming: file)
    #expect(try scratch.bytes(of: "file") == [1, 2, 3])
    #expect(scratch.names(in: "") == ["file", "store"])
  }

  @Test(
    .enabled("root may write to any folder") { NSUserName() != "root" })
  func aFolderThatIsNotWritableIsAnError() async throws {
    let folder = try scratch.makeFolder("new")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    let outcome = try await repair(out: folder)
    try expectFailure(outcome, naming: folder)
    #expect(outcome.errors.contains("permission denied"))
    #expect(scratch.names(in: "new") == [])
  }

  @Test(
    .enabled("there is no /sys") { FileManager.default.fileExists(atPath: "/sys/kernel") })
  func aFolderThatNotEvenRootMayWriteToIsAnError() async throws {
    try expectFailure(try await repair(out: "/sys/kernel"), naming: "/sys/kernel")
  }

  @Test(arguments: ["", "/.", "/../store", "/"])
  func theFolderOfTheInputIsRefused(suffix: String) async throws {
    let outcome = try await repair(out: store + suffix)
    try expectFailure(outcome, naming: store)
    #expect(outcome.errors.contains("--in-place"))
    #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
  }

  @Test func theFolderOfTheInputIsRefusedThroughALinkToo() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: store)
    try expectFailure(try await repair(out: scratch.path("link")), naming: "link")
    #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
  }

  @Test(arguments: [(".", Int32(8)), ("", 16)])
  func theWorkingFolderIsRefusedWhereItIsThatOfTheInput(out: String, status: Int32) async throws {
    let outcome = try await Tool.run(
      ["repair", "-y", "--out", out] + .clock + ["kv"], in: store)
    #expect(outcome.status == status)
    #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
    #expect(try FolderState(of: store) == before)
  }

  @Test(arguments: ["kv", "kv.crc"])
  func nothingIsOverwritten(name: String) async throws {
    _ = try scratch.makeFolder("new")
    _ = try scratch.write([7, 7], to: "new/\(name)")
    let outcome = try await repair(out: scratch.path("new"))
    try expectFailure(outcome, naming: scratch.path("new/\(name)"))
    #expect(outcome.errors.contains("is not overwritten"))
    #expect(scratch.names(in: "new") == [name])
    #expect(try scratch.bytes(of: "new/\(name)") == [7, 7])
  }

  @Test func aLinkThatLeadsNowhereIsNotWrittenThrough() async throws {
    _ = try scratch.makeFolder("new")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("new/kv"), withDestinationPath: scratch.path("target"))
    try expectFailure(try await repair(out: scratch.path("new")), naming: scratch.path("new/kv"))
    #expect(scratch.names(in: "") == ["new", "store"])
  }

  @Test(arguments: [true, false])
  func aLimitOfTheFileSizeIsAnErrorAndNotASignal(folderExists: Bool) async throws {
    if folderExists { _ = try scratch.makeFolder("new") }
    let large = try scratch.makeFolder("large")
    try LargeStore.write(entries: 100, of: 1000, into: large)
    let outcome = try await Tool.shell(
      #"ulimit -f 16; exec "$0" repair --out "$2" "$1""#, [large, scratch.path("new")])
    try expectFailure(outcome, naming: scratch.path("new"))
    #expect(scratch.names(in: "new") == (folderExists ? [] : nil))
  }

  /// The script for mounting a small file system, if the machine allows it.
  private static let smallDisk =
    "mkdir -p \"$2\" && mount -t tmpfs -o size=64k none \"$2\""

  private static func hasSmallDisk() async throws -> Bool {
    let scratch = try Scratch()
    let probe = try? await Tool.run(
      "unshare", ["-rm", "sh", "-c", smallDisk, "sh", "", scratch.path("disk")])
    return probe?.status == 0
  }

  @Test(
    .enabled("this machine mounts no file system for users") { try await hasSmallDisk() },
    arguments: ["disk", "disk/new"])
  func aFullDiskIsAnError(out: String) async throws {
    let large = try scratch.makeFolder("large")
    try LargeStore.write(entries: 100, of: 1000, into: large)
    let script =
      OutputTests.smallDisk
      + #" && { "$0" repair --out "$3" "$1"; echo "status $?"; ls -AR "$2"; }"#
    let outcome = try await Tool.run(
      "unshare",
      ["-rm", "sh", "-c", script, try Tool.path(), large, scratch.path("disk"), scratch.path(out)])
    #expect(outcome.errors.contains("no space left on device"))
    #expect(outcome.output.contains("status 8\n\(scratch.path("disk")):\n"))
    #expect(outcome.output.hasSuffix("\(scratch.path("disk")):\n"))
  }
}
