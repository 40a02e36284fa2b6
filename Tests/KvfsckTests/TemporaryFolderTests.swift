import Foundation
import Testing

/// A temporary folder that cannot be used, which says nothing about the store.
struct TemporaryFolderTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a database of AsyncStorage whose last rows are in its log.
  private static let script = """
    import shutil, sqlite3
    db = sqlite3.connect("live")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    db.execute("INSERT INTO catalystLocalStorage VALUES ('token', '\\"abc\\"')")
    db.commit()
    for suffix in ("", "-wal"):
        shutil.copy("live" + suffix, "RKStorage" + suffix)
    """

  private func run(_ arguments: [String], in temporary: String) async throws -> Outcome {
    try await Tool.shell(
      #"TMPDIR="$1"; export TMPDIR; shift; exec "$0" "$@""#, [scratch.path(temporary)] + arguments,
      in: scratch.path)
  }

  @Test(
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: [
      ["check", "RKStorage"], ["check", "--json", "RKStorage"], ["dump", "RKStorage"],
      ["get", "RKStorage", "token"], ["scan", "RKStorage"],
      ["convert", "--to", "json", "--out", "new.json", "RKStorage"],
      ["compare", "RKStorage", "RKStorage"],
    ])
  func aDatabaseIsNotDamagedBecauseOfTheTemporaryFolder(command: [String]) async throws {
    let made = try await Python.run(Self.script, [], in: scratch.path)
    try #require(made.status == 0, "\(made.testDescription)")
    _ = try scratch.makeFolder("there")
    _ = try scratch.write([], to: "file")
    let whole = try await run(command, in: "there")
    #expect(whole.status == 0, "\(whole.testDescription)")
    #expect(scratch.names(in: "there") == [])
    for temporary in ["missing", "file"] {
      let outcome = try await run(command, in: temporary)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      let text = outcome.output + outcome.errors
      #expect(text.contains("cannot make a temporary file in \(scratch.path(temporary)): "))
      #expect(text.contains("set TMPDIR"))
      #expect(!text.contains("damage") && !text.contains("sqlite."), "\(outcome.testDescription)")
    }
  }

  @Test(arguments: ["json", "mmkv"])
  func whatIsWrittenToStandardOutputNeedsATemporaryFolder(format: String) async throws {
    let outcome = try await run(
      ["convert", "--accept-bytes", "--to", format, "--out", "-", Fixture.clean.path],
      in: "missing")
    #expect(outcome.status == 8 && outcome.output == "", "\(outcome.testDescription)")
    #expect(outcome.errors.contains("set TMPDIR"), "\(outcome.testDescription)")
  }

  /// Makes a folder as a killed process leaves it, called after a process that is gone.
  private func abandoned(_ name: String, permissions: Int = 0o700) throws -> String {
    for folder in [name, "\(name)/inner"] { _ = try scratch.makeFolder(folder) }
    for file in ["database", "database-wal", "inner/store"] {
      _ = try scratch.write(Array("secret".utf8), to: "\(name)/\(file)")
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: scratch.path(name))
    return name
  }

  /// Writes something to standard output, for which a temporary folder is needed.
  private func useTemporary(_ name: String) async throws {
    let outcome = try await run(
      ["convert", "--accept-bytes", "--to", "json", "--out", "-", Fixture.clean.path], in: name)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
  }

  /// No process has the number: that of one which has just ended is not used again so soon.
  private func goneProcess() async throws -> String {
    let ended = try await Tool.run("/bin/sh", ["-c", "echo $$"])
    return ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func whatAKilledProcessHasLeftIsRemoved() async throws {
    _ = try scratch.makeFolder("there")
    let gone = try await goneProcess()
    _ = try abandoned("there/kvfsck-\(gone)-3p99cwan1cmku")
    // A running process may still use its folder.
    let running = "kvfsck-\(ProcessInfo.processInfo.processIdentifier)-abc"
    _ = try abandoned("there/\(running)")
    let others = ["kvfsck-\(gone)", "kvfsck--abc", "kvfsck-\(gone)-ab.c", "kvfsck-x-abc", "other"]
    for name in others { _ = try abandoned("there/\(name)") }
    let open = "kvfsck-\(gone)-open"
    _ = try abandoned("there/\(open)", permissions: 0o755)
    try await useTemporary("there")
    #expect(scratch.names(in: "there") == (others + [running, open]).sorted())
  }

  /// Anyone may create names in a temporary folder; none of them leads to what is elsewhere.
  @Test func aLinkThatPosesAsAFolderIsNotFollowed() async throws {
    _ = try scratch.makeFolder("there")
    let gone = try await goneProcess()
    _ = try abandoned("victim")
    let manager = FileManager.default
    let link = "there/kvfsck-\(gone)-link"
    try manager.createSymbolicLink(
      atPath: scratch.path(link), withDestinationPath: scratch.path("victim"))
    let folder = try abandoned("there/kvfsck-\(gone)-real")
    try manager.createSymbolicLink(
      atPath: scratch.path("\(folder)/elsewhere"), withDestinationPath: scratch.path("victim"))
    let before = try FolderState(of: scratch.path("victim"))
    try await useTemporary("there")
    #expect(scratch.names(in: "there") == ["kvfsck-\(gone)-link"])
    #expect(try FolderState(of: scratch.path("victim")) == before)
  }

  #if os(Linux)
    /// Another process may have a number that means nothing here, as in a container.
    @Test(.enabled("there is no python3") { try await Python.isHere() })
    func aLockedFolderStays() async throws {
      _ = try scratch.makeFolder("there")
      let gone = try await goneProcess()
      let folder = try abandoned("there/kvfsck-\(gone)-locked")
      let outcome = try await Python.run(
        """
        import fcntl, os, subprocess, sys
        lock = os.open(sys.argv[1], os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ["TMPDIR"] = "there"
        sys.exit(subprocess.run([sys.argv[2], "convert", "--accept-bytes", "--to", "json",
          "--out", "-", sys.argv[3]], stdout=subprocess.DEVNULL).returncode)
        """, [folder, try Tool.path(), Fixture.clean.path], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(scratch.names(in: "there") == ["kvfsck-\(gone)-locked"])
    }
  #endif
}
