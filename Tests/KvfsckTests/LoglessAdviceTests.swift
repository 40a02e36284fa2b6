import Foundation
import KVTestSupport
import Testing

/// What comes next for a damaged file of a format without a log: a repair, or a conversion into its own
/// format, which the app can load.
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
    ("datastore", "settings.preferences_pb", 3), ("sharedprefs", "settings.xml", 8),
    ("jsonl", "settings.jsonl", 20),
  ])
  func theNextCommandWritesAFileThatIsClean(format: String, file: String, cut: Int) async throws {
    try await cutFile(format, file, by: cut)
    let check = try await Tool.run(["check", file], in: scratch.path)
    #expect(check.status != 0, "\(check.testDescription)")
    let isConverted = format == "jsonl"
    let command =
      isConverted
      ? "convert \(file) --to \(format) --out new/\(file)" : "repair \(file) --out repaired -y"
    #expect(check.lines.last == "  kvfsck \(command)", "\(check.testDescription)")
    let run = try await Tool.run(command.split(separator: " ").map(String.init), in: scratch.path)
    #expect([1, 5].contains(run.status), "\(run.testDescription)")
    let new = isConverted ? "new/\(file)" : "repaired/\(file)"
    let again = try await Tool.run(["check", new], in: scratch.path)
    #expect(again.status == 0, "\(again.testDescription)")
    if isConverted {
      let repair = try await Tool.run(["repair", file, "--out", "r", "-y"], in: scratch.path)
      #expect(repair.status == 8 && repair.errors.contains("use convert"))
    }
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
