import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Meta files that state an empty log beside a data file that contains records.
struct UnwrittenMetaTests {
  private static func builder(sequence: UInt32) -> MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder(texts: (0..<8).map { ("key \($0)", "value \($0)") })
    builder.sequence = sequence
    builder.header = 0
    builder.actualCount = 0
    builder.digest = 0
    builder.confirmed = (0, 0)
    return builder
  }

  /// Tests that a meta file that was never written verifies nothing.
  ///
  /// The first write increments the sequence number. So these fields belong to another store, or
  /// were created anew.
  @Test func aMetaFileThatWasNeverWrittenVerifiesNothing() throws {
    let store = Self.builder(sequence: 0).open()
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .damaged)
    #expect(diagnosis.findings.contains { $0.code == "mmkv.meta-blank" && $0.severity == .damage })
    let best = try #require(diagnosis.best)
    #expect(best.snapshot.live.count == 8)
    #expect(best.snapshot.live.allSatisfy { best.evidence(of: $0) <= .structure })
    #expect(diagnosis.state(.beforeReset)?.snapshot.live.count == 8)
  }

  /// Tests that a cleared store is clean.
  ///
  /// Clearing a store also increments the sequence number, and leaves the old records in the file.
  @Test func aClearedStoreIsClean() {
    let diagnosis = Diagnosis(of: Self.builder(sequence: 2).open(), now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(diagnosis.best?.snapshot.live.isEmpty == true)
  }

  /// Tests that a store is clean if it was opened but never written to.
  @Test func aNewStoreIsClean() {
    var builder = Self.builder(sequence: 0)
    builder.records = []
    builder.prefix = []
    #expect(Diagnosis(of: builder.open(), now: 0).verdict == .clean)
  }

  /// Tests that unusual bytes are read as they are if a checksum proves them.
  ///
  /// The checksum determines the end of the log.
  @Test func whatAChecksumProvesIsReadAsItStands() throws {
    var builder = MMKVFixtureBuilder(texts: (0..<4).map { ("key \($0)", "value \($0)") })
    builder.put([0x6c, 0x49, 0, 1, 0x95, 0xad], [UInt8](repeating: 0, count: 120))
    for index in 4..<8 { builder.put("key \(index)", text: "value \(index)") }
    builder.header = 0x6d00_0000
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: builder.data, meta: Array(builder.meta.prefix(16)))
    ).corrected()
    let best = try #require(Diagnosis(of: store, now: 0).best)
    #expect(best.snapshot.gaps.isEmpty)
    #expect(best.snapshot.live.count == 9)
    #expect(best.isSound)
  }
}
