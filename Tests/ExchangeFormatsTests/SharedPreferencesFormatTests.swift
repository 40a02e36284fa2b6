import ExchangeFormats
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading and writing SharedPreferences.
struct SharedPreferencesFormatTests {
  private let format = SharedPreferencesFormat()

  @Test func whatIsWrittenIsReadBack() throws {
    try FormatContract.expectRoundTrip(format)
  }

  private static let entries: [(String, Value)] = [
    ("s", .string("a<b>&\"c\"\n\td\re")), ("empty", .string("")), ("i", .int32(-5)),
    ("l", .int64(.max)), ("f", .float(1e10)), ("b", .bool(true)), ("t", .set(["x", "y&z"])),
    ("none", .set([])), ("with null", .set(["x", nil])), ("n", .null),
    ("a\n\"b\"", .string("höß😀")),
  ]

  private static let typed = entries.map {
    TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1)
  }

  private static let document = """
    <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
    <map>
        <string name="s">a&lt;b&gt;&amp;&quot;c&quot;&#10;&#9;d&#13;e</string>
        <string name="empty"></string>
        <int name="i" value="-5" />
        <long name="l" value="9223372036854775807" />
        <float name="f" value="1.0E10" />
        <boolean name="b" value="true" />
        <set name="t">
            <string>x</string>
            <string>y&amp;z</string>
        </set>
        <set name="none" />
        <set name="with null">
            <string>x</string>
            <null />
        </set>
        <null name="n" />
        <string name="a&#10;&quot;b&quot;">höß😀</string>
    </map>

    """

  @Test func theFormIsAndroids() throws {
    let bytes = try FormatContract.expectRoundTrip(format, Self.typed)
    #expect(String(decoding: bytes, as: UTF8.self) == Self.document)
    #expect(format.table(bytes).entries.map(\.value) == Self.entries.map(\.1))
  }

  @Test func theExtentIsThatOfTheElement() throws {
    let table = format.table(
      Array("<map><int name='a' value='1'/><string name='b'>x</string></map>".utf8))
    #expect(table.entries.map(\.origin.extent?.range) == [5..<30, 30..<57])
  }

  @Test(.enabled(if: Python.isThere, "there is no Python"))
  func pythonReadsTheSame() throws {
    // Of references, other readers than Android's take only those to characters of XML.
    let entries = (Self.typed + Samples.entries).filter { entry in
      switch format.fit(entry).entry?.value {
      case .string(let text): XMLText.obstacle(in: text) == nil
      case .set(let texts): texts.allSatisfy { XMLText.obstacle(in: $0 ?? "") == nil }
      default: true
      }
    }
    let bytes = try FormatContract.expectRoundTrip(format, entries)
    let script = """
      import sys, xml.etree.ElementTree as E
      m = E.fromstring(sys.stdin.buffer.read())
      assert m.tag == 'map'
      print(len(m))
      print(ascii([(e.tag, e.get('name'), e.get('value'), e.text) for e in m][:6]))
      print(ascii([c.text for c in m[6]]), ascii((m[10].get('name'), m[10].text)))
      """
    let fitted = entries.compactMap { format.fit($0).entry }
    #expect(
      try Python.run(script, bytes)
        == """
        \(fitted.count)
        [('string', 's', None, 'a<b>&"c"\\n\\td\\re'), ('string', 'empty', None, None), \
        ('int', 'i', '-5', None), ('long', 'l', '9223372036854775807', None), \
        ('float', 'f', '1.0E10', None), ('boolean', 'b', 'true', None)]
        ['x', 'y&z'] ('a\\n"b"', 'h\\xf6\\xdf\\U0001f600')

        """)
  }

  private func table(_ text: String) -> EntryTable { format.table(Array(text.utf8)) }

  @Test func whatTheSystemWritesToo() {
    let table = table(
      """
      \u{feff}<?xml version="1.0" encoding="UTF-8"?><!-- c --><map>
      <double name='d' value='0.1'/><byte-array name='y' num='2'>00fF</byte-array>
      <string name='c'>a<![CDATA[<b>\r\n&]]>&#x41;<!-- --></string><string name='k'>&#1;</string>
      </map>
      """)
    #expect(table.findings == [])
    #expect(
      table.values == [
        "d": .double(0.1), "y": .bytes([0, 255]), "c": .string("a<b>\n&A"), "k": .string("\u{1}"),
      ])
  }

  /// Tests that two references may form one character.
  ///
  /// Android reads each character reference as one UTF-16 code unit.
  @Test func aCharacterMayBeTwoReferences() {
    let table = table(
      "<map><string name='a&#xD83D;&#xde00;'>&#55357;&#56832;&#55357;&#56833;z</string></map>")
    #expect(table.findings == [])
    #expect(table.values == ["a😀": .string("😀😁z")])
  }

  @Test func spaceOfAnyAlphabetBetweenElementsIsSpace() {
    let table = table("<map>\u{a0}\n<int name='a' value='1' />\u{2028}\t</map>")
    #expect(table.findings == [])
    #expect(table.values == ["a": .int32(1)])
  }

  @Test func aDocumentTypeIsRefused() {
    let bomb = """
      <?xml version="1.0"?><!DOCTYPE map [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
      <map><string name="x">&b;</string></map>
      """
    #expect(table(bomb).entries.isEmpty)
    #expect(table(bomb).findings.map(\.code) == ["sharedprefs.doctype"])
    #expect(
      table("<!DOCTYPE map SYSTEM '/etc/passwd'><map/>").findings.map(\.code) == [
        "sharedprefs.doctype"
      ])
  }

  @Test(arguments: [
    "", "plain", "<map>", "<map></mop>", "<map><string name='b'>",
    "<map><string name='b'>&unknown;</string></map>",
    "<map><string name='b'>&#55357;</string></map>",
    "<map><string name='b'>&#56832;&#55357;</string></map>",
    "<map><string name='b'>&#55357;x&#56832;</string></map>",
    "<map><string name='b'>&#55357;&#55357;</string></map>",
    "<map><string name='b'>&#x+41;</string></map>", "<map><string name='b'>&#+65;</string></map>",
    "<map><string name='b'>&#-0;</string></map>", "<map><string name='b'>&#x-0;</string></map>",
    "<map><string name='b'>&#55357;&amp;</string></map>", "<map><string name='b'>&#55357;&",
    "<map a=b/>", "<map a='<'/>", "<map><int name='b", "<map><![CDATA[", "<!--",
    "<preferences/>", "<map><1",
  ])
  func whatIsNotWellFormedIsDamage(_ text: String) {
    #expect(table(text).findings.map(\.code) == ["sharedprefs.malformed"])
    #expect(table(text).entries.isEmpty)
  }

  @Test func entriesBeforeTheDamageAreKept() {
    let table = table("<map>\n<int name='a' value='1' />\n  <int name='b' value=2 />\n</map>")
    #expect(table.values == ["a": .int32(1)])
    #expect(table.findings.map(\.code) == ["sharedprefs.malformed"])
    #expect(table.findings.first?.message.contains("line 3, column 23") == true)
    #expect(table.findings.first?.extent?.offset == 55)
  }

  @Test func bytesThatAreNotUTF8AreDamage() {
    let bytes =
      Array("<map><string name='a'>".utf8) + [0xff]
      + Array("</string><int name='b' value='1' /></map>".utf8)
    let table = format.table(bytes)
    // Android reads U+FFFD instead, and the rest.
    #expect(table.values == ["a": .string("\u{fffd}"), "b": .int32(1)])
    #expect(table.findings.map(\.code) == ["sharedprefs.malformed"])
    #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged], []])
  }

  @Test func whatIsNoEntryIsPassedOver() {
    let table = table(
      "<map>x<thing name='a'><int name='b' value='1'/></thing><set name='s'><int/><string>y<b/>z"
        + "</string></set><int name='c' value='2'/></map>")
    #expect(table.values == ["s": .set(["yz"]), "c": .int32(2)])
    #expect(
      table.findings.map(\.code) == Array(repeating: "sharedprefs.unknown-element", count: 4))
  }

  /// Tests that what Android discards, or what is left out of the entries, is damage.
  @Test(
    arguments: [
      ("<gloat name='b' value='1.5'/>", nil, true),
      ("<list name='b'><int value='1'/></list>", nil, false),
      ("<list name='b'><map><gloat name='q'/></map></list>", nil, true),
      ("<string nbme='b'>secret</string>", nil, false),
      ("<set name='b'><strine>q</strine><string>r</string></set>", .set(["r"]), true),
      ("<set name='b'>q<string>r</string></set>", .set(["r"]), false),
      ("<set name='b'><string x='q'>r</string></set>", .set(["r"]), false),
      ("<set name='b'><null>q</null><string>r</string></set>", .set(["r", nil]), true),
      ("<string name='b'>q<x>z</x></string>", .string("q"), true),
      ("<string name='b' value='q'>r</string>", .string("r"), false),
      ("<int name='b' value='1'><x/></int>", .int32(1), true),
      ("<int name='b' value='1'> </int>", .int32(1), true),
      ("<null name='b'>q</null>", .null, true),
    ] as [(String, Value?, Bool)])
  func whatIsLeftOutIsDamage(_ element: String, _ value: Value?, _ isRefused: Bool) {
    let table = table("<map>\(element)<int name='c' value='2'/></map>")
    #expect(table.values["b"] == value && table.values["c"] == .int32(2))
    #expect(table.verdict != .clean && table.isRefused == isRefused)
    #expect(table.findings.contains { $0.severity == .damage && $0.losesContent })
    for entry in table.entries {
      #expect(entry.origin.cautions == (entry.key == Key([0x62]) ? [.mayBeDamaged] : []))
    }
  }

  @Test(arguments: [
    "<null name='x' />", "<set name='x'>\n <null />\n <string></string>\n </set>",
    "<string name='x' />", "<set name='x' />", "<byte-array name='x' num='1'>00</byte-array>",
    "<byte-array name='x' num='0'></byte-array>",
  ])
  func whatAndroidWritesIsClean(_ element: String) {
    let table = table("<map>\n\(element)\n</map>\n")
    #expect(table.findings == [] && table.verdict == .clean && !table.isRefused)
    #expect(table.entries.map(\.origin.cautions) == [[]])
  }

  @Test(arguments: [
    "<int name='a' value='2147483648' />", "<int name='a' />", "<long name='a' value='1.0' />",
    "<float name='a' value='0x10' />", "<float name='a' value='inf' />",
    "<boolean name='a' value='1' />", "<byte-array name='a'>0</byte-array>",
  ])
  func aBadValueIsDamage(_ element: String) {
    let table = table("<map>\(element)<int name='c' value='2'/></map>")
    #expect(table.values == ["c": .int32(2)])
    #expect(table.findings.map(\.code) == ["sharedprefs.value"])
    #expect(table.findings.first?.extent?.range == 5..<(5 + element.utf8.count))
  }

  @Test(arguments: ["num='1'", "num='3'", "num='x'", ""])
  func bytesOfAnotherNumberAreKeptWithACaution(_ number: String) {
    let element = "<byte-array name='a' \(number)>00ff</byte-array>"
    let table = table("<map>\(element)<int name='c' value='2'/></map>")
    #expect(table.values == ["a": .bytes([0, 0xff]), "c": .int32(2)])
    #expect(table.entries.map(\.origin.cautions) == [[.mayBeDamaged], []])
    #expect(table.findings.map(\.code) == ["sharedprefs.value"] && table.isRefused)
    #expect(table.findings.first?.extent?.range == 5..<(5 + element.utf8.count))
  }

  /// Tests what SharedPreferencesImpl writes for the key null, which its map allows.
  @Test(arguments: ["<int value='1' />", "<string>x</string>", "<set />"])
  func anElementWithoutANameHasTheKeyNull(_ element: String) {
    let table = table("<map>\(element)<int name='c' value='2'/></map>")
    #expect(table.values == ["c": .int32(2)])
    #expect(table.findings.map(\.code) == ["sharedprefs.null-key"])
    #expect(table.verdict == .clean)
  }

  /// Tests what older releases of Android write as it is, and read so.
  @Test func controlCharactersStay() {
    let table = table("<map><string name='a\tb'>x\u{1}y\tz</string></map>")
    #expect(table.values == ["a\tb": .string("x\u{1}y\tz")])
    #expect(table.findings == [])
  }

  @Test func encryptedPreferencesAreNamed() {
    let keyset = "__androidx_security_crypto_encrypted_prefs_key_keyset__"
    let table = table(
      "<map><string name='\(keyset)'>12a901</string><string name='AQk='>AQ==</string></map>")
    #expect(table.findings.map(\.code) == ["sharedprefs.encrypted"])
    #expect(table.findings[0].message.hasPrefix("1 entry is encrypted"))
    #expect(table.verdict == .clean && table.entries.count == 2)
  }

  /// Tests that Android ignores what follows the map.
  @Test func whatFollowsTheMapIsNotRead() {
    #expect(table("<map><int name='a' value='1'/></map>\n\n").findings == [])
    let table = table("<map><int name='a' value='1'/></map></map>x")
    #expect(table.values == ["a": .int32(1)])
    #expect(table.findings.map(\.code) == ["sharedprefs.unknown-element"])
  }

  @Test func theLastOfANameCounts() {
    let table = table("<map><int name='a' value='1'/><int name='a' value='2'/></map>")
    #expect(table.values == ["a": .int32(2)])
    #expect(table.findings.map(\.code) == ["sharedprefs.duplicate-key"])
  }

  @Test func theBackupWins() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("<map><int".utf8), to: "a.xml")
    let backup = try folder.write(
      Array("<map><int name='a' value='1' /></map>".utf8), to: "a.xml.bak")
    for place in [path, folder.path, backup] {
      let files = try format.discover(at: place)
      #expect(files.map(\.path) == [backup, path])
      #expect(files.map(\.role) == [.data, .side])
      let table = format.read(files)
      #expect(table.values == ["a": .int32(1)])
      #expect(table.findings.map(\.code) == ["sharedprefs.backup"])
      #expect(format.recognition(of: files).likelihood == 90)
    }
    try Folder.removeFile(path)
    #expect(try format.discover(at: folder.path).map(\.path) == [backup])
    #expect(try format.discover(at: path).map(\.path) == [backup])
  }

  @Test func depthIsNoTrap() {
    let text = String(repeating: "<map>", count: 100_000)
    #expect(table(text).findings.last?.code == "sharedprefs.malformed")
  }

  @Test func moreThanTenMillionBytesAreRead() throws {
    let text = String(repeating: "abcdefghij", count: 1_100_000)
    try FormatContract.expectRoundTrip(
      format, [TypedEntry(key: Key([0x61]), value: .string(text))])
  }

  @Test(arguments: [UInt64(2)])
  func changedBytesAreNoTrap(seed: UInt64) {
    FormatContract.readMutations(of: Array(Self.document.utf8), seed: seed, format)
  }

  @Test func textThatXMLForbidsIsWrittenAsAndroidDoes() throws {
    let entries = [
      TypedEntry(key: Key([1]), value: .string("ab\u{0}")),
      TypedEntry(key: Key([2]), value: .set(["\u{ffff}", "\u{1f}"])),
    ]
    let bytes = try FormatContract.expectRoundTrip(format, entries)
    #expect(
      String(decoding: bytes, as: UTF8.self).contains(#"<string name="&#1;">ab&#0;</string>"#))
    for entry in entries { #expect(format.fit(entry).losses.isEmpty) }
    #expect(format.fit(TypedEntry(key: Key([0xff]), value: .bool(true))).entry == nil)
  }

  @Test func valuesWithoutATypeAreTranslated() {
    #expect(format.fitted(.double(0.1)) == .string("0.1"))
    #expect(format.losses(.double(0.1)) == ["convert.value-changed"])
    #expect(format.losses(.float(Float(bitPattern: 0x7fc0_0001))) == ["convert.value-changed"])
    #expect(format.losses(.float(.nan)) == [])
    #expect(format.fitted(.bytes([0])) == .string("AA=="))
    #expect(format.fitted(.raw([0])) == .string("AA=="))
    #expect(
      format.losses(.keyedArchive(className: "T", [0]))
        == ["convert.value-changed", "convert.class-lost"])
    #expect(format.losses(.set(["x", nil])) == [])
    #expect(format.losses(.uint64(.max)) == ["convert.value-changed"])
  }

  @Test(arguments: [
    (1.0, "1.0"), (-0.0, "-0.0"), (1e7, "1.0E7"), (9_999_999, "9999999.0"), (0.001, "0.001"),
    (0.000_123_45, "1.2345E-4"), (123.456, "123.456"), (1e10, "1.0E10"), (1.5e300, "1.5E300"),
    (100, "100.0"), (0.01, "0.01"), (.infinity, "Infinity"), (-.infinity, "-Infinity"),
    (.nan, "NaN"), (.greatestFiniteMagnitude, "1.7976931348623157E308"),
  ])
  func numbersHaveJavasForm(_ number: Double, _ text: String) {
    #expect(format.fitted(.double(number)) == .string(text))
  }

  @Test func everyKindOfNumberIsReadBack() throws {
    var random = SeededGenerator(seed: 3)
    let floats = (0..<20_000).map { _ in
      Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
    }
    try FormatContract.expectRoundTrip(
      format,
      floats.enumerated().map {
        TypedEntry(key: Key(Array(String($0.offset).utf8)), value: .float($0.element))
      })
  }
}
