import FastKVFormat
import KVBytes
import KVModel
import SystemPackage
import Testing

/// Judging the length in a header: the verdict, the end of the log and the rule that decides.
@Suite struct LengthJudgementTests {
  private static func file(
    _ count: Int, size: Int = 2048, _ length: (UInt64) -> UInt64 = { $0 }
  ) -> [UInt8] {
    var builder = AppleFixtureBuilder()
    for index in 0..<count {
      builder.add(7, "key\(index)", Array("value \(index)".utf8), class: "__NSCFString")
    }
    return builder.file(zeroFilledTo: size, length: length(UInt64(builder.area.count)))
  }

  private func judgement(_ bytes: [UInt8]) throws -> LengthJudgement {
    try #require(AppleFastKVStore(bytes).evidence).judgement
  }

  @Test func aStoreAsFoundClaimsOnlyWhatItsHeaderStates() {
    let bytes = Self.file(6) { $0 ^ 13 }
    let found = AppleFastKVFormat().open([StoreFile(.data, at: "store.fkv", FileImage(bytes))])
    #expect(found.evidence == nil)
    #expect(found.lengthClaims.map(\.count) == [6 * 84 ^ 13])
    #expect(!found.check().contains { $0.code == "fastkv-apple.length-off-record" })
    let judged = found.judged()
    #expect(judged.lengthClaims.map(\.count) == [6 * 84 ^ 13, 6 * 84])
    #expect(judged.check().contains { $0.code == "fastkv-apple.length-off-record" })
  }

  @Test func aLengthThatEndsAfterTheLastRecordStandsWithoutARule() throws {
    let judgement = try judgement(Self.file(6))
    #expect(judgement.verdict == .fits && judgement.isAsStated)
    #expect(judgement.end == nil && !judgement.isEndUnverified && judgement.rule == nil)
  }

  @Test func aLengthOfZeroBeforeRecordsIsThatOfAnEmptiedStore() throws {
    let judgement = try judgement(Self.file(6) { _ in 0 })
    #expect(judgement.verdict == .emptied && judgement.end == nil && judgement.rule == nil)
  }

  @Test(
    arguments: [
      (2, .betweenBoundaries, .oneBit), (13, .betweenBoundaries, .records),
      (1 << 34, .beyondFile, .lowHalf), (1 << 20, .beyondFile, .oneBit),
      (1 << 20 | 1 << 21, .beyondFile, .records),
    ] as [(UInt64, LengthJudgement.Verdict, LengthJudgement.Basis)])
  func aWrongLengthGivesWayToWhereTheRecordsEnd(
    change: UInt64, verdict: LengthJudgement.Verdict, basis: LengthJudgement.Basis
  ) throws {
    let whole = try judgement(Self.file(6)), end = AppleHeader.byteCount + 6 * 84
    let judgement = try judgement(Self.file(6) { $0 ^ change })
    #expect(whole.verdict == .fits)
    #expect(judgement.verdict == verdict && judgement.rule?.id == AppleLogEnd.id)
    #expect(judgement.end?.offset == end && judgement.end?.basis == basis)
  }

  /// Tests that records of other sizes, some with new keys, are read as newer, but undecided:
  /// leftovers would seldom begin there.
  @Test func newKeysAfterALogOfRecordsOfManySizesAreReadAsNewer() throws {
    var builder = AppleFixtureBuilder()
    var length = 0
    for index in 0..<6 {
      if index == 4 { length = builder.area.count }
      let value = "value " + String(repeating: "x", count: index * index)
      builder.add(7, "key\(index)", Array(value.utf8), class: "__NSCFString")
    }
    let judgement = try judgement(builder.file(zeroFilledTo: 2048, length: UInt64(length)))
    let keys = [4, 5].map { Key(Array("key\($0)".utf8)) }
    #expect(judgement.verdict == .undecided(Set(keys), recordCount: 2))
    #expect(judgement.rule?.id == AppleUndecidedKey.id && !judgement.isAsStated)
    #expect(judgement.end?.offset == AppleHeader.byteCount + builder.area.count)
    #expect(!judgement.isEndUnverified)
  }

  /// Tests that records of one size after the log are undecided: those of any earlier launch begin
  /// where one of the log ends.
  @Test func newKeysAfterALogOfRecordsOfOneSizeAreUndecided() throws {
    let store = AppleFastKVStore(Self.file(6) { $0 / 3 * 2 })
    let judgement = try #require(store.evidence).judgement
    #expect(store.codes.contains("fastkv-apple.records-after-log"))
    let keys = [4, 5].map { Key(Array("key\($0)".utf8)) }
    #expect(judgement.verdict == .undecided(Set(keys), recordCount: 2) && judgement.isAsStated)
  }

  /// Tests that a different value after the log of a full file is undecided.
  ///
  /// The file had no room for the last record when it was compacted, so that record may be older.
  @Test func anOtherValueAfterAFullFilesLogIsUndecided() throws {
    var builder = AppleFixtureBuilder()
    for (key, value) in [("a", "first"), ("b", "second"), ("a", "third")] {
      builder.add(7, key, Array(value.utf8), class: "__NSCFString")
    }
    let count = AppleHeader.byteCount + builder.area.count
    let last = builder.area.count - 36 - 12 - 1 - 5 - 2 - 23
    let store = AppleFastKVStore(builder.file(zeroFilledTo: count + 20, length: UInt64(last)))
    let judgement = try #require(store.evidence).judgement
    #expect(judgement.verdict == .undecided([Key(Array("a".utf8))], recordCount: 1))
    #expect(judgement.isAsStated)
    #expect(judgement.end == nil && judgement.rule?.id == AppleUndecidedKey.id)
  }
}
