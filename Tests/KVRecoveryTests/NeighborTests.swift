import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Damage to a record, which must not affect intact neighbors.
@Suite struct NeighborTests {
  private static let short = (0..<60).map { ("key number \($0)", "value \($0 * 7919)") }
  /// Strings of three thousand bytes, so that most records span two pages.
  private static let long: [(String, String)] = {
    var random = SeededGenerator(seed: 1)
    return (0..<12).map { ("key number \($0)", text(3000 + $0, &random)) }
  }()

  private static func text(_ count: Int, _ random: inout SeededGenerator) -> String {
    String(decoding: random.bytes(count).map { 0x61 + $0 % 26 }, as: UTF8.self)
  }

  private func open(_ data: [UInt8], _ builder: MMKVFixtureBuilder) -> MMKVStore {
    MMKVFormat(now: 0).open(MMKVFixtureBuilder.files(data: data, meta: builder.meta)).corrected()
  }

  private func entries(_ store: MMKVStore) -> [String: [UInt8]] {
    var entries: [String: [UInt8]] = [:]
    for record in Diagnosis(of: store, now: 0).best?.snapshot.live ?? [] {
      entries[store.key(of: record).text ?? ""] = store.value(of: record)
    }
    return entries
  }

  /// Expects `texts` except those in `lost`, and no other keys.
  private func expect(
    _ texts: [(String, String)], but lost: Set<Int>, in store: MMKVStore, _ place: String
  ) {
    let found = entries(store)
    for (index, (key, text)) in texts.enumerated() where !lost.contains(index) {
      let value = MMKVFixtureBuilder.varint(UInt64(text.utf8.count)) + Array(text.utf8)
      #expect(found[key] == value, "\(key), \(place)")
    }
    #expect(Set(found.keys).isSubset(of: texts.map(\.0)), "\(place)")
  }

  @Test("A length that was taken out of a record costs no other one")
  func lengthIsGone() throws {
    var builder = MMKVFixtureBuilder()
    // The bytes then read as the length extend into the next record, and what follows looks like a
    // value.
    let number = [12, 11] + Array("number".utf8)
    for index in 0..<20 {
      builder.put("number \(index)", number)
      builder.put("on \(index)", [1])
    }
    for index in 5..<19 {
      var data = builder.data
      let head = Array("number \(index)".utf8) + [8]
      data.remove(at: try #require(data.firstRange(of: head)).upperBound - 1)
      let found = entries(open(data, builder))
      for other in 0..<20 {
        #expect(found["on \(other)"] == [1], "\(other), without the length of \(index)")
        if other != index { #expect(found["number \(other)"] == number, "\(other), \(index)") }
      }
      #expect([39, 40].contains(found.count), "\(index)")
    }
  }

  @Test("A record across pages is whole before one that was damaged")
  func inFrontOfDamage() throws {
    let builder = MMKVFixtureBuilder(texts: Self.long)
    for (index, (key, text)) in Self.long.enumerated().dropFirst().dropLast() {
      var data = builder.data
      let start = try #require(data.firstRange(of: Array(text.utf8))).lowerBound
      data.removeSubrange(start + 1000..<start + 1005)
      expect(Self.long, but: [index], in: open(data, builder), "5 bytes taken out of \(key)")
    }
  }

  @Test("A record across pages is whole before where the file was cut off")
  func inFrontOfTheCut() throws {
    let builder = MMKVFixtureBuilder(texts: Self.long)
    for (index, (key, _)) in Self.long.enumerated() {
      let end = try #require(builder.data.firstRange(of: Array(key.utf8))).upperBound
      let lost = Set(index..<Self.long.count)
      for count in [2, 1000] {
        let store = open(Array(builder.data.prefix(end + count)), builder)
        expect(Self.long, but: lost, in: store, "cut off \(count) bytes after \(key)")
      }
    }
  }

  /// Tests that pieces of a lost string are not taken for records.
  ///
  /// One piece reads as a record, and leads to another that reads as a plausible record. The second
  /// piece includes the next real record.
  @Test func piecesOfATextAreNoRecords() {
    var random = SeededGenerator(seed: 2)
    var builder = MMKVFixtureBuilder()
    builder.digest = 1
    builder.put("first", text: "entry")
    // No length starts here: the string to which the bytes belonged is lost.
    builder.records += [0xff, 0xff, 0xff, 0xff, 0xff] + random.bytes(40)
    // A key of 48 letters, and 110 more.
    builder.records += Array(("0" + Self.text(48, &random) + "n" + Self.text(110, &random)).utf8)
    // A key of 97 letters, a string of 104 bytes that includes the next record, and 4 bytes of an
    // expiry time.
    builder.records += Array(("a" + Self.text(97, &random) + "mh").utf8)
    var next = MMKVFixtureBuilder()
    next.put("key number 0", text: Self.short[0].1)
    builder.records += Array(Self.text(108 - next.records.count, &random).utf8)
    for (key, text) in Self.short { builder.put(key, text: text) }
    expect([("first", "entry")] + Self.short, but: [], in: builder.open(), "after a text")
  }

  /// Tests that the records after a damaged prefix are read.
  ///
  /// A torn prefix may decode with another length, but the record after it does not move.
  @Test func recordsAfterADamagedPrefixAreRead() {
    for seed in UInt64(1)...20 {
      var random = SeededGenerator(seed: seed)
      var builder = MMKVFixtureBuilder()
      builder.digest = 1
      builder.put("is on", [1])
      builder.put("number", [12])
      // Leftover bytes of a longer log, without an end.
      builder.records += [0xff] + random.bytes(300)
      builder.prefix = [UInt8(random.next() % 128)] + random.bytes(3)
      let found = entries(builder.open())
      #expect(found["is on"] == [1] && found["number"] == [12], "seed \(seed)")
    }
  }
}
