import Foundation
import Testing

/// Files of other programs in a folder, and files that kvfsck itself has written.
@Suite("Inputs that are no stores")
struct ForeignInputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "reports and files of types are said to be what they are",
    arguments: [
      ["compare", "--json", "STORE", "STORE"],
      ["convert", "--json", "STORE", "--to", "json", "--dry-run", "--types-out", "TYPES"],
      ["check", "--json", "STORE"], ["dump", "--json", "STORE"], ["map", "--json", "STORE"],
    ])
  func ownOutput(command: [String]) async throws {
    let types = scratch.path("types.json")
    let paths = ["STORE": Fixture.clean.path, "TYPES": types]
    let report = try await Tool.run(command.map { paths[$0] ?? $0 })
    let path = try scratch.write(report.output.utf8, to: "report.json")
    let files = [path] + (FileManager.default.fileExists(atPath: types) ? [types] : [])
    for file in files {
      let found = try await Tool.run(["check", file])
      #expect(found.status == 8, "\(command) \(found.testDescription)")
      let words = file == types ? "a types file of a conversion" : "a JSON report of kvfsck"
      #expect(found.errors.contains(words), "\(command) \(found.errors)")
    }
  }

  @Test("every kind of file that kvfsck writes is said to be what it is, and is no store to a scan")
  func everyOutput() async throws {
    let outputs = try scratch.makeFolder("outputs")
    let store = try scratch.copy(.lossy)
    let corpus = scratch.path("corpus")
    var words = [
      "r.sarif": "a SARIF report of kvfsck", "r.xml": "a JUnit report of kvfsck",
      "case.json": "a CASE report of kvfsck",
    ]
    _ = try await Tool.run(["report", "--to", "case", "--out", "\(outputs)/case.json", store])
    _ = try await Tool.run(
      ["check", "--sarif", "\(outputs)/r.sarif", "--junit", "\(outputs)/r.xml", store])
    for format in ["csv", "tsv"] {
      _ = try await Tool.run(
        ["convert", "--to", format, "--out", "\(outputs)/t.\(format)", Fixture.clean.path])
      words["t.\(format)"] = "a \(format.uppercased()) file that kvfsck wrote"
    }
    _ = try await Tool.run(
      ["repair", "-y", "--min-confidence", "0.98", "--out", scratch.path("new")] + .clock + [store])
    _ = try await Tool.run(
      ["fixture", "corpus", "--seed", "1", "--placements", "1", "--format", "fastkv-apple"]
        + ["--out", corpus])
    let answer = "cases/fastkv-apple-few-none-1/answer.json"
    for (old, name, kind) in [
      ("new/kv.lost-and-found.jsonl", "kv.lost-and-found.jsonl", "a lost-and-found file"),
      ("corpus/corpus.json", "corpus.json", "the case list of a kvfsck corpus"),
      ("corpus/\(answer)", "answer.json", "the answer key of a case"),
    ] {
      try FileManager.default.copyItem(
        atPath: scratch.path(old), toPath: "\(outputs)/\(name)")
      words[name] = kind
    }
    for (name, command) in [
      ("scan.jsonl", ["scan", "--json", store]), ("totals.jsonl", ["scan", "--json", outputs]),
      ("score.jsonl", ["fixture", "score", "--json", corpus]),
      ("failure.jsonl", ["check", "--json", "/nonexistent"]),
      ("get.jsonl", ["get", "--json", Fixture.clean.path, "no such key"]),
    ] {
      let output = try await Tool.run(command).output
      _ = try scratch.write(output.utf8, to: "outputs/\(name)")
      words[name] = output.isEmpty ? "an empty file" : "a JSON report of kvfsck"
    }
    for (name, kind) in words {
      for command in ["check", "scan"] {
        let found = try await Tool.run([command, "\(outputs)/\(name)"])
        #expect(found.status == 8, "\(command) \(name): \(found.testDescription)")
        #expect((found.output + found.errors).contains(kind), "\(name): \(found.testDescription)")
        #expect(!found.output.contains("damage"))
      }
    }
    let scan = try await Tool.run(["scan", "--json", outputs])
    #expect(try scan.objects("totals").first?["stores"]?.integer == 0, "\(scan.testDescription)")
  }

  @Test("a database that kvfsck wrote is read, and is no store to a scan that is not told of it")
  func ownDatabase() async throws {
    let path = scratch.path("export.sqlite")
    _ = try await Tool.run(["convert", "--to", "sqlite", "--out", path, Fixture.clean.path])
    let check = try await Tool.run(["check", path])
    #expect(check.status == 0 && check.output.contains("45 entries, sqlite"), "\(check.output)")
    let scan = try await Tool.run(["scan", path])
    let result = try #require(try scan.objects("result").first)
    #expect(scan.status == 0 && result["format"]?.string == "sqlite", "\(scan.testDescription)")
    #expect(result["entries"]?.integer == 45 && result["verdict"]?.string == "clean")
    let other = try await Tool.run(["scan", "--format", "mmkv", path])
    #expect(other.status == 8 && other.output.contains("not recognized"))
    #expect(try await Tool.run(["scan", "--json", scratch.path]).output.contains(#""stores":0"#))
  }

  @Test("JSON that only looks like a report is read")
  func otherJSON() async throws {
    let text = #"{"type":"store","name":"x","severity":1}"#
    let path = try scratch.write(text.utf8, to: "a.json")
    let found = try await Tool.run(["dump", path])
    #expect(found.status == 0 && found.output.contains("name"), "\(found.testDescription)")
  }

  @Test(
    "a link out of the folder is not followed, whichever file beside it leads to it",
    arguments: ["kv.kva", "kv"])
  func linkBesideASideFile(linked: String) async throws {
    let folder = try scratch.makeFolder("folder")
    let secret = try scratch.write("a secret that is nobody's business".utf8, to: "secret")
    let source =
      linked == "kv"
      ? Fixture.clean.path : "\(Fixture.root)/fastkv-android/golden/nb_all_types"
    let side = linked == "kv" ? "kv.crc" : "kv.kvb"
    try FileManager.default.copyItem(atPath: "\(source)/\(side)", toPath: "\(folder)/\(side)")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/\(linked)", withDestinationPath: secret)
    for command in ["check", "dump", "map"] {
      for path in [folder, "\(folder)/\(side)"] {
        for json in [[], ["--json"]] {
          let found = try await Tool.run([command, path] + json)
          #expect(!found.output.contains("nobody's business"), "\(found.testDescription)")
          #expect(
            found.status == 8 || (found.output + found.errors).contains("store.file-unread"),
            "\(command) \(path): \(found.testDescription)")
          #expect((found.output + found.errors).contains("outside the store's folder"))
        }
      }
    }
  }

  @Test("a folder in the place of a copy is damage, and is not replaced")
  func folderInThePlaceOfACopy() async throws {
    let store = scratch.path("store")
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-android/golden/nb_all_types", toPath: store)
    try FileManager.default.removeItem(atPath: store + "/case.json")
    try FileManager.default.removeItem(atPath: store + "/kv.kvb")
    try FileManager.default.createDirectory(
      atPath: store + "/kv.kvb", withIntermediateDirectories: false)
    let found = try await Tool.run(["check", store])
    #expect(found.status == 4, "\(found.testDescription)")
    #expect(found.output.contains("store.file-unread") && found.output.contains("is a folder"))
    let repair = try await Tool.run(["repair", "-y", "--in-place", store])
    #expect(repair.status == 8, "\(repair.testDescription)")
    #expect(scratch.names(in: "store") == ["kv.kva", "kv.kvb"])
  }

  @Test(
    "what kvfsck has written beside folders does not hide the stores in them",
    arguments: [
      "check --junit tree/kvfsck.xml tree", "check --sarif tree/kvfsck.sarif tree",
      "check --markdown tree/kvfsck.md tree",
      "scan --json tree > tree/scan.jsonl", "check --json tree/below > tree/check.jsonl",
      "dump --json tree/below > tree/expected.jsonl",
      "convert tree/below --to csv --out tree/t.csv",
      "convert tree/below --to tsv --out tree/t.tsv",
      "convert tree/below --to json --dry-run --types-out tree/types.json",
      "repair -y --min-confidence 0.98 --out new tree/below; mv new/*.jsonl tree",
      "fixture damage '\(Fixture.clean.path)' --operator flip-value --out damaged && "
        + "mv damaged/answer.json tree",
      "report --to case --out tree/case.json tree/below",
    ])
  func ownOutputBesideFolders(command: String) async throws {
    _ = try scratch.makeFolder("tree")
    _ = try scratch.copy(.lossy, to: "tree/below")
    let expected = try await Tool.run(["check"] + .clock + ["tree"], in: scratch.path)
    #expect(expected.status == 4 && expected.lines.count > 2, "\(expected.testDescription)")
    let made = try await Tool.shell("\"$0\" \(command)", in: scratch.path)
    #expect(scratch.names(in: "tree")?.count == 2, "\(made.testDescription)")
    let outcome = try await Tool.run(["check"] + .clock + ["tree"], in: scratch.path)
    #expect(outcome.output == expected.output, "\(outcome.testDescription)")
    #expect(outcome.status == expected.status)
    // A command about one store names it.
    let dump = try await Tool.run(["dump", "tree"], in: scratch.path)
    #expect(dump.status == 4, "\(dump.testDescription)")
    #expect(dump.errors.contains("kvfsck dump tree/below"), "\(dump.testDescription)")
  }
}
