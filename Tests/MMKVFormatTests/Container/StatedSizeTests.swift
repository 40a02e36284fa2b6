import KVModel
import KVTestSupport
import MMKVFormat
import Testing

/// The sizes that the files state, of which each is one claim and none is there twice.
struct StatedSizeTests {
  /// Tests every combination of a right, a wrong and no size in the header and the meta file.
  @Test func everySizeThatIsStatedIsOneClaim() throws {
    var builder = MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2"), ("three", "3")])
    let right = UInt32(builder.payload.count)
    for version: UInt32 in [2, 3, 4] {
      for header in [right, 10, 0] {
        for actual in [right, 10, 0] {
          builder.version = version
          builder.header = header
          builder.actualCount = actual
          let store = MMKVFormat(key: nil, now: 0).open(builder.files()).asFound
          let isInMeta = version >= 3
          var expected: [(LengthClaim.Role, UInt32)] = [(.current, isInMeta ? actual : header)]
          if isInMeta { expected.append((.confirmed, 4)) }
          if isInMeta, header > 0, header != actual { expected.append((.alternate, header)) }
          let found = store.lengthClaims
          let place = "version \(version), \(header), \(actual)"
          #expect(found.map(\.role) == expected.map(\.0), "\(place)")
          #expect(found.map(\.count) == expected.map { Int($0.1) }, "\(place)")
        }
      }
    }
  }
}
