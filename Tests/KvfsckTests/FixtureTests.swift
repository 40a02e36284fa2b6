import Foundation
import Testing

/// Running `fixture` as a user does.
struct FixtureTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func theOperatorsAreListed() async throws {
    let flag = try await Tool.run(["fixture", "--list"])
    #expect(flag.status == 0, "\(flag.testDescription)")
    for name in [
      "flip-key", "zero-page", "stale-side-file", "torn-append", "lf-to-crlf", "three-bits",
    ] {
      #expect(flag.lines.contains { $0.hasPrefix(name + " ") }, "\(name)")
    }
    #expect(try await Tool.run(["fixture", "list"]).output == flag.output)
  }

  @Test func aStoreIsDamagedWithAnAnswer() async throws {
    let before = try FolderState(of: Fixture.clean.path)
    func damage(_ name: String, _ seed: String) async throws -> Outcome {
      try await Tool.run(
        [
          "fixture", "damage", Fixture.clean.path + "/kv", "--operator", "flip-value", "--seed",
          seed, "--out", scratch.path(name),
        ] + .clock)
    }
    let outcome = try await damage("one", "3")
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try FolderState(of: Fixture.clean.path) == before)
    #expect(scratch.names(in: "one") == ["answer.json", "store"])
    #expect(scratch.names(in: "one/store") == ["kv", "kv.crc"])
    let answer = try JSON(
      parsing: String(decoding: try scratch.bytes(of: "one/answer.json"), as: UTF8.self))
    #expect(answer["truth"]?.object?.count == 45)
    #expect(answer["lost"]?.array?.count == 1)
    #expect(answer["must"]?.array?.count == 44)
    #expect(answer["store"]?.string == "store/kv")
    let change = try #require(answer["changes"]?.array?.first)
    let offset = try #require(change["offset"]?.integer)
    let healthy = try Data(contentsOf: URL(filePath: Fixture.clean.path + "/kv"))
    #expect(change["before_hex"]?.string == Self.hex(healthy[offset]))
    let damaged = try scratch.bytes(of: "one/store/kv")
    #expect(change["after_hex"]?.string == Self.hex(damaged[offset]))
    // The same seed is used again.
    #expect(try await damage("two", "3").status == 0)
    #expect(try scratch.bytes(of: "two/store/kv") == damaged)
    #expect(try scratch.bytes(of: "two/answer.json") == scratch.bytes(of: "one/answer.json"))
    // An existing output is not overwritten.
    let again = try await damage("one", "4")
    #expect(again.status == 8, "\(again.testDescription)")
    #expect(try scratch.bytes(of: "one/store/kv") == damaged)
  }

  @Test(arguments: [
    ("no-such-operator", Fixture.clean, 16), ("torn-append", Fixture.clean, 8),
    ("flip-record-digest", Fixture.clean, 8), ("flip-value", Fixture.lossy, 8),
    ("flip-value", Fixture("no/such/store"), 8),
  ])
  func whatCannotBeDamagedIsSaid(name: String, store: Fixture, status: Int) async throws {
    let outcome = try await Tool.run(
      [
        "fixture", "damage", store.path + "/kv", "--operator", name, "--out", scratch.path("out"),
      ] + .clock)
    #expect(outcome.status == Int32(status), "\(outcome.testDescription)")
    #expect(outcome.errors.contains(status == 16 ? "--list" : "error:"))
    #expect(scratch.names(in: "out") == nil)
  }

  @Test func anEarlierStateIsTakenFromAnotherStore() async throws {
    let older = try scratch.copy(.clean, to: "older")
    let outcome = try await Tool.run(
      [
        "fixture", "damage", Fixture.clean.path + "/kv", "--operator", "foreign-side-file",
        "--foreign", older, "--out", scratch.path("same"),
      ] + .clock)
    // The files are the same, so nothing differs.
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    let other = try await Tool.run(
      [
        "fixture", "damage", Fixture.clean.path + "/kv", "--operator", "foreign-side-file",
        "--foreign", Fixture.expiring.path, "--out", scratch.path("other"),
      ] + .clock)
    #expect(other.status == 0, "\(other.testDescription)")
    let foreign = try Data(contentsOf: URL(filePath: Fixture.expiring.path + "/kv.crc"))
    #expect(try scratch.bytes(of: "other/store/kv.crc") == [UInt8](foreign))
  }

  @Test(arguments: ["0", "101", "-1", "x"])
  func aNumberOfPlacementsThatThereIsNotIsRefused(count: String) async throws {
    let outcome = try await Tool.run(
      [
        "fixture", "corpus", "--seed", "1", "--placements=\(count)", "--out", scratch.path("out"),
      ])
    #expect(outcome.status == 16, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("--placements") && scratch.names(in: "out") == nil)
  }

  @Test func aCorpusMeasuresToolsByWhatTheyReturn() async throws {
    let corpus = scratch.path("corpus")
    let make = [
      "fixture", "corpus", "--seed", "7", "--placements", "1", "--format", "fastkv-apple", "--out",
      corpus,
    ]
    let made = try await Tool.run(make)
    #expect(made.status == 0, "\(made.testDescription)")
    #expect(scratch.names(in: "corpus") == ["README.md", "cases", "corpus.json"])
    #expect(try await Tool.run(make).status == 8)
    let manifest = try JSON(
      parsing: String(decoding: try scratch.bytes(of: "corpus/corpus.json"), as: UTF8.self))
    let cases = try #require(manifest["cases"]?.array)
    #expect(cases.count > 50)

    // The output of `dump` for each store must get the same score as kvfsck itself.
    let results = try scratch.makeFolder("results")
    let script = """
      import json, subprocess, sys
      tool, corpus, results = sys.argv[1:]
      for case in json.load(open(corpus + "/corpus.json"))["cases"]:
          answer = json.load(open(corpus + "/" + case["answer"]))
          command = [tool, "dump", "--json", "--format", answer["format"], "--now", str(answer["now"]),
                     corpus + "/" + case["store"]]
          if "key_hex" in answer: command += ["--key-hex", answer["key_hex"]]
          if answer.get("aes256"): command += ["--aes256"]
          with open(results + "/" + case["name"] + ".jsonl", "wb") as out:
              subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL)
      """
    try #require(try await Python.isHere(), "there is no python3")
    let dumped = try await Python.run(script, [try Tool.path(), corpus, results])
    #expect(dumped.status == 0, "\(dumped.testDescription)")
    let own = try await Tool.run(["fixture", "score", "--json", corpus])
    let dump = try await Tool.run(["fixture", "score", "--json", corpus, results])
    #expect(own.status == 0 && dump.status == 0, "\(dump.testDescription)")
    let total = try #require(own.objects("total").first { $0["subject"]?.string == "kvfsck" })
    let other = try #require(dump.objects("total").first)
    for field in ["cases", "must", "found", "right", "stale", "wrong", "invented", "wrong_marked"] {
      #expect(total[field] == other[field], "\(field)")
    }
    #expect(total["cases"]?.integer == cases.count)
    let engines = try own.objects("total").compactMap { $0["subject"]?.string }
    #expect(engines == ["kvfsck", "engine-discard", "engine-recover"])
    let table = try await Tool.run(["fixture", "score", corpus, results])
    #expect(table.status == 0 && table.output.contains("torn-append"))
  }

  @Test func returnedEntriesAreCounted() async throws {
    let corpus = try scratch.makeFolder("corpus")
    let manifest = """
      {"schema":1,"generator":"g","seed":"1","placements":1,"omitted":[],"cases":[
       {"name":"one","format":"mmkv","base":"few","operator":"none","store":"kv","answer":"a.json"},
       {"name":"two","format":"mmkv","base":"few","operator":"none","store":"kv","answer":"a.json"}]}
      """
    let answer = """
      {"schema":1,"operator":"none","seed":"1","format":"mmkv","store":"kv","now":1,"changes":[],
       "truth":{"61":"01","62":"02","63":"03","64":"04"},"untouched":["61","62","63"],"lost":["64"],
       "must":["61","62","63"],"may":["64"],"also_true":{"62":["22"],"65":["05"]}}
      """
    _ = try scratch.write(manifest.utf8, to: "corpus/corpus.json")
    _ = try scratch.write(answer.utf8, to: "corpus/a.json")
    let results = try scratch.makeFolder("results")
    let one = [("61", "ff"), ("61", "01"), ("62", "22"), ("63", "ee"), ("64", "04"), ("65", "05")]
    var lines = one.map { #"{"type":"entry","key_hex":"\#($0.0)","raw_hex":"\#($0.1)"}"# }
    lines.append(#"{"type":"entry","key_hex":"66","raw_hex":"06","cautions":["may-be-damaged"]}"#)
    lines.append(#"{"type":"finding","key_hex":3}"#)
    _ = try scratch.write(lines.joined(separator: "\n").utf8, to: "results/one.jsonl")
    let lacking = try await Tool.run(["fixture", "score", "--json", corpus, results])
    #expect(lacking.status == 8, "\(lacking.testDescription)")
    let total = try #require(lacking.objects("total").first)
    let expected = [
      "cases": 2, "must": 6, "found": 1, "missing": 5, "right": 2, "stale": 2, "wrong": 1,
      "wrong_marked": 0, "invented": 1, "invented_marked": 1,
    ]
    for (field, count) in expected { #expect(total[field]?.integer == count, "\(field)") }
    #expect(total["percent"]?.string == "16.66")
    _ = try scratch.write("{}\nno json\n".utf8, to: "results/two.jsonl")
    let hostile = try await Tool.run(["fixture", "score", corpus, results])
    #expect(hostile.status == 8 && hostile.errors.contains("two.jsonl:2"))
    _ = try scratch.write("{}\n".utf8, to: "results/two.jsonl")
    #expect(try await Tool.run(["fixture", "score", corpus, results]).status == 0)
    #expect(try await Tool.run(["fixture", "score", results]).status == 8)

    // One key of six was found.
    for (min, isMet) in [("0", true), ("0.1666", true), ("0.1667", false), ("1", false)] {
      let gate = ["fixture", "score", "--min", min, corpus, results]
      let judged = try await Tool.run(gate)
      #expect(judged.status == (isMet ? 0 : 4), "\(judged.testDescription)")
      let words = isMet ? "at least" : "less than"
      #expect(
        judged.output.contains("results found 1 of 6 (16.66%), \(words) the share"),
        "\(judged.testDescription)")
      let line = try #require(try await Tool.run(gate + ["--json"]).objects("minimum").first)
      #expect(line["met"] == .bool(isMet) && line["percent"]?.string == "16.66")
      #expect(line["must"]?.integer == 6 && line["found"]?.integer == 1)
    }
    for min in ["1.1", "-0.1", "nan", "90%", ""] {
      let refused = try await Tool.run(["fixture", "score", "--min=\(min)", corpus, results])
      #expect(refused.status == 16, "\(refused.testDescription)")
    }
    // Nothing was measured.
    let empty = manifest.replacing(/"cases":\[[^\]]*\]/, with: #""cases":[]"#)
    _ = try scratch.write(empty.utf8, to: "corpus/corpus.json")
    #expect(try await Tool.run(["fixture", "score", corpus, results]).status == 0)
    #expect(try await Tool.run(["fixture", "score", "--min", "0", corpus, results]).status == 4)
  }

  /// Tests that kvfsck itself is judged if there are no results, and not the engine.
  @Test func withoutResultsKvfsckIsJudged() async throws {
    let corpus = scratch.path("own")
    let made = try await Tool.run([
      "fixture", "corpus", "--seed", "3", "--placements", "1", "--format", "fastkv-apple", "--out",
      corpus,
    ])
    #expect(made.status == 0, "\(made.testDescription)")
    let judged = try await Tool.run(["fixture", "score", "--min", "0.9", "--json", corpus])
    #expect(judged.status == 0, "\(judged.testDescription)")
    let lines = try judged.objects("minimum")
    let total = try #require(judged.objects("total").first)
    #expect(lines.map { $0["subject"]?.string } == ["kvfsck"])
    #expect(lines.first?["found"] == total["found"] && lines.first?["must"] == total["must"])
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
