import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

@testable import FastKVFormat

/// That one changed bit is put right, and other damage is not taken for one.
@Suite struct AppleCorrectionTests {
  /// Records of every kind; a key that is set twice, and one that is removed.
  private static func small(width: Int) -> (bytes: [UInt8], truth: [Key: [UInt8]]) {
    var builder = AppleFixtureBuilder(width: width)
    builder.add(7, "name", Array("Ada".utf8), class: "NSTaggedPointerString")
    builder.add(2, "on", [1], class: "NSNumber")
    builder.add(3, "count", [7, 0, 0, 0], class: "NSNumber")
    builder.add(7, "name", Array("Ada Lovelace".utf8), class: "__NSCFString")
    builder.add(8, "blob", [0, 1, 2, 0xff], class: "_NSInlineData")
    builder.add(0, "on", [])
    let truth: [Key: [UInt8]] = [
      Key(Array("name".utf8)): Array("Ada Lovelace".utf8),
      Key(Array("count".utf8)): [7, 0, 0, 0], Key(Array("blob".utf8)): [0, 1, 2, 0xff],
    ]
    return (builder.file(zeroFilledTo: 600), truth)
  }

  @Test(arguments: [4, 8])
  func everyFlippedBitGivesBackTheMap(width: Int) throws {
    let (bytes, truth) = Self.small(width: width)
    let written = 18 + Int(bytes[10]) + Int(bytes[11]) << 8
    var corrected = 0
    for bit in 0..<written * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let store = AppleFastKVStore(damaged)
      let best = try #require(Diagnosis(of: store, now: 0).best)
      #expect(store.entries(best.snapshot.live) == truth, "bit \(bit)")
      if let correction = store.corrections.first {
        #expect(store.corrections.count == 1 && correction.offset == bit / 8, "bit \(bit)")
        #expect(correction.mask == 1 << UInt8(bit % 8), "bit \(bit)")
        #expect(store.stored(.data).bytes == bytes, "bit \(bit)")
        #expect(store.files[0].image.bytes == damaged && store.asFound.image.bytes == damaged)
        corrected += 1
      }
    }
    // Six records without their separators; header and separators are under no CRC.
    #expect(corrected == (written - 18 - 6 * 23) * 8)
  }

  @Test func whatIsPutRightIsSaidToBe() throws {
    var (bytes, _) = Self.small(width: 8)
    let offset = 18 + 28
    bytes[offset] ^= 0x40
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    let finding = try #require(diagnosis.findings.first { $0.code == "fastkv-apple.corrected" })
    #expect(finding.extent == Extent(.data, offset..<offset + 1))
    #expect(finding.message.contains("bit 6") && finding.message.contains("did not"))
    #expect(diagnosis.verdict == .repairable)
    // The engine reads the file as it is: of the record whose length is damaged, nothing.
    #expect(diagnosis.predictions.first?.keyCount == 3)
    #expect(store.engineLoad(answering: .init(always: .recover)).callbacks == [])
  }

  @Test func aCorrectedEntryIsNoBetterThanThat() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    var bytes = builder.file()
    bytes[18 + 37] ^= 2
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    let best = try #require(diagnosis.best)
    #expect(best.snapshot.live.map(\.integrity) == [.corrected, .verified])
    #expect(best.snapshot.live.map { best.evidence(of: $0) } == [.corrected, .checksum])
    #expect(store.value(of: best.snapshot.live[0]) == Array("A".utf8))
    // The engine passes over the record, which is a loss that nobody is told of.
    #expect(diagnosis.predictions.first?.lostKeys == [Key(Array("a".utf8))])
    #expect(diagnosis.findings.contains { $0.code == "engine.silent-loss" })
    var planner = RepairPlanner(strategy: FixedStrategy.recover)
    planner.isLikeEngine = true
    let found = store.asFound
    let plan = try #require(planner.plan(found, given: Diagnosis(of: found, now: 0)))
    #expect(plan.kept.map { found.key(of: $0.record) } == [Key(Array("b".utf8))])
  }

  @Test func aRemovalThatIsPutRightRemoves() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    let start = builder.area.count
    builder.add(0, "a", [])
    var bytes = builder.file()
    bytes[18 + start + 36] ^= 1
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.best?.snapshot.live.isEmpty == true)
    #expect(diagnosis.predictions.first?.keyCount == 1)
  }

  @Test func nothingIsPutRightWithoutBothEnds() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    let bytes = builder.file()
    // A changed bit, and a separator behind it that is no longer whole.
    var endless = bytes
    endless[18 + 63 + 37] ^= 1
    endless[18 + 63 + 37 + 5] ^= 1
    #expect(AppleFastKVStore(endless).corrections.isEmpty)
    // A changed bit in a record that begins nobody knows where.
    var headless = Array(bytes[..<18]) + [1, 2, 3] + bytes[18...]
    headless[18 + 3 + 37] ^= 1
    #expect(AppleFastKVStore(headless).corrections.isEmpty)
  }

  @Test func ofManyBytesOnlyTextIsPutRight() throws {
    func corrections(_ type: Int, _ count: Int, bit offset: Int) -> Int {
      var builder = AppleFixtureBuilder()
      builder.add(type, "k", [UInt8](repeating: 0x5a, count: count))
      builder.add(2, "z", [1])
      var bytes = builder.file()
      bytes[18 + 37 + offset] ^= 1
      return AppleFastKVStore(bytes).corrections.count
    }
    #expect(corrections(8, 473, bit: 400) == 1)
    #expect(corrections(8, 474, bit: 400) == 0)
    #expect(corrections(7, 4056, bit: 400) == 1)
    #expect(corrections(7, 4057, bit: 400) == 0)
  }

  @Test func aRecordOfZerosIsLostAndNoRemoval() throws {
    for width in [4, 8] {
      var builder = AppleFixtureBuilder(width: width)
      builder.add(7, "k", Array("old".utf8))
      let start = builder.area.count
      builder.add(7, "k", Array("new".utf8))
      let end = builder.area.count - builder.separator.utf8.count
      builder.area.replaceSubrange(
        start..<end, with: [UInt8](repeating: 0, count: end - start))
      builder.add(2, "z", [1])
      let store = AppleFastKVStore(builder.file())
      let diagnosis = expectSound(store, now: 0)
      let best = try #require(diagnosis.best)
      let record = try #require(best.snapshot.live.first)
      #expect(best.evidence(of: record) == .structure)
      #expect(best.cautions(of: record) == [.mayBeStale])
      #expect(best.gaps.map(\.cause) == [.zeros])
      #expect(diagnosis.findings.contains { $0.code == "record.zeros" })
      #expect(diagnosis.predictions.first?.keyCount == 2)
    }
  }

  @Test func aDamagedKeyMayHaveBeenAnyOfItsLength() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "count", Array("old".utf8))
    builder.add(7, "other", Array("x".utf8))
    builder.add(7, "longer", Array("y".utf8))
    let start = builder.area.count
    builder.add(7, "count", Array("new".utf8))
    builder.add(7, "later", Array("z".utf8))
    var bytes = builder.file()
    bytes[18 + start + 36] ^= 0x03
    let store = AppleFastKVStore(bytes)
    let best = try #require(expectSound(store, now: 0).best)
    let evidence = Dictionary(
      uniqueKeysWithValues: best.snapshot.live.map { record in
        (store.key(of: record).text ?? "", best.evidence(of: record))
      })
    #expect(
      evidence == [
        "count": .structure, "other": .structure, "longer": .checksum, "`ount": .structure,
        "later": .checksum,
      ])
    let stale = best.snapshot.live.filter { best.cautions(of: $0) == [.mayBeStale] }
    #expect(stale.map { store.key(of: $0).text } == ["count", "other"])
  }
}
