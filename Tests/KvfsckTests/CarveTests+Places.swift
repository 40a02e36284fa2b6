import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Stores whose place, size or content is unusual.
extension CarveTests {
  private static let sector = 512

  /// Returns the two files of `fixture`.
  private func files(of fixture: Fixture) throws -> [[UInt8]] {
    try ["kv", "kv.crc"].map {
      Array(try Data(contentsOf: URL(filePath: "\(fixture.path)/\($0)")))
    }
  }

  /// Returns `bytes` without the zeros after the last sector that has others.
  private static func sectors(of bytes: [UInt8]) -> [UInt8] {
    let count = (bytes.lastIndex { $0 != 0 } ?? 0) / sector + 1
    return Array(bytes.prefix(count * sector))
  }

  /// Returns the files in `finds` with the places where each begins.
  private func found(_ finds: [JSON]) throws -> [Int: [UInt8]] {
    try finds.flatMap { $0["files"]?.array ?? [] }.reduce(into: [:]) { files, file in
      let start = try #require(file["runs"]?.array?.first?["offset"]?.integer)
      files[start] = try scratch.bytes(of: "out/\(try #require(file["path"]?.string))")
    }
  }

  // MARK: Places

  /// Tests stores in sectors that follow each other, without the rests of pages in between.
  @Test(arguments: RandomSeeds.fresh(6))
  func aStoreBeginsInThePageInWhichAnotherEnds(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var pieces: [[UInt8]] = []
    for settings in [["format mmkv"], ["format fastkv-apple"], ["format fastkv-android"]] {
      for count in [3, Int.random(in: 4...60, using: &generator)] {
        let lines = (0..<count).map { "string user.name.\($0) random:\(20 + $0)" }
        pieces += try await store(settings, lines, seed: seed).map(Self.sectors)
      }
    }
    var image: [UInt8] = []
    var placed: [Int: [UInt8]] = [:]
    for piece in pieces.shuffled(using: &generator) {
      placed[image.count] = piece
      image += piece
    }
    let finds = try await carve(image)
    #expect(finds.allSatisfy { $0["tier"]?.string == "proven" }, "seed \(seed)")
    #expect(finds.count == 6, "seed \(seed)")
    #expect(try found(finds) == placed, "seed \(seed)")
  }

  /// Tests that the rest of the page stays with a store where no other begins in it.
  @Test(arguments: ["mmkv", "fastkv-apple", "fastkv-android"])
  func aStoreHasItsLastPageToTheEnd(format: String) async throws {
    let lines = ["string user.name.1 random:30", "string user.name.2 random:30"]
    let files = try await store(["format \(format)"], lines, seed: RandomSeeds.run)
    let finds = try await carve(files.flatMap { $0 } + Self.sectors(of: files[0]))
    let lengths = try found(finds).values.map(\.count)
    #expect(lengths.filter { $0 == Self.page }.count == files.count, "\(lengths)")
  }

  // MARK: Long records

  /// Tests first records that end on either side of the bytes that are read at first.
  @Test(arguments: [65_400, 65_500, 65_511, 65_512, 65_530, 65_536, 200_000, 1_200_000])
  func aLogThatBeginsWithALongRecordIsFound(count: Int) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let lines = ["string big random:\(count)", "string t abc", "int32 n 4"]
    for format in ["mmkv", "fastkv-apple", "fastkv-android"] {
      let mode = format == "fastkv-android" ? ["mode nb"] : []
      let files = try await store(["format \(format)"] + mode, lines, seed: RandomSeeds.run)
      let finds = try await carve(Self.image(files, &generator))
      #expect(finds.map { $0["tier"]?.string } == ["proven"], "\(format), \(count)")
      #expect(finds.map { $0["entries"]?.integer } == [3], "\(format), \(count)")
      #expect(try Set(found(finds).values) == Set(files), "\(format), \(count)")
    }
  }

  /// Tests long records in logs that only their records show.
  @Test(arguments: [65_500, 65_600, 400_000, 1_200_000])
  func aLongRecordInALogWithoutAMetaFileIsRead(count: Int) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let short = ["string t abc", "int32 n 4", "bool is.logged.in true"]
    let long = ["string big random:\(count)"]
    for lines in [long + short, short + long + ["int32 last 1"]] {
      let file = try await store(["format mmkv"], lines, seed: RandomSeeds.run)[0]
      let finds = try await carve(Self.image([file], &generator))
      #expect(finds.map { $0["entries"]?.integer } == [lines.count], "\(count)")
      #expect(try Array(found(finds).values) == [file], "\(count)")
    }
  }

  // MARK: Sizes

  /// Tests stores in whose headers engines left the sizes of earlier logs.
  @Test(arguments: ["upgrade_chain", "upgrade_chain_aes"])
  func anOldSizeInTheHeaderHidesNoStore(name: String) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let files = try files(of: Fixture("golden/\(name)"))
    let header = files[0].prefix(4)
    #expect(!files[1][32...].starts(with: header) && !header.allSatisfy { $0 == 0 })
    let finds = try await carve(Self.image(files, &generator))
    #expect(finds.map { $0["tier"]?.string } == ["proven"])
    #expect(try Set(found(finds).values) == Set(files))
  }

  /// Tests stores of old engines whose meta files state the size, cut after each page.
  @Test(arguments: ["1_1_2", "1_2_16", "1_3_14", "2_2_4"], ["", "_aes128"])
  func storesOfOldEnginesAreJoined(version: String, cipher: String) async throws {
    let fixture = Fixture("golden/old_v\(version)\(cipher)_growth")
    guard fixture.files.contains("kv") else { return }
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let files = try files(of: fixture)
    // These engines keep the header equal to the size of the log.
    let size = files[0].prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let cuts = stride(from: Self.page, to: size + 4, by: Self.page)
    try #require(cuts.underestimatedCount > 0)
    for cut in cuts {
      let parts = [Array(files[0][..<cut]), Array(files[0][cut...]), files[1]]
      let finds = try await carve(Self.image(parts, &generator))
      #expect(finds.map { $0["tier"]?.string } == ["proven"], "\(cut)")
      #expect(finds.first?["files"]?.array?.first?["runs"]?.array?.count == 2, "\(cut)")
    }
  }

  // MARK: What is like records

  /// Tests tables of numbers of 16 bits, most of them the same, whose bytes could be those of
  /// records: a key of one byte, and a value of one.
  @Test(arguments: RandomSeeds.fresh(2))
  func tablesOfNumbersAreNoStores(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var image: [UInt8] = []
    for common in UInt8(0x20)..<0x7f {
      var sector: [UInt8] = [common, 0, 0x2a, 0]
      while sector.count < Self.sector {
        for _ in 0..<Int.random(in: 4...20, using: &generator) { sector += [common, 1] }
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          sector += [UInt8.random(in: 0..<0x80, using: &generator), 0]
        }
      }
      image += sector.prefix(Self.sector)
    }
    let finds = try await carve(image)
    #expect(finds.count == 0, "seed \(seed): \(finds)")
  }

  /// Tests short logs of three records without their meta files.
  @Test(arguments: [
    ["bool a true", "bool b false", "int32 c 5"], ["int32 a 7", "int32 b 8", "int32 c 9"],
    ["string a text", "float b 1.5", "double c 2.5"], ["int32 a 7", "int32 b 8", "remove a"],
  ])
  func threeShortRecordsAreALog(lines: [String]) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let file = try await store(["format mmkv"], lines, seed: RandomSeeds.run)[0]
    let finds = try await carve(Self.image([file], &generator))
    #expect(finds.map { $0["tier"]?.string } == ["inferred"])
    #expect(try Array(found(finds).values) == [file])
  }

  /// Tests a log of one key that is set to two values in turn.
  @Test func aSettingThatIsSwitchedIsALog() async throws {
    var builder = MMKVFixtureBuilder()
    builder.header = 0
    for number in UInt8(0)..<5 { builder.put("is.logged.in", [number % 2]) }
    let finds = try await carve(builder.data)
    #expect(finds.map { $0["tier"]?.string } == ["inferred"])
    #expect(finds.map { $0["entries"]?.integer } == [1])
  }

  /// Tests that a record which repeats another is not taken for more evidence.
  @Test func repeatedRecordsAddNoProbability() async throws {
    var probabilities: [String?] = []
    for repeats in [0, 20] {
      var builder = MMKVFixtureBuilder()
      builder.header = 0
      for number in 0..<3 { builder.put("user.name.\(number)", text: "the value") }
      for _ in 0..<repeats { builder.put("user.name.2", text: "the value") }
      let finds = try await carve(builder.data)
      probabilities.append(finds.first?["probability"].map { "\($0)" })
    }
    #expect(probabilities[0] != nil && probabilities[0] == probabilities[1], "\(probabilities)")
  }
}
