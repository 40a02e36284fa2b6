import ExchangeFormats
import KVBytes
import KVFixtures
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading and writing property lists, in binary and XML form.
struct PropertyListFormatTests {
  private let binary = PropertyListFormat()
  private let xml = PropertyListFormat(isXML: true)

  @Test(arguments: [false, true])
  func whatIsWrittenIsReadBack(isXML: Bool) throws {
    try FormatContract.expectRoundTrip(PropertyListFormat(isXML: isXML))
  }

  private static let entries: [(String, Value)] = [
    ("yes", .bool(true)), ("no", .bool(false)), ("small", .int64(255)), ("two", .int64(65_535)),
    ("four", .int64(4_294_967_295)), ("minus", .int64(-1)), ("least", .int64(.min)),
    ("large", .uint64(.max)), ("real", .double(1.5)), ("one", .double(1)),
    ("text", .string("a<b&\"c\"")),
    ("wide", .string("höß😀")), ("lines", .string("a\r\nb\tc")), ("date", .date(1_700_000_000)),
    ("data", .bytes([0, 255])), ("array", .array([.int64(1), .string("text"), .array([])])),
    ("dictionary", .dictionary([.init("text", .bool(true)), .init("b", .dictionary([]))])),
    ("\u{e9}", .int64(1)), ("e\u{301}", .int64(2)),
    ("more than fifteen characters", .string("more than fifteen of them too")),
  ]

  private static let typed = entries.map {
    TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1)
  }

  @Test(.enabled(if: Python.isThere, "there is no Python"), arguments: [false, true])
  func pythonReadsTheSame(isXML: Bool) throws {
    let format = PropertyListFormat(isXML: isXML)
    for (key, value) in Self.entries { #expect(format.losses(value) == [], "\(key)") }
    let bytes = try FormatContract.expectRoundTrip(format, Self.typed)
    let script = """
      import sys, plistlib
      for k, v in plistlib.loads(sys.stdin.buffer.read()).items(): print(ascii(k), ascii(v))
      """
    #expect(
      try Python.run(script, bytes) == """
        'yes' True
        'no' False
        'small' 255
        'two' 65535
        'four' 4294967295
        'minus' -1
        'least' -9223372036854775808
        'large' 18446744073709551615
        'real' 1.5
        'one' 1.0
        'text' 'a<b&"c"'
        'wide' 'h\\xf6\\xdf\\U0001f600'
        'lines' 'a\\r\\nb\\tc'
        'date' datetime.datetime(2023, 11, 14, 22, 13, 20)
        'data' b'\\x00\\xff'
        'array' [1, 'text', []]
        'dictionary' {'text': True, 'b': {}}
        '\\xe9' 1
        'e\\u0301' 2
        'more than fifteen characters' 'more than fifteen of them too'

        """)
  }

  @Test(.enabled(if: Python.isThere, "there is no Python"), arguments: ["FMT_BINARY", "FMT_XML"])
  func whatPythonWritesIsRead(form: String) throws {
    let script = """
      import plistlib, datetime
      d = {'b': True, 'i': -5, 'u': 2**64-1, 'r': 2.0, 's': 'h\\u00f6\\U0001f600', 'y': b'\\x00' * 100,
           'd': datetime.datetime(1999, 12, 31, 23, 59, 59), 'a': [1, {'k': 'v'}], 'e': {}}
      print(plistlib.dumps(d, fmt=plistlib.\(form), sort_keys=False).hex(), end='')
      """
    let bytes = try #require(Hexadecimal.bytes(try Python.run(script, [])))
    let table = binary.table(bytes)
    #expect(table.findings == [])
    #expect(
      table.values == [
        "b": .bool(true), "i": .int64(-5), "u": .uint64(.max), "r": .double(2),
        "s": .string("hö😀"), "y": .bytes([UInt8](repeating: 0, count: 100)),
        "d": .date(946_684_799), "a": .array([.int64(1), .dictionary([.init("k", .string("v"))])]),
        "e": .dictionary([]),
      ])
  }

  // MARK: Binary

  private static let small = """
    0000  62 70 6c 69 73 74 30 30   # bplist00
    0008  d2 01 02 03 04            # two keys, two values
    000d  51 61  51 62              # "a" "b"
    0011  ①09  ②11 01 00            # true, 256
    0015  08 0d 0f 11 12            # the table
    001a  00 00 00 00 00 00 01 01
    0022  00 00 00 00 00 00 00 05  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 15
    """

  @Test func theBytesAreThoseOfTheFormat() throws {
    let fixture = try HexFixture(Self.small)
    let table = binary.table(fixture.bytes)
    #expect(table.findings == [])
    #expect(table.entries.map(\.value) == [.bool(true), .int64(256)])
    #expect(
      table.entries.map(\.origin.extent?.range) == [
        fixture["①"]..<fixture["②"], fixture["②"]..<fixture["②"] + 3,
      ])
    let written = try FormatContract.expectRoundTrip(
      binary,
      [
        TypedEntry(key: Key([0x61]), value: .bool(true)),
        TypedEntry(key: Key([0x62]), value: .int64(256)),
      ])
    #expect(written == fixture.bytes)
  }

  /// Returns a list whose dictionary maps "a" to `value` and "b" to true.
  private static func list(_ value: [UInt8], _ more: [[UInt8]] = []) -> BinaryListBuilder {
    BinaryListBuilder(
      objects: [
        BinaryListBuilder.container(0xd0, [1, 2, 3, 4]), BinaryListBuilder.text("a"),
        BinaryListBuilder.text("b"), value, [0x09],
      ] + more)
  }

  @Test(
    arguments: [
      [0x0f], [0x15], [0x1f, 0x10, 0x02], [0x24], [0x30], [0x41 + 0x0e, 0x13],
      [0x84, 1, 0, 0, 0, 0], [0xc0], [0x5f, 0x13, 0x7f],
      [0x4f, 0x12, 0, 0, 255, 0],
      [0xa1, 0, 0, 0, 99],
      [0xa1, 0, 0, 0, 3], [0xd1, 0, 0, 0, 4, 0, 0, 0, 4], [0xaf, 0x12, 0, 0, 255, 0],
    ] as [[UInt8]])
  func aDamagedValueIsLeftOut(_ value: [UInt8]) {
    let table = binary.table(Self.list(value).bytes)
    #expect(table.values == ["b": .bool(true)])
    #expect(table.findings.map(\.code) == ["plist.damaged-value"])
  }

  /// An archive in a file of its own is healthy, in both forms: a reference in it is what `plutil`
  /// shows of it.
  @Test func aReferenceIsWhatItIsInXML() {
    let reference = Value.dictionary([.init("CF$UID", .uint32(258))])
    #expect(binary.table(Self.list([0x81, 1, 2]).bytes).values["a"]?.isSame(as: reference) == true)
    let text =
      "<plist><dict><key>a</key><dict><key>CF$UID</key><integer>258</integer></dict></dict>"
    #expect(xml.table(Array((text + "</plist>").utf8)).values["a"]?.isSame(as: reference) == true)
  }

  @Test func theDamageIsWhereTheValueIs() {
    var list = Self.list([0x84, 1, 0, 0, 0, 0])
    let table = binary.table(list.bytes)
    #expect(table.findings.first?.extent == Extent(.data, 29..<35))
    list.offsets[3] = 1 << 20
    #expect(binary.codes(list.bytes) == ["plist.malformed", "plist.damaged-value"])
  }

  @Test func integersOfSixteenBytesAreNumbers() {
    func value(_ high: UInt8, _ low: UInt8) -> Value? {
      let bytes = [0x14] + [UInt8](repeating: high, count: 8) + [UInt8](repeating: low, count: 8)
      return binary.table(Self.list(bytes).bytes).values["a"]
    }
    #expect(value(0, 0) == .int64(0))
    #expect(value(0, 255) == .uint64(.max))
  }

  /// CoreFoundation writes an empty text in ASCII, and refuses one in UTF-16.
  @Test func anEmptyTextIsASCII() {
    for (marker, isRefused) in [(UInt8(0x50), false), (0x60, true)] {
      let table = binary.table(Self.list([marker]).bytes)
      #expect(table.values == ["a": .string(""), "b": .bool(true)])
      #expect(table.isRefused == isRefused && table.findings.isEmpty == !isRefused)
    }
  }

  @Test func aKeyThatIsNoTextIsDamage() {
    var list = Self.list([0x09])
    list.objects[1] = [0x10, 1]
    #expect(binary.table(list.bytes).values == ["b": .bool(true)])
    #expect(binary.codes(list.bytes) == ["plist.damaged-value"])
  }

  @Test func theFirstOfAKeyIsTakenAndInXMLTheLast() {
    var list = Self.list([0x08])
    list.objects[1] = BinaryListBuilder.text("b")
    #expect(binary.table(list.bytes).values == ["b": .bool(false)])
    #expect(binary.codes(list.bytes) == ["plist.duplicate-key"])
    let text = "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>"
    #expect(binary.table(Array(text.utf8)).values == ["a": .bool(false)])
    #expect(binary.codes(Array(text.utf8)) == ["plist.duplicate-key"])
  }

  @Test func theFirstOfANameWithinAValueIsTakenAndInXMLTheLast() {
    let first = Value.dictionary([.init("x", .bool(true)), .init("y", .bool(true))])
    let last = Value.dictionary([.init("x", .bool(false)), .init("y", .bool(true))])
    let text = """
      <plist><dict><key>a</key><dict><key>x</key><true/><key>y</key><true/><key>x</key><false/></dict>
      <key>b</key><true/></dict></plist>
      """
    let xml = binary.table(Array(text.utf8))
    #expect(xml.values == ["a": last, "b": .bool(true)])
    #expect(xml.findings.map(\.code) == ["plist.duplicate-key"])
    var list = BinaryListBuilder()
    list.objects = [
      BinaryListBuilder.container(0xd0, [1, 2, 3, 6]), BinaryListBuilder.text("a"),
      BinaryListBuilder.text("b"), BinaryListBuilder.container(0xd0, [4, 5, 4, 6, 6, 7]),
      BinaryListBuilder.text("x"), BinaryListBuilder.text("y"), [0x09], [0x08],
    ]
    let table = binary.table(list.bytes)
    #expect(table.values == ["a": first, "b": .bool(true)])
    #expect(table.findings.map(\.code) == ["plist.duplicate-key"])
    #expect(table.findings.first?.losesContent == true)
  }

  @Test func aDamagedTrailerOrDictionaryIsNoTrap() throws {
    let bytes = try HexFixture(Self.small).bytes
    #expect(binary.codes(Array(bytes.dropLast())) == ["plist.malformed"])
    #expect(binary.codes(Array("bplist15".utf8)) == ["plist.malformed"])
    #expect(binary.codes(Array("bplist00".utf8)) == ["plist.malformed"])
    var many = Self.list([0x09])
    many.objects[0] = [0xdf, 0x12, 0x00, 0x00, 0x00, 0x60]
    #expect(Set(binary.codes(many.bytes)) == ["plist.malformed"])
    #expect(
      binary.codes(BinaryListBuilder(objects: [[0xa0]]).bytes) == ["plist.not-dictionary"])
  }

  /// Tests that memory stays bounded if many entries refer to the same long string.
  ///
  /// Each reference takes only a few bytes in the file, but each key belongs to its own entry.
  @Test func aTextThatIsReferredToOverAndOverIsBounded() throws {
    var list = BinaryListBuilder()
    let (count, length) = (300, 1 << 20)
    var dictionary = ByteWriter()
    dictionary.writeBytes([0xdf, 0x12])
    dictionary.writeInteger(UInt32(count), as: .big)
    for index in 0..<2 * count {
      dictionary.writeInteger(UInt32(index < count ? 1 : 2), as: .big)
    }
    var text = ByteWriter()
    text.writeBytes([0x5f, 0x12])
    text.writeInteger(UInt32(length), as: .big)
    text.writeBytes([UInt8](repeating: UInt8(ascii: "k"), count: length))
    list.objects = [dictionary.bytes, text.bytes, [0x09]]
    let findings = binary.table(list.bytes).findings
    #expect(findings.contains { $0.message.contains("repeated references to texts") })
    #expect(findings.allSatisfy { $0.message.utf8.count < 1000 })
  }

  @Test func depthIsNoTrap() {
    let chain = (5...100_000).map { BinaryListBuilder.container(0xa0, [$0 + 1]) } + [[0x09]]
    let table = binary.table(Self.list(BinaryListBuilder.container(0xa0, [5]), chain).bytes)
    #expect(table.values == ["b": .bool(true)])
    #expect(table.findings.map(\.code) == ["plist.damaged-value"])
    #expect(table.findings.first?.message.contains("nested more than 64 deep") == true)
  }

  @Test func aCycleIsNoTrap() {
    let cycle = [BinaryListBuilder.container(0xa0, [3, 3])]
    let table = binary.table(Self.list(BinaryListBuilder.container(0xa0, [5, 5]), cycle).bytes)
    #expect(table.values == ["b": .bool(true)])
    #expect(table.findings.map(\.code) == ["plist.damaged-value"])
    #expect(table.findings.first?.message.contains("contains itself") == true)
  }

  @Test func sharedContainersDoNotExplode() {
    let bomb = (5..<45).map { BinaryListBuilder.container(0xa0, [$0 + 1, $0 + 1]) } + [[0x09]]
    var list = Self.list([0x08], bomb)
    list.objects[0] = BinaryListBuilder.container(0xd0, [1, 2, 3, 5])
    let table = binary.table(list.bytes)
    #expect(table.values == ["a": .bool(false)])
    #expect(table.findings.contains { $0.message.contains("refer to each other as more than") })
  }

  @Test func textsInEachOtherDoNotExplode() {
    var list = Self.list([0x5f, 0x11, 0x27, 0x10] + [UInt8](repeating: 0x61, count: 10_000))
    // Thirteen more strings of ten thousand bytes, all at the same offset.
    list.objects += (0..<13).map { _ in [0x09] }
    for object in 5..<18 { list.offsets[object] = 29 }
    list.objects[4] = BinaryListBuilder.container(0xa0, Array(5..<18))
    #expect(binary.codes(list.bytes) == ["plist.malformed"])
  }

  // MARK: XML

  private static let document = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>a&amp;b</key>
    \t<array>
    \t\t<dict>
    \t\t\t<key>k</key>
    \t\t\t<real>0.5</real>
    \t\t</dict>
    \t\t<integer>-1</integer>
    \t\t<data>AP8=</data>
    \t</array>
    \t<key>d</key>
    \t<date>0999-02-28T00:00:01Z</date>
    \t<key>t</key>
    \t<true/>
    </dict>
    </plist>

    """

  @Test func theFormIsApples() throws {
    let values: [(String, Value)] = [
      (
        "a&b",
        .array([.dictionary([.init("k", .double(0.5))]), .int64(-1), .bytes([0, 255])])
      ), ("d", .date(-30_636_748_799)), ("t", .bool(true)),
    ]
    let bytes = try FormatContract.expectRoundTrip(
      xml, values.map { TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1) })
    #expect(String(decoding: bytes, as: UTF8.self) == Self.document)
  }

  private func table(_ text: String) -> EntryTable { binary.table(Array(text.utf8)) }

  @Test func elementsOfOtherWritersAreRead() {
    let table = table(
      """
      <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "x"><plist><dict><!-- c -->
      <key>h</key><integer> 0xff</integer><key>n</key><real>NaN</real><key>i</key><real>-inf</real>
      <key>y</key><data>
        AP
        8=
      </data><key>l</key><integer>9223372036854775808</integer>
      </dict></plist>
      """)
    #expect(table.findings == [])
    #expect(table.values["h"] == .int64(255))
    #expect(table.values["n"]?.isSame(as: .double(.nan)) == true)
    #expect(table.values["i"] == .double(-.infinity))
    #expect(table.values["y"] == .bytes([0, 255]))
    #expect(table.values["l"] == .uint64(1 << 63))
  }

  @Test(arguments: [
    "<integer>1.5</integer>", "<integer/>", "<real>x</real>",
    "<date>now</date>", "<data>é</data>", "<thing/>", "<array><thing/></array>",
    "<string>a<b/></string>", "<dict><true/></dict>", "<dict><key>k</key></dict>",
    "<dict><key>k</key><key>l</key><true/></dict>", "<integer>0x+5</integer>",
    "<integer>0x-0</integer>", "<integer>0x</integer>",
  ])
  func aDamagedElementIsLeftOut(_ element: String) {
    let table = table(
      "<plist><dict><key>a</key>\(element)<key>b</key><true/></dict></plist>")
    #expect(table.values == ["b": .bool(true)])
    #expect(table.findings.map(\.code) == ["plist.damaged-value"])
  }

  @Test func aKeyOrAValueAloneIsDamage() {
    let pair = table("<plist><dict><key>a</key><key>b</key><true/></dict></plist>")
    #expect(pair.values == ["b": .bool(true)])
    #expect(pair.findings.map(\.code) == ["plist.damaged-value"])
    #expect(
      table("<plist><dict><key>a</key></dict></plist>").findings.map(\.code)
        == ["plist.damaged-value"])
    #expect(
      table("<plist><dict><true/></dict></plist>").findings.map(\.code) == ["plist.damaged-value"])
  }

  @Test func noEntryComesFromOutsideTheDictionary() {
    let rest = "<key>b</key><string>x</string></plist>"
    let keyAlone = table("<plist><dict><key>a</key></dict>\(rest)")
    #expect(keyAlone.entries.isEmpty)
    #expect(keyAlone.findings.map(\.code) == ["plist.damaged-value", "plist.malformed"])
    let whole = table("<plist><dict><key>a</key><true/></dict>\(rest)")
    #expect(whole.values == ["a": .bool(true)])
    #expect(whole.findings.map(\.code) == ["plist.malformed"])
  }

  @Test(arguments: [
    "", "text", "<plist><dict>", "<map/>", "<plist/>", "<plist><dict></plist>",
    "<plist><dict/></plist><plist/>", "<plist><dict/><dict/></plist>", "{ a = 1; }",
    "<plist><dict><key>a</key><string>&#x+41;</string></dict></plist>",
  ])
  func whatIsNoListIsDamage(_ text: String) {
    #expect(table(text).findings.map(\.code) == ["plist.malformed"])
  }

  @Test func aListWithoutDictionaryHasNoEntries() {
    #expect(
      table("<plist><array><true/></array></plist>").findings.map(\.code)
        == ["plist.not-dictionary"])
  }

  @Test func entriesBeforeTheDamageAreKept() {
    let table = table("<plist><dict><key>a</key><true/><key>b</key><integer>1</plist>")
    #expect(table.values == ["a": .bool(true)])
    #expect(table.findings.map(\.code) == ["plist.malformed"])
  }

  @Test func aDocumentTypeThatDeclaresIsRefused() {
    let laughs = (1...9).map {
      "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">"
    }
    let bomb =
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\" [<!ENTITY l0 \"lol\">\(laughs.joined())]>"
      + "<plist><dict><key>a</key><string>&l9;</string></dict></plist>"
    #expect(table(bomb).findings.map(\.code) == ["plist.doctype"])
    #expect(table(bomb).entries.isEmpty)
    // Mac OS X 10.0 wrote its document type so.
    #expect(
      table("<!DOCTYPE plist SYSTEM \"file://localhost/x\"><plist><dict/></plist>").findings == [])
  }

  @Test func depthInXMLIsNoTrap() {
    let deep = String(repeating: "<array>", count: 100_000)
    #expect(
      table("<plist><dict><key>a</key>\(deep)").findings.map(\.code) == ["plist.malformed"])
    func nested(_ count: Int) -> EntryTable {
      table(
        "<plist><dict><key>a</key>" + String(repeating: "<array>", count: count)
          + String(repeating: "</array>", count: count) + "<key>b</key><true/></dict></plist>")
    }
    #expect(nested(64).findings == [])
    #expect(nested(65).findings.map(\.code) == ["plist.damaged-value"])
    #expect(nested(65).values == ["b": .bool(true)])
  }

  // MARK: Both forms

  @Test(arguments: [UInt64(4)])
  func changedBytesAreNoTrap(seed: UInt64) throws {
    FormatContract.readMutations(of: try HexFixture(Self.small).bytes, seed: seed, binary)
    FormatContract.readMutations(of: Array(Self.document.utf8), seed: seed, binary)
    let large = try FormatContract.expectRoundTrip(binary, Self.typed)
    FormatContract.readMutations(of: large, seed: seed, rounds: 5000, binary)
  }

  @Test(arguments: [false, true])
  func theDeepestContainersAreHeld(isXML: Bool) throws {
    let format = PropertyListFormat(isXML: isXML)
    var value = Value.bool(true)
    for _ in 0..<Value.maximumDepth { value = .array([value]) }
    try FormatContract.expectRoundTrip(format, [TypedEntry(key: Key([0x61]), value: value)])
    #expect(format.losses(.array([value])) == ["convert.left-out"])
  }

  @Test(arguments: [false, true])
  func manyEntriesTakeWiderReferences(isXML: Bool) throws {
    try FormatContract.expectRoundTrip(
      PropertyListFormat(isXML: isXML),
      (0..<40_000).map {
        TypedEntry(key: Key(Array("key \($0)".utf8)), value: .int64(Int64($0)))
      })
  }

  @Test func valuesWithoutATypeAreTranslated() {
    #expect(binary.fitted(.int32(-1)) == .int64(-1))
    #expect(binary.losses(.uint32(1)) == ["convert.type-changed"])
    #expect(binary.fitted(.uint64(5)) == .int64(5))
    #expect(binary.losses(.uint64(.max)) == [])
    #expect(binary.losses(.float(1.5)) == [])
    #expect(xml.fitted(.float(1.5)) == .double(1.5))
    #expect(
      xml.losses(.double(Double(bitPattern: 0x7ff8_0000_0000_0001))) == ["convert.value-changed"])
    #expect(binary.fitted(.list(.int32([1]))) == .array([.int64(1)]))
    #expect(binary.losses(.list(.int32([1]))) == ["convert.type-changed"])
    #expect(binary.fitted(.set(["a", nil])) == .array([.string("a")]))
    #expect(binary.losses(.set(["a", nil])) == ["convert.value-changed"])
    #expect(binary.losses(.set(["a"])) == ["convert.type-changed"])
    #expect(binary.losses(.array([.null])) == ["convert.left-out"])
    #expect(
      binary.fitted(
        .dictionary([.init("a", .null), .init("b", .int32(1)), .init("b", .bool(true))]))
        == .dictionary([.init("b", .bool(true))]))
    #expect(xml.losses(.string("\u{1}")) == ["convert.left-out"])
    #expect(xml.losses(.dictionary([.init("\u{1}", .bool(true))])) == ["convert.left-out"])
    #expect(binary.losses(.string("\u{0}")) == [])
    #expect(binary.losses(.raw([1])) == ["convert.value-changed"])
    let archive = Array("bplist00".utf8)
    #expect(
      binary.fitted(.bytes(archive)) == .keyedArchive(className: nil, archive))
    #expect(
      binary.fitted(.object(className: "T", archive)) == .keyedArchive(className: nil, archive))
  }

  @Test(arguments: [false, true])
  func everyDateIsReadBackAsSaid(isXML: Bool) throws {
    var random = SeededGenerator(seed: 5)
    let dates = (0..<5000).map { _ -> Double in
      Double.random(in: -6.2e10...2.5e11, using: &random)
        * (Bool.random(using: &random) ? 1 : 1e-9)
    }
    try FormatContract.expectRoundTrip(
      PropertyListFormat(isXML: isXML),
      dates.enumerated().map {
        TypedEntry(key: Key(Array(String($0.offset).utf8)), value: .date($0.element))
      })
  }
}
