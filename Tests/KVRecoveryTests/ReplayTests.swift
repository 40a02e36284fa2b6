import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct ReplayTests {
  private func snapshot(_ builder: MMKVFixtureBuilder) throws -> (Snapshot, MMKVStore) {
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    return (Replay(scan: .plain).snapshot(of: store, log: log), store)
  }

  private func texts(_ snapshot: Snapshot, _ store: MMKVStore) -> [String] {
    snapshot.live.map { record in
      let value = String(decoding: store.value(of: record).dropFirst(), as: UTF8.self)
      return "\(store.key(of: record).text ?? "?")=\(value)"
    }
  }

  @Test func lastPutWins() throws {
    let builder = MMKVFixtureBuilder(texts: [("a", "1"), ("b", "2"), ("a", "3")])
    let (snapshot, store) = try snapshot(builder)
    #expect(texts(snapshot, store) == ["b=2", "a=3"])
    #expect(snapshot.recordCount == 3)
  }

  @Test func removalRemoves() throws {
    var builder = MMKVFixtureBuilder(texts: [("a", "1"), ("b", "2")])
    builder.remove("a")
    builder.remove("never there")
    let (snapshot, store) = try snapshot(builder)
    #expect(texts(snapshot, store) == ["b=2"])
  }

  @Test func keyThatWasRemovedCanBePutAgain() throws {
    var builder = MMKVFixtureBuilder(texts: [("a", "1")])
    builder.remove("a")
    builder.remove("a")
    builder.put("a", text: "2")
    let (snapshot, store) = try snapshot(builder)
    #expect(texts(snapshot, store) == ["a=2"])
  }

  @Test func logWithoutRecordsIsEmpty() throws {
    let (snapshot, _) = try snapshot(MMKVFixtureBuilder())
    #expect(snapshot.live == [] && snapshot.recordCount == 0 && snapshot.gaps == [])
    #expect(snapshot.bytes.total == 4 && snapshot.bytes.structure == 4)
  }

  @Test func everyByteHasOneFate() throws {
    var builder = MMKVFixtureBuilder()
    builder.put("a", [1])  // 4 bytes, superseded
    builder.put("a", [2])  // 4 bytes, removed
    builder.remove("a")  // 3 bytes, removed
    builder.records += [0, 0]  // filler
    builder.put("bb", [3])  // 5 bytes, live
    builder.remove("none")  // 6 bytes, removed
    builder.put("ccc", [4])  // 6 bytes, removed
    builder.remove("ccc")  // 5 bytes, removed
    builder.put("ccc", [5])  // 6 bytes, live
    builder.records += [9, 9]  // a gap
    let (snapshot, _) = try snapshot(builder)
    #expect(snapshot.bytes.superseded == 4)
    #expect(snapshot.bytes.removed == 4 + 3 + 6 + 6 + 5)
    #expect(snapshot.bytes.live == 5 + 6)
    #expect(snapshot.bytes.structure == 4 + 2)
    #expect(snapshot.bytes.lost == 2)
    #expect(snapshot.bytes.total == builder.payload.count)
  }

  /// Compares the replay with a dictionary, for enough keys to grow the table several times.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func thousandsOfKeysAreReplayedAsADictionaryDoes(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var builder = MMKVFixtureBuilder()
    var expected: [String: String] = [:]
    var lastWrite: [String: Int] = [:]
    for index in 0..<8000 {
      let key = "\(random.next() % 3000)"
      if random.next() % 5 == 0 {
        builder.remove(key)
        expected[key] = nil
      } else {
        builder.put(key, text: "\(index)")
        expected[key] = "\(index)"
        lastWrite[key] = index
      }
    }
    let (snapshot, store) = try snapshot(builder)
    let order = expected.keys.sorted { (lastWrite[$0] ?? 0) < (lastWrite[$1] ?? 0) }
    #expect(snapshot.live.count > 1000, "seed \(seed)")
    #expect(
      texts(snapshot, store) == order.map { "\($0)=\(expected[$0] ?? "")" }, "seed \(seed)")
    #expect(snapshot.bytes.total == builder.payload.count)
  }

  /// Compares the states of a log that is read ahead with a dictionary, and with the state of the
  /// part up to the last full rewrite as a log of its own.
  @Test func longLogIsReplayedAsADictionaryDoes() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    var builder = MMKVFixtureBuilder()
    var expected: [String: Int] = [:]
    func write(_ indices: Range<Int>) {
      for index in indices {
        let key = "key \(random.next() % 20_000)"
        if random.next() % 8 == 0 {
          builder.remove(key)
          expected[key] = nil
        } else {
          builder.put(key, text: "\(index) and some more text")
          expected[key] = index
        }
      }
    }
    func texts(_ numbers: [String: Int]) -> [String] {
      numbers.sorted { $0.value < $1.value }.map { "\($0)=\($1) and some more text" }
    }
    let half = 20_000 + Int(random.next() % 20_000)
    write(0..<half)
    let confirmed = (builder.payload, expected)
    write(half..<60_000)
    builder.records += [0, 0, 0]
    builder.confirmed = (
      UInt32(confirmed.0.count), MMKVFixtureBuilder.crc32(confirmed.0)
    )
    let store = builder.open()
    #expect(builder.payload.count > 1 << 20)
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .clean, "seed \(seed)")
    let (whole, part) = (
      try #require(diagnosis.state(.current)), try #require(diagnosis.state(.confirmed))
    )
    #expect(self.texts(whole.snapshot, store) == texts(expected), "seed \(seed)")
    #expect(self.texts(part.snapshot, store) == texts(confirmed.1), "seed \(seed)")
    #expect(whole.snapshot.recordCount == 60_000 && part.snapshot.recordCount == half)
    #expect(whole.snapshot.bytes.total == builder.payload.count)
    #expect(part.snapshot.bytes.total == confirmed.0.count)
    #expect(whole.snapshot.bytes.structure == 4 + 3 && part.snapshot.bytes.structure == 4)
  }

  @Test func strictEngineDropsAllAndGreedyOneKeepsThePrefix() throws {
    var builder = MMKVFixtureBuilder(texts: [("a", "1")])
    builder.records += [9, 9]
    builder.digest = 1
    builder.confirmed = (9, 1)
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    let greedy = store.engineLoad(answering: EngineAnswers(always: .recover))
    #expect(Replay(likeEngine: greedy).snapshot(of: store, log: log).live.count == 1)
    builder.digest = nil
    let loaded = builder.open()
    let strict = loaded.engineLoad(answering: EngineAnswers(always: .recover))
    #expect(Replay(likeEngine: strict).snapshot(of: loaded, log: log).live == [])
  }
}
