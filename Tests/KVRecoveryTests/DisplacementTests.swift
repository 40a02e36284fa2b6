import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Reading logs that do not end where their size states, for a reason that can be detected.
@Suite struct DisplacementTests {
  private static let texts = (0..<60).map { ("key number \($0)", "value \($0 * 7919)") }

  private func entries(_ store: MMKVStore) -> [String: [UInt8]] {
    var entries: [String: [UInt8]] = [:]
    for record in Diagnosis(of: store, now: 0).best?.snapshot.live ?? [] {
      entries[store.key(of: record).text ?? ""] = store.value(of: record)
    }
    return entries
  }

  private func open(_ data: [UInt8], _ builder: MMKVFixtureBuilder) -> MMKVStore {
    MMKVFormat(now: 0).open(MMKVFixtureBuilder.files(data: data, meta: builder.meta)).corrected()
  }

  private func expectAll(but lost: Set<Int>, in store: MMKVStore, _ place: String) {
    let found = entries(store)
    for (index, (key, text)) in Self.texts.enumerated() where !lost.contains(index) {
      #expect(found[key] == [UInt8(text.utf8.count)] + Array(text.utf8), "\(key), \(place)")
    }
  }

  @Test(
    "Bytes that were put into the file, or taken out, cost no other record",
    arguments: [1, 2, 7, 100, 1000, -1, -3, -9])
  func displaced(by count: Int) throws {
    let builder = MMKVFixtureBuilder(texts: Self.texts)
    for seed in UInt64(1)...10 {
      var random = SeededGenerator(seed: seed)
      let index = Int.random(in: 0..<Self.texts.count - 1, using: &random)
      var data = builder.data
      let value = Array(Self.texts[index].1.utf8)
      let start = try #require(data.firstRange(of: value)?.lowerBound)
      if count > 0 {
        data.insert(contentsOf: random.bytes(count), at: start + 3)
      } else {
        data.removeSubrange(start..<start - count)
      }
      // Bytes deleted from a short value may extend into the next record.
      let lost: Set = value.count < -count ? [index, index + 1] : [index]
      expectAll(but: lost, in: open(data, builder), "\(count) bytes, seed \(seed)")
    }
  }

  @Test func bytesAfterTheLogDoNotDisplaceIt() {
    var builder = MMKVFixtureBuilder(texts: Self.texts)
    builder.put("older", text: "contents")
    builder.actualCount = UInt32(MMKVFixtureBuilder(texts: Self.texts).payload.count)
    builder.digest = 1
    let count = MMKVFixtureBuilder(texts: Self.texts).payload.count
    // The file has as many more bytes as the record after the log.
    let store = open(
      builder.data + [UInt8](repeating: 0, count: builder.payload.count - count), builder)
    #expect(entries(store)["older"] == nil)
    expectAll(but: [], in: store, "as it is")
  }

  @Test("Damage at both ends of a log costs what is there")
  func bothEnds() {
    for seed in UInt64(1)...10 {
      var random = SeededGenerator(seed: seed)
      var builder = MMKVFixtureBuilder(texts: Self.texts)
      builder.digest = 1
      builder.slack = random.bytes(300)
      builder.actualCount = UInt32(builder.payload.count + 300)
      var data = builder.data
      data.replaceSubrange(4..<20, with: random.bytes(16))
      expectAll(but: [0], in: open(data, builder), "seed \(seed)")
    }
  }

  /// Tests that the rest of a lone entry is not read as a log.
  ///
  /// The entry was overwritten in place by a shorter one, before its size was stored.
  @Test func whatIsLeftOfALoneEntryIsNoLog() {
    var builder = MMKVFixtureBuilder()
    builder.put("only", text: "new")
    builder.records += Array("d value".utf8)
    builder.digest = 1
    // What followed the previous entry: the end of a string, and an older log.
    builder.slack = Array("the end of a text, and not of a record".utf8)
    for (key, text) in Self.texts { builder.slackRecord(key, text) }
    let store = builder.open()
    #expect(entries(store) == ["only": [3] + Array("new".utf8)])
  }

  /// Tests that the keys of the store do not count as binary if the parser loses sync.
  ///
  /// Out of sync, other bytes can be read as a key.
  @Test func keysAreTextWhereReadingIsOutOfStep() {
    var builder = MMKVFixtureBuilder()
    builder.digest = 1
    builder.put("first", text: "entry")
    // A value whose length was lost.
    builder.records += Array("Gives the key of seventy-one bytes a beginning, ".utf8)
    for (key, text) in Self.texts { builder.put(key, text: text) }
    expectAll(but: [], in: builder.open(), "after what is no record")
  }
}

extension MMKVFixtureBuilder {
  /// Appends a record with a string after the log.
  fileprivate mutating func slackRecord(_ key: String, _ text: String) {
    var other = MMKVFixtureBuilder()
    other.put(key, text: text)
    slack += other.records
  }
}
