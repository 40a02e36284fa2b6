import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Stores whose log was rewritten after their meta file had been copied.
@Suite struct OutdatedMetaTests {
  /// A store, and what it holds.
  private struct Made {
    let builder: MMKVFixtureBuilder
    let live: [Key: [UInt8]]
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    String(100_000 + generator.next() % 900_000)
  }

  /// Returns a store that was rewritten with other values of the same lengths, and then appended to;
  /// its meta file is the one from before.
  private static func made(_ seed: UInt64) -> Made {
    var generator = SeededGenerator(seed: seed)
    let names = (0..<Int.random(in: 3...8, using: &generator)).map { "setting_\($0)" }
    var before = MMKVFixtureBuilder()
    for name in names { before.put(name, text: text(&generator)) }
    var builder = MMKVFixtureBuilder()
    builder.prefix = [0xb5, 0xdb, 0x86, 0x38]
    var live: [Key: [UInt8]] = [:]
    func put(_ name: String) {
      let text = Self.text(&generator)
      builder.put(name, text: text)
      live[Key(Array(name.utf8))] = [UInt8(text.utf8.count)] + Array(text.utf8)
    }
    for name in names { put(name) }
    let count = UInt32(before.payload.count)
    for name in names.prefix(Int.random(in: 2...names.count, using: &generator)) { put(name) }
    builder.sequence = 2
    builder.header = 0
    builder.actualCount = count
    builder.digest = MMKVFixtureBuilder.crc32(before.payload)
    builder.confirmed = (count, MMKVFixtureBuilder.crc32(before.payload))
    // The rest of a record that was removed with others at once.
    builder.slack = Array("ary\u{1}\u{1}".utf8)
    return Made(builder: builder, live: live)
  }

  private func contents(_ state: StoreState?, _ store: MMKVStore) -> [Key: [UInt8]] {
    Dictionary(
      (state?.snapshot.live ?? []).map { (store.key(of: $0), store.value(of: $0)) },
      uniquingKeysWith: { $1 })
  }

  /// Returns whether the checksum differs by chance in as few bytes as a damaged one: one in thousands
  /// does.
  private func isCorrected(_ store: MMKVStore) -> Bool { !store.corrections.isEmpty }

  @Test func recordsAfterTheStatedEndAreNewer() throws {
    for seed in RandomSeeds.fresh(50) {
      let made = Self.made(seed)
      let store = made.builder.open()
      if isCorrected(store) { continue }
      let diagnosis = expectSound(store, now: 0, "seed \(seed)")
      let best = try #require(diagnosis.best, "seed \(seed)")
      #expect(contents(best, store) == made.live, "seed \(seed)")
      #expect(best.rules.contains("log.outdated-length"), "seed \(seed)")
      for record in best.snapshot.live {
        #expect(best.evidence(of: record) <= .structure, "seed \(seed)")
        #expect(best.cautions(of: record) == [.mayBeDamaged, .mayBeStale], "seed \(seed)")
      }
    }
  }

  /// Tests that records in sync with the end of a damaged log are not taken for newer ones if the log
  /// has their last values.
  ///
  /// They are the rest of the log that it was rewritten from.
  @Test func theRestOfTheLogBeforeIsNotNewer() throws {
    for seed in RandomSeeds.fresh(50) {
      var generator = SeededGenerator(seed: seed)
      let names = (0..<Int.random(in: 4...8, using: &generator)).map { "setting_\($0)" }
      var builder = MMKVFixtureBuilder()
      var rest = MMKVFixtureBuilder()
      for name in names { rest.put(name, text: Self.text(&generator)) }
      for name in names {
        let text = Self.text(&generator)
        builder.put(name, text: text)
        rest.put(name, text: text)
      }
      builder.sequence = 3
      builder.confirmed = (
        UInt32(builder.payload.count), MMKVFixtureBuilder.crc32(builder.payload)
      )
      builder.slack = rest.records
      var data = builder.data
      // One value changes, and its original after the log too, or it would be restored from there.
      let value = try #require(data.firstRange(of: Array("setting_1".utf8))).upperBound + 2
      let original = 4 + builder.payload.count + rest.records.count / 2 + value - 8
      for offset in [value, original] {
        data.replaceSubrange(offset..<offset + 3, with: Array("xyz".utf8))
      }
      let store = MMKVFormat(now: 0).open(
        MMKVFixtureBuilder.files(data: data, meta: builder.meta)
      ).corrected()
      if isCorrected(store) { continue }
      let best = try #require(expectSound(store, now: 0, "seed \(seed)").best)
      #expect(best.log?.end == 4 + builder.payload.count, "seed \(seed)")
      #expect(
        best.snapshot.live.allSatisfy { best.cautions(of: $0).contains(.mayBeStale) },
        "seed \(seed)")
    }
  }

  /// Tests that every entry may be stale if the log became shorter than the meta file says.
  ///
  /// What is left of the older log seems to belong to it.
  @Test func entriesOfALogThatBecameShorterMayBeStale() throws {
    for seed in RandomSeeds.fresh(50) {
      var generator = SeededGenerator(seed: seed)
      let names = (0..<5).map { "setting_\($0)" }
      var before = MMKVFixtureBuilder()
      for _ in 0..<2 {
        for name in names { before.put(name, text: Self.text(&generator)) }
      }
      var builder = MMKVFixtureBuilder()
      builder.prefix = [0xb5, 0xdb, 0x86, 0x38]
      for name in names { builder.put(name, text: Self.text(&generator)) }
      builder.slack = Array(before.payload.dropFirst(builder.payload.count))
      let digest = MMKVFixtureBuilder.crc32(before.payload)
      builder.actualCount = UInt32(before.payload.count)
      builder.digest = digest
      builder.confirmed = (UInt32(before.payload.count), digest)
      let store = builder.open()
      if isCorrected(store) { continue }
      let best = try #require(expectSound(store, now: 0, "seed \(seed)").best)
      #expect(best.entryCount == 5, "seed \(seed)")
      #expect(
        best.snapshot.live.allSatisfy { best.cautions(of: $0).contains(.mayBeStale) },
        "seed \(seed)")
    }
  }

  // MARK: Corrections

  /// Tests that originals after a log that was never rewritten are those of an earlier moment.
  ///
  /// The correction shows what the log was when its checksum was stored, not that bytes have changed.
  @Test(arguments: [1, 2] as [UInt32])
  func copiesAfterALogThatWasNeverRewrittenMayBeStale(_ sequence: UInt32) throws {
    var before = MMKVFixtureBuilder()
    before.put("profile", text: "the first of two entries")
    let start = before.payload.count
    before.put("consent", text: "2026-11-27")
    var builder = MMKVFixtureBuilder()
    builder.put("profile", text: "the first of two entries")
    builder.put("counters", text: String(repeating: "0123456789", count: 12))
    builder.slack = Array(before.payload[start...])
    builder.sequence = sequence
    builder.actualCount = UInt32(before.payload.count)
    builder.header = 0
    builder.digest = MMKVFixtureBuilder.crc32(before.payload)
    let store = builder.open()
    let diagnosis = expectSound(store, now: 0)
    let best = try #require(diagnosis.best)
    #expect(diagnosis.findings.flatMap(\.rules).contains("mmkv.copied-records"))
    #expect(best.entryCount == 2)
    for record in best.snapshot.live {
      #expect(best.cautions(of: record) == (sequence == 1 ? [.mayBeStale] : []))
    }
  }

  /// Tests that a lone entry may be newer than its checksum if its value became shorter.
  @Test func aShorterLoneEntryMayBeNewerThanItsChecksum() throws {
    var before = MMKVFixtureBuilder()
    before.put("user_id", [0xd4, 0xc0, 0x37])
    var builder = MMKVFixtureBuilder()
    builder.put("user_id", [0x14])
    builder.slack = Array(before.payload.suffix(2))
    builder.sequence = 3
    builder.actualCount = UInt32(before.payload.count)
    builder.header = 0
    builder.digest = MMKVFixtureBuilder.crc32(before.payload)
    let best = try #require(expectSound(builder.open(), now: 0).best)
    let record = try #require(best.snapshot.live.first)
    #expect(best.cautions(of: record) == [.mayBeStale])
  }
}
