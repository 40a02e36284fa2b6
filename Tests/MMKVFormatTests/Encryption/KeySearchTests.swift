#if Encryption
  import KVBytes
  import KVFixtures
  import KVModel
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// The search for the key of a store among strings that were found.
  struct KeySearchTests {
    private static func builder(_ key: MMKVKey, entries: Int = 6) -> MMKVFixtureBuilder {
      var builder = MMKVFixtureBuilder()
      builder.vector = (1...16).map { $0 * 7 }
      builder.key = key
      for index in 0..<entries { builder.put("key \(index)", text: "value \(index)") }
      return builder
    }

    private func open(_ files: [StoreFile], _ candidates: KeyCandidates) -> MMKVStore {
      MMKVFormat(keys: KeyRing(among: candidates), isAES256: nil, now: 0).open(files)
    }

    private func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
      (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }

    /// How an app may hold its key: what is around it, and how it is written.
    private static func forms(of key: [UInt8]) -> [(bytes: [UInt8], words: String)] {
      let text = String(decoding: key, as: UTF8.self)
      return [
        ([0] + key + [0], "offset 501"), ([UInt8(key.count)] + key + [0x41, 0x42], "offset 501"),
        ([0] + key.flatMap { [$0, 0] } + [0], "as UTF-16"),
        ([0] + key.flatMap { [0, $0] } + [0, 0], "as UTF-16"),
        (Array("<string name=\"k\">\(text)</string>".utf8), "offset 517"),
        (Array("{\"name\":\"x y\",\"key\":\"\(text)\"}".utf8), "offset 521"),
        (Array(" key: \"\(Hexadecimal.text(key))\" ".utf8), "in hexadecimal"),
        (Array(" key=\(Base64.text(key)) ".utf8), "in Base64"),
      ]
    }

    @Test(arguments: ["0123456789abcdef", "0123456789abcdef0123456789ABCDEF"])
    func aKeyIsFoundInEachForm(text: String) throws {
      var generator = SeededGenerator(seed: RandomSeeds.run)
      let key = MMKVKey(Array(text.utf8), isAES256: text.utf8.count == 32)
      let files = Self.builder(key).files()
      for (bytes, words) in Self.forms(of: key.bytes) {
        var candidates = KeyCandidates()
        let around = (noise(500, &generator), noise(300, &generator))
        candidates.add(FileImage(around.0 + [1] + bytes + around.1), at: "a.so")
        let store = open(files, candidates)
        #expect(store.access == .readable, "\(words), seed \(RandomSeeds.run)")
        let found = store.check().first { $0.kind.name == "mmkv.key-found" }?.message
        #expect(found?.contains("a.so") ?? false && !(found?.contains(text) ?? true))
      }
    }

    @Test(arguments: ["k", "pw1", "a longer key than 16 bytes"])
    func shortAndLongKeysAreThoseOfTheEngine(text: String) {
      let files = Self.builder(MMKVKey(Array(text.utf8))).files()
      var candidates = KeyCandidates(shown: true)
      candidates.add(Array(text.utf8), from: "entry token of prefs.xml")
      let store = open(files, candidates)
      #expect(store.access == .readable)
      let found = store.check().first { $0.kind.name == "mmkv.key-found" }?.message
      #expect(found?.contains("entry token of prefs.xml: \"\(text)\"") ?? false, "\(found ?? "")")
    }

    @Test func theLogMayBeDamagedAfterItsFirstRecords() {
      let key = MMKVKey(Array("0123456789abcdef".utf8))
      let builder = Self.builder(key, entries: 60)
      var data = builder.data
      for offset in 400..<440 { data[offset] ^= 0x5a }
      var candidates = KeyCandidates()
      candidates.add(FileImage([0] + key.bytes + [0]), at: "a.so")
      let files = MMKVFixtureBuilder.files(data: data, meta: builder.meta)
      #expect(open(files, candidates).access == .readable)
    }

    /// What is missing of a store, or damaged, so that its first records do not decode with the key.
    enum Loss: CaseIterable { case meta, vector, firstRecords, metaAndFirstRecords }

    @Test(arguments: Loss.allCases, [16, 32])
    func theFirstRecordsMayNotDecode(_ loss: Loss, keyCount: Int) {
      var generator = SeededGenerator(seed: RandomSeeds.run)
      for entries in [8, 30, 200] {
        let bytes = noise(keyCount, &generator)
        let key = MMKVKey(bytes, isAES256: keyCount == 32)
        var builder = Self.builder(key, entries: entries)
        if entries == 30 {
          builder.put("document", text: String(repeating: "Long text is text too. ", count: 99))
        }
        var (data, meta): ([UInt8], [UInt8]?) = (builder.data, builder.meta)
        let end = min(300, 20 + entries * 5)
        if [.firstRecords, .metaAndFirstRecords].contains(loss) {
          data.replaceSubrange(6..<end, with: noise(end - 6, &generator))
        }
        if [.meta, .metaAndFirstRecords].contains(loss) { meta = nil }
        if loss == .vector { meta = [UInt8](repeating: 0, count: 4096) }
        var candidates = KeyCandidates()
        for _ in 0..<50 { candidates.add(noise(32, &generator), from: "noise") }
        candidates.add(FileImage([0, UInt8(keyCount)] + bytes + [0]), at: "a.so")
        let store = open(MMKVFixtureBuilder.files(data: data, meta: meta), candidates)
        let words = "\(entries) entries, seed \(RandomSeeds.run)"
        #expect(store.access == .readable, "\(words)")
        let found = store.check().first { $0.kind.name == "mmkv.key-found" }?.message
        #expect(found?.contains("a.so") ?? false, "\(words)")
      }
    }

    /// Without a checksum, many places are looked at, and each could be a coincidence.
    @Test func noRandomKeyFitsALogWithoutAChecksum() {
      var generator = SeededGenerator(seed: RandomSeeds.run)
      var candidates = KeyCandidates()
      for _ in 0..<TestExtent.count(2_000, of: 100_000) {
        candidates.add(noise(32, &generator), from: "noise")
      }
      for entries in [3, 300] {
        let key = MMKVKey(Array("not among them".utf8))
        let data = Self.builder(key, entries: entries).data
        let store = open(MMKVFixtureBuilder.files(data: data, meta: nil), candidates)
        guard case .unreadable(let code, _) = store.access else {
          Issue.record("\(entries) entries, seed \(RandomSeeds.run)")
          continue
        }
        #expect(code.name == "mmkv.not-a-store")
      }
    }

    /// Stores of few entries decode with a wrong key most often.
    @Test func noRandomKeyFits() {
      var generator = SeededGenerator(seed: RandomSeeds.run)
      var candidates = KeyCandidates()
      for _ in 0..<TestExtent.count(20_000, of: 100_000) {
        candidates.add(noise(32, &generator), from: "noise")
      }
      for entries in [1, 2, 40] {
        let key = MMKVKey(Array("not among them".utf8))
        let store = open(Self.builder(key, entries: entries).files(), candidates)
        guard case .unreadable(let code, let reason) = store.access else {
          Issue.record("\(entries) entries, seed \(RandomSeeds.run)")
          continue
        }
        #expect(code.name == "mmkv.key-needed" && reason.contains("candidates for the key"))
      }
    }

    @Test func aStoreThatNeedsNoKeyIsReadWithoutOne() {
      var builder = Self.builder(MMKVKey(Array("k".utf8)))
      builder.key = nil
      var candidates = KeyCandidates()
      candidates.add(Array("k".utf8), from: "entry")
      let store = open(builder.files(), candidates)
      #expect(store.access == .readable && store.check().isEmpty)
    }
  }
#endif
