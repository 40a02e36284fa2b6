import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Searches that were stopped.
extension CarveTests {
  /// Returns an image of two windows with stores in both, one of them in parts.
  private func longImage(seed: UInt64) async throws -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let mmkv = try await store(["format mmkv"], seed: seed)
    let copy = try await store(["format fastkv-android"], seed: seed)[0]
    let apple = try await store(["format fastkv-apple"], seed: seed)[0]
    let (first, rest) = (Array(mmkv[0][..<Self.page]), Array(mmkv[0][Self.page...]))
    let start = Self.image([first, copy], &generator)
    let space = [UInt8](repeating: 0, count: (9 << 20) - start.count)
    return start + space + Self.image([rest, mmkv[1], apple], &generator)
  }

  @Test(arguments: RandomSeeds.fresh(1))
  func aStoppedSearchIsResumed(seed: UInt64) async throws {
    let first = try scratch.write(try await longImage(seed: seed), to: "first")
    let second = scratch.path("second")
    let progress = scratch.path("progress")
    func carve(_ out: String, _ options: [String] = []) async throws -> Outcome {
      try await Tool.run(["carve", first, second, "--out", scratch.path(out)] + options)
    }
    // It stops at the second source, which is not there.
    #expect(try await carve("out", ["--resume", progress]).status == 8)
    #expect(scratch.names(in: "out") == nil)
    let lines = try scratch.bytes(of: "progress").split(separator: UInt8(ascii: "\n"))
    try #require(lines.count > 1)
    _ = try scratch.write([1, 2, 3], to: "second")
    let whole = try await carve("whole")
    #expect(whole.status == 0, "\(whole.testDescription)")
    #expect(scratch.names(in: "whole/proven")?.count == 4, "seed \(seed)")
    // As if it had been killed while it wrote the second line, and at the end.
    let feed = [UInt8(ascii: "\n")]
    for (number, left) in [lines[0] + feed + lines[1].dropLast(9), nil].enumerated() {
      if let left { _ = try scratch.write(Array(left), to: "progress") }
      let other = try await carve(
        "none", ["--resume", progress, "--keys-from", Fixture.clean.path])
      #expect(other.status == 8 && other.errors.contains("no progress of this search"))
      let resumed = try await carve("out\(number)", ["--resume", progress])
      #expect(resumed.status == 0, "\(resumed.testDescription)")
      #expect(resumed.errors.contains("resumed in \(first)") == (left != nil), "seed \(seed)")
      #expect(scratch.names(in: ".")?.contains("progress") == false)
      #expect(
        try scratch.bytes(of: "out\(number)/manifest.jsonl")
          == scratch.bytes(of: "whole/manifest.jsonl"), "seed \(seed)")
      _ = try scratch.write(lines.flatMap { $0 + feed }, to: "progress")
    }
  }

  // MARK: Files that are no progress

  @Test func aFileThatIsNoProgressIsLeftAsItIs() async throws {
    let image = try scratch.write([UInt8](repeating: 0, count: 8192), to: "image")
    let key = try scratch.write([], to: "key")
    let contents: [[UInt8]] = [
      [UInt8](repeating: 0, count: 4096), Array("0123456789abcdef".utf8),
      Array("a line\nanother".utf8), Array("kvfsck carve 0x00000000 {}\n".utf8),
      Array("kvfsck carve 0x12".utf8),
    ]
    for content in contents {
      let file = try scratch.write(content, to: "file")
      let outcome = try await Tool.run(
        ["carve", image, "--out", scratch.path("out"), "--resume", file])
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("is left as it is") && outcome.errors.contains("delete it"))
      #expect(try scratch.bytes(of: "file") == content)
    }
    let link = scratch.path("link")
    try FileManager.default.linkItem(atPath: key, toPath: link)
    for (file, options) in [
      (image, []), (scratch.path("./image"), []), (key, ["--keys-from", key]),
      (scratch.path("log/evidence.jsonl"), ["--evidence", scratch.path("log")]),
    ] + Self.keyFiles(key, link) {
      let outcome = try await Tool.run(
        ["carve", image, "--out", scratch.path("out"), "--resume", file] + options)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("also uses this file"), "\(outcome.testDescription)")
      #expect(try scratch.bytes(of: "key") == [])
      #expect(try scratch.bytes(of: "image").count == 8192)
      #expect(scratch.names(in: "out") == nil)
    }
    #expect(scratch.names(in: "log") ?? ["evidence.jsonl"] == ["evidence.jsonl"])
  }

  private static func keyFiles(_ key: String, _ link: String) -> [(String, [String])] {
    #if Encryption
      [(key, ["--key-file", key]), (link, ["--key-file", key]), (link, ["--keys", key])]
    #else
      []
    #endif
  }
}
