import ExchangeFormats
import KVBytes
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading and writing Preferences DataStore.
struct DataStoreFormatTests {
  private let format = DataStoreFormat()

  @Test func whatIsWrittenIsReadBack() throws {
    try FormatContract.expectRoundTrip(format)
  }

  /// Tests that the file is recognized by its name, whatever it contains.
  ///
  /// The first input is empty, as a message without fields is. The second is damaged, because the
  /// value of its entry has no member.
  @Test(arguments: [[], [0x0a, 0x05, 0x0a, 0x01, 0x61, 0x12, 0x00]] as [[UInt8]])
  func aFileIsKnownByItsNameWhateverIsInIt(bytes: [UInt8]) {
    func likelihood(_ name: FilePath) -> Int {
      format.recognition(of: [StoreFile(.data, at: name, FileImage(bytes))]).likelihood
    }
    #expect(likelihood("user.preferences_pb") >= Readers.recognizedUnnamed)
    #expect(likelihood("user") < Readers.recognized)
  }

  /// An entry of every type, as the library writes it.
  private static let everyType = """
    0000  ①0a 07  0a 01 62  12 02  08 01                                    # b: bool
    0009  ②0a 0a  0a 01 66  12 05  15 00 00 c0 3f                           # f: float 1.5
    0015  0a 10  0a 01 69  12 0b  18 fe ff ff ff ff ff ff ff ff 01          # i: int32 −2
    0027  0a 07  0a 01 6c  12 02  20 05                                    # l: int64 5
    0030  0a 09  0a 01 73  12 04  2a 02 68 69                              # s: string "hi"
    003b  0a 0d  0a 01 74  12 08  32 06 0a 01 61 0a 01 62                  # t: set "a" "b"
    004a  0a 0e  0a 01 64  12 09  39 00 00 00 00 00 00 04 40               # d: double 2.5
    005a  0a 09  0a 01 79  12 04  42 02 00 ff                              # y: bytes
    """

  private static let entries: [(String, Value)] = [
    ("b", .bool(true)), ("f", .float(1.5)), ("i", .int32(-2)), ("l", .int64(5)),
    ("s", .string("hi")), ("t", .set(["a", "b"])), ("d", .double(2.5)), ("y", .bytes([0, 255])),
  ]

  @Test func theBytesAreTheLibrarys() throws {
    let fixture = try HexFixture(Self.everyType)
    let table = format.table(fixture.bytes)
    #expect(table.findings == [])
    #expect(table.entries.map { $0.key.text } == Self.entries.map(\.0))
    #expect(table.entries.map(\.value) == Self.entries.map(\.1))
    #expect(table.entries[0].origin.extent == Extent(.data, fixture["①"]..<fixture["②"]))
    let written = try FormatContract.expectRoundTrip(
      format, Self.entries.map { TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1) })
    #expect(written == fixture.bytes)
  }

  /// Compares the result with a decoder of the wire format that shares no code with ours.
  @Test(.enabled(if: Python.isThere, "there is no Python"))
  func pythonDecodesTheSame() throws {
    let script = """
      import sys, struct
      def varint(b, i):
          n = s = 0
          while True:
              c = b[i]; i += 1; n |= (c & 127) << s; s += 7
              if c < 128: return n, i
      def fields(b):
          i = 0
          while i < len(b):
              tag, i = varint(b, i)
              if tag & 7 == 0: v, i = varint(b, i)
              elif tag & 7 == 1: v, i = b[i:i + 8], i + 8
              elif tag & 7 == 5: v, i = b[i:i + 4], i + 4
              else:
                  n, i = varint(b, i); v, i = b[i:i + n], i + n
              yield tag >> 3, v
      for number, entry in fields(sys.stdin.buffer.read()):
          assert number == 1
          (one, key), (two, value) = fields(entry)
          assert (one, two) == (1, 2)
          member, v = list(fields(value))[-1]
          if member == 2: v = struct.unpack('<f', v)[0]
          if member == 7: v = struct.unpack('<d', v)[0]
          if member in (3, 4) and v >> 63: v -= 1 << 64
          if member == 6: v = [text.decode() for n, text in fields(v)]
          print(key.decode(), member, ascii(v))
      """
    let values: [(String, Value)] = [
      ("b", .bool(false)), ("f", .float(1.5)), ("i", .int32(-5)), ("l", .int64(.min)),
      ("s", .string("h\u{f6}\u{df}")), ("set", .set(["x", "y"])), ("d", .double(0.1)),
      ("data", .bytes([0, 255])),
    ]
    let bytes = try FormatContract.expectRoundTrip(
      DataStoreFormat(),
      values.map { TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1) })
    #expect(
      try Python.run(script, bytes)
        == """
        b 1 0
        f 2 1.5
        i 3 -5
        l 4 -9223372036854775808
        s 5 b'h\\xc3\\xb6\\xc3\\x9f'
        set 6 ['x', 'y']
        d 7 0.1
        data 8 b'\\x00\\xff'

        """)
  }

  @Test func theLastOfAKeyCounts() throws {
    let fixture = try HexFixture(
      """
      0000  0a 07 0a 01 62 12 02 08 01  ①0a 07 0a 01 62 12 02 08 00
      """)
    let table = format.table(fixture.bytes)
    #expect(table.values == ["b": .bool(false)])
    #expect(table.findings.map(\.code) == ["datastore.duplicate-key"])
    #expect(table.findings.first?.extent?.offset == fixture["①"])
  }

  @Test func anEntryBeyondTheEndIsTruncated() throws {
    let fixture = try HexFixture(
      """
      0000  0a 07 0a 01 62 12 02 08 01  ①0a 7f 0a 01
      """)
    let table = format.table(fixture.bytes)
    #expect(table.values == ["b": .bool(true)])
    #expect(table.findings.map(\.code) == ["datastore.truncated"])
    #expect(table.findings.first?.extent == Extent(.data, fixture["①"]..<fixture.bytes.count))
    #expect(table.findings.first?.message.contains("127 bytes, but only 2 are left") == true)
  }

  @Test(arguments: [
    "0000  0a 05 0a 01 ff 12 00",  // a key that is not UTF-8
    "0000  0a 07 0a 01 61 12 02 0f 01",  // wire type 7
    "0000  0a 07 0a 01 61 12 02 00 01",  // field 0
    "0000  0a 11 0a 01 61 12 0c 20 ff ff ff ff ff ff ff ff ff ff ff",  // a number of eleven bytes
  ])
  func onlyTheMalformedEntryIsLost(_ text: String) throws {
    let fixture = try HexFixture(text)
    let table = format.table(fixture.bytes + [0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1])
    #expect(table.values == ["b": .bool(true)])
    #expect(table.findings.map(\.code) == ["datastore.malformed"])
    #expect(table.findings.first?.extent == Extent(.data, fixture.bytes.indices))
  }

  @Test func aTextThatIsNotUTF8IsReadAsTheAppReadsIt() throws {
    let fixture = try HexFixture("0000  0a 08 0a 01 61 12 03 2a 01 ①ff")
    let table = format.table(fixture.bytes + [0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1])
    #expect(table.values == ["a": .string("\u{fffd}"), "b": .bool(true)])
    #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged], []])
    #expect(table.findings.map(\.code) == ["datastore.malformed"])
    #expect(table.findings.first?.extent == Extent(.data, fixture["①"]..<fixture["①"] + 1))
    #expect(!table.isRefused)
  }

  @Test func aValueWithoutMemberIsDamage() throws {
    #expect(format.codes([0x0a, 5, 0x0a, 1, 0x61, 0x12, 0]) == ["datastore.empty-value"])
    #expect(format.codes([0x0a, 3, 0x0a, 1, 0x61]) == ["datastore.empty-value"])
  }

  @Test func anUnknownFieldIsPassedOver() throws {
    let table = format.table([0x10, 1, 0x0a, 9, 0x0a, 1, 0x62, 0x12, 4, 8, 1, 0x48, 3])
    #expect(table.values == ["b": .bool(true)])
    #expect(
      table.findings.map(\.code) == ["datastore.unknown-field", "datastore.unknown-field"])
    #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged]])
  }

  @Test func theLastMemberCountsAndPiecesOfASetAreOneSet() {
    let table = format.table([
      0x0a, 19, 0x0a, 1, 0x62, 0x12, 14,
      0x08, 1, 0x32, 3, 0x0a, 1, 0x61, 0x32, 5, 0x0a, 1, 0x61, 0x0a, 0,
    ])
    #expect(table.findings == [])
    #expect(table.values == ["b": .set(["a", ""])])
  }

  /// Tests that the last value of an entry replaces the others, as in the library, and is doubted.
  @Test func theLastValueOfAnEntryCounts() throws {
    let sets = try HexFixture(
      "0000  0a 11 0a 01 6b  12 05 32 03 0a 01 61  12 05 32 03 0a 01 62  # k: {a}, then {b}")
    let table = format.table(sets.bytes)
    #expect(table.values == ["k": .set(["b"])])
    #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged]])
    #expect(table.findings.map(\.code) == ["datastore.unknown-field"])
    #expect(table.findings.first?.message.contains("2 values") == true)
    let empty = try HexFixture(
      "0000  0a 0c 0a 01 6b  12 05 2a 03 6f 6c 64  12 00  # k: \"old\", then nothing")
    #expect(format.codes(empty.bytes) == ["datastore.empty-value"])
  }

  @Test(arguments: [
    "0000  0a 07 0a 01 61 12 02 08 01  a3 01 08 05 a4 01",  // in the map
    "0000  0a 0d 0a 01 61 a3 01 08 05 a4 01 12 02 08 01",  // in an entry
    "0000  0a 0d 0a 01 61 12 08 08 01 a3 01 08 05 a4 01",  // in a value
    "0000  0a 11 0a 01 61 12 0c 08 01 a3 01 ab 01 12 00 ac 01 a4 01",  // a group in a group
  ])
  func aGroupIsPassedOver(_ text: String) throws {
    let table = format.table(try HexFixture(text).bytes)
    #expect(table.values == ["a": .bool(true)])
    #expect(table.findings.map(\.code) == ["datastore.unknown-field"])
    #expect(!table.isRefused)
  }

  @Test(
    arguments: [
      ([0xa3, 1, 8, 5], "datastore.truncated"),  // without an end
      ([0xa3, 1, 8, 5, 0xac, 1], "datastore.malformed"),  // with the end of another one
      ([0xa4, 1], "datastore.malformed"),  // only an end
    ] as [([UInt8], String)])
  func aGroupWithoutItsEndIsDamage(_ group: [UInt8], _ code: String) {
    let table = format.table([0x0a, 7, 0x0a, 1, 0x61, 0x12, 2, 8, 1] + group)
    #expect(table.values == ["a": .bool(true)])
    #expect(table.findings.map(\.code) == [code])
    #expect(table.isRefused)
  }

  @Test func groupsAreReadOnlySoDeep() {
    func codes(_ depth: Int) -> [String] {
      let (start, end): ([UInt8], [UInt8]) = ([0xa3, 1], [0xa4, 1])
      let ends = [[UInt8]](repeating: start, count: depth) + Array(repeating: end, count: depth)
      return format.codes(ends.flatMap(\.self))
    }
    #expect(codes(100) == ["datastore.unknown-field"])
    #expect(codes(101) == ["datastore.malformed"])
    #expect(codes(500_000) == ["datastore.malformed"])
  }

  /// Tests that bytes that many fields claim are not read again for each of them.
  @Test func readingInVainTakesTimeInProportion() {
    let count = 4000
    var file = ByteWriter()
    for number in 0..<count {
      // An entry, then a group without an end, with a field that reaches to the fields at the end.
      file.writeBytes([0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1, 0xa3, 1, 0xfa, 1])
      let left = (count - 1 - number) * 17
      for shift in [0, 7, 14] { file.writeByte(UInt8(left >> shift & 0x7f) | 0x80) }
      file.writeByte(UInt8(left >> 21))
    }
    file.writeBytes([UInt8](repeating: 0x10, count: 40_000))
    let table = format.table(file.bytes)
    #expect(table.values == ["b": .bool(true)])
    #expect(table.isRefused)
  }

  @Test func aTemporaryFileIsNoted() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1], to: "a.preferences_pb")
    try folder.write([1], to: "a.preferences_pb.tmp")
    for place in [path, folder.path] {
      let files = try format.discover(at: place)
      #expect(files.map(\.role) == [.data, .side])
      let table = format.read(files)
      #expect(table.values == ["b": .bool(true)])
      #expect(table.findings.map(\.code) == ["datastore.temporary"])
    }
  }

  @Test func valuesWithoutATypeAreTranslated() {
    #expect(format.fitted(.uint32(.max)) == .int64(4_294_967_295))
    #expect(format.losses(.uint32(1)) == ["convert.type-changed"])
    #expect(format.fitted(.uint64(7)) == .int64(7))
    #expect(format.fitted(.uint64(.max)) == .string("18446744073709551615"))
    #expect(format.losses(.uint64(.max)) == ["convert.value-changed"])
    #expect(format.fitted(.list(.string(["a", "b", "a"]))) == .set(["a", "b"]))
    #expect(format.losses(.list(.string(["a"]))) == ["convert.type-changed"])
    #expect(format.losses(.list(.string(["a", "b"]))) == ["convert.value-changed"])
    #expect(format.fitted(.set(["a", nil])) == .set(["a"]))
    #expect(format.fitted(.list(.bytes([[0], []]))) == .string(#"["AA==",""]"#))
    #expect(format.losses(.list(.double([.nan]))) == ["convert.left-out"])
    #expect(
      format.fitted(.dictionary([.init("a\"\u{1}", .array([.null, .double(1.5)]))]))
        == .string(#"{"a\"\u0001":[null,1.5]}"#))
    #expect(format.losses(.null) == ["convert.left-out"])
    #expect(format.losses(.object(className: "T", [1])).last == "convert.class-lost")
    #expect(format.fit(TypedEntry(key: Key([0xff]), value: .null)).entry == nil)
    let expiring = format.fit(TypedEntry(key: Key([1]), value: .bool(true), expiry: 9))
    #expect(expiring.losses.map(\.code) == ["convert.expiry-lost"])
    #expect(expiring.entry?.expiry == 0)
  }

  @Test func theNameMakesItLikelier() {
    let bytes: [UInt8] = [0x0a, 7, 0x0a, 1, 0x62, 0x12, 2, 8, 1]
    func likelihood(_ name: String, _ bytes: [UInt8]) -> Int {
      format.recognition(of: [StoreFile(.data, at: FilePath(name), FileImage(bytes))]).likelihood
    }
    #expect(likelihood("a.preferences_pb", bytes) == 90)
    #expect(likelihood("a", bytes) == 60)
    #expect(likelihood("a", []) == 0)
    #expect(likelihood("a", bytes + [0x0a, 9]) == 10)
    #expect(likelihood("a.preferences_pb", bytes + [0x0a, 9]) == 70)
  }

  @Test func aThousandFindingsOfACodeAreEnough() {
    let findings = format.table([UInt8](repeating: 0x10, count: 6000)).findings
    #expect(findings.count == 1000)
    #expect(findings.last?.message.contains("3,000 of these") == true)
  }

  @Test func aSetInManyPiecesTakesTimeInProportion() {
    var value = ByteWriter()
    for number in 0..<200_000 {
      let text = Array(String(number).utf8)
      value.writeBytes([0x32, UInt8(text.count + 2), 0x0a, UInt8(text.count)] + text)
    }
    var entry = ByteWriter()
    entry.writeBytes([0x0a, 1, 0x62, 0x12])
    entry.writeVarint(UInt64(value.count))
    entry.writeBytes(value.bytes)
    var file = ByteWriter()
    file.writeByte(0x0a)
    file.writeVarint(UInt64(entry.count))
    file.writeBytes(entry.bytes)
    guard case .set(let texts) = format.table(file.bytes).values["b"] else {
      Issue.record("no set")
      return
    }
    #expect(texts.count == 200_000)
  }

  @Test(arguments: [UInt64(1)])
  func changedBytesAreNoTrap(seed: UInt64) throws {
    FormatContract.readMutations(of: try HexFixture(Self.everyType).bytes, seed: seed, format)
  }

  /// Tests that an entry is kept whose text is damaged, also if the next one cannot be read.
  @Test func damagedTextsBeforeAnErrorAreKept() {
    let first: [UInt8] = [0x0a, 9, 0x0a, 3] + "one".utf8 + [0x12, 2, 0x18, 7]
    let text: [UInt8] = [0x0a, 11, 0x0a, 1, 0x61, 0x12, 6, 0x2a, 4] + "caf".utf8 + [0xe9]
    let badKey: [UInt8] = [0x0a, 7, 0x0a, 1, 0xff, 0x12, 2, 0x18, 1]
    let last: [UInt8] = [0x0a, 10, 0x0a, 4] + "last".utf8 + [0x12, 2, 0x18, 3]
    for (bytes, keys) in [
      (first + text + badKey + last, ["one", "a", "last"]), (text + badKey, ["a"]),
      (text + text.map { $0 == 0x61 ? 0x62 : $0 } + [0xff], ["a", "b"]),
    ] {
      let table = format.table(bytes)
      #expect(table.entries.compactMap(\.key.text) == keys)
      let doubted = table.entries.filter { !$0.origin.cautions.isEmpty }.compactMap(\.key.text)
      #expect(doubted == keys.filter { $0.utf8.count == 1 })
      #expect(table.verdict == .damaged)
    }
  }
}
