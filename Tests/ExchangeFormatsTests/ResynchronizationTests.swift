import ExchangeFormats
import KVBytes
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading on after damage, in formats of which nothing says where the next entry begins.
struct ResynchronizationTests {
  private static let preferences = """
    <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
    <map>
        <string name="a">one &lt;int name="x"</string>
        <set name="s">
            <string>inner</string>
        </set>
        <int name="b" value="2" />
        <boolean name="c" value="true" />
    </map>

    """
  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>a</key>
    \t<string>one</string>
    \t<key>d</key>
    \t<dict>
    \t\t<key>inner</key>
    \t\t<integer>1</integer>
    \t</dict>
    \t<key>b</key>
    \t<integer>2</integer>
    \t<key>c</key>
    \t<true/>
    </dict>
    </plist>

    """

  /// A place of damage, what stands there instead, and the keys whose entries remain.
  struct Damage: CustomTestStringConvertible {
    let old: String
    let new: String
    let keys: [String]

    var testDescription: String { "\(old) -> \(new)" }
  }

  @Test(arguments: [
    Damage(old: "<?xml", new: "<\u{1}xml", keys: ["a", "s", "b", "c"]),
    Damage(old: "<map>", new: "<mbp>", keys: ["a", "s", "b", "c"]),
    Damage(old: "&lt;int", new: "&l\u{0}t;int", keys: ["s", "b", "c"]),
    Damage(old: "</string>\n    <set", new: "</stsing>\n    <set", keys: ["s", "b", "c"]),
    Damage(old: "</string>\n    <set", new: "\n    <set", keys: ["s", "b", "c"]),
    Damage(old: "<string>inner", new: "<string inner", keys: ["a", "b", "c"]),
    Damage(old: "    </set>\n", new: "", keys: ["a", "b", "c"]),
    Damage(old: "\"2\" />", new: "\"2\" /<", keys: ["a", "s", "c"]),
  ])
  func preferencesAreReadAfterDamage(_ damage: Damage) throws {
    let text = Self.preferences.replacingOnce(damage.old, damage.new)
    let table = SharedPreferencesFormat().table(Array(text.utf8))
    #expect(table.verdict == .damaged)
    #expect(table.isRefused)
    let healthy = SharedPreferencesFormat().table(Array(Self.preferences.utf8)).values
    #expect(table.values == healthy.filter { damage.keys.contains($0.key) })
  }

  @Test(arguments: [
    Damage(old: "<?xml", new: "<\u{1}xml", keys: ["a", "d", "b", "c"]),
    Damage(old: "<plist", new: "<plirt", keys: ["a", "d", "b", "c"]),
    Damage(old: "\n<dict>", new: "", keys: ["a", "d", "b", "c"]),
    Damage(old: "<string>one", new: "<strin>one", keys: ["d", "b", "c"]),
    Damage(old: "</key>\n\t<integer>2", new: "<key>\n\t<integer>2", keys: ["a", "d", "c"]),
    Damage(old: "\t</dict>\n", new: "", keys: ["a", "b", "c"]),
    Damage(old: "<integer>1</integer>", new: "<integer>1</int>", keys: ["a", "b", "c"]),
  ])
  func listsAreReadAfterDamage(_ damage: Damage) throws {
    let text = Self.list.replacingOnce(damage.old, damage.new)
    let table = PropertyListFormat().table(Array(text.utf8))
    #expect(table.verdict == .damaged)
    #expect(table.isRefused)
    let healthy = PropertyListFormat().table(Array(Self.list.utf8)).values
    #expect(table.values == healthy.filter { damage.keys.contains($0.key) })
  }

  /// Tests that strings of an app's resources, which have the same elements, are no preferences.
  @Test func damagedResourcesAreNoPreferences() {
    let text = "<resources>\n  <string name=\"a\">b</string>\n</resourcez>\n"
    let file = StoreFile(.data, at: "strings.xml", FileImage(Array(text.utf8)))
    #expect(SharedPreferencesFormat().recognition(of: [file]).likelihood == 0)
  }

  private static func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
    let key = [0x0a, UInt8(key.utf8.count)] + Array(key.utf8)
    let value = [0x12, UInt8(value.count)] + value
    return [0x0a, UInt8(key.count + value.count)] + key + value
  }

  private static let first = entry("first", [0x08, 1])
  private static let second = entry("second", [0x2a, 3] + Array("two".utf8))
  private static let third = entry("third", [0x18, 3])

  /// Tests that a wrong length costs the entry that has it, whatever it is.
  @Test(arguments: UInt8.min...UInt8.max)
  func aWrongLengthCostsOneEntry(count: UInt8) throws {
    var bytes = Self.first + Self.second + Self.third
    let place = Self.first.count + 1
    guard bytes[place] != count else { return }
    bytes[place] = count
    let table = DataStoreFormat().table(bytes)
    #expect(table.values["first"] == .bool(true))
    if Int(count) == bytes.count - place - 1 {
      // The third entry is a second key of the second one, as for the library.
      #expect(table.findings.map(\.code) == ["datastore.unknown-field"])
      #expect(table.entries.map(\.origin.cautions) == [[], [.mayBeDamaged]])
    } else {
      #expect(table.values["third"] == .int32(3))
      #expect(table.values.count == 2)
      #expect(table.verdict == .damaged)
    }
  }

  /// Tests that entries in a value are not those of the file, though the rest of it is damaged.
  @Test func entriesWithinAValueAreLeftThere() {
    let inner = Self.second + Self.third
    let outer = Self.entry("data", [0x42, UInt8(inner.count)] + inner)
    let table = DataStoreFormat().table(outer + [0xff] + Self.first)
    #expect(Set(table.values.keys) == ["data", "first"])
  }

  /// Tests that what is found in damaged values replaces no value that is sound.
  @Test func aSoundValueIsKept() throws {
    let text = """
      <map><string name="a">good</string><set name="s"><string>x</strong><string name="a">EVIL</string>
      </set><int name="b" value="1" /></map>
      """
    let table = SharedPreferencesFormat().table(Array(text.utf8))
    #expect(table.values["a"] == .string("good"))
    #expect(table.values["b"] == .int32(1))
    let bytes = Self.first + [0x0a, 0x7f] + Self.entry("first", [0x08, 0]) + Self.third
    let values = DataStoreFormat().table(bytes).values
    #expect(values["first"] == .bool(true))
    #expect(values["third"] == .int32(3))
  }

  /// Tests that the last of equal keys counts behind damage too, as libraries read a map, unless it may
  /// be a part of a value and the other is not.
  @Test func theLastCountsBehindDamage() {
    let (no, yes) = (Self.entry("k", [0x08, 0]), Self.entry("k", [0x08, 1]))
    let whole: [UInt8] = [0x0a, 5, 0x0a, 1, 0xff, 0x12, 0]
    let wrongLength: [UInt8] = [0x0a, 0x7f]
    for bytes in [
      whole + no + yes, no + whole + yes, no + whole + yes + Self.third, wrongLength + no + yes,
      no + yes + whole + Self.third,
    ] {
      let table = DataStoreFormat().table(bytes)
      #expect(table.values["k"] == .bool(true), "\(bytes)")
      #expect(table.findings.contains { $0.message.contains("the last one is used") })
    }
    let table = DataStoreFormat().table(no + Self.third + wrongLength + yes + yes)
    #expect(table.values["k"] == .bool(false))
    #expect(table.entries.first?.origin.cautions == [.mayBeStale])
    #expect(table.findings.contains { $0.message.contains("the first one is used") })
  }

  /// Tests that errors do not make reading take the square of the time.
  @Test func errorsTakeTimeInProportion() {
    let comments = String(repeating: "<string name=\"a\"><!--", count: 3_000)
    #expect(SharedPreferencesFormat().table(Array("<map>\(comments)".utf8)).values.isEmpty)
    let keys = String(repeating: "<key>a</key>\n<string><!--\n", count: 3_000)
    let list = "<plist><dict>\n\(keys)"
    #expect(PropertyListFormat().table(Array(list.utf8)).values.isEmpty)
    // Lengths of three bytes that are valid UTF-8 too: each entry seems to be 16 kB long.
    let entries = [[UInt8]](repeating: [0x0a, 0xc2, 0x80, 1, 0x0a, 0xc2, 0x80, 1], count: 10_000)
    #expect(DataStoreFormat().table(entries.flatMap(\.self)).values.isEmpty)
  }
}

extension String {
  /// Returns the text with the first `old` replaced.
  fileprivate func replacingOnce(_ old: String, _ new: String) -> String {
    guard let range = firstRange(of: old) else { return self }
    return self[..<range.lowerBound] + new + self[range.upperBound...]
  }
}
