import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Stores whose two files were copied at different times, before the first full rewrite of the log.
@Suite struct UnrecordedTailTests {
  /// Returns a store of a few keys, set again and again, whose meta file is older than its data
  /// file; and what it holds according to each of them.
  private func copied(
    _ seed: UInt64, header: UInt32?, isEncrypted: Bool = false, hasExpiry: Bool = false
  ) -> (builder: MMKVFixtureBuilder, old: [Key: [UInt8]], new: [Key: [UInt8]]) {
    var generator = SeededGenerator(seed: seed)
    var builder = MMKVFixtureBuilder()
    builder.header = header
    // Turning expiry on in a new store counts as a full rewrite.
    if hasExpiry { (builder.flags, builder.sequence) = (1, 2) }
    if isEncrypted {
      builder.key = MMKVKey(Array("secret".utf8))
      builder.vector = generator.bytes(16)
    }
    let names = (0..<Int.random(in: 3...12, using: &generator)).map { "setting_\($0)" }
    var live: [Key: [UInt8]] = [:]
    func put(_ count: Int) {
      for _ in 0..<count {
        guard let name = names.randomElement(using: &generator) else { return }
        let key = Key(Array(name.utf8))
        // The engine does not write that an absent key is removed.
        if live.count > 2, live[key] != nil, Int.random(in: 0..<8, using: &generator) == 0 {
          builder.remove(name)
          live[key] = nil
        } else {
          let text = String(generator.next() % 1_000_000)
          let time: [UInt8] = hasExpiry ? [0, 0, 0, 0] : []
          let value = [UInt8(text.utf8.count)] + Array(text.utf8) + time
          builder.put(name, value)
          live[key] = value
        }
      }
    }
    put(Int.random(in: 3...30, using: &generator))
    let old = live
    let count = builder.payload.count
    put(Int.random(in: 1...10, using: &generator))
    builder.actualCount = UInt32(count)
    builder.digest = MMKVFixtureBuilder.crc32(builder.storedPayload.prefix(count))
    return (builder, old, live)
  }

  private func contents(_ state: StoreState?, _ store: MMKVStore) -> [Key: [UInt8]] {
    Dictionary(
      (state?.snapshot.live ?? []).map { (store.key(of: $0), store.value(of: $0)) },
      uniquingKeysWith: { $1 })
  }

  /// Engines before 2.4 store the size in the header first.
  ///
  /// The checksum verifies the log without the records, so that is what a repair keeps unless the
  /// state with them is named.
  @Test(arguments: [false, true], [false, true])
  func recordsUpToTheEndInTheHeaderAreOffered(isEncrypted: Bool, hasExpiry: Bool) {
    #if !Encryption
      if isEncrypted { return }
    #endif
    for seed in RandomSeeds.fresh(50) {
      let (builder, old, new) = copied(
        seed, header: nil, isEncrypted: isEncrypted, hasExpiry: hasExpiry)
      let store = builder.open()
      let diagnosis = expectSound(store, now: 0, "seed \(seed)")
      #expect(diagnosis.verdict == .clean, "seed \(seed)")
      #expect(diagnosis.findings.contains { $0.code == "store.newer-tail" }, "seed \(seed)")
      #expect(contents(diagnosis.best, store) == old, "seed \(seed)")
      #expect(contents(diagnosis.state(.appended), store) == new, "seed \(seed)")
      for record in diagnosis.best?.snapshot.live ?? []
      where new[store.key(of: record)] != store.value(of: record) {
        #expect(diagnosis.best?.cautions(of: record) == [.mayBeStale], "seed \(seed)")
      }
    }
  }

  /// Later engines leave the header at 0, so the records may also be those of an older log.
  ///
  /// If they remove keys, that is likelier.
  @Test func keysWithRecordsAfterTheLogMayBeStale() throws {
    var (staleCount, cautionCount) = (0, 0)
    for seed in RandomSeeds.fresh(200) {
      let (builder, old, new) = copied(seed, header: 0)
      let store = builder.open()
      let diagnosis = expectSound(store, now: 0, "seed \(seed)")
      let state = try #require(diagnosis.state(.current), "seed \(seed)")
      #expect(contents(state, store) == old, "seed \(seed)")
      for record in state.snapshot.live {
        let assessment = state.assessment(of: record)
        if new[store.key(of: record)] != store.value(of: record) {
          staleCount += 1
          cautionCount += assessment.cautions == [.mayBeStale] ? 1 : 0
        }
        #expect(
          assessment.evidence == (assessment.cautions.isEmpty ? .checksum : .structure),
          "seed \(seed)")
      }
    }
    #expect(cautionCount * 10 >= staleCount * 8, "\(cautionCount) of \(staleCount)")
  }

  @Test func nothingIsStaleIfTheFilesAreOfOneTime() {
    for seed in RandomSeeds.fresh(50) {
      var builder = copied(seed, header: 0).builder
      (builder.actualCount, builder.digest) = (nil, nil)
      let store = builder.open()
      let diagnosis = expectSound(store, now: 0, "seed \(seed)")
      #expect(diagnosis.verdict == .clean, "seed \(seed)")
      let cautions = diagnosis.best?.snapshot.live.flatMap {
        diagnosis.best?.cautions(of: $0) ?? []
      }
      #expect(cautions == [], "seed \(seed)")
    }
  }

  /// The rest of a longer list, whose elements can be read as records, was there before: MMKV
  /// overwrites a lone entry in place, and its newest engines leave the header alone.
  @Test func theRestOfALoneListIsNotNewer() {
    var builder = MMKVFixtureBuilder()
    builder.put("tags", text: "one")
    var rest = MMKVFixtureBuilder()
    for index in 0..<4 { rest.put("element \(index)", [1]) }
    builder.slack = rest.records
    builder.header = UInt32(builder.payload.count + rest.records.count)
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(!diagnosis.findings.contains { $0.code == "store.newer-tail" })
  }
}
