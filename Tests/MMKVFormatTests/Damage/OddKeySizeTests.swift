import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Stores in which every key is unusual, and whose size is wrong in one of the two files.
///
/// The checksum matches over the other size, so they are readable.
@Suite struct OddKeySizeTests {
  private static let keys: [[UInt8]] = [
    Array("a\u{0}b\ntcj".utf8), [0x01, 0x02, 0xff], [0x80], [UInt8](repeating: 0, count: 5),
  ]

  @Test(arguments: keys, [-2, 2, 1000])
  func aSizeOverWhichTheChecksumMatchesShowsTheStore(key: [UInt8], error: Int) throws {
    for isEncrypted in [false, true] {
      #if !Encryption
        if isEncrypted { continue }
      #endif
      var builder = MMKVFixtureBuilder()
      if isEncrypted { builder.key = MMKVKey(Array("secret".utf8)) }
      let text = "1dmixv3eaaouqwud785" + (isEncrypted ? " and more text" : "")
      builder.put(key, [UInt8(text.utf8.count)] + Array(text.utf8))
      builder.actualCount = UInt32(builder.payload.count + error)
      let store = builder.open()
      let diagnosis = Diagnosis(of: store, now: 0)
      #expect(diagnosis.verdict != .unreadable, "encrypted: \(isEncrypted)")
      let best = try #require(diagnosis.best)
      #expect(best.snapshot.live.map { store.key(of: $0).bytes } == [key])
    }
  }
}
