import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Stores in images that no file system names.
struct CarveTests {
  let scratch: Scratch
  static let page = 4096

  init() throws { scratch = try Scratch() }

  /// The settings of a script for each format, and whether its log is encrypted.
  private static let settings: [(lines: [String], isEncrypted: Bool)] = {
    var all = [
      (["format mmkv"], false), (["format fastkv-apple"], false),
      (["format fastkv-android"], false),
    ]
    #if Encryption
      all.append((["format mmkv", "key 0123456789abcdef"], true))
    #endif
    return all
  }()

  /// The lines of a script for a store with many entries.
  private static let lines = (0..<90).map { "string user.name.\($0 % 60) random:\(90 + $0)" }

  /// Returns the files of a store, without the pages of zeros at their ends.
  func store(
    _ settings: [String], _ lines: [String] = Self.lines, seed: UInt64
  ) async throws -> [[UInt8]] {
    let script = try scratch.write(
      Array((settings + lines).joined(separator: "\n").utf8), to: "\(UUID()).script")
    let name = "\(UUID())"
    let made = try await Tool.run(
      ["fixture", "make", script, "--seed", "\(seed)", "--out", scratch.path(name)])
    try #require(made.status == 0, "\(made.testDescription)")
    return try (scratch.names(in: name) ?? []).map {
      Self.whole(try scratch.bytes(of: "\(name)/\($0)"))
    }
  }

  private static func whole(_ bytes: [UInt8]) -> [UInt8] {
    let count = (bytes.lastIndex { $0 != 0 } ?? 0) / page + 1
    return Array(bytes.prefix(count * page))
  }

  /// Returns an image with `pieces` in random order, and other data before each of them.
  static func image(_ pieces: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
    pieces.shuffled(using: &generator).reduce(into: []) { image, piece in
      image += noise(pages: Int.random(in: 1...6, using: &generator), &generator) + piece
    }
  }

  private static func noise(pages: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let random = generator.bytes(pages * page)
    let text =
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: Data(random).base64EncodedString()
      case 1: random.map { String($0, radix: 16) }.joined()
      case 2: String(repeating: #"{"user.name.7": "value", "token": 12},"#, count: pages * 110)
      default: ""
      }
    return text.isEmpty ? random : Array(text.utf8.prefix(random.count))
  }

  /// Runs the command on `image`, and returns what it reports, after comparing that with the files.
  func carve(_ image: [UInt8], _ options: [String] = []) async throws -> [JSON] {
    let path = try scratch.write(image, to: "image")
    try? FileManager.default.removeItem(atPath: scratch.path("out"))
    let outcome = try await Tool.run(
      ["carve", path, "--json", "--out", scratch.path("out")] + options)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(try scratch.bytes(of: "image") == image)
    #expect(try scratch.bytes(of: "out/manifest.jsonl") == Array(outcome.output.utf8))
    let xml = String(decoding: try scratch.bytes(of: "out/manifest.dfxml"), as: UTF8.self)
    let finds = try outcome.objects("carved")
    expectNoOverlap(finds)
    for file in finds.flatMap({ $0["files"]?.array ?? [] }) {
      let path = try #require(file["path"]?.string)
      let bytes = try scratch.bytes(of: "out/\(path)")
      var covered: [UInt8] = []
      for run in file["runs"]?.array ?? [] {
        let (start, count) = (run["offset"]?.integer ?? 0, run["length"]?.integer ?? 0)
        covered += image[start..<start + count]
      }
      #expect(Array(bytes.suffix(covered.count)) == covered)
      #expect(xml.contains("<filename>\(path)</filename>\n<filesize>\(bytes.count)</filesize>"))
    }
    return finds
  }

  /// Expects that no byte is in two of `finds`, but for a `.crc` file that fits several logs.
  private func expectNoOverlap(_ finds: [JSON]) {
    var runs: [(range: Range<Int>, find: Int)] = []
    for (number, find) in finds.enumerated() {
      for file in find["files"]?.array ?? [] where file["path"]?.string?.hasSuffix(".crc") != true {
        for run in file["runs"]?.array ?? [] {
          let (start, count) = (run["offset"]?.integer ?? 0, run["length"]?.integer ?? 0)
          runs.append((start..<start + count, number))
        }
      }
    }
    runs.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (first, second) in zip(runs, runs.dropFirst()) where first.find != second.find {
      #expect(first.range.upperBound <= second.range.lowerBound, "\(first), \(second)")
    }
  }

  @Test(
    "Stores are found byte for byte, whole or in two parts", arguments: [false, true],
    RandomSeeds.fresh(2))
  func findsStores(areSplit: Bool, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var pieces: [[UInt8]] = []
    var files: Set<[UInt8]> = []
    for (settings, _) in Self.settings {
      for file in try await store(settings, seed: seed) {
        files.insert(file)
        let count = file.count / Self.page
        let cut = areSplit && count > 1 ? Int.random(in: 1..<count, using: &generator) : 0
        pieces += [Array(file[..<(cut * Self.page)]), Array(file[(cut * Self.page)...])]
      }
    }
    let image = Self.image(pieces.filter { !$0.isEmpty }, &generator)
    let finds = try await carve(image)
    #expect(finds.count == Self.settings.count, "seed \(seed)")
    #expect(finds.allSatisfy { $0["tier"]?.string == "proven" }, "seed \(seed)")
    let found = try (scratch.names(in: "out/proven") ?? []).map {
      try scratch.bytes(of: "out/proven/\($0)")
    }
    #expect(Set(found) == files, "seed \(seed)")
    #expect(scratch.names(in: "out/inferred") == [])
    let open = finds.filter { $0["entries"]?.integer != nil }
    #expect(open.allSatisfy { $0["entries"]?.integer == 60 }, "seed \(seed)")
    #expect(open.count == Self.settings.count { !$0.isEncrypted }, "seed \(seed)")
    let scan = try await Tool.run(["scan", "--json", scratch.path("out/proven")])
    #expect(try scan.objects("result").count == Self.settings.count, "seed \(seed)")
  }

  @Test(arguments: RandomSeeds.fresh(2))
  func nothingIsInventedFromOtherData(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let image = (0..<40).flatMap { _ in Self.noise(pages: 8, &generator) }
    let keys = try await Tool.run(["dump", Fixture.clean.path])
    #expect(keys.status == 0)
    let finds = try await carve(image, ["--keys-from", Fixture.clean.path])
    #expect(finds.count == 0, "seed \(seed)")
  }

  @Test(arguments: RandomSeeds.fresh(2))
  func aDamagedLogIsInferred(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for (settings, isEncrypted) in Self.settings where !isEncrypted {
      var files = try await store(settings, seed: seed)
      for index in files.indices where files[index].count > Self.page {
        files[index][Self.page + 700] ^= 0x40
      }
      let finds = try await carve(Self.image(files, &generator))
      #expect(finds.map { $0["tier"]?.string } == ["inferred"] || settings[0].contains("android"))
      #expect(finds.allSatisfy { $0["tier"]?.string == "inferred" }, "seed \(seed)")
    }
  }

  @Test(arguments: RandomSeeds.fresh(2))
  func singleRecordsAreFoundByTheirKeys(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let known = try await store(["format mmkv"], seed: seed)
    let live = try scratch.makeFolder("live")
    for (name, bytes) in zip(["live/kv", "live/kv.crc"], known) {
      _ = try scratch.write(bytes, to: name)
    }
    var image = Self.noise(pages: 64, &generator)
    var builder = MMKVFixtureBuilder()
    var places: [Int] = []
    for number in 0..<30 {
      builder.records = []
      builder.put("user.name.\(number)", text: "the old value \(number)")
      let place = number * 8000 + Int.random(in: 0..<7000, using: &generator)
      image.replaceSubrange(place..<place + builder.records.count, with: builder.records)
      places.append(place)
    }
    let finds = try await carve(image, ["--keys-from", live])
    #expect(finds.map { $0["offset"]?.integer ?? 0 } == places, "seed \(seed)")
    #expect(finds.allSatisfy { $0["tier"]?.string == "inferred" })
    let path = try #require(finds[3]["files"]?.array?.first?["path"]?.string)
    let value = try await Tool.run(["get", scratch.path("out/\(path)"), "user.name.3"])
    #expect(value.output == "the old value 3\n", "\(value.testDescription)")
    let without = try await carve(image)
    #expect(without.count == 0, "seed \(seed)")
  }

  // MARK: Keys

  #if Encryption
    /// Returns the values of each key in the history of a store, in hexadecimal, without what only may
    /// be records in the bytes after the log: `carve` takes them to the end of the page, and some of
    /// them may be noise.
    private func history(
      _ path: String, _ options: [String], from start: Int = 0
    ) async throws -> [String: Set<String>] {
      let dump = try await Tool.run(["dump", "--history", "--json", path] + options)
      return try dump.objects("record").reduce(into: [:]) { values, record in
        guard let key = record["key"]?.string, let raw = record["raw_hex"]?.string,
          record["offset"]?.integer ?? 0 >= start
        else { return }
        if record["state"]?.string == "slack" {
          #expect(record["evidence"]?.string == "guess" && record["probability"] == nil)
        } else {
          values[key, default: []].insert(raw)
        }
      }
    }

    @Test(
      "Encrypted logs are found with their key, whole or in two parts", arguments: [false, true],
      RandomSeeds.fresh(1))
    func findsEncryptedLogs(areSplit: Bool, seed: UInt64) async throws {
      var generator = SeededGenerator(seed: seed)
      let files = try await store(["format mmkv", "key 0123456789abcdef"], seed: seed)
      let key = ["--key-file", try scratch.write(Array("0123456789abcdef".utf8), to: "key")]
      let other = ["--key-file", try scratch.write(Array("0123456789abcdeF".utf8), to: "other")]
      _ = try scratch.makeFolder("live")
      let live = try scratch.write(files[0], to: "live/kv")
      _ = try scratch.write(files[1], to: "live/kv.crc")
      let known = try await history(live, key)
      let cut = areSplit ? Self.page : 0
      let parts = [Array(files[0][..<cut]), Array(files[0][cut...])].filter { !$0.isEmpty }
      let image = Self.image(parts, &generator)
      for options in [[], other] {
        #expect(try await carve(image, options).count == 0, "seed \(seed)")
      }
      let finds = try await carve(image, key)
      #expect(finds.map { $0["tier"]?.string } == parts.map { _ in "inferred" }, "seed \(seed)")
      var found: [String: Set<String>] = [:]
      for file in scratch.names(in: "out/inferred") ?? [] {
        // Without its vector, the first block decrypts to noise, in which a record may seem to be.
        let own = try await history(scratch.path("out/inferred/\(file)"), key, from: 20)
        found.merge(own) { $0.union($1) }
      }
      // The first block is lost, and the record at the cut has the beginning of its value at most.
      #expect(found.count >= known.count - 3, "seed \(seed): \(found.count)")
      let wrong = found.filter { !(known[$0.key]?.isSuperset(of: $0.value) ?? false) }
      #expect(wrong.count < parts.count, "seed \(seed): \(wrong)")
      for (key, values) in wrong {
        let starts = try #require(known[key], "seed \(seed): \(wrong)").map { $0.prefix(20) }
        #expect(values.allSatisfy { starts.contains($0.prefix(20)) }, "seed \(seed): \(wrong)")
      }
      let whole = try await carve(Self.image(files, &generator), key)
      #expect(whole.map { $0["tier"]?.string } == ["proven"], "seed \(seed)")
      #expect(whole.first?["entries"]?.integer == known.count, "seed \(seed)")
    }
  #endif

  @Test(arguments: [("fastkv-apple", 18), ("fastkv-android", 12)], RandomSeeds.fresh(1))
  func singleRecordsOfFastKVAreFound(format: (name: String, headerCount: Int), seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    var image = Self.noise(pages: 48, &generator)
    var places: [Int] = []
    for number in 0..<4 {
      let text = Array("format \(format.name)\nstring user.name.\(number) old\(number)".utf8)
      let script = try scratch.write(text, to: "\(number).script")
      let live = scratch.path("live\(number)")
      let made = try await Tool.run(["fixture", "make", script, "--out", live])
      try #require(made.status == 0, "\(made.testDescription)")
      let name = try #require(scratch.names(in: "live\(number)")?.first)
      let file = try scratch.bytes(of: "live\(number)/\(name)").dropFirst(format.headerCount)
      let record = file.prefix(through: file.lastIndex { $0 != 0 } ?? 0)
      let place = number * 40_000 + Int.random(in: 0..<30_000, using: &generator)
      image.replaceSubrange(place..<place + record.count, with: record)
      places.append(place)
    }
    let keys = (0..<4).flatMap { ["--keys-from", scratch.path("live\($0)")] }
    let finds = try await carve(image, keys)
    #expect(finds.map { $0["offset"]?.integer ?? 0 } == places, "seed \(seed)")
    #expect(finds.allSatisfy { $0["format"]?.string == format.name }, "seed \(seed)")
    #expect(finds.allSatisfy { $0["tier"]?.string == "inferred" }, "seed \(seed)")
    let path = try #require(finds.last?["files"]?.array?.first?["path"]?.string)
    let value = try await Tool.run(["get", scratch.path("out/\(path)"), "user.name.3"])
    #expect(value.output == "old3\n", "\(value.testDescription)")
    #expect(try await carve(image).count == 0, "seed \(seed)")
  }

  /// Tests a log that is cut within a separator: the page of another log that is cut at the same place
  /// continues the record, and ends elsewhere.
  @Test(arguments: RandomSeeds.fresh(1))
  func theRightPageOfTwoContinuesALog(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    func store(_ lines: [String]) async throws -> [UInt8] {
      try await self.store(["format fastkv-apple"], lines, seed: seed)[0]
    }
    let page = Self.page
    let long = try await store((0..<30).map { "string user.name.\($0) random:90" })
    let short = try await store(["string user.name.1 old"])
    let record = short[18...(short.lastIndex { $0 != 0 } ?? 18)]
    let mark = Array("$FastKVSeperatorString$".utf8)
    let rest = Array(long[page...])
    let end = try #require(rest.indices.first { rest[$0...].starts(with: mark) }) + mark.count
    let wrong = repeatElement(record, count: page).lazy.joined().prefix(page - end)
    let image =
      Self.noise(pages: 2, &generator) + long[..<page] + Self.noise(pages: 1, &generator)
      + rest[..<end] + wrong + Self.noise(pages: 1, &generator) + rest
    let finds = try await carve(image)
    #expect(finds.map { $0["tier"]?.string } == ["proven"], "seed \(seed)")
  }

  #if Encryption
    @Test func whatIsReadAndWrittenIsLogged() async throws {
      let image = try scratch.write(Self.whole([1]), to: "image")
      let log = scratch.path("log")
      let outcome = try await Tool.run(
        ["carve", image, "--out", scratch.path("out"), "--evidence", log])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let lines = String(decoding: try scratch.bytes(of: "log/evidence.jsonl"), as: UTF8.self)
        .split(separator: "\n")
      #expect(lines.contains { $0.contains("\"input\"") && $0.contains("\"\(image)\"") })
      for name in ["manifest.jsonl", "manifest.dfxml"] {
        #expect(lines.contains { $0.contains("\"output\"") && $0.contains("out/\(name)\"") })
      }
    }
  #endif

  /// Tests sectors that claim to begin long logs, each of which would be read again.
  @Test(arguments: RandomSeeds.fresh(2))
  func whatClaimsMuchTakesNoLongTime(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var image = generator.bytes(1 << 17)
    let heads: [[UInt8]] = [
      [0, 0, 0, 0, 0xff, 0xff, 0xff, 7, 3, 97, 98, 99, 1, 5, 3, 97, 98, 99, 0xff, 0xff, 0xff, 7],
      Array("FastKV".utf8) + [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0xff, 0xff, 0xff, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 3, 97, 98, 99, 0xff, 0xff],
      [1, 2, 3, 4, 4, 0, 0, 0] + Array(repeating: 0, count: 20) + [0xff, 0xff, 0xff, 0],
    ]
    for start in stride(from: 0, to: image.count, by: 512) {
      let head = heads.randomElement(using: &generator) ?? []
      image.replaceSubrange(start..<start + head.count, with: head)
      if head[0] == 1 {
        image.replaceSubrange(start + 32..<start + 512, with: repeatElement(0, count: 480))
      }
    }
    let finds = try await carve(image + image.prefix(100))
    #expect(finds.allSatisfy { $0["tier"]?.string == "inferred" }, "seed \(seed)")
  }

  @Test func nothingIsLeftIfASourceCannotBeRead() async throws {
    let image = try scratch.write(Self.whole([1]), to: "image")
    for (sources, status) in [
      ([image, scratch.path("none")], 8), ([scratch.path], 8), (["-"], 16),
    ] {
      let outcome = try await Tool.run(["carve", "--out", scratch.path("out")] + sources)
      #expect(outcome.status == Int32(status), "\(outcome.testDescription)")
    }
    let full = try await Tool.run(["carve", image, "--out", scratch.path])
    #expect(full.status == 8 && full.errors.contains("already exists"))
    #expect(scratch.names(in: ".") == ["image"])
  }

  @Test func aFileSystemIsNamed() async throws {
    var image = [UInt8](repeating: 0, count: 8192)
    image.replaceSubrange(0x400..<0x404, with: [0x10, 0x20, 0xf5, 0xf2])
    let path = try scratch.write(image, to: "image")
    let outcome = try await Tool.run(["carve", path, "--out", scratch.path("out")])
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("F2FS") && outcome.errors.contains("mount it read-only"))
    #expect(outcome.output == "0 stores: 0 proven, 0 inferred, in \(scratch.path("out"))\n")
  }
}
