import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Reading damaged logs whose size field is damaged as well.
@Suite struct DamagedSizeTests {
  private static let texts = (0..<60).map { ("key number \($0)", "value \($0 * 7919)") }

  /// Returns a store with an older log after its own.
  ///
  /// If `isTwice` is `true`, its header states the size too.
  private static func builder(_ random: inout SeededGenerator, isTwice: Bool) -> MMKVFixtureBuilder
  {
    var builder = MMKVFixtureBuilder(texts: texts)
    builder.digest = 1
    if !isTwice { builder.header = 0 }
    let older = MMKVFixtureBuilder(texts: [("older", "\(random.next())"), ("oldest", "value")])
    builder.slack = random.bytes(5).map { $0 | 0x80 } + older.records
    return builder
  }

  private func open(_ data: [UInt8], _ builder: MMKVFixtureBuilder) -> MMKVStore {
    MMKVFormat(now: 0).open(MMKVFixtureBuilder.files(data: data, meta: builder.meta)).corrected()
  }

  /// Records an issue unless `store` has all texts except those at `lost`, each with a caution, and
  /// no entry of the older log.
  private func expectAll(but lost: Set<Int>, in store: MMKVStore, _ place: String) {
    guard let best = Diagnosis(of: store, now: 0).best else {
      Issue.record("no state: \(place)")
      return
    }
    var found: [String: [UInt8]] = [:]
    for record in best.snapshot.live {
      found[store.key(of: record).text ?? ""] = store.value(of: record)
      if best.evidence(of: record) > .structure || best.cautions(of: record).isEmpty {
        Issue.record("nothing verifies \(store.key(of: record).text ?? ""): \(place)")
      }
    }
    for (index, (key, text)) in Self.texts.enumerated() where !lost.contains(index) {
      if found[key] != [UInt8(text.utf8.count)] + Array(text.utf8) {
        Issue.record("\(key) is missing: \(place)")
      }
    }
    if found["older"] != nil || found["oldest"] != nil { Issue.record("an older log: \(place)") }
  }

  @Test(
    "A bit changed in the size does not cost the records after other damage",
    arguments: [true, false])
  func bitOfTheSize(isTwice: Bool) throws {
    for bit in UInt32(0)..<32 {
      var random = SeededGenerator(seed: UInt64(bit))
      var builder = Self.builder(&random, isTwice: isTwice)
      let index = Int.random(in: 3..<20, using: &random)
      var data = builder.data
      let start = try #require(data.firstRange(of: Array(Self.texts[index].1.utf8))?.lowerBound)
      data.replaceSubrange(start - 2..<start + 4, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
      builder.actualCount = UInt32(builder.payload.count) ^ 1 << bit
      expectAll(but: [index], in: open(data, builder), "seed \(bit)")
    }
  }

  @Test(
    "Bytes put into a log or taken out of it, in a file that stays as long, cost no other record")
  func displaced() throws {
    for seed in UInt64(100)..<140 {
      var random = SeededGenerator(seed: seed)
      let builder = Self.builder(&random, isTwice: false)
      let index = Int.random(in: 3..<50, using: &random)
      let count = Int.random(in: 1...12, using: &random)
      var data = builder.data
      let start = try #require(data.firstRange(of: Array(Self.texts[index].1.utf8))?.lowerBound)
      if seed % 2 == 0 {
        data.insert(contentsOf: random.bytes(count), at: start + 2)
        data.removeLast(count)
      } else {
        data.removeSubrange(start..<start + min(count, 6))
        data += [UInt8](repeating: 0, count: min(count, 6))
      }
      // The rest of the damaged record may be mistaken for a part of its neighbor.
      expectAll(but: [index], in: open(data, builder), "seed \(seed)")
    }
  }

  @Test("A block that stands in another's place is no interrupted rewrite")
  func repeatedBlock() throws {
    for seed in UInt64(200)..<220 {
      var random = SeededGenerator(seed: seed)
      let builder = Self.builder(&random, isTwice: true)
      var data = builder.data
      let from = 40 + Int(random.next() % 300)
      let first = 700 + Int(random.next() % 100)
      let second = first + 300 + Int(random.next() % 100)
      let block = Array(data[from..<from + 32])
      var lost: Set<Int> = []
      // If the block has the start of a record, that record now seems to be newer, with another
      // end.
      for start in [from, first, second] {
        for (index, (key, text)) in Self.texts.enumerated() {
          let record =
            [UInt8(key.utf8.count)] + Array(key.utf8) + [UInt8(text.utf8.count + 1)]
            + [UInt8(text.utf8.count)] + Array(text.utf8)
          let range = try #require(builder.data.firstRange(of: record))
          if range.overlaps(start..<start + 32) { lost.insert(index) }
        }
        if start != from { data.replaceSubrange(start..<start + 32, with: block) }
      }
      expectAll(but: lost, in: open(data, builder), "seed \(seed)")
    }
  }
}
