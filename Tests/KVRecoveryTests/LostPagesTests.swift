import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Pages of a store that are missing, or older than its meta file.
struct LostPagesTests {
  private static let pageCount = 4096

  /// Returns a store with `count` entries whose size and checksum were confirmed when it was empty.
  private func builder(_ count: Int) -> MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    for index in 0..<count { builder.put("token_\(index)", text: "hello \(index)") }
    return builder
  }

  /// Returns the live entries of the best state after `change` of the data file.
  private func entries(
    _ builder: MMKVFixtureBuilder, _ change: (inout [UInt8]) -> Void
  ) throws -> [Key: [UInt8]] {
    var data = builder.data
    change(&data)
    let files = MMKVFixtureBuilder.files(data: data, meta: builder.meta)
    let store = MMKVFormat(now: 1_760_000_000).open(files).corrected()
    let best = try #require(Diagnosis(of: store, now: 1_760_000_000).best)
    return store.entries(best.snapshot.live)
  }

  @Test func recordsBetweenTwoLostPagesAreKept() throws {
    let builder = builder(1_000)
    let whole = try entries(builder) { _ in }
    let pages = builder.data.count / Self.pageCount
    let lost = [1, builder.payload.count / Self.pageCount]
    #expect(pages > 3 && whole.count == 1_000)
    let found = try entries(builder) { data in
      for page in lost {
        let start = page * Self.pageCount
        data.replaceSubrange(
          start..<start + Self.pageCount, with: [UInt8](repeating: 0, count: Self.pageCount))
      }
    }
    #expect(found.allSatisfy { whole[$0.key] == $0.value })
    // A page holds about 200 of the records, the last one fewer.
    #expect(found.count > 1_000 - 2 * 220 && found[Key(Array("token_500".utf8))] != nil)
  }

  /// Tests a flag from a newer meta file: the values themselves show that they have no expiry time.
  @Test func aFlagThatTheValuesContradictHidesNone() throws {
    var builder = builder(10)
    for index in 0..<10 { builder.put("flag_\(index)", [UInt8(index % 2)]) }
    let whole = try entries(builder) { _ in }
    builder.flags = 1
    builder.digest = 0x1234_5678
    let found = try entries(builder) { _ in }
    #expect(found == whole && found.count == 20)
  }
}
