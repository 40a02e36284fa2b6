import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Corrections by the copies and by the lanes of the checksum, which must never invent an entry.
@Suite struct AndroidCorrectionTests {
  private static let key = Array("1234567890abcdef".utf8)
  /// A log of strings and other values, long enough that all places in it are distinct.
  private static var log: AndroidBuilder {
    var builder = AndroidBuilder.small
    // The letters are not periodic. In periodic text, places that are one period apart look the
    // same.
    var generator = SeededGenerator(seed: 7)
    for index in 0..<4 {
      let letters = generator.bytes(7 * index + 14).map { $0 % 26 + 0x61 }
      builder.text("key\(index)", String(decoding: letters, as: UTF8.self))
      builder.add(0x05, Array("double\(index)".utf8), [1, 2, 3, 4, 5, 6, 0xf0, 0x3f])
    }
    builder.capacity = 4096
    return builder
  }

  private func plan(_ store: AndroidFastKVStore) -> [RepairPlan.KeptEntry] {
    let diagnosis = Diagnosis(of: store, now: 0)
    return RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis)?.kept ?? []
  }

  private func entries(_ store: AndroidFastKVStore) -> [Key: [UInt8]] {
    store.entries(plan(store).map(\.record))
  }

  /// Returns the number of entries of `store` that are presented as corrected or verified, but
  /// differ from `truth`.
  private func wrong(_ store: AndroidFastKVStore, _ truth: [Key: [UInt8]]) -> Int {
    plan(store).count {
      $0.evidence >= .corrected && truth[store.key(of: $0.record)] != store.value(of: $0.record)
    }
  }

  private func finding(_ store: AndroidFastKVStore) -> Finding? {
    store.check().first { $0.code == "fastkv-android.corrected" }
  }

  // MARK: Nothing is invented

  @Test func noFlipInBothCopiesMakesAWrongEntryThatIsVerified() {
    let image = Self.log.bytes
    let truth = entries(AndroidBuilder.open(a: image, b: image))
    #expect(truth.count == 13)
    var repaired = 0
    var whole = 0
    let bits = TestExtent.share(2, of: 0..<8)
    for offset in 0..<12 + Self.log.data.count {
      for bit in bits {
        var damaged = image
        damaged[offset] ^= 1 << UInt8(bit)
        let store = AndroidBuilder.open(a: damaged, b: damaged)
        if wrong(store, truth) > 0 { Issue.record("bit \(bit) at \(offset)") }
        guard finding(store) != nil else { continue }
        repaired += 1
        if entries(store) == truth { whole += 1 }
      }
    }
    // Every flipped bit that breaks a record is located, unless a second place also explains it.
    // Flipped high bits break more records.
    let least = TestExtent.isComplete ? 50 : 35
    #expect(repaired > least * bits.count, "\(repaired) by the bits \(bits)")
    #expect(whole == repaired, "\(whole) of \(repaired)")
  }

  @Test func noScribbleMakesAWrongEntryThatIsVerified() {
    let seed = UInt64(41)
    var generator = SeededGenerator(seed: seed)
    let image = Self.log.bytes
    let truth = entries(AndroidBuilder.open(a: image, b: image))
    let log = 12..<12 + Self.log.data.count
    var invisible = 0
    var repaired = 0
    for round in 0..<TestExtent.count(150, of: 400) {
      var damaged = image
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let count = Int.random(in: 1...(Bool.random(using: &generator) ? 4 : 40), using: &generator)
        let start = Int.random(in: 0..<log.upperBound, using: &generator)
        for offset in start..<min(start + count, log.upperBound) {
          damaged[offset] = UInt8.random(in: .min ... .max, using: &generator)
        }
      }
      var other = damaged
      // In every third round, only one of the places is the same in both copies.
      if round % 3 == 0 {
        other = image
        let start = Int.random(in: log, using: &generator)
        for offset in start..<min(start + 5, log.upperBound) { other[offset] ^= 0x55 }
      }
      if damaged[..<12] == image[..<12],
        AndroidBuilder.checksum(Array(damaged[log])) == AndroidBuilder.checksum(Array(image[log]))
      {
        invisible += damaged == image ? 0 : 1
        continue
      }
      let store = AndroidBuilder.open(a: damaged, b: other)
      if finding(store) != nil { repaired += 1 }
      if wrong(store, truth) > 0 { Issue.record("round \(round), seed \(seed)") }
    }
    // The checksum misses almost no random change.
    #expect(invisible < 3, "seed \(seed)")
    #expect(repaired > 20, "\(repaired), seed \(seed)")
  }

  // MARK: What is corrected

  /// Tests copies that each have one other byte of a text changed: the right one is taken only if no
  /// other choice matches, as one does if both changes are in one lane.
  @Test func copiesAreMergedOnlyIfOneChoiceMatches() throws {
    let text = String(repeating: "text", count: 12)
    var builder = AndroidBuilder()
    for key in ["first", "second"] { builder.text(key, text) }
    let image = builder.bytes
    let truth = entries(AndroidBuilder.open(a: image, b: image))
    let start = try #require(image.indices.first { image[$0...].starts(with: text.utf8) })
    for distance in 1...24 {
      for offset in start..<start + 8 {
        var (a, b) = (image, image)
        a[offset] ^= 1
        b[offset + distance] ^= 1
        let store = AndroidBuilder.open(a: a, b: b)
        #expect((finding(store) != nil) == (distance % 8 != 0), "\(distance)")
        #expect(wrong(store, truth) == 0, "\(distance)")
      }
    }
  }

  @Test func brokenLengthIsPutRightAndStillMayBeDamaged() throws {
    let image = Self.log.bytes
    // The length of the key "count", after two strings and a Boolean.
    let name = Array("count".utf8)
    let offset = try #require(image.indices.first { image[$0...].starts(with: name) })
    var damaged = image
    damaged[offset - 1] ^= 0x20
    let store = AndroidBuilder.open(a: damaged, b: damaged)
    // A further change that cancels out in the lanes would go undetected, and some such stores have
    // one.
    #expect(plan(store).count == 13)
    #expect(
      plan(store).allSatisfy { $0.evidence == .structure && $0.cautions == [.mayBeDamaged] })
    #expect(store.stored(.copyA).bytes == image && store.stored(.copyB).bytes == damaged)
    #expect(store.files.allSatisfy { $0.image.bytes == damaged })
    #expect(store.engineLoad(answering: .init(always: .recover)).outcome == .discarded)
    #expect(finding(store)?.extent == Extent(.copyA, offset - 1..<offset))
  }

  /// Tests that nothing is corrected if two places explain the damage.
  ///
  /// The flipped bit could be in the length of a key. It could also be in the preceding length,
  /// which would then include the whole record.
  @Test func whereTwoPlacesFitNothingIsPutRight() throws {
    var builder = AndroidBuilder()
    builder.add(0x07, Array("first".utf8), [13, 0] + (0..<13).map { 3 * $0 })
    // The record takes 16 bytes, so both lengths are in one lane.
    builder.add(0x07, Array("kk".utf8), [10, 0] + (0..<10).map { 7 * $0 })
    builder.text("last", "a text of some length")
    let keyLength = 12 + 7 + 16
    var damaged = builder.bytes
    damaged[keyLength] ^= 0x10
    let store = AndroidBuilder.open(a: damaged, b: damaged)
    #expect(finding(store) == nil)
    #expect(store.stored(.copyA).bytes == damaged && store.stored(.copyB).bytes == damaged)
    #expect(plan(store).allSatisfy { $0.evidence <= .structure })
    let first = plan(store).first { store.key(of: $0.record).text == "first" }
    #expect(first.map { store.value(of: $0.record).count } == 13)
  }

  @Test func sevenDamagedBytesInARowArePutRight() throws {
    var damaged = Self.log.bytes
    let truth = entries(AndroidBuilder.open(a: damaged, b: damaged))
    let key = Array("key3".utf8)
    let start = 20 + (try #require(damaged.indices.first { damaged[$0...].starts(with: key) }))
    for offset in start..<start + 7 { damaged[offset] ^= 0xff }
    let store = AndroidBuilder.open(a: damaged, b: damaged)
    #expect(entries(store) == truth)
    // Only the lanes determine the original byte of a string.
    #expect(
      plan(store).allSatisfy { $0.evidence == .structure && $0.cautions == [.mayBeDamaged] })
  }

  @Test func flipThatBreaksNothingStaysAsItIs() throws {
    var damaged = Self.log.bytes
    let start = try #require(
      damaged.indices.first { damaged[$0...].starts(with: Array("Grace".utf8)) })
    damaged[start] ^= 0x02
    let store = AndroidBuilder.open(a: damaged, b: damaged)
    #expect(finding(store) == nil && store.stored(.copyA).bytes == damaged)
    #expect(plan(store).allSatisfy { $0.evidence == .structure })
  }

  @Test func copiesThatLackDifferentPagesMakeOneWhole() {
    var builder = Self.log
    for index in 0..<60 { builder.text("page\(index)", String(repeating: "filler ", count: 14)) }
    builder.capacity = 8192 + 4096
    let image = builder.bytes
    let truth = entries(AndroidBuilder.open(a: image, b: image))
    var (a, b) = (image, image)
    a[200] ^= 0x10
    for offset in 4096..<8192 { b[offset] = 0 }
    let store = AndroidBuilder.open(a: a, b: b)
    #expect(entries(store) == truth && plan(store).allSatisfy { $0.evidence == .corrected })
    #expect(store.stored(.copyA).bytes == image)
  }

  @Test func headerOfTheOneAndDataOfTheOtherMakeOneWhole() {
    let image = Self.log.bytes
    let truth = entries(AndroidBuilder.open(a: image, b: image))
    var (a, b) = (image, image)
    a[6] ^= 0x10
    b[200] ^= 0x10
    for store in [AndroidBuilder.open(a: a, b: b), AndroidBuilder.open(a: b, b: a)] {
      #expect(entries(store) == truth && plan(store).allSatisfy { $0.evidence == .corrected })
    }
  }

  @Test func damagedCIsPutRightByItsOwnLanes() {
    var builder = Self.log
    builder.capacity = nil
    var damaged = builder.bytes
    let truth = entries(AndroidBuilder.open(c: damaged))
    damaged[13] ^= 0x40
    #expect(entries(AndroidBuilder.open(c: damaged)) == truth)
  }

  #if Encryption
    @Test func flipInACiphertextIsFoundByWhatDecrypts() throws {
      let format = AndroidFastKVFormat(key: Self.key)
      let plain = AndroidBuilder.open(a: Self.log.bytes, b: Self.log.bytes)
      let plan = try #require(
        RepairPlanner(strategy: FixedStrategy.recover)
          .plan(plain, given: Diagnosis(of: plain, now: 0)))
      let files = try format.encode(
        plan.contents(of: plain), like: plain, cipher: .rekey(Self.key, isAES256: false))
      let image = try #require(files.first).bytes
      let truth = entries(plain)
      let seed = UInt64(42)
      var generator = SeededGenerator(seed: seed)
      var repaired = 0
      for _ in 0..<60 {
        var damaged = image
        let offset = Int.random(in: 12..<700, using: &generator)
        damaged[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let store = AndroidBuilder.open(a: damaged, b: damaged, key: Self.key)
        #expect(wrong(store, truth) == 0, "\(offset), seed \(seed)")
        if finding(store) != nil, entries(store) == truth { repaired += 1 }
      }
      #expect(repaired > 20, "\(repaired), seed \(seed)")
    }

    @Test func blankHeaderOverEncryptedRecordsIsNoClearedStore() throws {
      let format = AndroidFastKVFormat(key: Self.key)
      let plain = AndroidBuilder.open(a: Self.log.bytes, b: Self.log.bytes)
      let contents = StoreContents(
        plan(plain).map {
          .init(
            key: plain.key(of: $0.record), value: plain.value(of: $0.record), from: $0.record)
        })
      let files = try format.encode(
        contents, like: plain, cipher: .rekey(Self.key, isAES256: false))
      var image = try #require(files.first).bytes
      for offset in 0..<12 { image[offset] = 0 }
      let store = AndroidBuilder.open(a: image, b: image, key: Self.key)
      #expect(entries(store) == entries(plain))
      // With the encryption bit, it is a store that the app cleared.
      image[3] = 0x40
      #expect(entries(AndroidBuilder.open(a: image, b: image, key: Self.key)).isEmpty)
    }
  #endif
}
