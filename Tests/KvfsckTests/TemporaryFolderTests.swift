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
}
