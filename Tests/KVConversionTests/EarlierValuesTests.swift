import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// What the earlier values of keys say, whatever else the store holds.
struct EarlierValuesTests {
  private static let values: [[UInt8]] = [
    [0], [1], [2], [7], [0x80, 0x80, 0x80, 0x80, 0x40], [5] + Array("hello".utf8),
    [2] + Array("no".utf8), [4, 1, 0x61, 1, 0x62], [0, 0, 0x80, 0x3f], [3, 0xff, 0xfe, 0xfd],
  ]
  private static let keys = ["count_1", "count_2", "isOpen", "q", "user.name", "user.tags"]

  /// A store in which each key got several of ``values``, and its diagnosis.
  private func store(
    _ random: inout SeededGenerator
  ) -> (store: MMKVStore, diagnosis: Diagnosis) {
    var builder = MMKVFixtureBuilder()
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let value = Int.random(in: Self.values.indices, using: &random)
      let key = Int.random(in: Self.keys.indices, using: &random)
      builder.put(Self.keys[key], Self.values[value])
    }
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    return (store, Diagnosis(of: store, now: 0))
  }

  @Test("A typing for one key judges its values like one for all", arguments: RandomSeeds.fresh(4))
  func oneKeyIsJudgedLikeAll(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let (store, diagnosis) = store(&random)
      let state = try #require(diagnosis.best)
      let all = StoreTyping(of: store, by: state)
      History(of: store, by: state).forEach { event in
        guard case .record(let record, _, _) = event else { return }
        let one = StoreTyping(of: store, by: state, for: store.key(of: record))
        #expect(
          one.readings(of: record, in: store) == all.readings(of: record, in: store),
          "seed \(seed), offset \(record.offset)")
      }
    }
  }

  @Test("A value that was set again counts once, as the newest", arguments: RandomSeeds.fresh(4))
  func repeatedValuesCountOnce(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      // What is kept of many puts: the last of each different value, in order.
      let puts = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        Self.values[Int.random(in: Self.values.indices, using: &random)]
      }
      let last = puts.indices.filter { !puts[($0 + 1)...].contains(puts[$0]) }.map { puts[$0] }
      let (all, kept) = (try readings(ofLast: puts), try readings(ofLast: last))
      #expect(all == kept, "seed \(seed): \(puts)")
    }
  }

  @Test(
    "A value counts however long ago it was set, in a damaged log too", arguments: [0, 700, 2399],
    [false, true])
  func longAgo(place: Int, isDamaged: Bool) throws {
    var builder = MMKVFixtureBuilder()
    var damaged = 0
    // Three keys have more values than are weighed, after the text and before it.
    for index in 0..<2400 {
      if index == place { builder.put("q", [5] + Array("hello".utf8)) }
      let text = "text \(index) ".utf8 + [UInt8](repeating: 0x61, count: 90)
      if index == 1200 { damaged = builder.records.count }
      builder.put("key \(index % 3)", [UInt8(text.count)] + text)
    }
    builder.put("q", [0])
    if isDamaged { builder.records[damaged] ^= 0xff }
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let state = try #require(Diagnosis(of: store, now: 0).best)
    let record = try #require(state.snapshot.live.first { store.key(of: $0).text == "q" })
    let first = StoreTyping(of: store, by: state).readings(of: record, in: store).first
    #expect(first?.value == .string(""))
  }

  @Test func valuesOfTheLogGoBeforeThoseAfterIt() throws {
    var (log, rest) = (MMKVFixtureBuilder(), MMKVFixtureBuilder())
    for number in UInt8(10)..<17 {
      log.put("q", [number])
      rest.put("q", [5] + Array("old\(number)".utf8))
    }
    log.put("q", [0])
    log.slack = rest.records
    let store = MMKVFormat(now: 0).open(log.files()).corrected()
    let state = try #require(Diagnosis(of: store, now: 0).best)
    let record = try #require(state.snapshot.live.first)
    let first = StoreTyping(of: store, by: state).readings(of: record, in: store).first
    #expect(first?.value == .int32(0))
  }

  @Test func anEmptyListOfAKnownTypeIsNoneOfAnyType() throws {
    // Whole varints of similar size, one of them negative.
    let numbers: [UInt8] = [12, 7, 8] + [UInt8](repeating: 0xff, count: 9) + [1]
    let first = try #require(try readings(ofLast: [numbers, [0]]).first)
    #expect(first.value == .list(.int32([])) && first.reason == "an empty list")
    // Only one type fits the number; the key's other value shows that it has 64 bits.
    let wide = try readings(ofLast: [[0x80, 0x80, 0x80, 0x80, 0x40], [7]])
    #expect(wide.map(\.value) == [.int64(7)])
  }

  /// Returns the readings of the last value of a key that was set to `values` in turn.
  private func readings(ofLast values: [[UInt8]]) throws -> [Reading] {
    var builder = MMKVFixtureBuilder()
    for value in values { builder.put("q", value) }
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let state = try #require(Diagnosis(of: store, now: 0).best)
    let record = try #require(state.snapshot.live.first)
    return StoreTyping(of: store, by: state).readings(of: record, in: store)
  }
}
