import Foundation
import KVTestSupport
import Testing

/// What comes next for a damaged file of a format without a log: a conversion into its own format, which
/// the app can load.
struct LoglessAdviceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a file of the format called `name` with two entries, and cuts its last bytes off.
  private func cutFile(_ name: String, _ file: String, by count: Int) async throws {
    let source = try scratch.write(
      Array(#"{"first":"one value","second":"another one"}"#.utf8), to: "source.json")
    let made = try await Tool.run(
      ["convert", source, "--to", name, "--out", file], in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    _ = try scratch.write(try scratch.bytes(of: file).dropLast(count), to: file)
  }

  @Test(arguments: [
    ("datastore", "settings.preferences_pb", 3), ("sharedprefs", "settings.xml", 30),
    ("jsonl", "settings.jsonl", 20),
  ])
  func theNextCommandWritesAFileThatIsClean(format: String, file: String, cut: Int) async throws {
    try await cutFile(format, file, by: cut)
    let check = try await Tool.run(["check", file], in: scratch.path)
    #expect(check.status != 0, "\(check.testDescription)")
    guard let line = check.lines.last(where: { $0.hasPrefix("  kvfsck convert ") }) else {
      // Nothing could be read, so there is nothing to write.
      #expect(check.output.contains("0 entries") || check.output.contains("unreadable"))
      return
    }
    #expect(line == "  kvfsck convert \(file) --to \(format) --out new/\(file)")
    let command = line.split(separator: " ").dropFirst().map(String.init)
    let run = try await Tool.run(command, in: scratch.path)
    #expect([1, 5].contains(run.status), "\(run.testDescription)")
    let again = try await Tool.run(["check", "new/\(file)"], in: scratch.path)
    #expect(again.status == 0, "\(again.testDescription)")
    let repair = try await Tool.run(["repair", file, "--out", "r", "-y"], in: scratch.path)
    #expect(repair.status == 8)
    // The folder `new` is taken by now.
    #expect(repair.errors.contains("kvfsck convert \(file) --to \(format) --out new-2/\(file)"))
  }

  @Test func nothingIsAdvisedForAFileWithoutDamage() async throws {
    let source = try scratch.write(Array(#"{"a":1}"#.utf8), to: "source.json")
    let check = try await Tool.run(["check", source])
    #expect(check.status == 0 && !check.output.contains("convert"), "\(check.testDescription)")
  }

  @Test func aNewFolderIsMadeForTheOutputOfAConversion() async throws {
    let source = try scratch.write(Array(#"{"a":1}"#.utf8), to: "source.json")
    for (format, out, names) in [
      ("plist", "one/a.plist", ["a.plist"]), ("mmkv", "two/a", ["a", "a.crc"]),
      ("yycache", "three/a.yycache", ["a.yycache"]), ("sqlite", "four/a.sqlite", ["a.sqlite"]),
    ] {
      let made = try await Tool.run(
        ["convert", source, "--to", format, "--out", out], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      #expect(scratch.names(in: String(out.prefix { $0 != "/" })) == names)
    }
    let missing = try await Tool.run(
      ["convert", source, "--to", "plist", "--out", "no/where/a.plist"], in: scratch.path)
    #expect(missing.status == 8, "\(missing.testDescription)")
    let dry = try await Tool.run(
      ["convert", source, "--to", "plist", "--out", "dry/a.plist", "--dry-run"], in: scratch.path)
    #expect(dry.status == 0 && scratch.names(in: "dry") == nil && scratch.names(in: "no") == nil)
    // Nothing is left of a conversion that is refused.
    let strict = try await Tool.run(
      ["convert", source, "--to", "csv", "--strict", "--out", "strict/a.csv"], in: scratch.path)
    #expect((scratch.names(in: "strict") == nil) == (strict.status != 0))
  }

  @Test func aQuietConversionPrintsNothing() async throws {
    let source = try scratch.write(Array(#"{"a":"text"}"#.utf8), to: "source.json")
    let outcome = try await Tool.run(
      ["convert", "-q", source, "--to", "plist", "--out", "a.plist"], in: scratch.path)
    #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "")
  }
}
