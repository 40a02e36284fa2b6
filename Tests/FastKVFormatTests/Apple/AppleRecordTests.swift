import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Reading and writing records, byte for byte.
@Suite struct AppleRecordTests {
  @Test func theChecksumIsTheOneOfXMODEM() {
    let digits = FileImage(Array("123456789".utf8))
    #expect(CRC16.digest(of: digits, in: digits.range) == 0x31c3)
    #expect(CRC16.digest(of: digits, in: 0..<0) == 0)
  }

  @Test func recordsAreReadAsTheyAreWritten() throws {
    let fixture = try HexFixture(
      """
      0000  46 61 73 74 4b 56  01 00 00 00            # FastKV, version 1
      000a  44 00 00 00 00 00 00 00                   # length 68
      0012  ①02 00 00 00 00 00 00 00  01 00 00 00      # bool, record version 1
      001e  00 00 00 00 00 00 00 00                   # no class name
      0026  02 00 00 00 00 00 00 00                   # two bytes of key
      002e  01 00 00 00 00 00 00 00                   # one byte of value
      0036  ②6f 6e  ③01  80 f8                        # "on" → true, CRC
      003b  ④24 46 61 73 74 4b 56 53 65 70 65 72 61    # $FastKVSepera
      0048  74 6f 72 53 74 72 69 6e 67 24             # torString$
      """)
    var bytes = fixture.bytes
    bytes[10] = UInt8(fixture.bytes.count - 18)
    let crc = AppleFixtureBuilder.crc(Array(bytes[fixture["①"]..<fixture["③"] + 1]))
    bytes[fixture["③"] + 1] = UInt8(crc & 0xff)
    bytes[fixture["③"] + 2] = UInt8(crc >> 8)
    let store = AppleFastKVStore(bytes)
    let events = Array(store.records(in: store.logArea, scan: .plain))
    let range = fixture["①"]..<fixture["④"] + 23
    #expect(
      events == [
        .record(
          Record(
            .put, in: .data, at: range, key: fixture["②"]..<fixture["③"],
            value: fixture["③"]..<fixture["③"] + 1, integrity: .verified))
      ])
    guard case .record(let record)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(store.readings(of: record).map(\.value) == [.bool(true)])
  }

  @Test func aSeparatorInAValueOrAKeyIsPartOfIt() throws {
    let separator = "$FastKVSeperatorString$"
    for (key, value) in [("evil", "a\(separator)b"), ("k\(separator)y", "v"), ("s", separator)] {
      var builder = AppleFixtureBuilder()
      builder.add(7, "before", Array("B".utf8))
      builder.add(7, key, Array(value.utf8))
      builder.add(7, "after", Array("A".utf8))
      let store = AppleFastKVStore(builder.file(zeroFilledTo: 1024))
      let diagnosis = expectSound(store, now: 0)
      let entries = store.entries(try #require(diagnosis.best).snapshot.live)
      #expect(entries.count == 3)
      #expect(entries[Key(Array(key.utf8))] == Array(value.utf8))
      #expect(store.codes.contains("fastkv-apple.separator-inside"))
      #expect(diagnosis.predictions.first?.keyCount == 2)
    }
  }

  @Test(arguments: [4, 8], ["$FastKVSeperatorString$", "$FastKVS", "$Fas"])
  func widthAndSeparatorAreToldFromTheRecords(width: Int, separator: String) throws {
    var builder = AppleFixtureBuilder(width: width, separator: separator)
    builder.add(3, "count", [7, 0, 0, 0], class: "NSNumber")
    builder.add(7, "name", Array("Ada".utf8), class: "NSString")
    let store = AppleFastKVStore(builder.file(zeroFilledTo: 512))
    #expect(store.dialect.width == width)
    #expect(store.dialect.separator.rawValue == separator)
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(diagnosis.best?.snapshot.live.count == 2)
    #expect(store.codes.contains("fastkv-apple.pointer-width") == (width == 4))
    #expect(store.codes.contains("fastkv-apple.old-separator") == (separator.count < 23))
  }

  @Test func theChecksumCoversTheLengthModulo65536() throws {
    // With 36 bytes before a key of one byte, these value lengths make the covered count 0, 1 and
    // 100.
    for (extra, uncovered) in [(0, 65536), (1, 65536), (100, 65536), (-1, 0)] {
      var builder = AppleFixtureBuilder()
      builder.add(8, "k", [UInt8](repeating: 0x5a, count: 65536 - 37 + extra))
      builder.add(2, "z", [1])
      var bytes = builder.file()
      let store = AppleFastKVStore(bytes)
      let diagnosis = expectSound(store, now: 0)
      #expect(diagnosis.verdict == .clean)
      #expect(diagnosis.best?.snapshot.live.count == 2)
      let record = try #require(diagnosis.best?.snapshot.live.first)
      #expect(record.integrity == (uncovered == 0 ? .verified : .unchecked))
      #expect(store.codes.contains("fastkv-apple.uncovered") == (uncovered > 0))
      // No checksum shows the damage, so the entry is not verified.
      bytes[18 + 36 + 1 + 40_000] ^= 1
      let damaged = AppleFastKVStore(bytes)
      let state = try #require(Diagnosis(of: damaged, now: 0).best)
      let entry = try #require(state.snapshot.live.first)
      #expect(state.evidence(of: entry) == .structure)
    }
  }

  @Test func valuesHaveTheTypesThatTheirRecordsState() throws {
    func readings(_ type: Int, _ value: [UInt8], class name: String = "") throws -> [Value] {
      var builder = AppleFixtureBuilder()
      builder.add(type, "k", value, class: name)
      let store = AppleFastKVStore(builder.file())
      let record = try #require(Diagnosis(of: store, now: 0).best?.snapshot.live.first)
      return store.readings(of: record).map(\.value)
    }
    #expect(try readings(1, []) == [.null])
    #expect(try readings(2, [0]) == [.bool(false)])
    #expect(try readings(3, [0xff, 0xff, 0xff, 0xff]) == [.int32(-1)])
    #expect(try readings(4, [0, 0, 0, 0, 1, 0, 0, 0]) == [.int64(1 << 32)])
    #expect(try readings(5, [0, 0, 0x80, 0x3f]) == [.float(1)])
    #expect(try readings(6, [0, 0, 0x80, 0x3f, 0x60, 0x55, 0, 0]) == [.double(1)])
    #expect(try readings(6, [0, 0, 0, 0, 0, 0, 0xf8, 0x3f]) == [.double(1.5)])
    #expect(
      try readings(6, [0, 0, 0x80, 0x3f, 0x60, 0x55, 0, 0], class: "__NSDate") == [.date(1)])
    #expect(
      try readings(7, Array("https://a.b".utf8), class: "NSURL") == [.string("https://a.b")])
    #expect(try readings(7, [0x61, 0xe6, 0x97]).first == .string("a"))
    #expect(try readings(8, [1, 2]) == [.bytes([1, 2])])
    #expect(
      try readings(8, Array("bplist00".utf8), class: "__NSArrayI").first
        == .keyedArchive(className: "__NSArrayI", Array("bplist00".utf8)))
    #expect(try readings(9, [1]) == [.bytes([1])])
  }
}
