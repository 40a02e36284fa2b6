import Foundation
import Testing

/// Types and evidence where several stores are merged or compared, and values that older engines do not
/// read.
struct MergeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Tests that a store without types gets those of a store with types, in a comparison and in a merge.
  @Test func setsOfAndroidAreSetsInMMKVToo() async throws {
    let list = """
      <map><set name="muted"><string>5d41402abc4b2a76b9719d911017c592</string></set>
      <set name="empty"/><set name="two"><string>anna</string><string>bob</string></set>
      <int name="seen" value="1"/></map>
      """
    let prefs = try scratch.write(Array(list.utf8), to: "prefs.xml")
    let there = try await scratch.convert([prefs], to: "mmkv", "kv")
    #expect(there.status == 0, "\(there.testDescription)")
    for (first, second) in [(prefs, scratch.path("kv")), (scratch.path("kv"), prefs)] {
      let result = try await scratch.comparison(first, second)
      #expect(result["same"] == 4, "\(result)")
      let merged = try await scratch.convert([first, second], to: "jsonl", "merged")
      #expect(merged.status == 0, "\(merged.testDescription)")
      let lines = try scratch.bytes(of: "merged").split(separator: 10).dropFirst()
      let kinds = try lines.map { try JSON(parsing: String(decoding: $0, as: UTF8.self)) }
        .map { "\($0["key"]?.string ?? "") \($0["type"]?.string ?? "")" }
      #expect(
        kinds.sorted() == ["empty string-set", "muted string-set", "seen int32", "two string-set"])
      try FileManager.default.removeItem(atPath: scratch.path("merged"))
    }
  }

  /// Tests that a value that both stores have keeps the better evidence, whichever store is named first.
  @Test(arguments: [false, true])
  func aMergeKeepsTheBetterEvidence(isReversed: Bool) async throws {
    let good = Fixture.clean.path + "/kv"
    let copy = try scratch.copy(.clean, to: "bad") + "/kv"
    var meta = try scratch.bytes(of: "bad/kv.crc")
    meta[0] ^= 0xff
    meta[1] ^= 0xff
    _ = try scratch.write(meta, to: "bad/kv.crc")
    let stores = isReversed ? [copy, good] : [good, copy]
    let merged = try await scratch.convert(stores, to: "jsonl", "merged")
    // The checksum in one of the meta files is wrong.
    #expect(merged.status == 1, "\(merged.testDescription)")
    let text = String(decoding: try scratch.bytes(of: "merged"), as: UTF8.self)
    #expect(text.contains(#""evidence":"checksum""#))
    #expect(!text.contains(#""evidence":"structure""#) && !text.contains(#""evidence":"guess""#))
  }

  /// Tests that the types of a merge are those of the values that were kept.
  @Test func typesOfAMergeReadItAgain() async throws {
    for (name, lines) in [("one", "string session AB\nint32 level 1"), ("two", "int32 session 7")] {
      let script = try scratch.write(Array((lines + "\n").utf8), to: "\(name).script")
      _ = try await Tool.run(["fixture", "make", script, "--out", scratch.path(name)])
    }
    let stores = [scratch.path("one/kv"), scratch.path("two/kv")]
    let options = ["--on-conflict", "first"]
    let types = scratch.path("types.json")
    let first = try await scratch.convert(
      stores, to: "jsonl", "a", options + ["--types-out", types])
    #expect(first.status == 0, "\(first.testDescription)")
    let again = try await scratch.convert(stores, to: "jsonl", "b", options + ["--types", types])
    #expect(again.status == 0, "\(again.testDescription)")
    #expect(try scratch.bytes(of: "a") == scratch.bytes(of: "b"))
  }

  @Test func aLargeValueIsNotReadByOlderReleasesOfFastKV() async throws {
    let text = String(repeating: "x", count: 65_535)
    let line =
      #"{"format":"mmkv","kvfsck":"entries","name":"x","schema":1}"# + "\n"
      + #"{"key":"k","type":"string","value":"\#(text)"}"# + "\n"
    let list = try scratch.write(Array(line.utf8), to: "list.jsonl")
    let outcome = try await scratch.convert([list], to: "fastkv-android", "big", ["--strict"])
    #expect(outcome.status != 0 && outcome.output.contains("convert.fragile-value"))
    let small = try scratch.write(
      Array(line.replacing(text, with: String(text.dropLast())).utf8), to: "small.jsonl")
    #expect(
      try await scratch.convert([small], to: "fastkv-android", "small", ["--strict"]).status == 0)
  }

  /// Tests that a difference in the time of expiry alone is called that, and that a key on which three
  /// stores disagree counts once.
  @Test func conflictsAreNamedByWhatDiffers() async throws {
    var stores: [String] = []
    for (index, fields) in [#""expires_at":1"#, #""expires_at":2"#, #""expires_at":3"#].enumerated()
    {
      let lines = """
        {"format":"mmkv","kvfsck":"entries","name":"x","schema":1}
        {"key":"k","type":"string","value":"same",\(fields)}

        """
      stores.append(try scratch.write(Array(lines.utf8), to: "\(index).jsonl"))
    }
    let refused = try await scratch.convert(stores, to: "jsonl", "new")
    #expect(refused.status == 8 && refused.errors.contains("disagree on 1 key (\"k\")"))
    let kept = try await scratch.convert(stores, to: "jsonl", "new", ["--on-conflict", "last"])
    #expect(kept.output.contains("have different times of expiry"), "\(kept.testDescription)")
  }
}
