import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Correcting a few changed bits if the checksums determine them, and otherwise leaving them
/// unchanged.
@Suite struct CorrectionTests {
  private static let keys = ExhaustiveDamageTests.keys
  private static let texts = (0..<12).map { ("key \($0)", "value \($0) \($0 * 7919)") }

  /// Returns a store of twelve entries, of which the first five are confirmed.
  private static func builder(_ key: MMKVKey?) -> MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    builder.key = key
    builder.vector = (0..<16).map { $0 * 11 }
    for (index, (name, text)) in texts.enumerated() {
      builder.put(name, text: text)
      guard index == 4 else { continue }
      let payload = builder.storedPayload
      builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    }
    return builder
  }

  private func open(_ data: [UInt8], _ meta: [UInt8], _ key: MMKVKey?) -> MMKVStore {
    MMKVFormat(key: key, now: 0).open(MMKVFixtureBuilder.files(data: data, meta: meta)).corrected()
  }

  private func entries(_ store: MMKVStore, _ state: StoreState?) -> [String: [UInt8]] {
    var entries: [String: [UInt8]] = [:]
    for record in state?.snapshot.live ?? [] {
      entries[store.key(of: record).text ?? ""] = store.value(of: record)
    }
    return entries
  }

  private static let truth = Dictionary(
    uniqueKeysWithValues: texts.map { ($0.0, [UInt8($0.1.utf8.count)] + Array($0.1.utf8)) })

  /// Records an issue unless the store of these files is corrected, complete and right.
  private func expectCorrected(
    _ data: [UInt8], _ meta: [UInt8], _ key: MMKVKey?, _ place: String
  ) {
    let store = open(data, meta, key)
    let diagnosis = Diagnosis(of: store, now: 0)
    guard let best = diagnosis.best, entries(store, best) == Self.truth else {
      Issue.record("not all is right: \(place)")
      return
    }
    for record in best.snapshot.live where best.evidence(of: record) != .corrected {
      // Nothing verifies the decrypted first block.
      if key != nil, record.offset < 20 { continue }
      Issue.record("\(best.evidence(of: record)) for \(place)")
    }
    if diagnosis.verdict != .repairable
      || !diagnosis.findings.contains(where: { $0.code == "mmkv.corrected" })
    {
      Issue.record("\(diagnosis.verdict), \(diagnosis.findings.map(\.code)): \(place)")
    }
  }

  @Test(arguments: keys)
  func everyBitOfTheLogAndOfItsDigestIsPutRight(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    let (data, meta) = (builder.data, builder.meta)
    for bit in 32..<(4 + builder.payload.count) * 8 {
      var changed = data
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      expectCorrected(changed, meta, key, "bit \(bit) of the data")
    }
    for bit in 0..<32 {
      var changed = meta
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      expectCorrected(data, changed, key, "bit \(bit) of the digest")
    }
  }

  /// Tests that a partly stored checksum is corrected.
  ///
  /// The process was killed while it stored the checksum. The rest of the checksum determines the
  /// missing bytes.
  @Test(arguments: keys)
  func halfStoredDigestsArePutRight(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    var random = SeededGenerator(seed: 4)
    for _ in 0..<40 {
      for count in 1...2 {
        var meta = builder.meta
        for offset in 0..<count { meta[offset] ^= UInt8.random(in: 1...255, using: &random) }
        let store = open(builder.data, meta, key)
        let best = Diagnosis(of: store, now: 0).best
        #expect(entries(store, best) == Self.truth, "\(meta.prefix(4))")
        // Two of four bytes verify too little to be certain.
        for record in best?.snapshot.live ?? [] where key == nil || record.offset >= 20 {
          #expect(
            best?.evidence(of: record) == (count == 1 ? .corrected : .structure),
            "\(meta.prefix(4))")
        }
      }
    }
  }

  @Test(arguments: keys)
  func changedBytesArePutRight(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    let (data, meta) = (builder.data, builder.meta)
    var random = SeededGenerator(seed: 1)
    for offset in 4..<4 + builder.payload.count {
      var changed = data
      changed[offset] ^= UInt8.random(in: 1...255, using: &random)
      expectCorrected(changed, meta, key, "byte \(offset): \(changed[offset])")
    }
  }

  @Test func oneBitUnderEachDigestIsPutRight() {
    let builder = Self.builder(nil)
    let end = 4 + Int(builder.confirmed?.count ?? 0)
    var random = SeededGenerator(seed: 2)
    for _ in 0..<200 {
      var changed = builder.data
      let first = Int.random(in: 4..<end, using: &random)
      let second = Int.random(in: end..<4 + builder.payload.count, using: &random)
      for offset in [first, second] { changed[offset] ^= 1 << UInt8(random.next() % 8) }
      expectCorrected(changed, builder.meta, nil, "a bit of \(first) and one of \(second)")
    }
  }

  @Test func twoBitsArePutRightWhereTheRecordsTellWhich() throws {
    let builder = Self.builder(nil)
    // The length of a key and a character of a value, both after the confirmed part.
    let length = try #require(builder.data.firstRange(of: Array("key 7".utf8))?.lowerBound) - 1
    let value = try #require(builder.data.firstRange(of: Array("value 10".utf8))?.lowerBound)
    var changed = builder.data
    changed[length] ^= 0x10
    changed[value] ^= 0x02
    expectCorrected(changed, builder.meta, nil, "two bits")
  }

  @Test func twoBytesBesideEachOtherAreLikely() throws {
    let builder = Self.builder(nil)
    let length = try #require(builder.data.firstRange(of: Array("key 7".utf8))?.lowerBound) - 1
    var changed = builder.data
    changed[length] ^= 0x5a
    changed[length + 1] ^= 0xa5
    let odds = try expectLikely(open(changed, builder.meta, nil), Self.truth)
    // Up to 128 places of 65,536 patterns, 4 bits for a rare kind, 6 for the records: 38 - 23 - 4.
    #expect(odds == 11)
    #expect(rules(changed, builder.meta) == ["mmkv.few-bits", "mmkv.likely-correction"])
  }

  /// Tests that a key whose start was overwritten is restored.
  ///
  /// A record was copied over this one, and the app was killed after the first bytes of the key.
  @Test func aKeyThatBeginsAsAnotherIsPutBack() throws {
    var builder = MMKVFixtureBuilder()
    for key in ["colour", "layout", "filter"] { builder.put(key, text: "a value of \(key)") }
    builder.put("colour", text: "another value")
    for index in 0..<4 { builder.put("number \(index)", text: "value \(index)") }
    var changed = builder.data
    let key = try #require(changed.ranges(of: Array("colour".utf8)).last)
    changed.replaceSubrange(key.prefix(3), with: Array("fil".utf8))
    #expect(rules(changed, builder.meta).first == "mmkv.exchanged-key")
    let store = open(changed, builder.meta, nil)
    let best = try #require(Diagnosis(of: store, now: 0).best)
    let record = try #require(best.snapshot.live.first { store.key(of: $0).text == "colour" })
    #expect(store.value(of: record) == [13] + Array("another value".utf8))
  }

  /// Returns the rules by which a log is corrected.
  private func rules(_ data: [UInt8], _ meta: [UInt8]) -> [RuleID] {
    Diagnosis(of: open(data, meta, nil), now: 0).findings
      .first { $0.code == "mmkv.corrected" }?.rules ?? []
  }

  /// Returns the odds of the correction of `store`, after expecting that all entries are right and
  /// none is verified.
  private func expectLikely(_ store: MMKVStore, _ truth: [String: [UInt8]]) throws -> Int {
    let diagnosis = Diagnosis(of: store, now: 0)
    let best = try #require(diagnosis.best)
    #expect(entries(store, best) == truth)
    for record in best.snapshot.live {
      #expect(best.evidence(of: record) == .structure)
      #expect(best.cautions(of: record).contains(.mayBeDamaged))
    }
    #expect(diagnosis.verdict == .damaged)
    let finding = try #require(diagnosis.findings.first { $0.code == "mmkv.corrected" })
    #expect(finding.message.contains(finding.odds?.text ?? "no odds"))
    return try #require(finding.odds).bits
  }

  @Test("That records decode with two bits is no proof in a log that has a million pairs of them")
  func twoBitsInALongLog() throws {
    var builder = MMKVFixtureBuilder()
    var truth: [String: [UInt8]] = [:]
    for index in 0..<100 {
      let text = "value \(index) \(index * 7919)"
      builder.put("key \(index)", text: text)
      truth["key \(index)"] = [UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let length = try #require(builder.data.firstRange(of: Array("key 70".utf8))?.lowerBound) - 1
    let value = try #require(builder.data.firstRange(of: Array("value 90".utf8))?.lowerBound)
    var changed = builder.data
    changed[length] ^= 0x10
    changed[value] ^= 0x02
    let odds = try expectLikely(open(changed, builder.meta, nil), truth)
    let bits = builder.payload.count * 8
    #expect(bits * bits / 2 > 1 << 26 && odds < CoincidenceOdds.correctedBits)
  }

  @Test("A bit is likely but not proven where the log is so long that other damage looks like it")
  func oddsOfABit() throws {
    var builder = MMKVFixtureBuilder()
    builder.put("blob", MMKVFixtureBuilder.varint(300_000) + [UInt8](repeating: 7, count: 300_000))
    builder.put("last", text: "value")
    var changed = builder.data
    changed[100_000] ^= 4
    let finding = try #require(
      open(changed, builder.meta, nil).check().first { $0.code == "mmkv.corrected" })
    // 300,000 bytes have more than 2 to the 21st bits, so 22 bits are subtracted: 32 - 22.
    #expect(finding.odds?.bits == 10)
    #expect(finding.message.contains("likely but not proven"))
  }

  @Test func theFilesStayAsTheyAre() throws {
    let builder = Self.builder(nil)
    var changed = builder.data
    let offset = try #require(changed.firstRange(of: Array("value 9".utf8))?.lowerBound)
    changed[offset] ^= 4
    let store = open(changed, builder.meta, nil)
    #expect(store.files.first?.image.bytes == changed)
    #expect(store.decoded(.data)[offset] == builder.data[offset])
    #expect(store.applying([]).decoded(.data)[offset] == changed[offset])
    let finding = try #require(store.check().first { $0.code == "mmkv.corrected" })
    #expect(finding.extent == Extent(.data, offset..<offset + 1))
    #expect(finding.message.contains("XOR 0x04"))
  }

  @Test func theEngineIsPredictedByWhatItReads() throws {
    let builder = Self.builder(nil)
    var changed = builder.data
    let offset = try #require(changed.firstRange(of: Array("value 9".utf8))?.lowerBound)
    changed[offset] ^= 4
    let store = open(changed, builder.meta, nil)
    let corrected = Diagnosis(of: store, now: 0)
    let found = Diagnosis(of: store.applying([]), now: 0)
    for (one, other) in zip(corrected.predictions, found.predictions) {
      #expect(one.load == other.load)
      #expect(one.snapshot == other.snapshot)
      // The engine rolls back to the five confirmed entries.
      #expect(one.lostKeys.count == 7)
    }
  }

  /// A rewrite has started to copy `sunbeam` over an older `message` of the same length.
  @Test(
    "A key of which the beginning is another's is corrected where the log has it once more",
    arguments: [("message", true), ("mileage", false)])
  func keyInAnothersPlace(_ later: String, isCorrected: Bool) throws {
    var builder = MMKVFixtureBuilder()
    builder.put("message", text: "old")
    for index in 0..<20 { builder.put("entry \(index)", text: "value \(index)") }
    builder.put("sunbeam", text: "open")
    builder.put(later, text: "new")
    var changed = builder.data
    let start = try #require(changed.firstRange(of: Array("message".utf8))?.lowerBound)
    changed.replaceSubrange(start..<start + 4, with: Array("sunb".utf8))
    let store = open(changed, builder.meta, nil)
    let diagnosis = Diagnosis(of: store, now: 0)
    let found = entries(store, diagnosis.best)
    #expect(diagnosis.findings.contains { $0.code == "mmkv.corrected" } == isCorrected)
    #expect((found["sunbage"] == nil) == isCorrected)
    #expect(found[later] == [3] + Array("new".utf8))
  }

  /// x³⁰⁰⁶ + x²⁸⁶⁶ + x²²¹⁵ + 1 is a multiple of the checksum's polynomial.
  ///
  /// If two of these bits change, the checksum is the same as for the other two.
  @Test(
    "Two bits are corrected where no other two explain the digest",
    arguments: [([0, 140], false), ([791, 3006], false), ([0, 141], true), ([790, 3006], true)])
  func twoBitsWithTwoAnswers(_ bits: [Int], isCorrected: Bool) throws {
    var random = SeededGenerator(seed: 3)
    let value = random.bytes(400)
    var builder = MMKVFixtureBuilder()
    builder.put("blob", MMKVFixtureBuilder.varint(400) + value)
    let start = try #require(builder.data.firstRange(of: value)?.lowerBound)
    var changed = builder.data
    for bit in bits { changed[start + bit / 8] ^= 1 << UInt8(bit % 8) }
    let store = open(changed, builder.meta, nil)
    let codes = store.check().map(\.code)
    #expect(codes.contains("mmkv.corrected") == isCorrected)
    #expect(codes.contains("mmkv.correction-candidates") == !isCorrected)
    let read = Array(store.decoded(.data).bytes[start..<start + 400])
    #expect(read == (isCorrected ? value : Array(changed[start..<start + 400])))
  }

  @Test func damageThatIsNotSmallIsLeftAlone() {
    let builder = Self.builder(nil)
    let range = 8..<4 + builder.payload.count
    var kept = 0
    for seed in UInt64(0)..<500 {
      var random = SeededGenerator(seed: seed)
      var changed = builder.data
      let start = Int.random(in: range.lowerBound..<range.upperBound - 16, using: &random)
      for offset in start..<start + 16 { changed[offset] = UInt8(random.next() & 0xff) }
      let store = open(changed, builder.meta, nil)
      let diagnosis = Diagnosis(of: store, now: 0)
      guard let best = diagnosis.best, best.name == .current, best.isSound else { continue }
      kept += 1
    }
    #expect(kept == 0, "of seeds 0 to 499")
  }

  /// Tests that a correction which leaves another checksum false is 4 bits less certain.
  @Test func aCorrectionThatLeavesMoreDamageIsLessCertain() throws {
    var builder = Self.builder(nil)
    // With this length, both numbers of candidates have as many binary digits.
    builder.put("one more", text: "a value of some length, to be far from a power of two")
    let prefix = MMKVFixtureBuilder.crc32(builder.prefix)
    var bits: [Int] = []
    for digest in [prefix, 0xdead_beef] {
      builder.confirmed = (4, digest)
      var data = builder.data
      data[4 + builder.payload.count - 8] ^= 4
      let correction = try #require(open(data, builder.meta, nil).corrections.first)
      bits.append(try #require(correction.odds).bits)
    }
    #expect(bits[1] == bits[0] - 4, "\(bits)")
  }
}
