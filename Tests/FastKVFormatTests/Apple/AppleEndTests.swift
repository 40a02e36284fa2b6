import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Reading a store with a wrong length and other damage, and the evidence of what is read.
@Suite struct AppleEndTests {
  private func best(_ bytes: [UInt8]) throws -> (Diagnosis, AppleFastKVStore, StoreState) {
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    return (diagnosis, store, try #require(diagnosis.best))
  }

  private static func sample(_ count: Int, width: Int = 8) -> AppleFixtureBuilder {
    var builder = AppleFixtureBuilder(width: width)
    for index in 0..<count {
      builder.add(7, "key\(index)", Array("value \(index)".utf8), class: "__NSCFString")
    }
    return builder
  }

  @Test func anEndThatIsNotKnownVerifiesNoEntry() throws {
    var bytes = Self.sample(6).file(zeroFilledTo: 2048)
    // The length is beyond the file, and the first separator is damaged after its eighth byte.
    bytes[11] = 0xcc
    let separator = try #require(bytes.firstRange(of: Array("$FastKVS".utf8))?.upperBound)
    bytes[separator + 3] = 0xeb
    let (diagnosis, store, state) = try best(bytes)
    #expect(state.snapshot.live.count == 6)
    #expect(store.codes.contains("fastkv-apple.length-beyond-file"))
    #expect(!store.codes.contains("fastkv-apple.old-separator"))
    // The header and the records are damaged, and the records still show where they end. A lost
    // record would not.
    let first = try #require(bytes.firstRange(of: Array("key2".utf8))?.lowerBound)
    bytes.replaceSubrange(first - 20..<first, with: [UInt8](repeating: 0xa5, count: 20))
    let (worse, _, unverified) = try best(bytes)
    #expect(worse.verdict == .damaged && diagnosis.verdict != .clean)
    for record in unverified.snapshot.live {
      #expect(unverified.evidence(of: record) == .structure)
      #expect(unverified.cautions(of: record).contains(.mayBeStale))
    }
  }

  /// Tests that records are read after inserted or deleted bytes, which shift everything after
  /// them.
  ///
  /// One bit of the length is also wrong.
  @Test(arguments: [1, 5, 24], [false, true])
  func recordsAfterShiftedBytesAreRead(count: Int, isInserted: Bool) throws {
    let whole = Self.sample(12)
    var bytes = whole.file(zeroFilledTo: 2048)
    bytes[13] = 0x80
    let place = try #require(bytes.firstRange(of: Array("value 3".utf8))?.lowerBound)
    if isInserted {
      bytes.insert(contentsOf: [UInt8](repeating: 0x5a, count: count), at: place)
      bytes.removeLast(count)
    } else {
      bytes.removeSubrange(place..<place + count)
      bytes += [UInt8](repeating: 0, count: count)
    }
    let (diagnosis, store, state) = try best(bytes)
    let live = store.entries(state.snapshot.live)
    for index in 0..<12 where index != 3 && !(index == 4 && count == 24 && !isInserted) {
      #expect(live[Key(Array("key\(index)".utf8))] == Array("value \(index)".utf8), "\(index)")
    }
    #expect(diagnosis.verdict == .damaged)
  }

  @Test func recordsAfterAShortLengthAndADamagedRecordAreRead() throws {
    var first = Self.sample(4)
    let length = UInt64(first.area.count)
    first.area = Self.sample(12).area
    var bytes = first.file(zeroFilledTo: 2048, length: length)
    let fifth = try #require(bytes.firstRange(of: Array("value 4".utf8))?.lowerBound)
    bytes[fifth] = 0x07
    bytes[fifth + 1] = 0x08
    let (_, store, state) = try best(bytes)
    let live = store.entries(state.snapshot.live)
    for index in 0..<12 where index != 4 {
      #expect(live[Key(Array("key\(index)".utf8))] == Array("value \(index)".utf8), "\(index)")
    }
  }

  @Test func aLengthThatFitsIsNotGivenUpForOlderContents() throws {
    // A log of one damaged record, followed by the rest of another one and by older ones.
    var builder = Self.sample(1)
    let length = UInt64(builder.area.count)
    builder.area += Array(Self.sample(2).area.suffix(30)) + Self.sample(5).area
    var bytes = builder.file(zeroFilledTo: 2048, length: length)
    bytes.replaceSubrange(20..<40, with: [UInt8](repeating: 0xa5, count: 20))
    let (_, _, state) = try best(bytes)
    #expect(state.log?.count == Int(length))
    #expect(state.snapshot.live.count <= 1)
  }

  // MARK: Records with damaged lengths

  @Test(arguments: [4, 8], [0, 1, 2])
  func aRecordWithADamagedLengthIsReadByTheOthers(width: Int, field: Int) throws {
    let builder = Self.sample(4, width: width)
    var bytes = builder.file(zeroFilledTo: 1024)
    let key = try #require(bytes.firstRange(of: Array("key1".utf8))?.lowerBound)
    let start = key - "__NSCFString".utf8.count - (4 * width + 4)
    let offset = start + width + 4 + field * width
    bytes[offset] ^= 0x5b
    bytes[offset + 1] ^= 0x2c
    let (diagnosis, store, state) = try best(bytes)
    let live = store.entries(state.snapshot.live)
    #expect(live.count == 4)
    #expect(live[Key(Array("key1".utf8))] == Array("value 1".utf8))
    #expect(store.codes.contains("fastkv-apple.record-header"))
    #expect(diagnosis.verdict == .damaged)
    for record in state.snapshot.live {
      let isRead = store.key(of: record) == Key(Array("key1".utf8))
      let isBefore = store.key(of: record) == Key(Array("key0".utf8))
      #expect(
        state.cautions(of: record)
          == (isRead ? [.mayBeDamaged] : isBefore ? [.mayBeStale] : []))
      #expect((state.evidence(of: record) == .checksum) == !(isRead || isBefore))
    }
  }

  /// A damaged length can make a record end where the next one or a later one ends.
  @Test(arguments: [4, 8], [1, 2])
  func aRecordWhoseLengthCoversOthersHidesNoneOfThem(width: Int, field: Int) throws {
    for covered in 1...2 {
      var builder = Self.sample(4, width: width)
      builder.add(7, "key2", Array("newer 2".utf8), class: "__NSCFString")
      builder.add(7, "key3", Array("newer 3".utf8), class: "__NSCFString")
      var bytes = builder.file(zeroFilledTo: 1024)
      let size = builder.area.count / 6
      let start = 18 + (5 - covered) * size
      let offset = start + width + 4 + field * width
      let length = Int(bytes[offset]) + covered * size
      bytes[offset] = UInt8(truncatingIfNeeded: length)
      bytes[offset + 1] = UInt8(length >> 8)
      // Without further damage, the length could be corrected.
      bytes[start + 4 * width + 4] ^= 0x24
      let (diagnosis, store, state) = try best(bytes)
      let live = store.entries(state.snapshot.live)
      #expect(diagnosis.verdict == .damaged)
      #expect(live.count == 4)
      #expect(live[Key(Array("key3".utf8))] == Array("newer 3".utf8))
      if covered == 2 { #expect(live[Key(Array("key2".utf8))] == Array("newer 2".utf8)) }
    }
  }

  @Test func aValueThatMayEndAnywhereIsNotRead() throws {
    var builder = Self.sample(3)
    let start = 18 + builder.area.count
    builder.add(8, "key9", [1, 2, 3, 4, 5, 6], class: "_NSInlineData")
    var bytes = builder.file(zeroFilledTo: 1024)
    for offset in [start + 20, start + 21, start + 28, start + 29] { bytes[offset] ^= 0x5b }
    // If the value were intact, the CRC would show where it ends.
    bytes[start + 36 + "_NSInlineDatakey9".utf8.count] ^= 0x40
    let (_, store, state) = try best(bytes)
    #expect(store.entries(state.snapshot.live).count == 3)
    #expect(state.gaps.count == 1)
  }

  // MARK: Random damage

  /// Tests lengths beyond the file in combination with other damage.
  ///
  /// No wrong entry may be presented as sound unless its CRC-16 fits by chance, and no store that
  /// lacks an entry may be called repairable.
  @Test(arguments: [4, 8])
  func aWrongLengthWithOtherDamageIsNotPresentedAsSound(width: Int) throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    var wrong = 0
    var repairable = 0
    for _ in 0..<TestExtent.count(300, of: 1200) {
      var builder = AppleFixtureBuilder(width: width)
      var truth: [Key: [UInt8]] = [:]
      for index in 0..<Int.random(in: 3...12, using: &random) {
        let key = "key\(index % 7)"
        let value = random.bytes(Int.random(in: 1...40, using: &random)).map { 0x20 + $0 % 0x5f }
        builder.add(7, key, value, class: "__NSCFString")
        truth[Key(Array(key.utf8))] = value
      }
      var bytes = builder.file(zeroFilledTo: 2048)
      let end = 18 + builder.area.count
      bytes[10 + Int.random(in: 1...4, using: &random)] ^=
        1 << UInt8.random(in: 3...7, using: &random)
      let place = Int.random(in: 18..<end - 8, using: &random)
      let count = Int.random(in: 1...8, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0: bytes.insert(contentsOf: random.bytes(count), at: place)
      case 1: bytes.removeSubrange(place..<place + count)
      case 2: for offset in place..<place + count { bytes[offset] = 0 }
      default: bytes.replaceSubrange(place..<place + count, with: random.bytes(count))
      }
      let store = AppleFastKVStore(bytes)
      let diagnosis = Diagnosis(of: store, now: 0)
      let state = try #require(diagnosis.best)
      for record in state.snapshot.live
      where truth[store.key(of: record)] != store.value(of: record) {
        let evidence = state.evidence(of: record)
        if evidence >= .corrected || evidence == .structure && state.cautions(of: record).isEmpty {
          wrong += 1
        }
      }
      if diagnosis.verdict == .repairable || diagnosis.verdict == .clean,
        store.entries(state.snapshot.live) != truth
      {
        repairable += 1
      }
    }
    print("seed \(seed): as sound \(wrong), falsely repairable \(repairable)")
    // A damaged record fits its CRC-16 once in 65,536 times, and nothing shows that it is damaged:
    // 6 such records were seen in 2,500,000 of these stores.
    #expect(wrong <= 1, "seed \(seed)")
    #expect(repairable <= 1, "seed \(seed)")
  }
}
