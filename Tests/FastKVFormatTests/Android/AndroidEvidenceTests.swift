import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Weighing the evidence of entries, which is lower if the lanes of the checksum could miss damage.
///
/// Damage affects only the entries that it hits.
@Suite struct AndroidEvidenceTests {
  private func kept(_ store: AndroidFastKVStore) -> [RepairPlan.KeptEntry] {
    let diagnosis = Diagnosis(of: store, now: 0)
    return RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis)?.kept ?? []
  }

  private func texts(_ store: AndroidFastKVStore) -> [String: String] {
    Dictionary(
      kept(store).map { entry in
        (
          store.key(of: entry.record).text ?? "?",
          String(decoding: store.value(of: entry.record), as: UTF8.self)
        )
      }, uniquingKeysWith: { $1 })
  }

  private func finding(_ code: String, in store: AndroidFastKVStore) -> Finding? {
    store.check().first { $0.code == "fastkv-android." + code }
  }

  private func verdict(_ store: AndroidFastKVStore) -> Verdict {
    Diagnosis(of: store, now: 0).verdict
  }

  /// Returns a log of strings.
  private func log(_ count: Int, capacity: Int = 16384) -> AndroidBuilder {
    var builder = AndroidBuilder()
    for index in 0..<count { builder.text("key\(index)", "the value of number \(index)") }
    builder.capacity = capacity
    return builder
  }

  // MARK: What the lanes do not see

  @Test func everyEntryMayBeDamagedWhereTheLanesHoldOverABrokenChain() throws {
    var image = log(12).bytes
    // Two exchanged blocks of eight bytes stay in their lanes.
    let (first, second) = (12 + 24 * 3, 12 + 24 * 6)
    for offset in 0..<8 { image.swapAt(first + offset, second + offset) }
    let store = AndroidBuilder.open(a: image, b: image)
    #expect(finding("chain-broken", in: store)?.severity == .damage)
    let entries = kept(store)
    #expect(entries.count > 6)
    for entry in entries {
      #expect(entry.evidence <= .structure && entry.cautions.contains(.mayBeDamaged))
    }
  }

  @Test func valueThatTheOtherCopyContradictsMayBeDamaged() throws {
    let builder = log(4)
    var (a, b) = (builder.bytes, builder.bytes)
    let value = try #require(a.indices.first { a[$0...].starts(with: Array("number 2".utf8)) })
    // A has two equal changes in one lane, which its checksum does not show, and B has one change
    // that its checksum shows.
    a[value] ^= 1
    a[value - 8] ^= 1
    b[12 + 10] ^= 0x01
    let store = AndroidBuilder.open(a: a, b: b)
    #expect(finding("copies-disagree", in: store)?.severity == .damage)
    #expect(verdict(store) == .damaged)
    let entry = try #require(kept(store).first { store.key(of: $0.record).text == "key2" })
    #expect(entry.evidence == .structure && entry.cautions == [.mayBeDamaged])
    let other = try #require(kept(store).first { store.key(of: $0.record).text == "key3" })
    #expect(other.evidence == .checksum && other.cautions == [])
  }

  @Test func equallyLongCopiesThatHoldAndDifferAreNotClean() throws {
    let builder = log(4)
    var a = builder.bytes
    let value = try #require(a.indices.first { a[$0...].starts(with: Array("number 2".utf8)) })
    a[value] ^= 1
    a[value - 8] ^= 1
    for store in [
      AndroidBuilder.open(a: a, b: builder.bytes), AndroidBuilder.open(a: builder.bytes, b: a),
    ] {
      #expect(finding("copies-differ", in: store)?.severity == .damage)
      #expect(verdict(store) == .damaged)
      let entry = try #require(kept(store).first { store.key(of: $0.record).text == "key2" })
      #expect(entry.evidence == .structure && entry.cautions.contains(.mayBeDamaged))
    }
  }

  @Test(arguments: [(413, true), (4096, true), (8192, false), (65536, false)])
  func zerosAreNoEmptyStoreWhereTheEngineMakesNone(count: Int, isC: Bool) {
    let zeros = [UInt8](repeating: 0, count: count)
    let store =
      isC ? AndroidBuilder.open(c: zeros) : AndroidBuilder.open(a: zeros, b: zeros)
    #expect(finding("header-blank", in: store)?.severity == .damage)
    #expect(verdict(store) == .damaged && kept(store).isEmpty)
  }

  @Test(arguments: [(12, true), (4096, false), (16384, false)])
  func zerosAreAnEmptyStoreWhereTheEngineMakesOne(count: Int, isC: Bool) {
    let zeros = [UInt8](repeating: 0, count: count)
    let store =
      isC ? AndroidBuilder.open(c: zeros) : AndroidBuilder.open(a: zeros, b: zeros)
    #expect(finding("header-blank", in: store) == nil && verdict(store) == .clean)
  }

  // MARK: Tags

  private func set(tag: String) -> AndroidFastKVStore {
    var builder = log(2)
    builder.add(0x08, Array("tags".utf8), [13, 0, 9] + Array(tag.utf8) + [2, 0x61, 0x62])
    return AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
  }

  @Test(arguments: ["stringSet", "Stringset", "StringMap"])
  func tagThatAnAppCouldHaveChosenStays(tag: String) {
    #expect(verdict(set(tag: tag)) == .clean)
  }

  // MARK: What damage costs

  @Test func copiesThatWereCutAtDifferentPlacesAreTakenTogether() {
    let builder = log(200)
    let truth = texts(AndroidBuilder.open(a: builder.bytes, b: builder.bytes))
    #expect(truth.count == 200)
    // A lacks its second half, and B a part of its first half.
    var (a, b) = (builder.bytes, builder.bytes)
    a.removeLast(a.count - 3000)
    for offset in 600..<1500 { b[offset] = 0xee }
    b[6] ^= 0x10
    for store in [AndroidBuilder.open(a: a, b: b), AndroidBuilder.open(a: b, b: a)] {
      #expect(texts(store) == truth)
      #expect(kept(store).allSatisfy { $0.evidence <= .structure && !$0.cautions.isEmpty })
    }
  }

  @Test func wrongLengthsInBothDamagedCopiesCostNoRecords() {
    let builder = log(100)
    var (a, b) = (builder.bytes, builder.bytes)
    a[1] ^= 0x08
    b[1] ^= 0x04
    for offset in 500..<530 { a[offset] = 0xee }
    for offset in 1500..<1530 { b[offset] = 0xee }
    let store = AndroidBuilder.open(a: a, b: b)
    #expect(texts(store).count == 100)
    #expect(kept(store).allSatisfy { $0.evidence <= .structure && !$0.cautions.isEmpty })
  }

  @Test func damagedStoreWithMuchSlackIsStillRecognized() {
    let builder = log(8, capacity: 4096)
    var image = builder.bytes
    image[2] ^= 0x40
    image[12 + 30] = 0xff
    let files = AndroidBuilder.files(a: image, b: image)
    #expect(AndroidFastKVFormat().recognize(files).recognition.likelihood >= 70)
  }

  // MARK: The engine's defect with large objects

  private func large(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return [4] + Array("Blob".utf8) + generator.bytes(count - 5)
  }

  @Test func largeObjectThatWasWrittenTwoBytesEarlyIsRead() throws {
    let older = large(66005, seed: 5)
    let newer = large(66005, seed: 6)
    var builder = AndroidBuilder()
    builder.text("a", "one")
    let count = (0..<4).map { UInt8(truncatingIfNeeded: 66005 >> (8 * $0)) }
    // The value overwrites the upper half of the length, and two bytes of the older value remain.
    builder.add(0x0b, Array("big".utf8), Array(count[..<2]) + newer + older.suffix(2))
    builder.text("z", "two")
    builder.capacity = 131072
    let store = AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
    #expect(finding("large-object", in: store)?.severity == .damage)
    let entries = kept(store)
    #expect(entries.map { store.key(of: $0.record).text } == ["a", "big", "z"])
    #expect(entries.map(\.evidence) == [.checksum, .structure, .checksum])
    #expect(store.value(of: entries[1].record) == Array(newer.dropFirst(5)))
    #expect(store.engineLoad(answering: .init(always: .recover)).outcome == .discarded)
  }

  // MARK: Odds

  @Test func correctionStatesItsOdds() throws {
    let image = log(6).bytes
    var damaged = image
    // The length of a key. No other value of it decodes.
    damaged[13] ^= 0x20
    let store = AndroidBuilder.open(a: damaged, b: damaged)
    let odds = try #require(finding("corrected", in: store)?.odds)
    // A second change that cancels out in the lanes would go undetected. One in 500 such stores had
    // one.
    #expect(odds.isLikely && !odds.isProven)
    #expect(
      kept(store).allSatisfy { $0.evidence == .structure && $0.cautions == [.mayBeDamaged] })
  }

  @Test func twoBytesOfWhichTheRecordsSayNothingAreOnlyListed() throws {
    var damaged = log(6).bytes
    // The length of a key, and a letter far away. The lanes place the second change beside the
    // first.
    damaged[13] ^= 0x20
    let letter = try #require(
      damaged.indices.first { damaged[$0...].starts(with: Array("number 4".utf8)) })
    let place = letter + (letter % 8 == 13 % 8 ? 1 : 0)
    damaged[place] ^= 0x02
    let store = AndroidBuilder.open(a: damaged, b: damaged)
    #expect(finding("corrected", in: store) == nil)
    if let finding = finding("correction-unlikely", in: store) {
      #expect(finding.severity == .note && finding.odds?.isLikely == false)
    }
    #expect(kept(store).allSatisfy { $0.evidence <= .structure })
  }
}
