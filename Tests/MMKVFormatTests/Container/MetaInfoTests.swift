import KVBytes
import KVModel
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct MetaInfoTests {
  @Test func fieldsAreReadWhereTheFormatHasThem() throws {
    let fixture = try HexFixture(
      """
      0000  01 02 03 04  05 06 07 08  09 0a 0b 0c
      000c  10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f
      001c  21 22 23 24  25 26 27 28  29 2a 2b 2c
      0068  31 32 33 34 35 36 37 38
      """)
    var cursor = ByteCursor(fixture.bytes.storageSpan, in: 0..<112)
    let meta = try MetaInfo(parsing: &cursor)
    #expect(cursor.offset == 112)
    #expect(meta.digest == 0x0403_0201)
    #expect(meta.version == 0x0807_0605)
    #expect(meta.sequence == 0x0c0b_0a09)
    #expect(meta.vector == (0x10...0x1f).map { UInt8($0) })
    #expect(meta.actualCount == 0x2423_2221)
    #expect(meta.confirmedCount == 0x2827_2625)
    #expect(meta.confirmedDigest == 0x2c2b_2a29)
    #expect(meta.flags == 0x3837_3635_3433_3231)
  }

  @Test func fieldsAreWrittenWhereTheyAreRead() throws {
    let fixture = try HexFixture(
      """
      0000  01 02 03 04  04 00 00 00  09 0a 0b 0c
      000c  10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f
      001c  21 22 23 24  21 22 23 24  01 02 03 04
      0068  01 00 00 00 00 00 00 00
      """)
    let meta = MetaInfo(
      digest: 0x0403_0201, sequence: 0x0c0b_0a09, vector: (0x10...0x1f).map { UInt8($0) },
      actualCount: 0x2423_2221, hasExpiry: true)
    var writer = ByteWriter()
    meta.write(to: &writer)
    #expect(writer.bytes == fixture.bytes)
  }

  @Test(arguments: 0..<112)
  func metaThatIsCutIsNotRead(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(throws: ByteError.self) {
      var cursor = ByteCursor(bytes.storageSpan, in: 0..<count)
      _ = try MetaInfo(parsing: &cursor)
    }
  }
}
