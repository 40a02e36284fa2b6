#if Encryption
  import KVFixtures
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Stores of apps that started to encrypt.
  ///
  /// Their older records are in plaintext after the new log.
  struct BegunEncryptionTests {
    /// Returns a store of `records` encrypted with `key`, with leftover records of an older log
    /// after its own.
    private func builder(_ key: MMKVKey?, _ records: [UInt8]) -> MMKVFixtureBuilder {
      var before = MMKVFixtureBuilder()
      for index in 0..<60 { before.put("key \(index)", text: "value \(index)") }
      var builder = MMKVFixtureBuilder()
      builder.key = key
      builder.records = records
      builder.slack = Array(before.records.dropFirst(records.count))
      return builder
    }

    private func records(_ count: Int) -> [UInt8] {
      var builder = MMKVFixtureBuilder()
      for index in 0..<count { builder.put("key \(index)", text: "value \(index)") }
      return builder.records
    }

    private func key(_ random: inout SeededGenerator) -> MMKVKey {
      MMKVKey(
        (0..<Int.random(in: 1...32, using: &random)).map { _ in
          UInt8.random(in: 0x20..<0x7f, using: &random)
        }, isAES256: Bool.random(using: &random))
    }

    private func code(_ store: MMKVStore) -> String? {
      if case .unreadable(let code, _) = store.access { code.name } else { nil }
    }

    /// With the first seed, the log decodes by chance with the wrong key, but only for one of both
    /// sizes.
    @Test(arguments: [15_194_964_223_211_147_453] + RandomSeeds.fresh(3))
    func whatIsAfterTheLogDoesNotMakeItPlain(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      var plainByChance = 0
      // One in two hundred shorter pieces of noise decodes to its end.
      for count in 24...36 {
        let (key, other) = (key(&random), key(&random))
        var builder = builder(key, records(count))
        builder.vector = (0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        let files = builder.files()
        let without = MMKVFormat(now: 0).open(files)
        guard case .unreadable(let code, let reason) = without.access else {
          plainByChance += 1
          continue
        }
        #expect(code.name == "mmkv.key-needed")
        #expect(reason.contains("Unencrypted records"))
        #expect(expectSound(without.corrected(), now: 0).verdict == .unreadable)
        let found = MMKVFormat(key: key, now: 0).open(files).corrected()
        let diagnosis = expectSound(found, now: 0)
        #expect(diagnosis.verdict == .clean)
        #expect(diagnosis.best?.snapshot.live.count == count)
        let wrong = self.code(MMKVFormat(key: other, now: 0).open(files))
        #expect(wrong != nil && wrong != "mmkv.key-not-needed")
        let codes = [false, true].map { isAES256 in
          let key = MMKVKey(other.bytes, isAES256: isAES256)
          return self.code(MMKVFormat(key: key, now: 0).open(files))
        }
        let tried = MMKVFormat(keys: KeyRing(other.bytes, isTried: true), isAES256: nil, now: 0)
        let open = "mmkv.key-undetermined"
        #expect(self.code(tried.open(files)) == (codes.contains(open) ? open : wrong))
      }
      // Noise of this length decodes to its end in 2 of 4,368 logs, whatever follows it.
      #expect(plainByChance <= 1)
    }

    /// Tests that a log of one short record is not reported as plain.
    ///
    /// Such a log is too short to distinguish the right key from others.
    @Test func aLogOfOneShortRecordIsNotSaidToBePlain() {
      var record = MMKVFixtureBuilder()
      record.put([0x0a, 0x0d], [0x9c, 0xff, 0x01])
      for text in 0x21...0x7e {
        let key = MMKVKey([UInt8(text)])
        let store = MMKVFormat(key: key, now: 0).open(builder(key, record.records).files())
        #expect(code(store) != "mmkv.key-not-needed", "\(text)")
      }
    }

    @Test(arguments: RandomSeeds.fresh(1))
    func aPlainLogOfOneOddRecordIsPlain(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: counts, using: &random)).map { _ in
          UInt8.random(in: 0 ... .max, using: &random)
        }
      }
      for _ in 0..<200 {
        var record = MMKVFixtureBuilder()
        record.put(bytes(1...3), bytes(1...4))
        let store = MMKVFormat(now: 0).open(builder(nil, record.records).files()).corrected()
        #expect(store.access == .readable, "\(record.records)")
        #expect(Diagnosis(of: store, now: 0).verdict == .clean, "\(record.records)")
      }
    }
  }
#endif
