import ExchangeFormats
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// Reading files that are random sequences of a format's tokens.
struct RandomInputTests {
  private static let pieces = [
    "<map>", "</map>", "<string name='a'>", "</string>", "<set name=\"s\">", "</set>", "<null/>",
    "<int name='i' value='1'/>", "&lt;", "&#x10FFFF;", "&#xD800;", "]]>", "<![CDATA[", "<!--",
    "-->", "<?x ?>", "x", "\r\n", "<dict>", "</dict>", "<plist>", "</plist>", "<key>", "</key>",
    "<array>", "</array>", "<data>", "</data>", "AAAA", "<integer>", "</integer>", "<date>",
    "<true/>", "<!DOCTYPE plist PUBLIC \"-//Apple\">", "é", "'", "\"", "<", ">", "&", ";",
  ]

  @Test(arguments: [UInt64(6)])
  func anyXMLIsNoTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      var text = Bool.random(using: &random) ? "<map>" : "<plist><dict><key>k</key>"
      for _ in 0..<Int.random(in: 0..<30, using: &random) {
        text += Self.pieces.randomElement(using: &random) ?? ""
      }
      let bytes = Array(text.utf8)
      for table in [SharedPreferencesFormat().table(bytes), PropertyListFormat().table(bytes)] {
        expectExtents(of: table, within: bytes.count)
      }
    }
  }

  private static let markers: [UInt8] = [
    0xd1, 0xa2, 0x51, 0x61, 0x5f, 0x6f, 0xdf, 0xaf, 0x10, 0x13, 0x14, 0x09, 0x33, 0, 1, 2, 3, 4, 8,
    0x0a, 0x12, 0x15, 0x2a, 0x32, 0xff,
  ]

  @Test(arguments: [UInt64(7)])
  func anyBytesAreNoTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let count = Int.random(in: 1..<80, using: &random)
      let soup = (0..<count).map { _ in Self.markers.randomElement(using: &random) ?? 0 }
      expectExtents(of: DataStoreFormat().table(soup), within: count)
      // The end of the file is the offset table of a property list with a valid trailer.
      let objectCount = Int.random(in: 1...min(count, 20), using: &random)
      var bytes = Array("bplist00".utf8) + soup + [0, 0, 0, 0, 0, 0, 1, 1]
      for number in [
        objectCount, Int.random(in: 0..<objectCount, using: &random), 8 + count - objectCount,
      ] {
        bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number)]
      }
      expectExtents(of: PropertyListFormat().table(bytes), within: bytes.count)
    }
  }

  @Test(arguments: [UInt8(0), 1, 8, 255], [UInt8(0), 1, 0x7f, 0x80, 0xff])
  func anyTrailerIsNoTrap(width: UInt8, byte: UInt8) {
    let numbers = (0..<3).flatMap { [UInt8](repeating: $0 == 1 ? 0 : byte, count: 8) }
    let bytes =
      Array("bplist00".utf8) + [0xd1, 1, 2, 0x51, 0x61, 0x09, 8, 11, 13]
      + [0, 0, 0, 0, 0, 0, width, width] + numbers
    #expect(PropertyListFormat().codes(bytes) == ["plist.malformed"])
  }

  private func expectExtents(of table: EntryTable, within count: Int) {
    for extent in table.entries.map(\.origin.extent) + table.findings.map(\.extent) {
      if let extent { #expect(extent.offset >= 0 && extent.end <= count, "\(table)") }
    }
  }
}
