import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Several equal stores, parts and records in one image.
extension CarveTests {
  private static let formats = ["mmkv", "fastkv-apple", "fastkv-android"]

  /// Tests that each of several equal copies of a log is in a store: two in each, as FastKV for Android
  /// has two.
  @Test(arguments: 1...5)
  func equalCopiesArePairs(count: Int) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let files = try await store(["format fastkv-android"], seed: RandomSeeds.run)
    #expect(files.count == 2 && files[0] == files[1])
    let image = Self.image((0..<count).map { files[$0 % 2] }, &generator)
    let finds = try await carve(image)
    #expect(
      finds.map { $0["files"]?.array?.count ?? 0 } == (0..<count / 2).map { _ in 2 }
        + (count % 2 == 0 ? [] : [1]))
    let starts = finds.flatMap { $0["files"]?.array ?? [] }.compactMap {
      $0["runs"]?.array?.first?["offset"]?.integer
    }
    #expect(Set(starts).count == count)
  }

  /// Tests that of keys that were removed, set again or set twice, those are counted that are live.
  @Test(arguments: formats)
  func removedKeysAreNoEntries(format: String) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    var pieces: [[UInt8]] = []
    for removed in 0...3 {
      let lines =
        (0..<5).map { "string user.name.\($0) random:\(60 + $0)" }
        + ["string user.name.4 random:61", "remove user.name.3", "string user.name.3 random:33"]
        + (0..<removed).map { "remove user.name.\($0)" }
      pieces += try await store(["format \(format)"], lines, seed: UInt64(removed))
    }
    let finds = try await carve(Self.image(pieces, &generator))
    let counts = finds.compactMap { $0["entries"]?.integer }.sorted()
    #expect(counts == [2, 3, 4, 5], "\(format): \(counts)")
  }

  /// Tests logs that are cut before the last page of a record, which has up to six pages.
  @Test(arguments: 1...5)
  func aLogIsJoinedBeforeTheEndOfALongRecord(pages: Int) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let short = (0..<6).map { "string user.name.\($0) random:90" }
    let lines = short + ["string user.long random:\(pages * Self.page)"] + short
    let file = try await store(["format fastkv-apple"], lines, seed: RandomSeeds.run)[0]
    let name = Array("user.long".utf8)
    let start = try #require(file.indices.first { file[$0...].starts(with: name) })
    let cut = (start + pages * Self.page) / Self.page * Self.page
    #expect(cut == pages * Self.page)
    let image = Self.image([Array(file[..<cut]), Array(file[cut...])], &generator)
    let finds = try await carve(image)
    #expect(finds.map { $0["tier"]?.string } == ["proven"])
    let path = finds.first?["files"]?.array?.first?["path"]?.string ?? ""
    #expect(try scratch.bytes(of: "out/\(path)") == file)
    #expect(finds.first?["entries"]?.integer == 7)
  }

  /// Tests that of equal parts, the nearest one is taken, and the second run of a file begins where the
  /// first ends.
  @Test(arguments: formats, [[0, 1, 3], [0, 3, 1], [3, 0, 1], [1, 0, 3], [1, 3, 0]])
  func theNearestOfEqualPartsIsTaken(format: String, order: [Int]) async throws {
    guard format != "fastkv-apple" || order[0] == 0 else { return }
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let files = try await store(["format \(format)"], seed: RandomSeeds.run)
    let (first, rest) = (Array(files[0][..<Self.page]), Array(files[0][Self.page...]))
    // The number is that of the pages before a part.
    var image = generator.bytes(Self.page)
    var places: [Int: Int] = [:]
    for number in order {
      image += generator.bytes((1 + number * 2) * Self.page)
      places[number] = image.count
      image += number == 0 ? first : rest
    }
    image += generator.bytes(Self.page)
    let meta = image.count
    if format == "mmkv" { image += files[1] }
    let finds = try await carve(image)
    let own = try #require(places[0])
    let runs = finds.first?["files"]?.array?.first?["runs"]?.array ?? []
    let starts = runs.compactMap { $0["offset"]?.integer }
    try #require(starts.count == 2 && starts[0] == own, "\(starts), \(meta)")
    let nearest = starts[1]
    // Parts before and after the first one can be equally near.
    let distances = places.values.filter { $0 != own }.map { abs($0 - own) }
    #expect(abs(nearest - own) == distances.min() && places.values.contains(nearest), "\(places)")
    let xml = String(decoding: try scratch.bytes(of: "out/manifest.dfxml"), as: UTF8.self)
    let expected = "<byte_run file_offset=\"\(Self.page)\" img_offset=\"\(nearest)\""
    #expect(xml.contains(expected), "\(xml)")
  }

  /// Tests that of equal meta files, the one nearest to the log is that of the store.
  @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
  func theNearestOfEqualMetaFilesIsTaken(order: [Int]) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let files = try await store(["format mmkv"], seed: RandomSeeds.run)
    var image = generator.bytes(Self.page)
    var places: [Int: Int] = [:]
    for number in order {
      image += generator.bytes((2 + number * 5) * Self.page)
      places[number] = image.count
      image += number == 0 ? files[0] : files[1]
    }
    image += generator.bytes(Self.page)
    let finds = try await carve(image)
    let own = try #require(places[0])
    let nearest = [1, 2].compactMap { places[$0] }.min { abs($0 - own) < abs($1 - own) }
    let runs = (finds.first?["files"]?.array ?? []).map {
      $0["runs"]?.array?.first?["offset"]?.integer
    }
    #expect(runs == [own, nearest])
  }

  /// Tests logs on either side of the 64 KiB that are read at first, without their meta files.
  @Test(arguments: formats)
  func longLogsAreReadToTheirEnds(format: String) async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    for count in [600, 700, 1500] {
      let lines = (0..<count).map { "string user.name.\($0) random:90" }
      var files = try await store(["format \(format)"], lines, seed: RandomSeeds.run)
      // Without the checksum, nothing is proven.
      if format == "fastkv-android" { files[0][6] ^= 0x55 }
      let finds = try await carve(Self.image([files[0]], &generator))
      #expect(finds.map { $0["entries"]?.integer } == [count], "\(count)")
      let path = finds.first?["files"]?.array?.first?["path"]?.string ?? ""
      #expect(try scratch.bytes(of: "out/\(path)") == files[0], "\(count)")
    }
  }

  /// Tests that records which follow each other are one find, and that a record within the value of
  /// another is none.
  @Test func aRecordWithinAValueIsNoFind() async throws {
    var generator = SeededGenerator(seed: RandomSeeds.run)
    let known = try await store(["format mmkv"], seed: RandomSeeds.run)
    let live = try scratch.makeFolder("live")
    for (name, bytes) in zip(["live/kv", "live/kv.crc"], known) {
      _ = try scratch.write(bytes, to: name)
    }
    var image = generator.bytes(40 * Self.page)
    var expected: [Range<Int>] = []
    for count in 1...4 {
      for isLast in [false, true] {
        var builder = MMKVFixtureBuilder()
        for number in 0..<count { builder.put("user.name.\(number)", text: "the value \(number)") }
        var inner = MMKVFixtureBuilder()
        inner.put("user.name.9", text: "an inner value")
        let end = isLast ? [] : Array("the end".utf8)
        let value = String(decoding: Array("begin ".utf8) + inner.records + end, as: UTF8.self)
        builder.put("user.name.8", text: value)
        let place = expected.count * 4 * Self.page + 777
        image.replaceSubrange(place..<place + builder.records.count, with: builder.records)
        expected.append(place..<place + builder.records.count)
      }
    }
    let finds = try await carve(image, ["--keys-from", live])
    let runs = finds.compactMap { $0["files"]?.array?.first?["runs"]?.array?.first }
    #expect(runs.map { $0["offset"]?.integer } == expected.map(\.lowerBound))
    #expect(runs.map { $0["length"]?.integer } == expected.map(\.count))
    #expect(finds.map { $0["entries"]?.integer } == [2, 2, 3, 3, 4, 4, 5, 5])
  }

  #if Encryption
    /// Tests that what the search itself writes is none of its files.
    @Test(arguments: ["log/evidence.jsonl", "log/../log/evidence.jsonl"])
    func theLogOfEvidenceIsNoFileForTheProgress(path: String) async throws {
      let image = try scratch.write([1, 2, 3], to: "image")
      _ = try scratch.makeFolder("log")
      let outcome = try await Tool.run(
        ["carve", image, "--out", "out", "--evidence", "log", "--resume", path], in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("name another one for --resume"))
      #expect(scratch.names(in: "out") == nil)
    }
  #endif
}
