import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Blocks of the file that are older than the rest, and records that a compaction left after the
/// log.
///
/// The CRC of each record matches, but not all of the records belong to the log.
@Suite struct AppleOlderBlockTests {
  private func best(_ bytes: [UInt8]) throws -> (Diagnosis, AppleFastKVStore, StoreState) {
    let store = AppleFastKVStore(bytes)
    let diagnosis = expectSound(store, now: 0)
    return (diagnosis, store, try #require(diagnosis.best))
  }

  private static func add(_ index: Int, _ value: String, to builder: inout AppleFixtureBuilder) {
    builder.add(7, "key\(index)", Array(value.utf8), class: "__NSCFString")
  }

  /// Returns a log of `count` keys, each with one value.
  private static func compacted(_ count: Int) -> AppleFixtureBuilder {
    var builder = AppleFixtureBuilder()
    for index in 0..<count { add(index, "value \(index)", to: &builder) }
    return builder
  }

  private static func value(_ key: String, _ text: String) -> (Key, [UInt8]) {
    (Key(Array(key.utf8)), Array(text.utf8))
  }

  /// Tests that a value that is set again after damage is no sign of leftovers: what was damaged may
  /// have changed it.
  @Test func aValueThatIsSetAgainAfterDamageBelongsToTheLog() throws {
    var builder = Self.compacted(3)
    let length = UInt64(builder.area.count)
    Self.add(0, "another value", to: &builder)
    let damage = AppleHeader.byteCount + builder.area.count - 23 - 2 - 3
    Self.add(4, "new key", to: &builder)
    Self.add(0, "value 0", to: &builder)
    Self.add(5, "newer key", to: &builder)
    var bytes = builder.file(zeroFilledTo: 8192, length: length)
    bytes[damage] ^= 1
    let (diagnosis, store, state) = try best(bytes)
    #expect(diagnosis.verdict == .damaged)
    let live = store.entries(state.snapshot.live)
    #expect(live.keys.contains(Key(Array("key4".utf8))))
    #expect(live.keys.contains(Key(Array("key5".utf8))))
  }

  @Test("Records after a log that set its keys anew belong to it: the header is of an older block")
  func laterRecordsOfKnownKeysBelongToTheLog() throws {
    var builder = Self.compacted(6)
    Self.add(2, "second", to: &builder)
    let length = UInt64(builder.area.count)
    Self.add(1, "newer 1", to: &builder)
    Self.add(4, "newer 4", to: &builder)
    Self.add(2, "newer 2", to: &builder)
    let (diagnosis, store, state) = try best(builder.file(zeroFilledTo: 8192, length: length))
    #expect(store.codes.contains("fastkv-apple.length-too-short"))
    // A crash leaves one record after the log; several may be older than it.
    #expect(diagnosis.verdict == .damaged)
    let live = store.entries(state.snapshot.live)
    for index in [1, 2, 4] {
      #expect(live[Key(Array("key\(index)".utf8))] == Array("newer \(index)".utf8))
    }
  }

  @Test("Records exactly after a log that end with its values are what a compaction left")
  func olderRecordsAtTheEndOfTheLogAreNotDamage() throws {
    // The log was compacted after key9 was removed, and after the records that follow it here.
    var builder = Self.compacted(6)
    let length = UInt64(builder.area.count)
    Self.add(9, "long gone", to: &builder)
    Self.add(1, "of before", to: &builder)
    for index in [3, 1, 5] { Self.add(index, "value \(index)", to: &builder) }
    let (diagnosis, store, state) = try best(builder.file(zeroFilledTo: 8192, length: length))
    #expect(diagnosis.verdict == .clean)
    #expect(!store.codes.contains("fastkv-apple.length-too-short"))
    for record in state.snapshot.live { #expect(state.cautions(of: record) == []) }
  }

  @Test("A record that may be of the log or of before makes its own key stale at most")
  func aRecordOfWhichNothingTellsMakesItsKeyUnverified() throws {
    var builder = Self.compacted(6)
    let length = UInt64(builder.area.count)
    Self.add(3, "other", to: &builder)
    // The file had no room for another record, so a compaction may have been next.
    let count = 18 + builder.area.count + 40
    let (diagnosis, store, state) = try best(builder.file(zeroFilledTo: count, length: length))
    #expect(diagnosis.verdict == .clean)
    for record in state.snapshot.live {
      let isUnverified = store.key(of: record) == Key(Array("key3".utf8))
      #expect(state.cautions(of: record) == (isUnverified ? [.mayBeStale] : []))
      #expect(state.evidence(of: record) == (isUnverified ? .structure : .checksum))
    }
  }

  @Test("With room for it, the same record belongs to the log")
  func aRecordWithRoomBelongsToTheLog() throws {
    var builder = Self.compacted(6)
    let length = UInt64(builder.area.count)
    Self.add(3, "other", to: &builder)
    let (diagnosis, _, state) = try best(builder.file(zeroFilledTo: 8192, length: length))
    #expect(diagnosis.verdict == .repairable)
    #expect(state.snapshot.live.count == 6 && state.log?.count == builder.area.count)
  }

  @Test("Zeros up to a block, and records in the next one: the block with the log's end is older")
  func aBlockOfBeforeTheLastRecordsIsNoticed() throws {
    var builder = Self.compacted(3)
    let length = UInt64(builder.area.count)
    for index in 3..<9 { Self.add(index, "value \(index)", to: &builder) }
    var bytes = builder.file(zeroFilledTo: 8192, length: length)
    for offset in 18 + Int(length)..<512 { bytes[offset] = 0 }
    let (diagnosis, store, state) = try best(bytes)
    #expect(diagnosis.verdict == .damaged)
    #expect(store.codes.contains("fastkv-apple.length-too-short"))
    let live = store.entries(state.snapshot.live)
    for index in [0, 1, 2, 7, 8] {
      let (key, value) = Self.value("key\(index)", "value \(index)")
      #expect(live[key] == value)
    }
    for record in state.snapshot.live {
      #expect(state.cautions(of: record).contains(.mayBeStale))
    }
  }

  @Test("A length that reaches into what a compaction left verifies no entry as the newest")
  func aLengthOfBeforeACompactionIsUnverified() throws {
    var builder = Self.compacted(6)
    Self.add(2, "newest 2", to: &builder)
    // The rest of a record that was overwritten, and older records.
    builder.area += Array("rest of it\u{1}\u{2}".utf8) + Array(builder.separator.utf8)
    for index in [4, 2, 5, 0] { Self.add(index, "value \(index)", to: &builder) }
    let (diagnosis, store, state) = try best(builder.file(zeroFilledTo: 8192))
    #expect(diagnosis.verdict == .damaged)
    let record = try #require(
      state.snapshot.live.first { store.key(of: $0) == Key(Array("key2".utf8)) })
    #expect(state.evidence(of: record) == .structure)
    #expect(state.cautions(of: record).contains(.mayBeStale))
  }

  @Test("A cut record after a length that is wrong is a lost one")
  func aRecordThatIsCutOffMakesTheEndUnverified() throws {
    let builder = Self.compacted(6)
    let whole = builder.file(length: 200)
    let (diagnosis, store, _) = try best(Array(whole.dropLast(40)))
    #expect(store.codes.contains("fastkv-apple.length-off-record"))
    #expect(diagnosis.verdict == .damaged)
  }

  @Test("A wrong length with an older log after the true end leaves no entry as the newest")
  func anOlderLogThatGoesOnIsNotTakenForNewer() throws {
    var builder = Self.compacted(6)
    Self.add(2, "newest 2", to: &builder)
    Self.add(1, "newest 1", to: &builder)
    let end = builder.area.count
    for index in [3, 2, 1, 0] { Self.add(index, "value \(index)", to: &builder) }
    for length in [UInt64(end / 3), 0x7f00_0000_0000] {
      let (diagnosis, _, state) = try best(builder.file(zeroFilledTo: 8192, length: length))
      #expect(diagnosis.verdict == .damaged)
      for record in state.snapshot.live {
        #expect(state.evidence(of: record) == .structure)
        #expect(state.cautions(of: record).contains(.mayBeStale))
      }
    }
  }

  @Test("A length beyond the file with the last records zeroed leaves no entry as the newest")
  func zeroedRecordsUnderALengthBeyondTheFileAreMissed() throws {
    var builder = Self.compacted(6)
    let end = 18 + builder.area.count
    Self.add(2, "newest 2", to: &builder)
    var bytes = builder.file(zeroFilledTo: 8192)
    for offset in end..<18 + builder.area.count { bytes[offset] = 0 }
    bytes[13] ^= 0x40
    let (diagnosis, _, state) = try best(bytes)
    #expect(diagnosis.verdict == .damaged)
    for record in state.snapshot.live {
      #expect(state.cautions(of: record).contains(.mayBeStale))
    }
  }
}
