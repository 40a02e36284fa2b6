#if Encryption
  import KVBytes
  import KVFixtures
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Encrypted stores whose keys and values resemble what a wrong key or a damaged vector makes of
  /// others.
  @Suite struct UnusualContentTests {
    private var builder: MMKVFixtureBuilder {
      var builder = MMKVFixtureBuilder()
      builder.key = MMKVKey(Array("0123456789abcdef".utf8))
      return builder
    }

    /// Tests that nothing is left out of a log up to whose end a checksum matches, although its keys
    /// are not text: the vector is not in doubt.
    ///
    /// The process was killed between storing the checksum and the size.
    @Test func binaryKeysAreKeptWhereAChecksumEndsTheLog() throws {
      var generator = SeededGenerator(seed: 7)
      var builder = self.builder
      for index in 0..<5 {
        builder.put(generator.bytes(16), [UInt8(index)])
        builder.put("after \(index)", text: "value")
      }
      let count = UInt32(builder.payload.count)
      builder.put("last", text: "value")
      builder.actualCount = count
      builder.header = count
      let store = builder.open()
      let best = try #require(expectSound(store, now: 0).best)
      #expect(best.snapshot.live.count == 11 && best.snapshot.gaps.isEmpty)
      let evidence = best.snapshot.live.map { best.assessment(of: $0).evidence }
      // No checksum covers the vector, on which the first block depends.
      #expect(evidence.dropFirst().allSatisfy { $0 == .checksum })
    }

    /// Tests that nothing that a wrong vector decrypts is presented as sound, although the checksum, which
    /// covers the encrypted bytes, matches up to the end of a record.
    ///
    /// The meta file was cut before the end of the vector.
    @Test(arguments: [12, 20, 27])
    func whatALostVectorDecryptsIsNotSound(metaCount: Int) throws {
      var wrong = 0
      for seed in RandomSeeds.fresh(200) {
        var generator = SeededGenerator(seed: seed)
        var builder = self.builder
        builder.vector = generator.bytes(16)
        var truth: [Key: [UInt8]] = [:]
        for (key, value) in [("aaa", "111"), ("name1", "Ann"), ("name2", "Bob"), ("token", "abc")] {
          let text = value + String(generator.next() % 1000)
          builder.put(key, text: text)
          truth[Key(Array(key.utf8))] = [UInt8(text.utf8.count)] + Array(text.utf8)
        }
        let store = MMKVFormat(key: builder.key, now: 0).open(
          MMKVFixtureBuilder.files(
            data: builder.data, meta: Array(builder.meta.prefix(metaCount)))
        ).corrected()
        guard let best = Diagnosis(of: store, now: 0).best else { continue }
        wrong += best.snapshot.live.count { record in
          best.assessment(of: record).evidence == .checksum
            && truth[store.key(of: record)] != store.value(of: record)
        }
      }
      #expect(wrong == 0)
    }

    /// Tests that the first block of a healthy store is not taken for damaged because the last byte of
    /// a number is one more than the length of the next key.
    ///
    /// Meta version 1 has no vector.
    @Test func aNumberThatResemblesALengthIsNoSwallowedRecord() throws {
      var builder = self.builder
      builder.version = 1
      builder.prefix = [0]
      builder.put("596c3805-e3aa-4abc-9abc-f1844e59a2a1", [0xba, 0xb2, 0x21])
      builder.put("com.example.app.97e271ac19b39695", text: "hello world 1")
      let store = builder.open()
      let diagnosis = expectSound(store, now: 0)
      #expect(diagnosis.verdict == .clean && diagnosis.entries == 2)
    }

    /// Tests that the beginning of a property list is evidence for a key.
    @Test func aLonePropertyListShowsThatTheKeyIsRight() {
      var generator = SeededGenerator(seed: 7)
      var builder = self.builder
      builder.put(generator.bytes(16), Array("bplist00".utf8) + generator.bytes(60))
      #expect(builder.open().access == .readable)
    }

    /// The bytes after the first block do not depend on the vector, and the log is in sync after
    /// the key.
    @Test func aFirstKeyOfBytesIsNoDamage() throws {
      for seed in UInt64(1)...20 {
        var random = SeededGenerator(seed: seed)
        var builder = self.builder
        builder.vector = random.bytes(16)
        builder.put(random.bytes(40), [1])
        for index in 0..<6 { builder.put("key \(index)", text: "value \(index)") }
        let store = builder.open()
        let diagnosis = expectSound(store, now: 0)
        #expect(diagnosis.verdict == .clean, "seed \(seed)")
        #expect(diagnosis.best?.snapshot.live.count == 7, "seed \(seed)")
        var meta = builder.meta
        for offset in 12..<28 { meta[offset] ^= UInt8.random(in: 1...255, using: &random) }
        let damaged = MMKVFormat(key: builder.key, now: 0).open(
          MMKVFixtureBuilder.files(data: builder.data, meta: meta)
        ).corrected()
        // If the noise leads to a record, the vector must at least be reported as unverified.
        let found = Diagnosis(of: damaged, now: 0)
        let isSaid = found.findings.contains { $0.code == "mmkv.vector-unverified" }
        #expect(found.verdict != .clean || isSaid, "seed \(seed)")
        // Where each record begins depends on the ones before it.
        guard isSaid, let best = found.best else { continue }
        let evidence = best.snapshot.live.map { best.assessment(of: $0).evidence }
        #expect(evidence.allSatisfy { $0 <= .structure }, "seed \(seed)")
      }
    }
  }
#endif
