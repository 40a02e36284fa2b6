#if Encryption
  import KVBytes
  import KVFixtures
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Encrypted logs in which bytes were inserted or deleted, so that the cipher's blocks begin
  /// elsewhere.
  struct MovedBlocksTests {
    private static let count = 40

    /// Returns an encrypted store of ``count`` records, each with its own key.
    private func builder(_ random: inout SeededGenerator) -> MMKVFixtureBuilder {
      var builder = MMKVFixtureBuilder()
      builder.key = MMKVKey(random.bytes(Int.random(in: 1...16, using: &random)))
      builder.vector = random.bytes(16)
      for index in 0..<Self.count {
        builder.put("key \(index)", text: random.text(Int.random(in: 1...60, using: &random)))
      }
      return builder
    }

    /// Returns the entries of `files` and whether blocks were found to have moved.
    private func read(
      _ files: [StoreFile], _ key: MMKVKey?
    ) -> (entries: [Key: [UInt8]], isMoved: Bool) {
      let store = MMKVFormat(key: key, now: 0).open(files).corrected()
      let live = Diagnosis(of: store, now: 0).best?.snapshot.live ?? []
      let entries = Dictionary(live.map { (store.key(of: $0), store.value(of: $0)) }) { $1 }
      return (entries, store.corrections.contains { $0.rule == "mmkv.moved-blocks" })
    }

    /// Returns the data file and the meta file of `builder`, with `bytes` of the data replaced.
    private func files(
      _ builder: MMKVFixtureBuilder, _ edit: (inout [UInt8]) -> Void
    ) -> [StoreFile] {
      let files = builder.files()
      var data = files[0].image.bytes
      let count = data.count
      edit(&data)
      data = Array(data.prefix(count))
      data += [UInt8](repeating: 0, count: count - data.count)
      return MMKVFixtureBuilder.files(data: data, meta: files[1].image.bytes)
    }

    /// In 5 of 12,480 such logs, noise at the place reads as a record, and hides those that it covers.
    @Test(arguments: [-33, -15, -7, -1, 1, 4, 15, 16, 17, 60])
    func whatFollowsIsRead(shift: Int) {
      let seeds = RandomSeeds.fresh(16)
      let failed = seeds.filter { seed in
        var random = SeededGenerator(seed: seed)
        let builder = builder(&random)
        let whole = read(builder.files(), builder.key)
        #expect(whole.entries.count == Self.count && !whole.isMoved, "seed \(seed)")
        let place = Int.random(in: 100...builder.records.count / 2, using: &random)
        let inserted = random.bytes(max(0, shift))
        let found = read(
          files(builder) { $0.replaceSubrange(place..<place - min(0, shift), with: inserted) },
          builder.key)
        let right = found.entries.count { whole.entries[$0.key] == $0.value }
        // Lost are the record at the place, those of the two blocks after it, and what is deleted,
        // or moved beyond the stated size: records of at least 8 bytes.
        let lost = 2 + (32 + abs(shift) + 7) / 8
        #expect(found.isMoved == (shift % 16 != 0), "seed \(seed)")
        return right < Self.count - lost
      }
      #expect(failed.count <= 1, "seeds \(failed)")
    }

    /// Of 1,000 such logs, none seems to have moved.
    @Test(arguments: RandomSeeds.fresh(20))
    func noiseIsNotTakenForThat(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let builder = builder(&random)
      let count = Int.random(in: 50...builder.records.count / 2, using: &random)
      let place = Int.random(in: 20...builder.records.count / 2, using: &random)
      let noise = random.bytes(count)
      let found = read(
        files(builder) { $0.replaceSubrange(place..<place + count, with: noise) }, builder.key)
      #expect(!found.isMoved)
    }
  }
#endif
