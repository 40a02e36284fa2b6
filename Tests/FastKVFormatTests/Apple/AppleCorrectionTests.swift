import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Correcting a single changed bit, without taking other damage for one.
@Suite struct AppleCorrectionTests {
  /// Returns a store with records of every kind, a key that is set twice, and one that is removed.
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
    let bits = TestExtent.share(2, of: 0..<8)
    for bit in 0..<written * 8 where bits.contains(bit % 8) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let store = AppleFastKVStore(damaged)
      let best = try #require(Diagnosis(of: store, now: 0).best)
      #expect(store.entries(best.snapshot.live) == truth, "bit \(bit)")
      if let correction = store.correctedBits.first {
        #expect(store.correctedBits.count == 1 && correction.offset == bit / 8, "bit \(bit)")
        #expect(correction.mask == 1 << UInt8(bit % 8), "bit \(bit)")
        #expect(store.stored(.data).bytes == bytes, "bit \(bit)")
        #expect(store.files[0].image.bytes == damaged && store.applying([]).image.bytes == damaged)
        corrected += 1
      }
    }
    // Six records without their separators. No CRC covers the header and the separators.
    #expect(corrected == (written - 18 - 6 * 23) * bits.count)
  }

  @Test func whatIsPutRightIsSaidToBe() throws {
    var (bytes, _) = Self.small(width: 8)
    let offset = 18 + 30
    bytes[offset] ^= 0x40
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    let finding = try #require(diagnosis.findings.first { $0.code == "fastkv-apple.corrected" })
    #expect(finding.extent == Extent(.data, offset..<offset + 1))
    #expect(finding.message.contains("bit 6") && finding.message.contains("coincidence odds"))
    #expect(diagnosis.verdict == .repairable)
    // The engine reads the file as it is, so it skips the record whose length is damaged.
    #expect(diagnosis.predictions.first?.keyCount == 3)
    #expect(store.engineLoad(answering: .init(always: .recover)).callbacks == [])
  }

  /// Tests that the evidence of a correction depends on its odds.
  ///
  /// A correction in a string is weaker evidence. Few changed bits of a length let the record
  /// decode, but many changed bits of a string do. A length that fits another record is also weaker
  /// evidence, because the bytes before it may belong to that record.
  @Test(
    "An entry is corrected where the odds are good, and may be damaged where they are not",
    arguments: [
      (30, Evidence.corrected, [Caution]()), (28, .structure, [.mayBeDamaged]),
      (37, .structure, [.mayBeDamaged]),
    ])
  func evidenceOfCorrections(offset: Int, evidence: Evidence, cautions: [Caution]) throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "long", Array("B".utf8))
    var bytes = builder.file()
    bytes[18 + offset] ^= 2
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    let best = try #require(diagnosis.best)
    #expect(best.snapshot.live.map { best.evidence(of: $0) } == [evidence, .checksum])
    #expect(best.cautions(of: best.snapshot.live[0]) == cautions)
    #expect(store.value(of: best.snapshot.live[0]) == Array("A".utf8))
    #expect(diagnosis.verdict == (cautions.isEmpty ? .repairable : .damaged))
    let finding = try #require(diagnosis.findings.first { $0.code == "fastkv-apple.corrected" })
    let odds = try #require(finding.odds)
    #expect(odds.isProven == cautions.isEmpty && finding.message.contains(odds.text))
    #expect(!store.codes.contains("fastkv-apple.checksum-mismatch"))
    // The engine skips the record, a loss that it does not report.
    #expect(diagnosis.predictions.first?.lostKeys == [Key(Array("a".utf8))])
    #expect(diagnosis.findings.contains { $0.code == "engine.silent-loss" })
    var planner = RepairPlanner(strategy: FixedStrategy.recover)
    planner.isLikeEngine = true
    let found = store.applying([])
    let plan = try #require(planner.plan(found, given: Diagnosis(of: found, now: 0)))
    #expect(plan.kept.map { found.key(of: $0.record) } == [Key(Array("long".utf8))])
  }

  /// Tests that no bit is proven if the last byte of a separator is in the place of a type.
  ///
  /// A separator ends with `$`. After a shift of bytes, this byte can be in that place.
  @Test("A type that is the last byte of a separator is no proven bit")
  func typeOfASeparator() throws {
    var builder = AppleFixtureBuilder()
    builder.add(4, "big", [1, 2, 3, 4, 5, 6, 7, 8], class: "NSNumber")
    builder.add(7, "other", Array("B".utf8))
    var bytes = builder.file()
    bytes[18] = UInt8(ascii: "$")
    let store = AppleFastKVStore(bytes)
    let best = try #require(expectSound(store, now: 0).best)
    let odds = try #require(store.corrections.first?.odds)
    #expect(store.correctedBits.map(\.mask) == [0x20] && !odds.isProven)
    #expect(best.snapshot.live.map { best.evidence(of: $0) } == [.structure, .checksum])
    #expect(best.cautions(of: best.snapshot.live[0]) == [.mayBeDamaged])
  }

  /// Tests that false corrections are as rare as their odds state.
  ///
  /// Two bytes, three bits or a burst are changed in a record of 40 to 500 bytes. None of these
  /// changes is a single bit, so every correction is false.
  @Test func aFalseCorrectionIsAsRareAsItsOddsSay() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    var claims: [Int: Int] = [:]
    for _ in 0..<TestExtent.count(1500, of: 4000) {
      var builder = AppleFixtureBuilder()
      let count = [4, 20, 60, 400].randomElement(using: &random) ?? 4
      let isText = Bool.random(using: &random)
      builder.add(
        isText ? 7 : 8, "key", random.bytes(count).map { isText ? 0x61 + $0 % 26 : $0 },
        class: "_NSInlineData")
      let whole = 18..<18 + builder.area.count - builder.separator.utf8.count
      var bytes = builder.file()
      let start = Int.random(in: whole.lowerBound..<whole.upperBound - 2, using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        for offset in [start, Int.random(in: start + 1..<whole.upperBound, using: &random)] {
          bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
        }
      case 1:
        for _ in 0..<3 {
          let bit = UInt8.random(in: 0..<8, using: &random)
          bytes[Int.random(in: whole, using: &random)] ^= 1 << bit
        }
      default: bytes.replaceSubrange(start..<start + 2, with: random.bytes(2))
      }
      let original = builder.file()
      let differing = bytes.indices.reduce(0) { $0 + (bytes[$1] ^ original[$1]).nonzeroBitCount }
      guard differing > 1 else { continue }
      for odds in AppleFastKVStore(bytes).corrections.compactMap(\.odds) {
        claims[odds.bits, default: 0] += 1
      }
    }
    print("seed \(seed): false corrections by claimed bits: \(claims.sorted { $0.key < $1.key })")
    // Of all 4,000, at most one in 4,096 is expected to be claimed with 12 bits.
    let proven = claims.filter { $0.key >= CoincidenceOdds.correctedBits }.values.reduce(0, +)
    #expect(proven <= 6, "seed \(seed)")
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
    // One bit is changed, and the separator after it is damaged as well.
    var endless = bytes
    endless[18 + 63 + 37] ^= 1
    endless[18 + 63 + 37 + 5] ^= 1
    #expect(AppleFastKVStore(endless).correctedBits.isEmpty)
    // One bit is changed in a record whose start is unknown.
    var headless = Array(bytes[..<18]) + [1, 2, 3] + bytes[18...]
    headless[18 + 3 + 37] ^= 1
    #expect(AppleFastKVStore(headless).correctedBits.isEmpty)
  }

  @Test func ofManyBytesOnlyTextIsPutRight() throws {
    func corrections(_ type: Int, _ count: Int, bit offset: Int) -> Int {
      var builder = AppleFixtureBuilder()
      builder.add(type, "k", [UInt8](repeating: 0x5a, count: count))
      builder.add(2, "z", [1])
      var bytes = builder.file()
      bytes[18 + 37 + offset] ^= 1
      return AppleFastKVStore(bytes).correctedBits.count
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

  @Test("A bit that is corrected in the slack is a note: no entry is damaged")
  func aCorrectionAfterTheLogIsANote() throws {
    var builder = AppleFixtureBuilder()
    func add(_ index: Int, _ value: String) {
      builder.add(7, "key\(index)", Array(value.utf8), class: "__NSCFString")
    }
    for index in 0..<6 { add(index, "value \(index)") }
    let length = builder.area.count
    add(1, "of before")
    for index in [3, 1, 5] { add(index, "value \(index)") }
    var bytes = builder.file(zeroFilledTo: 8192, length: UInt64(length) | 1 << 40)
    // A byte of "of before", after the header, the class and the key of its record.
    let offset = 18 + length + 36 + 12 + 4 + 2
    bytes[offset] ^= 0x04
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    #expect(store.lengthClaims.last?.log?.end == 18 + length)
    let finding = try #require(diagnosis.findings.first { $0.code == "fastkv-apple.corrected" })
    #expect(finding.severity == .note && finding.extent == Extent(.data, offset..<offset + 1))
  }
}
