import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import SystemPackage
import Testing

@Suite struct AndroidRecordTests {
  private func live(_ store: AndroidFastKVStore) -> [String: Value] {
    let records = Diagnosis(of: store, now: 0).best?.snapshot.live ?? []
    return Dictionary(
      records.compactMap { record in
        store.key(of: record).text.flatMap { key in
          store.readings(of: record).first.map { (key, $0.value) }
        }
      }, uniquingKeysWith: { $1 })
  }

  @Test func eachTypeHasOneReading() {
    let image = AndroidBuilder.small.bytes
    let store = AndroidBuilder.open(a: image, b: image)
    let expected: [String: Value] = [
      "on": .bool(true), "count": .int32(7), "name": .string("Grace Hopper"),
      "tags": .set(["ab"]), "blob": .bytes([1, 2, 3]),
    ]
    #expect(live(store) == expected)
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
  }

  @Test func lanesAreTheEnginesRotatedWords() {
    var generator = SeededGenerator(seed: 8)
    for count in 0..<64 {
      let bytes = generator.bytes(12 + count)
      var lanes = XORLanes()
      lanes.update(bytes.storageSpan, in: 12..<bytes.count)
      #expect(lanes.value == AndroidBuilder.checksum(Array(bytes[12...])))
    }
  }

  @Test func struckRecordSaysNothingOfItsKey() {
    var builder = AndroidBuilder()
    builder.text("k", "first")
    builder.text("k", "second", struck: true)
    let store = AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
    #expect(live(store) == ["k": .string("first")])
  }

  @Test func blankHeaderDoesNotHideTheOtherCopy() {
    let image = AndroidBuilder.small.bytes
    let blank = [UInt8](repeating: 0, count: 12) + image[12...]
    let store = AndroidBuilder.open(a: blank, b: image)
    #expect(live(store).count == 5)
    #expect(store.engineLoad(answering: .init(always: .recover)).log == nil)
    #expect(store.check().contains { $0.code == "fastkv-android.header-blank" })
  }

  @Test func shortCopyHidesTheOtherFromTheEngine() {
    let image = AndroidBuilder.small.bytes
    let store = AndroidBuilder.open(a: Array(image.prefix(7)), b: image)
    #expect(live(store).count == 5)
    let load = store.engineLoad(answering: .init(always: .recover))
    #expect(load.log == nil && load.outcome == .discarded)
    #expect(store.check().contains { $0.code == "fastkv-android.copy-short" })
  }

  @Test func textWithNULIsKeptThoughTheEngineDropsAll() {
    var builder = AndroidBuilder.small
    builder.text("nul", "a\u{0}b")
    let store = AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
    #expect(live(store)["nul"] == .string("a\u{0}b"))
    #expect(store.engineLoad(answering: .init(always: .recover)).outcome == .discarded)
    #expect(store.check().contains { $0.code == "fastkv-android.nul-text" })
    let record = Diagnosis(of: store, now: 0).best?.snapshot.live.last
    #expect(record.flatMap { store.obstacle(to: $0, scan: .engine) } != nil)
  }

  @Test func wrongLengthIsFoundByTheChecksum() throws {
    var image = AndroidBuilder.small.bytes
    image[0] ^= 0x10
    let store = AndroidBuilder.open(a: image, b: image)
    let best = try #require(Diagnosis(of: store, now: 0).best)
    #expect(best.name == .salvaged && best.isSound && best.snapshot.live.count == 5)
  }

  @Test func unfinishedWriteLeavesTheOtherCopy() {
    let image = AndroidBuilder.small.bytes
    let torn = [0xff, 0xff, 0xff, 0xff] + image[4...]
    let store = AndroidBuilder.open(a: torn, b: image)
    #expect(live(store).count == 5)
    #expect(store.engineLoad(answering: .init(always: .recover)).outcome == .rolledBack)
    #expect(store.check().contains { $0.code == "fastkv-android.being-written" })
  }

  @Test func writtenBytesAreThese() throws {
    var builder = AndroidBuilder()
    builder.text("name", "Ada")
    builder.add(0x02, Array("n".utf8), [1, 0, 0, 0])
    builder.capacity = 4096
    let store = AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(
      RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis))
    let files = try AndroidFastKVFormat().encode(plan.contents(of: store), like: store)
    #expect(files.map(\.name) == ["kv.kva", "kv.kvb"])
    #expect(files.map(\.bytes) == [builder.bytes, builder.bytes])
    builder.capacity = nil
    let blocking = AndroidBuilder.open(c: builder.bytes)
    let one = try AndroidFastKVFormat().encode(plan.contents(of: store), like: blocking)
    #expect(one.map(\.name) == ["kv.kvc"])
  }

  @Test func aStoreThatTheEngineCannotOpenIsNotWritten() {
    let value = Value.bytes([UInt8](repeating: 7, count: 1 << 26))
    let entries = (0..<4).map { TypedEntry(key: Key([0x61 + UInt8($0)]), value: value) }
    // The header, and for each record its type, the lengths of key and value, the key and the
    // value.
    let count = 12 + 4 * (1 + 1 + 4 + 1 + (1 << 26))
    #expect(throws: EncodingError.tooLarge(count: count, limit: 1 << 28)) {
      try AndroidFastKVFormat().files(named: "kv", entries)
    }
  }

  /// Tests that only an object with the exact tag is read as a set.
  ///
  /// The encoders of an app can have any name, and their data can have any form.
  @Test(arguments: ["String", "S", "StringSe", "StringSets"])
  func anObjectOfAnotherNameIsNoSet(tag: String) {
    var builder = AndroidBuilder()
    let content = [UInt8(tag.utf8.count)] + Array(tag.utf8) + [5, 0x61]
    builder.add(0x08, Array("own".utf8), [UInt8(content.count), 0] + content)
    let store = AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
    #expect(live(store) == ["own": .object(className: tag, [5, 0x61])])
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(diagnosis.predictions.allSatisfy { $0.keyCount == 1 })
  }
}
