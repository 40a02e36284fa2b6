import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Choosing among several copies, and weighing the evidence of the others.
@Suite struct AndroidCopyTests {
  /// An entry that a repair keeps.
  struct Kept: Hashable {
    let value: Value?
    let evidence: Evidence
    let cautions: [Caution]
  }

  func kept(_ store: AndroidFastKVStore) -> [String: Kept] {
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis)
    return Dictionary(
      (plan?.kept ?? []).map { entry in
        (
          store.key(of: entry.record).text ?? "?",
          Kept(
            value: store.readings(of: entry.record).first?.value, evidence: entry.evidence,
            cautions: entry.cautions)
        )
      }, uniquingKeysWith: { $1 })
  }

  func texts(_ pairs: (String, String)...) -> AndroidBuilder {
    var builder = AndroidBuilder()
    for (key, text) in pairs { builder.text(key, text) }
    return builder
  }

  func stale(_ text: String) -> Kept {
    Kept(value: .string(text), evidence: .structure, cautions: [.mayBeStale])
  }

  func proven(_ text: String) -> Kept {
    Kept(value: .string(text), evidence: .checksum, cautions: [])
  }

  func severity(of code: String, in store: AndroidFastKVStore) -> Finding.Severity? {
    store.check().first { $0.code == code }?.severity
  }

  @Test func copyThatGoesOnWhereTheOtherEndsIsNewer() {
    let older = texts(("a", "1")).bytes
    let newer = texts(("a", "1"), ("b", "2")).bytes
    let store = AndroidBuilder.open(a: older, b: newer)
    #expect(kept(store) == ["a": proven("1"), "b": proven("2")])
    #expect(severity(of: "fastkv-android.copies-differ", in: store) == .damage)
    let load = store.engineLoad(answering: .init(always: .recover))
    #expect(load.log?.file == .copyA && load.writes == ["copies .kva to .kvb"])
    #expect(Diagnosis(of: store, now: 0).predictions.first?.lostKeys == [Key([0x62])])
    let other = AndroidBuilder.open(a: newer, b: older)
    #expect(kept(other) == ["a": proven("1"), "b": proven("2")])
    #expect(severity(of: "fastkv-android.copies-differ", in: other) == .warning)
  }

  @Test func recordsThatWereStruckOrOverwrittenAreStillTheSameLog() {
    let older = texts(("a", "1"), ("b", "2")).bytes
    var builder = texts(("a", "9"))
    builder.text("b", "2", struck: true)
    builder.text("b", "two")
    let store = AndroidBuilder.open(a: older, b: builder.bytes)
    // The copies differ by more than the one write that can be interrupted between them.
    let disputed = Kept(value: .string("9"), evidence: .structure, cautions: [.mayBeDamaged])
    #expect(kept(store) == ["a": disputed, "b": proven("two")])
  }

  /// Tests that a value is not verified if the older copy contradicts it.
  ///
  /// Two bytes of one lane are exchanged, which its checksum cannot detect. In the older copy, they
  /// are in their places.
  @Test(arguments: RandomSeeds.fresh(20))
  func aValueThatTheOlderCopyContradictsIsNotVerified(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var builder = AndroidBuilder()
    for index in 0..<12 {
      let text = (0..<Int.random(in: 8...30, using: &random)).map { _ in
        Character(Unicode.Scalar(UInt8.random(in: 0x61...0x7a, using: &random)))
      }
      builder.text("\(1000 + index)", String(text))
    }
    let older = builder.bytes
    builder.text("9999", "the write that came to one copy only")
    var newer = builder.bytes
    let values = (12..<older.count - 8).filter { offset in
      [offset, offset + 8].allSatisfy { (0x61...0x7a).contains(newer[$0]) }
        && newer[offset] != newer[offset + 8]
    }
    // Twelve strings of at least eight letters have such places.
    let offset = try #require(values.randomElement(using: &random))
    newer.swapAt(offset, offset + 8)
    for (a, b) in [(newer, older), (older, newer)] {
      let store = AndroidBuilder.open(a: a, b: b)
      let was = kept(AndroidBuilder.open(a: older, b: older))
      for (key, entry) in kept(store) where entry.evidence == .checksum && key != "9999" {
        #expect(entry.value == was[key]?.value, "\(key)")
      }
      #expect(kept(store)["9999"]?.evidence == .checksum)
    }
  }

  @Test func whatDiffersIsDoubtedWhereNothingTellsWhichIsNewer() {
    let store = AndroidBuilder.open(
      a: texts(("a", "1"), ("b", "2")).bytes, b: texts(("a", "1"), ("b", "3")).bytes)
    #expect(kept(store) == ["a": proven("1"), "b": stale("2")])
  }

  @Test func longerCopyIsNotNewerWhereTheOtherMayBeItsCompaction() {
    var builder = texts(("a", "1"))
    for index in 0..<50 { builder.text("gone\(index)", "x", struck: true) }
    builder.text("b", "removed in the other")
    builder.capacity = 4096
    let store = AndroidBuilder.open(a: texts(("a", "1")).bytes, b: builder.bytes)
    #expect(kept(store) == ["a": proven("1")])
    #expect(store.engineLoad(answering: .init(always: .recover)).log?.file == .copyA)
  }

  @Test func unfinishedCopyWithAllItsBytesIsNewer() {
    let newer = texts(("a", "1"), ("b", "2")).bytes
    let torn = [0xff, 0xff, 0xff, 0xff] + newer[4...]
    let store = AndroidBuilder.open(a: torn, b: texts(("a", "1")).bytes)
    #expect(kept(store) == ["a": proven("1"), "b": proven("2")])
    #expect(store.engineLoad(answering: .init(always: .recover)).outcome == .rolledBack)
  }

  @Test func unfinishedWriteMakesTheKeyUnverifiedThatItWasWriting() {
    let older = texts(("a", "1"), ("b", "2")).bytes
    var builder = texts(("a", "1"))
    builder.text("b", "2", struck: true)
    builder.text("b", "twenty letters and on")
    var torn = [0xff, 0xff, 0xff, 0xff] + builder.bytes[4...]
    for offset in 12 + builder.data.count - 12..<12 + builder.data.count { torn[offset] = 0 }
    let store = AndroidBuilder.open(a: torn, b: older)
    #expect(kept(store) == ["a": proven("1"), "b": stale("2")])
    // If even the key was not written, any key may be stale.
    let data = texts(("a", "1"), ("b", "2")).data
    let start = [0xff, 0xff, 0xff, 0xff] + builder.bytes[4..<12] + data + [0x06]
    let lost = AndroidBuilder.open(
      a: start + [UInt8](repeating: 0, count: older.count - start.count), b: older)
    #expect(kept(lost) == ["a": stale("1"), "b": stale("2")])
  }

  @Test func lengthWithoutItsRecordMakesAllUnverified() {
    var image = texts(("a", "1"), ("b", "2")).bytes
    image[0] += 20
    let store = AndroidBuilder.open(b: image)
    #expect(kept(store) == ["a": stale("1"), "b": stale("2")])
    // If both copies have this length, only the length is damaged.
    let pair = AndroidBuilder.open(a: image, b: image)
    #expect(kept(pair) == ["a": proven("1"), "b": proven("2")])
  }

  @Test func recordsThatCancelOutProveNoEnd() {
    // Two equal records of sixteen bytes: the lanes are the same with and without them.
    var builder = texts(("a", "1"))
    let short = builder.data.count
    for _ in 0..<2 { builder.text("key", "123456789") }
    #expect(builder.data.count == short + 32)
    var image = builder.bytes
    for offset in 12 + short + 16..<12 + short + 28 { image[offset] = 0xff }
    let damaged = kept(AndroidBuilder.open(a: image, b: image))
    #expect(Set(damaged.keys) == ["a", "key"])
    #expect(damaged.values.allSatisfy { $0.evidence <= .structure })
  }

  @Test func recordThatEndsWhereTheSizeSaysIsNoLessThere() {
    // A record with two equal halves does not change the lanes. A change in it shows that the
    // record is damaged, not that the log ends before it.
    var builder = texts(("a", "1"))
    let short = builder.data.count
    let half: [UInt8] = [0x07, 4] + Array("blob".utf8) + [8, 0]
    builder.add(0x07, Array("blob".utf8), [8, 0] + half)
    #expect(
      AndroidBuilder.checksum(builder.data)
        == AndroidBuilder.checksum(Array(builder.data[..<short])))
    var image = builder.bytes
    image[12 + short + 12] ^= 0x21
    let damaged = kept(AndroidBuilder.open(a: image, b: image))
    #expect(Set(damaged.keys) == ["a", "blob"])
    #expect(damaged.values.allSatisfy { $0.evidence <= .structure })
  }

  /// Tests that two copies are both doubted if each has a change that the other lacks.
  ///
  /// One copy has an additional record, and the other has deleted a record.
  @Test(arguments: [true, false])
  func copiesThatAreEachAheadInSomethingAreBothDoubted(isLongerFirst: Bool) {
    let longer = texts(("a", "1"), ("b", "2"), ("c", "3"))
    var struck = texts(("a", "1"))
    struck.text("b", "2", struck: true)
    let images = isLongerFirst ? [longer.bytes, struck.bytes] : [struck.bytes, longer.bytes]
    let store = AndroidBuilder.open(a: images[0], b: images[1])
    let entries = kept(store)
    #expect(entries["a"] == proven("1"))
    #expect(entries["b"] == (isLongerFirst ? stale("2") : nil))
    #expect(entries["c"] == (isLongerFirst ? stale("3") : nil))
    #expect(severity(of: "fastkv-android.copies-differ", in: store) == .damage)
  }

  @Test func copiesThatEachStruckAnotherRecordOutAreBothDoubted() {
    var (first, second) = (texts(("a", "1")), texts(("a", "1")))
    first.text("b", "2", struck: true)
    first.text("c", "3")
    second.text("b", "2")
    second.text("c", "3", struck: true)
    #expect(
      kept(AndroidBuilder.open(a: first.bytes, b: second.bytes)) == [
        "a": proven("1"), "c": stale("3"),
      ])
  }

  @Test(arguments: [true, false])
  func copyInWhichARecordIsStruckOutIsNewer(isFirst: Bool) {
    let older = texts(("a", "1"), ("b", "2")).bytes
    var newer = texts(("a", "1"))
    newer.text("b", "2", struck: true)
    let store =
      isFirst
      ? AndroidBuilder.open(a: newer.bytes, b: older)
      : AndroidBuilder.open(a: older, b: newer.bytes)
    #expect(kept(store) == ["a": proven("1")])
  }

  // MARK: Copies of two states

  /// Returns two states of a log of strings.
  ///
  /// In `newer`, one entry is deleted and set again, and another one is added.
  private func states(capacity: Int? = 1024) -> (older: AndroidBuilder, newer: AndroidBuilder) {
    var (older, newer) = (AndroidBuilder(), AndroidBuilder())
    for index in 0..<6 {
      older.text("key\(index)", "text \(index)")
      newer.text("key\(index)", "text \(index)", struck: index == 2)
    }
    newer.text("key2", "another text")
    newer.text("last", "the last one")
    (older.capacity, newer.capacity) = (capacity, capacity)
    return (older, newer)
  }

  @Test(arguments: [true, false])
  func wholeCopyBesideADamagedNewerOneMayBeStale(isA: Bool) {
    let (older, newer) = states()
    var damaged = newer.bytes
    damaged[12 + 5] ^= 0x41
    let store =
      isA
      ? AndroidBuilder.open(a: older.bytes, b: damaged)
      : AndroidBuilder.open(a: damaged, b: older.bytes)
    #expect(severity(of: "fastkv-android.copy-may-be-older", in: store) == .damage)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
    let entries = kept(store)
    // The entry is either deleted in the other copy, or hit by the damage.
    #expect(entries["key2"] == stale("text 2"))
    #expect(entries["key0"]?.cautions.contains(.mayBeStale) == true)
    // The other copy has the same record.
    #expect(entries["key4"] == proven("text 4"))
  }

  @Test func entriesThatOnlyADamagedNewerCopyHasMakeTheStoreDamaged() {
    let (_, newer) = states()
    var older = newer
    older.data.removeLast(2 + 4 + 2 + 12)
    var damaged = newer.bytes
    // The damage is in a deleted record, so it affects no live entry.
    damaged[12 + 2 * 14 + 13] ^= 0x01
    let store = AndroidBuilder.open(a: older.bytes, b: damaged)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
    #expect(kept(store).values.allSatisfy { $0.evidence == .checksum })
  }

  /// Tests that all entries may be stale if the header of a longer log was written, but not the pages
  /// at its end.
  @Test func aHeaderOfALongerLogDoubtsAllEntries() {
    let (older, newer) = states()
    var damaged = newer.bytes
    let end = 12 + newer.data.count
    damaged.replaceSubrange(end - 10..<end, with: repeatElement(0, count: 10))
    let store = AndroidBuilder.open(a: older.bytes, b: damaged)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
    #expect(kept(store).values.allSatisfy { $0.cautions.contains(.mayBeStale) })
  }

  @Test func wholeCopyBesideADamagedOlderOneIsNotDoubted() {
    let (older, newer) = states()
    var damaged = older.bytes
    damaged[5] ^= 0x41
    let store = AndroidBuilder.open(a: newer.bytes, b: damaged)
    #expect(severity(of: "fastkv-android.copy-may-be-older", in: store) == nil)
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
    #expect(kept(store).values.allSatisfy { $0.evidence == .checksum })
  }

  @Test(arguments: [0..<4, 4..<12, 0..<12, 30..<40])
  func wholeCopyBesideADamagedOneOfTheSameStateIsNotDoubted(range: Range<Int>) {
    let image = states().newer.bytes
    var damaged = image
    for offset in range { damaged[offset] ^= 0x15 }
    let store = AndroidBuilder.open(a: image, b: damaged)
    #expect(Diagnosis(of: store, now: 0).verdict != .damaged || range.lowerBound == 30)
    #expect(kept(store).values.allSatisfy { !$0.cautions.contains(.mayBeStale) })
  }

  @Test func copiesThatHoldAndDifferInMoreThanOneWriteAreNotClean() {
    let long = texts(("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")).bytes
    let short = texts(("z", "26"), ("y", "25")).bytes
    let store = AndroidBuilder.open(a: long, b: short)
    #expect(severity(of: "fastkv-android.copies-differ", in: store) == .damage)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
  }

  @Test func changesThatCancelOutAreSeenWhereTheOtherCopyStatesTheSameChecksum() {
    let image = states().newer.bytes
    var changed = image
    // The changes are in two keys but in one lane, and the length is damaged as well.
    changed[12 + 2] ^= 0x02
    changed[12 + 2 + 56] ^= 0x02
    changed[1] ^= 0x08
    let store = AndroidBuilder.open(a: changed, b: image)
    let doubted = kept(store).filter { $0.value.cautions.contains(.mayBeDamaged) }
    #expect(doubted.count == 2)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
  }

  @Test func emptyCopyBesideADamagedLogIsNoEmptyStore() {
    let (_, newer) = states()
    var damaged = newer.bytes
    damaged[12 + 20] ^= 0x7f
    let zeros = [UInt8](repeating: 0, count: 4096)
    for store in [
      AndroidBuilder.open(a: zeros, b: damaged), AndroidBuilder.open(a: damaged, b: zeros),
    ] {
      #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
      #expect(kept(store).count >= 5)
    }
  }

  // MARK: Bytes after the log of the blocking modes

  @Test func headerOfAnEarlierTimeBeforeNewerRecordsIsSeen() {
    let (older, newer) = states(capacity: nil)
    // The bytes after the log were appended later.
    let image = older.bytes + newer.bytes[older.bytes.count...]
    let store = AndroidBuilder.open(c: image)
    #expect(severity(of: "fastkv-android.kvc-tail", in: store) == .damage)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
    let entries = kept(store)
    #expect(entries["key2"]?.value == .string("another text"))
    #expect(entries["last"]?.value == .string("the last one"))
    #expect(entries.values.allSatisfy { $0.evidence <= .structure })
    #expect(entries.values.allSatisfy { $0.cautions.contains(.mayBeStale) })
  }

  @Test func bytesThatAreNoRecordsAfterTheLogMakeItStale() {
    let (older, _) = states(capacity: nil)
    let store = AndroidBuilder.open(c: older.bytes + [0xee, 0xee, 0xee])
    #expect(severity(of: "fastkv-android.kvc-tail", in: store) == .damage)
    #expect(kept(store).values.allSatisfy { $0.cautions == [.mayBeStale] })
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
    let padded = AndroidBuilder.open(c: older.bytes + [0, 0, 0])
    #expect(Diagnosis(of: padded, now: 0).verdict == .clean)
  }

  @Test func planOfProofLeavesTheDoubtedOut() throws {
    let store = AndroidBuilder.open(
      a: texts(("a", "1"), ("b", "2")).bytes, b: texts(("a", "1"), ("b", "3")).bytes)
    var planner = RepairPlanner(strategy: FixedStrategy.discard)
    planner.minimumEvidence = .corrected
    let plan = try #require(planner.plan(store, given: Diagnosis(of: store, now: 0)))
    #expect(plan.kept.map { store.key(of: $0.record).text } == ["a"])
  }

  func unpadded(_ pairs: (String, String)...) -> [UInt8] {
    var builder = AndroidBuilder()
    for (key, text) in pairs { builder.text(key, text) }
    builder.capacity = nil
    return builder.bytes
  }

  @Test func textThatTheEngineRefusesIsNotVerified() {
    let image = texts(("a", "1"), ("b", "x\u{0}y")).bytes
    let store = AndroidBuilder.open(a: image, b: image)
    #expect(
      kept(store) == [
        "a": proven("1"),
        "b": Kept(value: .string("x\u{0}y"), evidence: .structure, cautions: [.mayBeDamaged]),
      ])
  }

  @Test func plainRecordsUnderTheBitForEncryptionAreRead() {
    var image = texts(("a", "1"), ("key", "a text of some length")).bytes
    image[3] |= 0x40
    let store = AndroidBuilder.open(a: image, b: image)
    #expect(Set(kept(store).keys) == ["a", "key"])
    #expect(kept(store).values.allSatisfy { $0.evidence == .structure })
    #expect(severity(of: "fastkv-android.encrypted-bit", in: store) == .damage)
  }

  /// Tests that neither values nor unusual keys make a plain log look encrypted.
  @Test(arguments: RandomSeeds.fresh(100))
  func aWholeLogInTheClearIsNotTakenForAnEncryptedOne(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var builder = AndroidBuilder()
    var keys: Set<String> = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let key = String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 1...4, using: &random)).map { _ in
            Unicode.Scalar(UInt8.random(in: 1..<128, using: &random))
          }))
      guard keys.insert(key).inserted else { continue }
      let value = random.bytes(Int.random(in: 0..<600, using: &random))
      builder.add(
        0x07, Array(key.utf8), [UInt8(value.count & 0xff), UInt8(value.count >> 8)] + value)
    }
    builder.capacity = 4096
    let image = builder.bytes
    for files in [AndroidBuilder.files(a: image, b: image), AndroidBuilder.files(c: image)] {
      let store = AndroidFastKVFormat().open(files).corrected()
      let diagnosis = expectSound(store, now: 0)
      #expect(store.access == .readable)
      #expect(diagnosis.verdict == .clean, "\(diagnosis.findings.map(\.code))")
      #expect(Set(kept(store).keys) == keys)
    }
  }
}
