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

  // MARK: Progress of other searches

  /// Returns the lines that a search notes which stops at its second source.
  private func progress(_ first: String, _ options: [String]) async throws -> [[UInt8]] {
    let outcome = try await Tool.run(
      ["carve", first, scratch.path("second"), "--out", scratch.path("out")]
        + ["--resume", scratch.path("progress")] + options)
    try #require(outcome.status == 8, "\(outcome.testDescription)")
    let lines = try scratch.bytes(of: "progress").split(separator: UInt8(ascii: "\n"))
    try #require(lines.count > 1)
    return lines.map { Array($0) }
  }

  /// Goes on from `lines`, and returns what becomes of that.
  private func goOn(
    _ lines: [[UInt8]], _ first: String, _ options: [String]
  ) async throws -> Outcome {
    try? FileManager.default.removeItem(atPath: scratch.path("out"))
    _ = try scratch.write(lines.flatMap { $0 + [UInt8(ascii: "\n")] }, to: "progress")
    return try await Tool.run(
      ["carve", first, scratch.path("second"), "--out", scratch.path("out"), "--json"]
        + ["--resume", scratch.path("progress")] + options)
  }

  @Test(arguments: RandomSeeds.fresh(1))
  func theProgressOfAnotherSearchIsRefused(seed: UInt64) async throws {
    let bytes = try await longImage(seed: seed)
    let first = try scratch.write(bytes, to: "first")
    let live = try scratch.makeFolder("live")
    let files = try await store(["format mmkv"], seed: seed)
    for (name, bytes) in zip(["live/kv", "live/kv.crc"], files) {
      _ = try scratch.write(bytes, to: name)
    }
    let options = ["--keys-from", live]
    let lines = try await progress(first, options)
    _ = try scratch.write([1, 2, 3], to: "second")
    for last in [lines[0], lines[lines.count - 1]] {
      _ = try scratch.write(bytes, to: "first")
      let changed = try await goOn([last], first, options)
      #expect(changed.status == 8 && changed.errors.contains("modified after"))
      #expect(try scratch.bytes(of: "progress") == last + [UInt8(ascii: "\n")])
    }
    // The keys of the store are others now, under the same path.
    let other = try await store(["format mmkv"], ["string other.key 1"], seed: seed)
    for (name, bytes) in zip(["live/kv", "live/kv.crc"], other) {
      _ = try scratch.write(bytes, to: name)
    }
    let outcome = try await goOn(lines, first, options)
    #expect(outcome.status == 8 && outcome.errors.contains("one with other --keys-from"))
    let reversed = try await goOn(lines, scratch.path("second"), options)
    #expect(reversed.status == 8 && reversed.errors.contains("one with other sources"))
  }

  #if Encryption
    @Test func theProgressWithAnotherKeyIsRefusedAndTellsLittleOfIt() async throws {
      let first = try scratch.write(try await longImage(seed: 1), to: "first")
      let keys = try ["0123456789abcdef", "0123456789abcdeF"].map {
        ["--key-file", try scratch.write(Array($0.utf8), to: "key\($0.suffix(1))")]
      }
      let lines = try await progress(first, keys[0])
      _ = try scratch.write([1, 2, 3], to: "second")
      for options in [keys[1], [], keys[0] + ["--aes256"]] {
        let outcome = try await goOn(lines, first, options)
        #expect(outcome.status == 8 && outcome.errors.contains("one with another key"))
      }
      let text = String(decoding: lines[0], as: UTF8.self)
      let check = try #require(text.firstMatch(of: /"keys":(\d+)/)?.1)
      #expect(UInt16(check) != nil && !text.contains("0123456789abcdef"))
      #expect(try await goOn(lines, first, keys[0]).status == 0)
    }
  #endif

  // MARK: Damaged and hostile progress

  /// Returns the line with `json`, with the right checksum.
  private static func line(_ json: String) -> [UInt8] {
    let digits = String(MMKVFixtureBuilder.crc32(json.utf8), radix: 16)
    let zeros = String(repeating: "0", count: 8 - digits.count)
    return Array("kvfsck carve 0x\(zeros)\(digits) \(json)".utf8)
  }

  /// Returns the JSON of a line, and the ranges of numbers in it, and in `coded`, its carvers.
  private static func parts(_ line: [UInt8]) throws -> (json: String, coded: [String]) {
    let json = String(String(decoding: line, as: UTF8.self).drop { $0 != "{" })
    let list = try #require(json.firstMatch(of: /"carvers":\[([^\]]*)\]/)?.1)
    let coded = try list.split(separator: ",").map {
      let text = $0.dropFirst().dropLast().replacing("\\/", with: "/")
      return String(decoding: try #require(Data(base64Encoded: String(text))), as: UTF8.self)
    }
    return (json.replacing(/"carvers":\[([^\]]*)\]/, with: "\"carvers\":[]"), coded)
  }

  /// Changes a number of `text`.
  private static func change(_ text: inout String, _ generator: inout SeededGenerator) {
    let numbers = text.matches(of: /-?\d+(\.\d+)?/)
    guard let number = numbers.randomElement(using: &generator) else { return }
    let old = Int(number.0) ?? 0
    let new = [
      0, 1, -1, 2, 99, old &+ 1, old &- 1, old &* 3, old &+ 4096, 512, 9 << 20, 30_000_000,
      .max, .min, .max - 4096, 1 << 62, Int.random(in: 0..<1 << 24, using: &generator),
    ].randomElement(using: &generator)
    text.replaceSubrange(number.range, with: "\(new ?? 0)")
  }

  private static func whole(_ json: String, _ coded: [String]) -> [UInt8] {
    let list = coded.map { "\"\(Data($0.utf8).base64EncodedString())\"" }.joined(separator: ",")
    return line(json.replacing("\"carvers\":[]", with: "\"carvers\":[\(list)]"))
  }

  /// Tests numbers that no search notes: none of them ends the program.
  @Test(arguments: RandomSeeds.fresh(1))
  func noNumberInTheProgressIsTrusted(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var image = try await longImage(seed: seed)
    var options = ["--keys-from", Fixture.clean.path]
    #if Encryption
      let secret = try await store(["format mmkv", "key 0123456789abcdef"], seed: seed)
      image.replaceSubrange(
        (8 << 20) - 65536..<(8 << 20) - 65536 + secret[0].count, with: secret[0])
      options += ["--key-file", try scratch.write(Array("0123456789abcdef".utf8), to: "key")]
    #endif
    let first = try scratch.write(image, to: "first")
    let lines = try await progress(first, options)
    _ = try scratch.write([1, 2, 3], to: "second")
    var refused = 0
    let count = TestExtent.count(60, of: 200)
    for number in 0..<count {
      var (json, coded) = try Self.parts(lines[number % lines.count])
      let choice = Int.random(in: 0...coded.count, using: &generator)
      if choice == coded.count {
        Self.change(&json, &generator)
      } else {
        Self.change(&coded[choice], &generator)
      }
      let outcome = try await goOn([Self.whole(json, coded)], first, options)
      #expect(outcome.status == 0 || outcome.status == 8, "seed \(seed) \(outcome.testDescription)")
      refused += outcome.status == 8 ? 1 : 0
    }
    #expect(refused > count / 5, "seed \(seed)")
    // A bit of a line without a new checksum.
    var damaged = lines[0]
    damaged[damaged.count / 2] ^= 1
    #expect(try await goOn([lines[0], damaged], first, options).errors.contains("it is damaged"))
    let (json, coded) = try Self.parts(lines[0])
    for (old, new) in [
      (/"pass":\d+/, "\"pass\":99"), (/"pass":\d+/, "\"pass\":-1"),
      (/"start":\d+/, "\"start\":512"), (/"start":\d+/, "\"start\":-8388608"),
    ] {
      let line = Self.whole(json.replacing(old, with: new), coded)
      #expect(try await goOn([line], first, options).errors.contains("it is damaged"), "\(new)")
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
    ] + Self.others(key, link, log: scratch.path("log")) {
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

  private static func others(
    _ key: String, _ link: String, log: String
  ) -> [(String, [String])] {
    #if Encryption
      [
        ("\(log)/evidence.jsonl", ["--evidence", log]), (key, ["--key-file", key]),
        (link, ["--key-file", key]), (link, ["--keys", key]),
      ]
    #else
      []
    #endif
  }
}
