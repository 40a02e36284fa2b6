import ExchangeFormats
import Foundation
import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// Property lists that CoreFoundation writes or reads, and that a stricter reader refuses.
struct PropertyListLeniencyTests {
  private let format = PropertyListFormat()

  private func list(_ value: String, before: String = "") -> String {
    "\(before)<plist version=\"1.0\"><dict><key>a</key>\(value)<key>b</key><true/></dict></plist>"
  }

  /// Returns whether Foundation reads the list, which on Linux is CoreFoundation's own reader.
  private func isReadByFoundation(_ text: String) -> Bool {
    isReadByFoundation(Data(text.utf8))
  }

  private func isReadByFoundation(_ data: Data) -> Bool {
    let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
    return list is [AnyHashable: Any]
  }

  private static let values: [(String, Value)] = [
    ("<date>0000-12-30T00:00:00Z</date>", .date(-62_135_769_600)),
    ("<date>0001-01-01T00:00:00Z</date>", .date(-62_135_596_800)),
    ("<date>-001-12-31T23:59:59Z</date>", .date(-62_167_219_201)),
    ("<date>-4713-11-24T12:00:00Z</date>", .date(-210_866_760_000)),
    ("<date>4001-01-01T00:00:00Z</date>", .date(64_092_211_200)),
    ("<date>10000-01-01T00:00:00Z</date>", .date(253_402_300_800)),
    ("<date>2016-12-31T23:59:60Z</date>", .date(1_483_228_800)),
    ("<integer>0x1F</integer>", .int64(31)), ("<integer>-0x10</integer>", .int64(-16)),
    ("<integer>+5</integer>", .int64(5)), ("<integer> 7</integer>", .int64(7)),
    ("<integer>- 7</integer>", .int64(-7)), ("<integer>007</integer>", .int64(7)),
    ("<integer>-9223372036854775808</integer>", .int64(.min)),
    ("<integer>18446744073709551615</integer>", .uint64(.max)),
    ("<integer>0xffffffffffffffff</integer>", .uint64(.max)),
    ("<real>1e3</real>", .double(1000)), ("<real>+.5</real>", .double(0.5)),
    ("<real>5.</real>", .double(5)), ("<real>\u{a0} 1.5</real>", .double(1.5)),
    ("<real>infinity</real>", .double(.infinity)),
    ("<real>-INF</real>", .double(-.infinity)), ("<real>+infinity</real>", .double(.infinity)),
    ("<string>a\r\nb\rc</string>", .string("a\r\nb\rc")),
    ("<string>&#x41;&#66;&#00000067;&apos;&quot;</string>", .string("ABC'\"")),
    ("<string><![CDATA[<&>]]>x</string>", .string("<&>x")),
    ("<string>\u{1}\u{0}</string>", .string("\u{1}\u{0}")),
    ("<true></true>", .bool(true)), ("<array></array>", .array([])),
    ("<data>\nAP8=\r\n\t</data>", .bytes([0, 255])), ("<data></data>", .bytes([])),
    ("<!-- a comment --><string/>", .string("")), ("<?target data?><array/>", .array([])),
    ("<string id=\"1\" id=\"2\">x</string>", .string("x")),
    (
      "<dict><key>CF$UID</key><integer>5</integer></dict>",
      .dictionary([.init("CF$UID", .uint32(5))])
    ),
  ]

  @Test func valuesThatAppleReadsAreRead() throws {
    for (element, value) in Self.values {
      let text = list(element)
      let table = format.table(Array(text.utf8))
      #expect(table.findings == [], "\(element)")
      #expect(table.values["a"]?.isSame(as: value) == true, "\(element): \(table.values)")
      #expect(isReadByFoundation(text), "\(element)")
    }
  }

  @Test(arguments: [
    "<!DOCTYPE plist SYSTEM \"file://localhost/System/Library/DTDs/PropertyList.dtd\">",
    "<!DOCTYPE plist PUBLIC \"-//Other//DTD PLIST 1.0//EN\" \"x\">", "<!DOCTYPE plist>",
    "<?xml version='1.0' encoding='utf-8'?>\r\n<!-- a comment -->\r\n", "\u{feff}",
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!DOCTYPE plist PUBLIC \"x\">",
  ])
  func beginningsThatAppleReadsAreRead(_ beginning: String) {
    let text = list("<string>é</string>", before: beginning)
    let table = format.table(Array(text.utf8))
    #expect(table.findings == [])
    #expect(table.values == ["a": .string("é"), "b": .bool(true)])
    #expect(isReadByFoundation(text))
  }

  @Test(arguments: [
    String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
    .utf32BigEndian, .isoLatin1,
  ])
  func encodingsThatAppleReadsAreRead(_ encoding: String.Encoding) throws {
    let isLatin = encoding == .isoLatin1
    let text = list(
      "<string>é\(isLatin ? "" : "😀")</string>",
      before: isLatin ? "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>" : "<?xml version='1.0'?>")
    let bytes = Array(try #require(text.data(using: encoding)))
    let table = format.table(bytes)
    // Apple's reader skips the first two bytes of a list in UTF-16 as the mark that is not there.
    let lacksMark = !isLatin && [0, 0x3c].contains(bytes[0]) && bytes[2] != 0xfe
    #expect(table.findings.map(\.code) == (lacksMark ? ["plist.malformed"] : []))
    #expect(table.isRefused == lacksMark)
    #expect(isReadByFoundation(Data(bytes)) == !lacksMark)
    #expect(table.values == ["a": .string(isLatin ? "é" : "é😀"), "b": .bool(true)])
    // The place of an entry is in the file, not in the decoded text.
    let last = try #require(table.entries.last?.origin.extent)
    let element = try #require("<true/>".data(using: encoding))
    let isMarked = element.count % 7 != 0
    #expect(
      bytes[last.range].elementsEqual(isMarked ? element.dropFirst(element.count % 7) : element)
        == true)
    #expect(format.table(Array(bytes.dropLast(40))).verdict == .damaged)
  }

  @Test func anUnknownEncodingIsNamed() {
    let text = list("<true/>", before: "<?xml version=\"1.0\" encoding=\"klingon\"?>")
    let table = format.table(Array(text.utf8))
    #expect(table.findings.map(\.code) == ["plist.malformed"])
    #expect(table.findings.first?.message.contains("klingon") == true)
  }

  @Test(arguments: [
    "<date>99999999999-01-01T00:00:00Z</date>",
    "<integer>-9223372036854775809</integer>", "<integer>0x</integer>", "<integer>--5</integer>",
    "<integer>18446744073709551616</integer>", "<date>--5-01-01T00:00:00Z</date>",
  ])
  func valuesThatNoWriterProducesAreDamage(_ element: String) {
    let table = format.table(Array(list(element).utf8))
    #expect(table.findings.map(\.code) == ["plist.damaged-value"])
    #expect(table.values == ["b": .bool(true)])
  }

  /// Elements as no writer writes them, with their values, and whether CoreFoundation refuses a list
  /// with them.
  private static let oddElements: [(String, Value, Bool)] = [
    ("<integer>1 </integer>", .int64(1), true), ("<integer>\n7\n</integer>", .int64(7), true),
    ("<integer>5<!-- --></integer>", .int64(5), true),
    ("<integer><![CDATA[5]]></integer>", .int64(5), true),

    ("<real>20. </real>", .double(20), true), ("<real>1.5f</real>", .double(1.5), true),
    ("<real>0x1p3</real>", .double(8), true), ("<real>5<?x?></real>", .double(5), true),
    ("<integer>&#53;</integer>", .int64(5), true), ("<real>inf </real>", .double(.infinity), true),
    ("<date> 2020-01-02T03:04:05Z\n</date>", .date(1_577_934_245), true),
    ("<true>q</true>", .bool(true), true), ("<false> </false>", .bool(false), true),
    ("<string>a<!-- b -->c</string>", .string("ac"), true),
    ("<string>&#55357;&#56832;</string>", .string("😀"), true), ("<data/>", .bytes([]), true),
    ("<array><integer>1 </integer></array>", .array([.int64(1)]), true),
    ("<date>2023-13-01T00:00:00Z</date>", .date(1_704_067_200), false),
    ("<date>2023-14-01T00:00:00Z</date>", .date(1_672_531_200), false),
    ("<date>2020-02-30T25:61:61Z</date>", .date(1_583_114_521), false),
    ("<date>2023-01-01T24:00:00Z</date>", .date(1_672_617_600), false),
    ("<date>2023-01-01T00:00:61Z</date>", .date(1_672_531_261), false),
    ("<data>AAEC*/w==</data>", .bytes([0, 1, 2, 255]), false),
    ("<data>AAEC/w</data>", .bytes([0, 1, 2]), false),
    ("<data>AAE=AAE=</data>", .bytes([0, 1, 0, 1]), false),
    ("<data>AA=EC</data>", .bytes([0, 0, 4]), false),
  ]

  @Test func whatNoWriterWritesIsReadWithACaution() {
    for (element, value, isRefused) in Self.oddElements {
      let text = list(element)
      let table = format.table(Array(text.utf8))
      #expect(table.findings.map(\.code) == ["plist.odd-value"], "\(element)")
      #expect(table.values["a"]?.isSame(as: value) == true, "\(element): \(table.values)")
      #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged], []], "\(element)")
      #expect(table.isRefused == isRefused, "\(element)")
      #expect(isReadByFoundation(text) == !isRefused, "\(element)")
    }
  }

  @Test func anOddValueIsWhatAppleReads() {
    let cases: [([UInt8], Value)] = [
      ([0x00], .null), ([0x53, 0x61, 0xf7, 0x62], .string("a÷b")),
      ([0x14, 0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 5], .int64(5)),
      ([0x14] + [UInt8](repeating: 255, count: 16), .uint64(.max)),
    ]
    for (bytes, value) in cases {
      let list = BinaryListBuilder(
        objects: [
          BinaryListBuilder.container(0xd0, [1, 2, 3, 4]), BinaryListBuilder.text("a"),
          BinaryListBuilder.text("b"), bytes, [0x09],
        ])
      let table = format.table(list.bytes)
      #expect(table.values == ["a": value, "b": .bool(true)])
      #expect(table.findings.map(\.code) == ["plist.odd-value"])
      #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged], []])
      #expect(!table.isRefused)
    }
  }

  /// Tests that the one value for which a list is refused is not lost among many odd ones.
  @Test func oneOfManyOddValuesRefusesTheList() {
    let odd = String(repeating: "<date>2023-02-30T00:00:00Z</date>", count: 20)
    let read = format.table(Array(list("<array>\(odd)</array>").utf8))
    #expect(!read.isRefused && read.findings.count == 8)
    let refused = format.table(Array(list("<array>\(odd)<integer>1 </integer></array>").utf8))
    #expect(refused.isRefused && refused.findings.count == 9)
  }

  /// Returns a list with `count` arrays at most 100, each of 65,793 references, which begin 6 bytes
  /// after each other: their references are the same bytes, most of them to a text.
  private func overlappingArrays(_ count: Int) -> [UInt8] {
    let arrays = (0..<count).map { UInt8(20 + $0) }
    let start = 8 + 1 + 2 + 3 + 2 * count
    var offsets = [Int](repeating: 8, count: 201)
    (offsets[1], offsets[200]) = (9, 11)
    for index in 0..<count { offsets[20 + index] = start + 6 * index }
    let top = [0xdf, 0x10, UInt8(count)] + [UInt8](repeating: 1, count: count) + arrays
    var bytes = [UInt8]("bplist00".utf8) + [0x09, 0x51, 0x6b] + top
    for _ in 0..<count { bytes += [0xaf, 0x12, 0, 1, 1, 1] }
    bytes += [UInt8](repeating: 1, count: 65_793)
    let table = bytes.count
    for number in offsets { bytes += (0..<4).reversed().map { UInt8(number >> (8 * $0) & 0xff) } }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1]
    for number in [201, 200, table] {
      bytes += (0..<8).reversed().map { UInt8(number >> (8 * $0) & 0xff) }
    }
    return bytes
  }

  /// Tests that references are not followed without end: a file can have as many as the square of its
  /// bytes.
  @Test func arraysThatShareBytesAreFollowedUpToALimit() {
    #expect(isReadByFoundation(Data(overlappingArrays(2))))
    #expect(!format.table(overlappingArrays(2)).isRefused)
    #expect(format.table(overlappingArrays(100)).isRefused)
  }

  @Test(arguments: [
    "<dict><key>a</key><true/></dict>", "<plist version><dict><key>a</key><true/></dict></plist>",
    "<!DOCTYPE plist PUBLIC \"-//A><plist><dict><key>a</key><true/></dict></plist>",
    "<plist a='><dict><key x\">a</key><true y=/></dict></plist>",
  ])
  func listsThatAppleReadsAreRead(_ text: String) {
    let table = format.table(Array(text.utf8))
    #expect(table.findings == [])
    #expect(table.values == ["a": .bool(true)])
    #expect(isReadByFoundation(text))
  }

  @Test(arguments: [
    "<plist>x<dict><key>a</key><true/></dict></plist>",
    "<plist><dict><key>a</key><true/></dict>x</plist>",
    "<plist><dict><key>a</key><true/></dict><dict/></plist>",
    "<plist><dict><key>a</key>\u{b}<true/></dict></plist>",
    "<plist><dict><key>a</key><true/></dict>\u{a0}</plist>",
    "<plist><dict><key>a</key><true/>&#32;</dict></plist>",
  ])
  func listsThatAppleRefusesAreRefused(_ text: String) {
    let table = format.table(Array(text.utf8))
    #expect(table.findings.map(\.code) == ["plist.malformed"])
    #expect(table.values == ["a": .bool(true)])
    #expect(table.isRefused)
    #expect(!isReadByFoundation(text))
  }

  /// Tests document types that CoreFoundation refuses, of which a quote or a bracket is damaged: the
  /// entries are there.
  @Test(arguments: [
    "\"-//Apple//DTD [LIST 1.0//EN\" \"x\"", "\"a>b\"", "\"a>b\" 'c>d'",
  ])
  func damagedDocumentTypesHideNoEntry(_ type: String) {
    let text = list("<true/>", before: "<!DOCTYPE plist PUBLIC \(type)>")
    let table = format.table(Array(text.utf8))
    #expect(table.findings.map(\.code) == ["plist.malformed"])
    #expect(table.values == ["a": .bool(true), "b": .bool(true)])
    #expect(table.isRefused)
    #expect(!isReadByFoundation(text))
  }

  @Test func whatIsNoCharacterOfAnEncodingIsDamage() throws {
    let text = list("<true/>", before: "<!DOCTYPE plist SYSTEM \"x\">")
    let whole = Array(try #require("\u{feff}\(text)".data(using: .utf16LittleEndian)))
    var half = whole
    half[2 * 24 + 1] = 0xd8
    let wide = Array(try #require("\u{feff}\(text)".data(using: .utf32LittleEndian)))
    for bytes in [half, Array(wide.dropLast(2))] {
      let table = format.table(bytes)
      #expect(table.findings.allSatisfy { $0.code == "plist.malformed" } && table.isRefused)
      #expect(table.values == ["a": .bool(true), "b": .bool(true)])
      #expect(!isReadByFoundation(Data(bytes)))
    }
    #expect(format.table(whole).findings == [])
  }

  @Test func textBetweenElementsIsDamage() {
    for text in [
      "<plist><dict>junk<key>a</key><true/></dict></plist>",
      "<plist><dict><key>a</key><array>junk<true/></array></dict></plist>",
    ] {
      #expect(format.codes(Array(text.utf8)) == ["plist.malformed"])
    }
  }

  /// Tests that half of a surrogate pair is no damage: an app that cuts a text after ten units
  /// stores one.
  @Test func halfOfASurrogatePairIsKeptAsAReplacement() throws {
    let bytes =
      [UInt8]("bplist00".utf8) + [0xd1, 1, 2, 0x51, 0x61, 0x62, 0x00, 0x41, 0xd8, 0x3d]
      + [8, 11, 13] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3]
      + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 18]
    let table = format.table(bytes)
    #expect(table.values == ["a": .string("A\u{fffd}")])
    #expect(table.findings.map(\.code) == ["plist.half-surrogate"])
    #expect(table.verdict == .clean)
    #expect(table.findings.allSatisfy { $0.losesContent })
  }

  @Test func datesAreHeldAsTheFormCan() {
    let xml = PropertyListFormat(isXML: true)
    #expect(xml.fitted(.date(-1.5)) == .date(-2))
    #expect(xml.losses(.date(1.5)) == ["convert.value-changed"])
    #expect(xml.losses(.date(1e12)) == [])
    #expect(xml.losses(.date(1e18)) == ["convert.left-out"])
    #expect(format.losses(.date(1.5)) == [])
    #expect(format.losses(.date(1e-9)) == ["convert.value-changed"])
    #expect(format.losses(.date(.nan)) == ["convert.left-out"])
  }

  @Test(arguments: [UInt64(31), 32])
  func anyDateInXMLIsReadBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      let seconds = Double(Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      let entry = TypedEntry(key: Key([0x61]), value: .date(seconds))
      #expect(PropertyListFormat(isXML: true).fit(entry).losses.isEmpty)
    }
  }

  // MARK: From a list to a list

  /// Returns lists that Python writes: random trees of all types, with references (UIDs), numbers at
  /// the ends of their ranges, keys that look like other things, and data of zeros.
  private static let trees = """
    import plistlib, random, sys, datetime
    random.seed(int(sys.stdin.read()))
    names = ['', 'a', 'CF$UID', '$class', 'é', '😀', 'a.b', 'x' * 20, '\\0', ' ', 'NS.keys', '1']
    def leaf():
      return random.choice([
        lambda: random.choice(['', 'text', 'höß', '😀', 'a' * 15, '\\0\\1', 'a\\r\\nb', '<&>']),
        lambda: random.choice([0, 1, -1, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**53 + 1,
                               2**63 - 1, 2**63, 2**64 - 1, -2**63, -2**31]),
        lambda: random.choice([0.0, -0.0, 0.1, 1.0, 1e300, 5e-324, float('nan'), float('inf'),
                               -float('inf'), 494947264.0, 2.0**60]),
        lambda: random.choice([True, False]),
        lambda: bytes(random.choice([0, 8, 100, 5000])),
        lambda: random.randbytes(random.randrange(40)),
        lambda: b'bplist00' + random.randbytes(9),
        lambda: datetime.datetime(random.randrange(1, 9999), random.randrange(1, 13), 1, 23, 59, 59),
        lambda: plistlib.UID(random.choice([0, 1, 255, 256, 65535, 65536, 2**32 - 1])),
      ])()
    def tree(depth):
      kind = random.random()
      if depth == 0 or kind < 0.5: return leaf()
      if kind < 0.7: return [tree(depth - 1) for _ in range(random.randrange(4))]
      if kind < 0.75: return {'CF$UID': random.choice([0, 5, 2**32, -1, 'x', plistlib.UID(3)])}
      return {random.choice(names): tree(depth - 1) for _ in range(random.randrange(20))}
    for _ in range(150):
      top = {random.choice(names) + str(n): tree(4) for n in range(random.randrange(20))}
      print(plistlib.dumps(top, fmt=plistlib.FMT_BINARY, sort_keys=False).hex())
    """

  private static let comparison = """
    import plistlib, sys
    pairs = [line.split() for line in sys.stdin]
    for one, two in pairs:
      one, two = (plistlib.loads(bytes.fromhex(text)) for text in (one, two))
      print('same' if repr(one) == repr(two) else repr(one) + ' is ' + repr(two))
    """

  @Test(.enabled(if: Python.isThere, "there is no Python"), arguments: [UInt64(41), 42, 43])
  func everyTreeIsTheSameInACopy(seed: UInt64) throws {
    let lists = try Python.run(Self.trees, Array("\(seed)".utf8)).split(separator: "\n")
    #expect(lists.count == 150)
    var pairs = ""
    for text in lists {
      let table = format.table(try #require(Hexadecimal.bytes(String(text))))
      #expect(table.findings == [])
      for entry in table.entries { #expect(format.fit(entry).losses == []) }
      let copy = try FormatContract.expectRoundTrip(format, table.entries)
      pairs += "\(text) \(Hexadecimal.text(copy))\n"
    }
    let results = try Python.run(Self.comparison, Array(pairs.utf8)).split(separator: "\n")
    #expect(results.filter { $0 != "same" } == [])
    #expect(results.count == lists.count)
  }

  @Test func aDictionaryThatLooksLikeAReferenceIsALossInXML() {
    let dictionary = Value.dictionary([.init("CF$UID", .int64(5))])
    #expect(format.losses(dictionary) == [])
    #expect(format.losses(.archiveReference(5)) == [])
    let xml = PropertyListFormat(isXML: true)
    #expect(xml.losses(.archiveReference(5)) == [])
    #expect(xml.losses(dictionary) == ["convert.value-changed"])
    #expect(xml.fitted(dictionary) == .archiveReference(5))
    #expect(xml.losses(.dictionary([.init("CF$UID", .string("5"))])) == [])
    #expect(xml.losses(.dictionary([.init("CF$UID", .int64(-5))])) == [])
  }
}
