import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Every kind of damage to a small store, and wrong lengths.
@Suite struct AppleDamageTests {
  /// The entries that the app reads.
  private static let truth: [Key: [UInt8]] = [Key([0x61]): [0x62]]

  private static var small: [UInt8] {
    var builder = AppleFixtureBuilder(width: 4)
    builder.add(2, "on", [1], class: "NSNumber")
    builder.add(7, "a", Array("b".utf8))
    builder.add(0, "on", [])
    return builder.file(zeroFilledTo: 180)
  }

  @Test func everyPrefixHasWhatIsBeforeItsEnd() {
    let bytes = Self.small
    for count in 0..<bytes.count {
      let store = AppleFastKVStore(Array(bytes[..<count]))
      let diagnosis = expectSound(store, now: 0, "\(count) bytes")
      let found = expectHonest(store, diagnosis, truth: Self.truth, "\(count) bytes")
      // The record of "a" ends at 97, and one byte of its separator confirms it.
      if found.right != (count > 97 ? 1 : 0) { Issue.record("\(found) of \(count) bytes") }
    }
  }

  @Test func noFlippedBitCostsAnEntry() {
    let bytes = Self.small
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let store = AppleFastKVStore(damaged)
      let diagnosis = expectSound(store, now: 0, "bit \(bit)")
      let found = expectHonest(store, diagnosis, truth: Self.truth, "bit \(bit)")
      if found.right != 1 || found.marked > 0 { Issue.record("\(found), bit \(bit)") }
    }
  }

  private func entries(_ bytes: [UInt8]) throws -> (count: Int, codes: [String]) {
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    return (try #require(diagnosis.best).snapshot.live.count, store.codes)
  }

  @Test func aWrongLengthDoesNotLoseRecords() throws {
    var builder = AppleFixtureBuilder()
    var ends: [UInt64] = []
    for index in 0..<4 {
      builder.add(7, "key\(index)", Array("value \(index)".utf8))
      ends.append(UInt64(builder.area.count))
    }
    let cases: [(UInt64, String)] = [
      (ends[2] + 5, "fastkv-apple.length-off-record"),
      (ends[3] + 40, "fastkv-apple.length-off-record"),
      (ends[3] | 1 << 40, "fastkv-apple.length-upper-half"),
      (5000, "fastkv-apple.length-beyond-file"),
      (.max, "fastkv-apple.length-beyond-file"),
    ]
    for (length, code) in cases {
      let (count, codes) = try entries(builder.file(zeroFilledTo: 1024, length: length))
      #expect(count == 4, "length \(length)")
      #expect(codes.contains(code), "length \(length): \(codes)")
    }
  }

  @Test func olderContentsAreNotTakenForLive() throws {
    var builder = AppleFixtureBuilder()
    builder.add(3, "n", [9, 0, 0, 0])
    let length = UInt64(builder.area.count)
    for value in UInt8(1)...9 { builder.add(3, "n", [value, 0, 0, 0]) }
    let store = AppleFastKVStore(builder.file(length: length))
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(diagnosis.best?.log?.count == Int(length))
    #expect(store.codes == ["fastkv-apple.slack-content"])
  }

  /// Tests that one record after the log, with a key of the log and the size of its other records, is
  /// taken for what a launch left over.
  ///
  /// After each launch, the log begins anew, so such records often begin where it ends.
  @Test func aRecordOfTheSameSizeAfterTheLogIsOlder() throws {
    var builder = AppleFixtureBuilder()
    for value in ["cacc", "bbbb"] { builder.add(7, "a", Array(value.utf8)) }
    let length = UInt64(builder.area.count)
    builder.add(7, "a", Array("cabc".utf8))
    let store = AppleFastKVStore(builder.file(zeroFilledTo: 1024, length: length))
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(
      store.entries(diagnosis.best?.snapshot.live ?? []).values.map { $0 } == [Array("bbbb".utf8)])
  }

  /// Tests that a length is corrected only if the file continues after the records.
  ///
  /// The header states 254 bytes, but the records take 126, which is one bit less.
  @Test(
    "A length with one bit changed is one only where the file goes on after the records",
    arguments: [(144, Evidence.structure, [Caution.mayBeStale]), (200, .checksum, [])])
  func bitOfTheLength(count: Int, evidence: Evidence, cautions: [Caution]) throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    let store = AppleFastKVStore(builder.file(zeroFilledTo: count, length: 254))
    let state = try #require(expectSound(store, now: 0).best)
    #expect(state.snapshot.live.count == 2)
    // In a truncated file, the end of the records is unknown.
    let finding = try #require(store.check().first { $0.code == "fastkv-apple.length-beyond-file" })
    #expect(finding.message.contains("; the records end after") == cautions.isEmpty)
    for record in state.snapshot.live {
      #expect(state.evidence(of: record) == evidence)
      #expect(state.cautions(of: record) == cautions)
    }
  }

  @Test func whatWasRemovedComesBack() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    let (count, codes) = try entries(builder.file(zeroFilledTo: 512, length: 0))
    #expect(count == 0)
    #expect(codes == ["fastkv-apple.keys-come-back"])
  }

  @Test func aDamagedRecordIsKeptAndMarked() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    var bytes = builder.file(zeroFilledTo: 512)
    bytes[18 + 37] ^= 3
    let store = AppleFastKVStore(bytes)
    let state = try #require(Diagnosis(of: store, now: 0).best)
    let record = try #require(state.snapshot.live.first)
    #expect(record.integrity == .contradicted)
    #expect(state.evidence(of: record) == .structure)
    #expect(state.cautions(of: record) == [.mayBeDamaged])
    #expect(store.codes == ["fastkv-apple.checksum-mismatch"])
  }

  @Test func theEngineRefusesOrEndsTheApp() throws {
    func callbacks(_ bytes: [UInt8]) -> [String] {
      AppleFastKVStore(bytes).engineLoad(answering: EngineAnswers(always: .recover)).callbacks
    }
    var builder = AppleFixtureBuilder()
    builder.add(2, "on", [1])
    let bytes = builder.file(zeroFilledTo: 256)
    #expect(callbacks(bytes) == [])
    #expect(callbacks([]) == [])
    #expect(callbacks([0x46]) == ["4003"])
    #expect(callbacks(builder.file(length: 9999)) == ["4004"])
    #expect(callbacks(builder.file(length: .max - 17)) == [])
    builder.area += [0x51] + Array(builder.separator.utf8)
    let raising = builder.file()
    #expect(callbacks(raising) == ["NSRangeException"])
    #expect(AppleFastKVStore(raising).codes.contains("fastkv-apple.raises"))
  }

  @Test func theEnginesOwnDefectsAreSaid() throws {
    var builder = AppleFixtureBuilder()
    builder.add(6, "d", [0, 0, 0x80, 0x3f, 0x60, 0x55, 0, 0], class: "NSNumber")
    builder.add(1, "nil", [])
    builder.add(7, "t", Array("日".utf8))
    let length = UInt64(builder.area.count)
    builder.add(7, "t", Array("日本語".utf8))
    let bytes = builder.file(zeroFilledTo: 4 << 20, length: length)
    let codes = Set(AppleFastKVStore(bytes).codes)
    #expect(
      codes.isSuperset(of: [
        "fastkv-apple.broken-double", "fastkv-apple.immortal-nil", "fastkv-apple.text-cut",
      ]))
    #expect(codes.contains("fastkv-apple.growth"))
    var damaged = builder.file()
    damaged[0] = 0x66
    damaged[6] = 2
    #expect(
      Set(AppleFastKVStore(damaged).codes).isSuperset(of: [
        "fastkv-apple.magic", "fastkv-apple.version", "fastkv-apple.refused",
      ]))
  }

  // MARK: What is verified

  private func best(_ bytes: [UInt8]) throws -> (store: AppleFastKVStore, state: StoreState) {
    let store = AppleFastKVStore(bytes)
    return (store, try #require(expectSound(store, now: 0).best))
  }

  @Test func whatTheChecksumDoesNotCoverMayBeDamaged() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "small", Array("value".utf8))
    builder.add(8, "large", [UInt8](repeating: 7, count: 70_000))
    let (store, state) = try best(builder.file(zeroFilledTo: 100_000))
    #expect(state.snapshot.live.count == 2)
    for record in state.snapshot.live {
      let isLarge = store.key(of: record).text == "large"
      #expect(state.evidence(of: record) == (isLarge ? .structure : .checksum))
      #expect(state.cautions(of: record) == (isLarge ? [.mayBeDamaged] : []))
    }
  }

  @Test func withoutTheHeaderNothingSaysThatRecordsStandWhereTheyStood() throws {
    var builder = AppleFixtureBuilder()
    for index in 0..<4 { builder.add(7, "key\(index)", Array("value \(index)".utf8)) }
    var bytes = builder.file(zeroFilledTo: 1024)
    for offset in 0..<18 { bytes[offset] = 0 }
    let (_, state) = try best(bytes)
    #expect(state.snapshot.live.count == 4)
    for record in state.snapshot.live {
      #expect(state.evidence(of: record) == .structure)
      #expect(state.cautions(of: record) == [.mayBeStale])
    }
  }

  @Test func aDamagedKeyDoesNotMakeOlderContentsNewer() throws {
    // A compacted log, followed by the previous one. The new value of key0 triggered the
    // compaction.
    var builder = AppleFixtureBuilder()
    for index in 0..<3 { builder.add(7, "key\(index)", Array("new value".utf8)) }
    let log = builder.area.count
    for index in 0..<3 {
      builder.add(7, "key\(index)", Array((index == 0 ? "old value" : "new value").utf8))
    }
    var bytes = builder.file(zeroFilledTo: 1024, length: UInt64(log))
    let key = try #require(bytes.firstRange(of: Array("key1".utf8))?.lowerBound)
    bytes.replaceSubrange(key..<key + 3, with: [0, 0, 0])
    let (store, state) = try best(bytes)
    for record in state.snapshot.live {
      #expect(store.value(of: record) == Array("new value".utf8))
    }
  }

  @Test func whereARecordCanHaveBegunThatWasCutOffEntriesMayBeStale() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "key", Array("value".utf8))
    let end = 18 + builder.area.count
    builder.add(0, "key", [])
    let (_, state) = try best(Array(builder.file().prefix(end + 3)))
    let record = try #require(state.snapshot.live.first)
    #expect(state.evidence(of: record) == .structure)
    #expect(state.cautions(of: record) == [.mayBeStale])
  }

  /// Tests that a record in which two of its three lengths are exchanged may have set its key: the
  /// older value of that key is not presented as the newest one.
  ///
  /// The lengths still lead to the separator, but the key begins or ends elsewhere.
  @Test func exchangedLengthsDoNotVerifyAnOlderValue() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for _ in 0..<TestExtent.count(60, of: 600) {
      var builder = AppleFixtureBuilder()
      func add(_ key: String) {
        let count = Int.random(in: 0...14, using: &random)
        let name = ["", "NSNumber", "__NSCFString"].randomElement(using: &random) ?? ""
        builder.add(8, key, random.bytes(count), class: name)
      }
      let keys = (1...8).map { String("setting of mine".prefix($0)) + "\($0)" }
      for key in keys { add(key) }
      let key = try #require(keys.randomElement(using: &random))
      let start = AppleHeader.byteCount + builder.area.count
      add(key)
      var bytes = builder.file(zeroFilledTo: 4096)
      let fields = [12, 20, 28].shuffled(using: &random).map { start + $0 }
      guard bytes[fields[0]] != bytes[fields[1]] else { continue }
      bytes.swapAt(fields[0], fields[1])
      let (store, state) = try best(bytes)
      for record in state.snapshot.live
      where store.key(of: record) == Key(Array(key.utf8)) && record.offset < start {
        #expect(state.cautions(of: record).contains(.mayBeStale), "\(key), seed \(seed)")
      }
    }
  }
}
