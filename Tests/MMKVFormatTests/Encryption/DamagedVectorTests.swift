#if Encryption
  import KVBytes
  import KVFixtures
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Encrypted stores with a damaged vector, whose first value has records in it, so that reading
  /// begins among them.
  @Suite struct DamagedVectorTests {
    /// What the first value is.
    enum First: CaseIterable {
      /// The payload of another store.
      case store
      /// Records without a prefix.
      case records
      /// A list of texts.
      case list
    }

    private static let key = MMKVKey(Array("0123456789abcdef".utf8))

    /// Returns a store with another vector in its meta file; `digest` changes the checksum.
    private func builder(_ first: First, _ random: inout SeededGenerator) -> MMKVFixtureBuilder {
      var inner = MMKVFixtureBuilder()
      for index in 0..<Int.random(in: 3...8, using: &random) {
        inner.put("inner_\(index)", text: random.text(Int.random(in: 1...20, using: &random)))
      }
      let content =
        switch first {
        case .store: inner.payload
        case .records: inner.records
        case .list:
          (0..<6).flatMap { _ in
            [UInt8(8)] + Array("inner_".utf8) + random.bytes(2).map { $0 % 26 + 0x61 }
          }
        }
      var builder = MMKVFixtureBuilder()
      builder.key = Self.key
      builder.vector = random.bytes(16)
      builder.put("k", MMKVFixtureBuilder.varint(UInt64(content.count)) + content)
      for index in 0..<Int.random(in: 0...5, using: &random) {
        builder.put("setting_\(index)", text: random.text(9))
      }
      return builder
    }

    /// Tests that hardly an entry is presented as sound, whatever shows where the log ends.
    ///
    /// A random block looks like the beginning of a log in about one of 50 such stores, and one of 20 is
    /// allowed. Of 1,200 stores, that is more than six standard deviations.
    @Test(arguments: First.allCases)
    func noEntryIsSound(_ first: First) throws {
      var sound: [UInt64] = []
      for seed in RandomSeeds.fresh(1200) {
        var random = SeededGenerator(seed: seed)
        var builder = builder(first, &random)
        let count = UInt32(builder.payload.count)
        // The size may be wrong too: then another size has the end, or only the checksum shows it.
        if seed % 3 == 0 { builder.actualCount = count - 1 }
        if seed % 3 == 1 { (builder.actualCount, builder.header) = (count + 1, count + 2) }
        var meta = builder.meta
        meta.replaceSubrange(12..<28, with: random.bytes(16))
        let store = MMKVFormat(key: Self.key, now: 0).open(
          MMKVFixtureBuilder.files(data: builder.data, meta: meta)
        ).corrected()
        let diagnosis = expectSound(store, now: 0, "seed \(seed)")
        let isSound = diagnosis.states.contains { state in
          state.snapshot.live.contains { record in
            let assessment = state.assessment(of: record)
            return assessment.evidence >= .corrected
              || assessment.evidence == .structure && assessment.cautions.isEmpty
          }
        }
        if isSound || [.clean, .repairable].contains(diagnosis.verdict) { sound.append(seed) }
      }
      #expect(sound.count * 20 <= 1200, "seeds \(sound)")
    }
  }
#endif
