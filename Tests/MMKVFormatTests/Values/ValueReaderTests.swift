import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Reading values.
///
/// The tests were written from the table of value encodings, not from the reader.
@Suite struct ValueReaderTests {
  // MARK: Exact bytes

  @Test(arguments: Example.all)
  func readingsAreRankedAsExpected(_ example: Example) throws {
    let value = try #require(Hexadecimal.bytes(example.bytes))
    let readings = ValueReader(hasExpirySuffix: false).readings(of: value)
    #expect(readings.first?.value == example.first)
    #expect(readings.map(\.value.kind.rawValue).sorted() == example.kinds.sorted(), "\(readings)")
  }

  @Test func everyReadingHasAReason() throws {
    for example in Example.all {
      let value = try #require(Hexadecimal.bytes(example.bytes))
      for reading in ValueReader(hasExpirySuffix: false).readings(of: value) {
        #expect(!reading.reason.isEmpty && reading.reason.utf8.count < 100)
      }
    }
  }

  // MARK: Integers

  @Test func negativeInt32TakesTenBytes() throws {
    #expect(try readings("ffffffffffffffffff01").first?.value == .int32(-1))
    // The low 32 bits are those of -1, but the engine would have written ten bytes.
    #expect(try readings("ffffffff0f").first?.value == .int64(4_294_967_295))
  }

  @Test func narrowestSignedTypeStandsForTheOthers() throws {
    let reading = try #require(try readings("ac02").first)
    #expect(reading.value == .int32(300))
    #expect(reading.reason.contains("int64, uint32 and uint64 give the same number"))
  }

  @Test(arguments: [
    "8000", "ff00", "808000", "81808080808080808000",  // zeros at the end
    "ffffffffffffffffff02", "ffffffffffffffffff7f",  // more than 64 bits
    "80808080808080808080", "80", "8080",  // no end
    "818080808080808080800100",  // eleven bytes and more
  ])
  func varintThatTheEngineWouldNotWriteIsNoNumber(_ bytes: String) throws {
    let value = try #require(Hexadecimal.bytes(bytes))
    #expect(try readings(bytes).map(\.value) == [.bytes(value)])
  }

  @Test func innerLengthThatTheEngineWouldNotWriteIsNoLength() throws {
    #expect(try readings("810061").map(\.value.kind) == [.bytes])
    #expect(try readings("8300616263").map(\.value.kind) == [.bytes])
  }

  // MARK: Times

  @Test(
    arguments: [
      (1_760_000_000, "seconds"), (1_760_000_000_000, "milliseconds"),
      (1_760_000_000_000_000, "microseconds"), (1_760_000_000_000_000_000, "nanoseconds"),
    ] as [(Int64, String)])
  func integerOfAPlausibleTimeIsADateToo(_ number: Int64, _ unit: String) throws {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.integer(number))
    #expect(readings.first?.value.kind == (number < 1 << 31 ? .int32 : .int64))
    let date = try #require(readings.first { $0.value.kind == .date })
    #expect(date.value == .date(1_760_000_000))
    #expect(date.reason.contains(" \(unit) "))
  }

  @Test(arguments: [946_684_799, 4_102_444_800, 1_760_000_000_0, -1_760_000_000] as [Int64])
  func integerOutsideTheCenturyIsNoDate(_ number: Int64) {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.integer(number))
    #expect(!readings.contains { $0.value.kind == .date })
  }

  @Test func recentSecondsInADoubleAreADateFirst() {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.double(1_760_000_000.5))
    #expect(readings.map(\.value) == [.date(1_760_000_000.5), .double(1_760_000_000.5)])
  }

  @Test func wholeSecondsInADoubleAreANumberFirst() {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.double(1_760_000_000))
    #expect(readings.map(\.value) == [.double(1_760_000_000), .date(1_760_000_000)])
  }

  @Test func secondsThatCocoaCountsAreADateOfToday() {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.double(739_692_800.5))
    #expect(
      readings.map(\.value)
        == [.double(739_692_800.5), .date(1_718_000_000.5), .date(739_692_800.5)])
    #expect(readings[1].reason.contains("since 2001 (Cocoa)"))
  }

  @Test(
    arguments: [
      // 2024-06-10T06:13:20Z, counted from 1601.
      (13_362_473_600_000_000, "WebKit"), (133_624_736_000_000_000, "FILETIME"),
    ] as [(Int64, String)])
  func countsFrom1601AreDates(_ number: Int64, _ name: String) throws {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.integer(number))
    #expect(readings.first?.value == .int64(number))
    let date = try #require(readings.first { $0.value.kind == .date })
    #expect(date.value == .date(1_718_000_000))
    #expect(date.reason.contains(name))
  }

  @Test func millisecondsInADoubleAreANumberFirst() {
    let readings = ValueReader(hasExpirySuffix: false).readings(
      of: Encoder.double(1_760_000_000_250))
    #expect(readings.map(\.value) == [.double(1_760_000_000_250), .date(1_760_000_000.25)])
  }

  // MARK: Text and JSON

  @Test(arguments: [
    "{}", "[]", " [1]x", "[1,2.5e-3,-0,0.1E+2]", #"{"a":{"b":[true,false,null,"\u00e9\n"]}}"#,
    "{ \"a\" :\t1 }\r\n", "[[[]]]", #"["ü"]"#, #"["\u00FF\uabcd\u19AF"]"#,
  ])
  func jsonIsTextFirstAndJSONOnACloserLook(_ text: String) {
    let isContainer = !text.hasPrefix(" ")
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(text.utf8))
    #expect(readings.first?.value == .string(text))
    #expect(readings.contains { $0.value == .json(text) } == isContainer)
  }

  @Test func twoDoublesAndFourFloatsAreNoChance() throws {
    // Pi and e are not round numbers, and the floats are not plausible doubles.
    let doubles = try #require(Hexadecimal.bytes("182d4454fb2109406957148b0abf0540"))
    let floats = try #require(Hexadecimal.bytes("da0f494000207a44da0f494000207a44"))
    func first(_ bytes: [UInt8]) -> Value? {
      ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(bytes)).first?.value
    }
    #expect(first(doubles) == .list(.double([.pi, 2.718281828459045])))
    #expect(first(floats) == .list(.float([.pi, 1000.5, .pi, 1000.5])))
  }

  @Test(arguments: [
    "{", "}", "[", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[01]",
    "[1.]",
    "[.5]", "[+1]", "[1e]", "[--1]", "[-]", "[tru]", "[nulls]", "[\"\\x\"]", "[\"\\u12g4\"]",
    "[\"\\u123\"]",
    "[\"a]",
    "[1}", "{\"a\":1]", "[]]", "{}{}", "[1 2]", "{1:2}", "[\"\u{1}\"]", "[\"\\",
  ])
  func malformedJSONIsOnlyText(_ text: String) {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(text.utf8))
    #expect(!readings.contains { $0.value.kind == .json })
    #expect(readings.contains { $0.value == .string(text) })
  }

  @Test func deepJSONIsOnlyText() {
    func nested(_ depth: Int) -> [Reading] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(text.utf8))
    }
    #expect(nested(512).contains { $0.value.kind == .json })
    #expect(!nested(513).contains { $0.value.kind == .json })
    #expect(!nested(200_000).contains { $0.value.kind == .json })
    #expect(nested(200_000).first?.value.kind == .string)
  }

  @Test func bytesWithoutInnerLengthAreReturnedAsTheyAre() throws {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Array("user_47_0056".utf8))
    #expect(readings.map(\.value) == [.bytes(Array("user_47_0056".utf8))])
    #expect(readings.first?.reason.contains("printable text without the inner length") == true)
    #expect(ValueReader(hasExpirySuffix: false).readings(of: []).map(\.value) == [.bytes([])])
  }

  // MARK: Lists

  @Test func listOfLongTextsOfOneLengthBeatsTheText() {
    let names = (0..<3).map { "3f2504e0-4f89-11d3-9a0c-0305e82c330\($0)" }
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.texts(names))
    #expect(readings.prefix(2).map(\.value.kind) == [.stringList, .string])
  }

  @Test func textThatHappensToDivideIntoLengthsStaysText() {
    let text = "B0B" + String(repeating: "x", count: 64) + "0" + String(repeating: "y", count: 48)
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(text.utf8))
    #expect(readings.prefix(2).map(\.value.kind) == [.string, .stringList])
  }

  /// Tests that texts are told from one text by lengths that are characters of none of them.
  @Test(arguments: [
    [32], [40, 34], [33, 60, 90], [50, 51, 52, 53],
  ])
  func textsWithLengthsThatAreForeignToThemAreAList(counts: [Int]) {
    let texts = counts.enumerated().map { index, count in
      String(String(repeating: "0123456789abcdef", count: 6).dropFirst(index).prefix(count))
    }
    let kinds = ValueReader(hasExpirySuffix: false).readings(of: Encoder.texts(texts))
      .prefix(2).map(\.value.kind)
    // The lengths 50 to 53 are the digits 2 to 5.
    #expect(kinds == (counts[0] == 50 ? [.string, .stringList] : [.stringList, .string]))
  }

  /// Tests that texts that begin alike, a URL or JSON are a list even if their lengths are letters and
  /// digits, and that it is so much likelier than one text that the store's other keys hardly matter.
  @Test(arguments: [
    [
      "https://a.example/" + String(repeating: "r2d2", count: 20),
      "https://b.example/r2d2/r2/d2/r2/d2/r2",
    ],
    ["http://a.example/" + String(repeating: "x", count: 48)],
    ["{\"id\":\"" + String(repeating: "y", count: 60) + "\"}"],
  ])
  func textsThatShowThatTheyAreElementsAreAList(texts: [String]) {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.texts(texts))
    #expect(readings.first?.value == .list(.string(texts)))
    #expect(readings.first { $0.value.kind == .string }?.likelihood == .possible)
  }

  /// Tests that data whose bytes happen to be whole varints is no list of numbers, if it shows what it
  /// is.
  @Test(arguments: [
    // A message with a name, a text of 150 bytes and a number.
    [0x0a, 3] + Array("Ann".utf8) + [0x12, 0x96, 1]
      + [UInt8](repeating: 0x61, count: 150) + [0x18, 0xac, 2],
    // Latin-1.
    Array("the caf".utf8) + [0xe9] + Array(" in the rue de la paix et le march".utf8) + [
      0xe9, 0x21,
    ],
    Array("bplist00".utf8) + [0xd1, 1, 2] + Array("QaQb".utf8) + [8, 11, 13] + [0, 0, 0, 0],
  ])
  func dataThatShowsWhatItIsIsNoListOfNumbers(content: [UInt8]) {
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(content))
    #expect(readings.first?.value.kind != .int32List)
    #expect(!readings.contains { $0.value.kind == .int32List && $0.likelihood < .possible })
  }

  @Test func textOfItsOwnLengthAfterALetterStaysText() {
    let text = "3" + String(repeating: "x", count: 51)
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(text.utf8))
    #expect(readings.prefix(2).map(\.value.kind) == [.string, .stringList])
  }

  @Test func elementsThatAreNotUTF8AreKeptAsBytes() {
    let content = [0xff, 0xfe].flatMap { Encoder.bytes([UInt8($0)]) }
    let readings = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(content))
    #expect(readings.contains { $0.value == .list(.bytes([[0xff], [0xfe]])) })
    #expect(!readings.contains { $0.value.kind == .stringList })
  }

  @Test func ofALongListAreKeptAllNumbersThatTheLimitHolds() throws {
    var builder = MMKVFixtureBuilder()
    builder.put("doubles", Encoder.bytes([1.5, 2.5, 3.5, 4.5].flatMap { Encoder.double($0) }))
    builder.put("floats", Encoder.bytes([1.5, 2.5, 3.5, 4.5].flatMap { Encoder.float($0) }))
    let store = builder.open()
    let records = try #require(Diagnosis(of: store, now: 0).best).snapshot.live
    for (limit, count) in [(0, 0), (7, 0), (8, 1), (15, 1), (16, 2), (32, 4), (33, 4)] {
      let doubles = store.readings(of: records[0], keeping: limit)
      let kept = Array([1.5, 2.5, 3.5, 4.5].prefix(count))
      let list = doubles.first { $0.value.kind == .doubleList }
      #expect(list?.value == .list(.double(kept)) && list?.count == (count < 4 ? 4 : nil))
      let floats = store.readings(of: records[1], keeping: limit / 2)
      #expect(floats.contains { $0.value == .list(.float(kept.map { Float($0) })) }, "\(limit)")
    }
  }

  @Test func runOfZerosIsNoLongListOfEmptyTexts() {
    for (count, isList) in [(1024, true), (1025, false)] {
      let value = Encoder.bytes(repeatElement(0, count: count))
      let readings = ValueReader(hasExpirySuffix: false).readings(of: value)
      #expect(readings.contains { $0.value.kind == .stringList } == isList)
    }
  }

  // MARK: Archives

  /// An archived date, whose objects refer to each other as `NSKeyedArchiver` writes them.
  static let archive = """
    62706c6973743030d401020304050613165924617263686976657258246f626a656374735424746f705824766572\
    73696f6e5f100f4e534b657965644172636869766572a307080d55246e756c6cd2090a0b0c5624636c617373574e\
    532e74696d658002233ff8000000000000d20e0f10115824636c61737365735a24636c6173736e616d65a2111256\
    4e5344617465584e534f626a656374d1141554726f6f74800112000186a008111b24293244484e535a62646d727b\
    868990999ca1a300000000000001010000000000000017000000000000000000000000000000a8
    """

  @Test func archiveIsNamedAfterItsRootObject() throws {
    let bytes = try #require(Hexadecimal.bytes(Self.archive))
    let raw = ValueReader(hasExpirySuffix: false).readings(of: bytes)
    #expect(raw.map(\.value) == [.keyedArchive(className: "NSDate", bytes)])
    let prefixed = ValueReader(hasExpirySuffix: false).readings(of: Encoder.bytes(bytes))
    #expect(
      prefixed.map(\.value) == [.keyedArchive(className: "NSDate", bytes), .bytes(bytes)])
  }

  @Test func propertyListWithoutObjectsHasNoClassName() throws {
    let list = """
      62706c6973743030d10102592461726368697665725178080b15000000000000010100000000000000030000000000\
      0000000000000000000017
      """
    let bytes = try #require(Hexadecimal.bytes(list))
    let readings = ValueReader(hasExpirySuffix: false).readings(of: bytes)
    #expect(readings.map(\.value) == [.keyedArchive(className: nil, bytes)])
  }

  @Test func damagedArchiveNeverTraps() throws {
    let reader = ValueReader(hasExpirySuffix: false)
    let bytes = try #require(Hexadecimal.bytes(Self.archive))
    for count in 8..<bytes.count {
      #expect(reader.readings(of: Array(bytes.prefix(count))).first?.value.kind == .keyedArchive)
    }
    for offset in 8..<bytes.count {
      for mask in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff] as [UInt8] {
        var damaged = bytes
        damaged[offset] ^= mask
        #expect(reader.readings(of: damaged).first?.value.kind == .keyedArchive)
      }
    }
  }

  // MARK: Expiry

  @Test func expiryIsTakenOffFirst() throws {
    let reader = ValueReader(hasExpirySuffix: true)
    #expect(reader.readings(of: [0x05, 0x07, 0x78, 0xe7, 0x68]).map(\.value) == [.int32(5)])
    let text: [UInt8] = [0x02, 0x68, 0x69, 0, 0, 0, 0]
    #expect(reader.readings(of: text).first?.value == .string("hi"))
    #expect(reader.readings(of: [0x07, 0x78, 0xe7, 0x68]).map(\.value) == [.bytes([])])
  }

  @Test func valueTooShortForAnExpiryIsReadAsItIs() {
    let reader = ValueReader(hasExpirySuffix: true)
    #expect(reader.readings(of: [0x02, 0x68, 0x69]).first?.value == .string("hi"))
    #expect(reader.readings(of: []).map(\.value) == [.bytes([])])
  }

  // MARK: Random values

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func whatAnAPIWroteIsAmongTheReadings(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let value = Value.random(using: &random)
      let bytes = Encoder.encode(value)
      let suffix = Encoder.fixed(UInt32.random(in: 0...(.max), using: &random))
      for (reader, stored) in [
        (ValueReader(hasExpirySuffix: false), bytes),
        (ValueReader(hasExpirySuffix: true), bytes + suffix),
      ] {
        let isAmong = reader.readings(of: stored).contains {
          Encoder.isReading($0.value, of: value)
        }
        #expect(isAmong, "seed \(seed), round \(round): \(value)")
      }
    }
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func anyBytesHaveAFewReadingsAndNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<2_000 {
      let count = Int.random(in: 0...40, using: &random)
      let masks: [UInt8] = [0x01, 0x0f, 0x7f, 0xff]
      let mask = masks[Int.random(in: 0..<4, using: &random)]
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) & mask }
      if Bool.random(using: &random) { bytes = Encoder.bytes(bytes) }
      for hasExpiry in [false, true] {
        let readings = ValueReader(hasExpirySuffix: hasExpiry).readings(of: bytes)
        #expect((1...16).contains(readings.count), "seed \(seed), round \(round): \(bytes)")
      }
    }
  }

  @Test(arguments: [0x00, 0x01, 0x20, 0x5b, 0x7f, 0x80, 0xff] as [UInt8])
  func longRunOfOneByteIsReadAtOnce(_ byte: UInt8) {
    let value = Encoder.bytes(repeatElement(byte, count: 1 << 18))
    #expect(ValueReader(hasExpirySuffix: false).readings(of: value).count <= 16)
  }

  private func readings(_ hexadecimal: String) throws -> [Reading] {
    let bytes = try #require(Hexadecimal.bytes(hexadecimal))
    return ValueReader(hasExpirySuffix: false).readings(of: bytes)
  }

  // MARK: Lists of one

  /// Tests that a control character which is the length of all that follows is one.
  @Test(arguments: ["2025-10-19", "0a1b2c3d4", "https://e.com"])
  func aControlCharacterThatIsTheLengthOfTheRestIsOne(text: String) throws {
    let content = [UInt8(text.utf8.count)] + Array(text.utf8)
    let readings = ValueReader(hasExpirySuffix: false).readings(
      of: [UInt8(content.count)] + content)
    #expect(readings.first?.value == .list(.string([text])))
    let other = try #require(readings.first { $0.value.kind == .string })
    #expect(other.likelihood == .possible)
  }

  /// Tests that a text that begins with a line break is one if the rest has another length.
  @Test(arguments: ["\n2025-10-1", "\t2025-10-19", "\nline\n"])
  func aTextThatBeginsWithALineBreakIsOne(text: String) {
    let readings = ValueReader(hasExpirySuffix: false).readings(
      of: [UInt8(text.utf8.count)] + Array(text.utf8))
    #expect(readings.first?.value == .string(text))
  }
}
