#if Encryption
  import Foundation
  import KVBytes
  import KVFixtures
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Encrypted stores whose meta file, and with it the vector, is from before a full rewrite.
  struct OtherVectorTests {
    private static let key = MMKVKey(Array("secret".utf8))

    /// Returns the names of the entries that are read from a store of `names`, whose meta file has the
    /// vector of another moment, and the flags `flags`; `nil` if the key seems wrong.
    ///
    /// The noise in the first block may be read as a record too.
    private func read(
      _ names: [String], flags: UInt64 = 0, endsWithZero: Bool = false, _ seed: UInt64
    ) -> [String]? {
      var random = SeededGenerator(seed: seed)
      func builder() -> MMKVFixtureBuilder {
        var builder = MMKVFixtureBuilder()
        builder.key = Self.key
        builder.vector = random.bytes(16)
        for name in names { builder.put(name, text: String(1_000_000 + random.next() % 1_000_000)) }
        return builder
      }
      var before = builder()
      before.flags = flags
      var after = builder()
      while endsWithZero, after.storedPayload.last != 0 { after = builder() }
      let store = MMKVFormat(key: Self.key, now: 0).open(
        MMKVFixtureBuilder.files(data: after.data, meta: before.meta)
      ).corrected()
      guard case .readable = store.access else { return nil }
      let best = expectSound(store, now: 0, "seed \(seed)").best
      return best?.snapshot.live.compactMap { store.key(of: $0).text }
    }

    /// Returns the store that `builder` makes, but with another vector in the meta file.
    private static func store(_ builder: MMKVFixtureBuilder, vector: [UInt8]) -> MMKVStore {
      var meta = builder.meta
      meta.replaceSubrange(12..<28, with: vector)
      let files = MMKVFixtureBuilder.files(data: builder.data, meta: meta)
      return MMKVFormat(key: key, now: 0).open(files).corrected()
    }

    /// The first of two entries is lost, and the other one shows that the key is right.
    @Test func theSecondOfTwoEntriesIsRead() {
      for seed in RandomSeeds.fresh(40) {
        let names = read(["launch_count", "session_token"], seed)
        #expect(names?.last == "session_token", "seed \(seed)")
      }
    }

    /// One encrypted log in 256 ends with a zero, as never written bytes do.
    @Test func theLastEntryIsReadIfTheLogEndsWithAZero() {
      let names = (0..<8).map { "setting_\($0)" }
      for seed in RandomSeeds.fresh(10) {
        let found = read(names, endsWithZero: true, seed) ?? []
        #expect(found.suffix(names.count - 1) == names.dropFirst(), "seed \(seed)")
        let two = read(["launch_count", "session_token"], endsWithZero: true, seed)
        #expect(two?.last == "session_token", "seed \(seed)")
      }
    }

    /// The end of a key is not a key, even if the noise before it ends in its length.
    ///
    /// A part of a log, as `carve` finds it, has no vector.
    @Test func noRecordBeginsInABlockOfNoise() {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      var counts = (parts: 0, entries: 0)
      while counts.parts < TestExtent.count(4, of: 40) {
        var builder = MMKVFixtureBuilder()
        builder.key = Self.key
        builder.vector = random.bytes(16)
        var names: Set<String> = []
        for number in 0..<12 {
          let name = String(
            "a_long_name_for_setting_\(number)".suffix(.random(in: 8...25, using: &random)))
          names.insert(name)
          builder.put(name, text: String(random.next() % 1000))
        }
        for part in Self.misleadingParts(of: builder, names) {
          let header = (0..<4).map { UInt8(truncatingIfNeeded: part.count >> ($0 * 8)) }
          let store = MMKVFormat(key: Self.key, now: 0).open(
            MMKVFixtureBuilder.files(data: header + part, meta: nil)
          ).corrected()
          let live = expectSound(store, now: 0, "seed \(seed)").best?.snapshot.live ?? []
          #expect(live.allSatisfy { $0.offset >= 20 }, "seed \(seed), part \(counts.parts)")
          counts.parts += 1
          counts.entries += live.count { names.contains(store.key(of: $0).text ?? "") }
        }
      }
      #expect(counts.entries > 3 * counts.parts, "\(counts), seed \(seed)")
    }

    /// Returns the parts of a log that begin with a block that, decrypted without the vector, ends in the
    /// number of bytes that are left of the key after it.
    private static func misleadingParts(
      of builder: MMKVFixtureBuilder, _ names: Set<String>
    ) -> [ArraySlice<UInt8>] {
      var implied = builder
      implied.vector = Self.key.bytes + [UInt8](repeating: 0, count: 16 - Self.key.bytes.count)
      let log = builder.storedPayload
      let mask = implied.storedPayload[15] ^ builder.payload[15]
      let keys = names.compactMap { builder.payload.firstRange(of: Array($0.utf8)) }
      var parts: [ArraySlice<UInt8>] = []
      for start in stride(from: 0, to: log.count - 160, by: 16) {
        let last = Int(log[start + 15] ^ mask)
        let isMisleading = keys.contains { (key: Range<Int>) in
          key.contains(start + 16) && key.upperBound - start - 16 == last
        }
        if isMisleading { parts.append(log[start...]) }
      }
      return parts
    }

    /// No checksum covers the vector, so the one of the log matches.
    ///
    /// The noise of the block begins as a log does, with four bytes that end as a number does, and with
    /// the length of a key. The bytes after it show that it is noise; only the first entry is lost.
    @Test func noFirstRecordOfADamagedVectorIsSound() {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      var (count, wrong) = (0, 0)
      while count < TestExtent.count(40, of: 400) {
        var builder = MMKVFixtureBuilder()
        builder.key = Self.key
        builder.vector = random.bytes(16)
        let names = (0..<Int.random(in: 3...9, using: &random)).map { "build_page_theme\($0)" }
        for name in names { builder.put(name, text: String(random.next())) }
        var other = builder
        other.vector = random.bytes(16)
        let log = builder.storedPayload
        let noise = (0..<16).map { log[$0] ^ other.storedPayload[$0] ^ other.payload[$0] }
        guard noise[..<3].allSatisfy({ $0 >= 0x80 }), 1..<0x80 ~= noise[3], 20..<0x80 ~= noise[4]
        else { continue }
        let store = Self.store(builder, vector: other.vector)
        count += 1
        guard case .readable = store.access else { continue }
        let diagnosis = expectSound(store, now: 0, "seed \(seed), case \(count)")
        let found = diagnosis.best?.snapshot.live.map { store.key(of: $0).text ?? "" } ?? []
        if found != Array(names.dropFirst()) { wrong += 1 }
      }
      #expect(wrong <= count / 20, "seed \(seed)")
    }

    /// What follows the first block shows that the key is right, although few entries are left.
    ///
    /// The keys are short texts, or bytes that are no text.
    @Test(arguments: [true, false])
    func fewEntriesAfterADamagedVectorAreRead(isText: Bool) {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      var (count, read, wrong) = (0, 0, 0)
      for number in 0..<TestExtent.count(60, of: 600) {
        var builder = MMKVFixtureBuilder()
        builder.key = Self.key
        builder.vector = random.bytes(16)
        var puts: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<(isText ? 4 : 6) {
          let bytes = random.bytes(.random(in: 3...6, using: &random))
          let key = isText ? bytes.map { 0x61 + $0 % 26 } : bytes
          let value = [9] + Array(String(100_000_000 + random.next() % 100_000_000).utf8)
          builder.put(key, value)
          puts[key] = value
        }
        let store = Self.store(builder, vector: random.bytes(16))
        count += puts.count - 1
        guard case .readable = store.access else { continue }
        let live =
          expectSound(store, now: 0, "seed \(seed), store \(number)").best?.snapshot.live ?? []
        for record in live {
          let value = store.withValue(of: record) { span in span.indices.map { span[$0] } }
          if puts[store.key(of: record).bytes] == value { read += 1 } else { wrong += 1 }
        }
      }
      #expect(read * 10 >= count * (isText ? 9 : 6), "\(read) of \(count), seed \(seed)")
      #expect(wrong * 20 <= count, "\(wrong) of \(count), seed \(seed)")
    }

    /// In the rest of a long key, a letter is often the number of those after it.
    @Test func theRestOfALongKeyIsNoKey() {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      for number in 0..<40 {
        var builder = MMKVFixtureBuilder()
        builder.key = Self.key
        builder.vector = random.bytes(16)
        builder.put(random.bytes(200).map { 0x61 + $0 % 26 }, [3] + Array("off".utf8))
        let store = Self.store(builder, vector: random.bytes(16))
        guard case .readable = store.access else { continue }
        let live = expectSound(store, now: 0, "").best?.snapshot.live ?? []
        #expect(live.isEmpty, "seed \(seed), store \(number)")
      }
    }

    /// A log with keys of bytes, whose vector is damaged.
    ///
    /// What the noise decodes to ends where a record does. The bytes after the first block can also be
    /// read as one record over three others, from the end of a key on.
    private static let logOfByteKeys = """
      j4EDYFcrEAYN0CLNlgtK7ajRq5zsI0klR09zFT9vXhKujsq4s+LIBYq12HEhi2r3mUPiee1UrCOipuOkFcRcSvc+
      a8/pSIukOP+Mkzz+ly5laNnc026Pjv92LUivX1bppzmJaU+tHOg79flai/DQbrDm/kCPgQbSdZVuHaskdH18M2eU
      qSKPXWt84BO2KRyPYthagy2WRDBaWJrMmPZEoHwQX600qTbQS9ThhGiiMBTyDydA9adrjtqk5OZJkNGks7ovFEm6
      68ilxSbkXbGU56/EsF36pEqrdCZCFILrkUp18v+oonIEmoJQgL0pKOBDg48K9vJK5wMiHfpKqU6kOztfJYsd/cYm
      bp0rBm4CKgxKCJ7f0xE82YlA4nrW1tRmaCYmIPWjot0MNMNAf46F2Z0Pwu/VAe7cuh/MwLrDApADf9yvvfR6IZYf
      G/zuxaRXoa0x2cYcv8oO2shcqoQYlj2+XUjJflzzsm6L+HfR+kqQlB1SzO/mlsr3fOD6sWUVxMku
      """

    /// Returns the keys of the entries that are read from a store with `log`, in hexadecimal digits.
    private func keys(log: [UInt8], metaFields: String, key: String) throws -> [String] {
      var meta = [UInt8](repeating: 0, count: 4096)
      meta.replaceSubrange(0..<48, with: try #require(Hexadecimal.bytes(metaFields)))
      let padding = [UInt8](repeating: 0, count: 4096 - 4 - log.count)
      let files = MMKVFixtureBuilder.files(data: [0, 0, 0, 0] + log + padding, meta: meta)
      let store = MMKVFormat(key: MMKVKey(Array(key.utf8)), now: 0).open(files).corrected()
      let live = expectSound(store, now: 0, "").best?.snapshot.live ?? []
      return live.map { Hexadecimal.text(store.key(of: $0).bytes) }
    }

    @Test func theWayThatReadsMoreEntriesIsTaken() throws {
      let log = try #require(
        Data(base64Encoded: Self.logOfByteKeys, options: .ignoreUnknownCharacters))
      let keys = try keys(
        log: Array(log),
        metaFields:
          "79afa55a0400000003000000e50c896639a0bc337bcfbadfda0959fd830100008301000079afa55a0000000000000000",
        key: "Y30f2fXhXZge20cZ")
      #expect(keys.count == 15)
      #expect(
        keys.prefix(3) == ["d2dc93a005b40f24", "09398a8e3eb8688b472c", "52a95f2f5150066fec"])
    }

    /// Four entries follow the noise, which decodes to a single record over all of them.
    @Test func aLogThatMayBeNoiseGivesWayToTheRest() throws {
      let log =
        "9f258e767378c8639cc479dc5af6dac8a6c3ea69295d35339498fe1040830b9fc9b8a16f641b949f769e5d3b"
        + "a64262dcc5d7510ce2941a400e7e1a6dd68871df03e0ad8041de33b7358cc6e48a6233862154d4bfd4caade6"
        + "5d62ff3e5d7058534440ea414990f5a17f5ec6"
      let keys = try keys(
        log: try #require(Hexadecimal.bytes(log)),
        metaFields:
          "1bc931910400000001000000c27d2df8b27e76869c815e48d384b23b6b00000000000000000000000000000000000000",
        key: "secret")
      #expect(keys == ["33de", "ff4fdc46d9e3", "f9c5e2eb0a3b", "64b9fb3bb8"])
    }

    /// Noise hardly ever has such an entry.
    @Test func noiseAfterTheFirstBlockIsNoEntry() {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      var accepted = 0
      for _ in 0..<5000 {
        var builder = MMKVFixtureBuilder()
        builder.key = Self.key
        builder.vector = random.bytes(16)
        builder.prefix = []
        builder.records = random.bytes(.random(in: 40...200, using: &random))
        builder.digest = 1
        if case .readable = builder.open().access { accepted += 1 }
      }
      #expect(accepted <= 2, "seed \(seed)")
    }

    /// Tests that values without times are found although the flag says that there are times.
    ///
    /// The log was rewritten when the app turned expiry off.
    @Test func theFlagOfAnotherMomentHidesNothing() {
      let names = (0..<8).map { "setting_\($0)" }
      for seed in RandomSeeds.fresh(40) {
        let found = read(names, flags: 1, seed) ?? []
        #expect(found.suffix(names.count - 1) == names.dropFirst(), "seed \(seed)")
      }
    }
  }
#endif
