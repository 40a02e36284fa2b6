import ExchangeFormats
import KVBytes
import KVFixtures
import KVModel
import Testing

/// Showing the parts of values that are themselves documents.
struct NestedContentTests {
  /// Property lists written by `plistlib` of Python 3.13, which has its own writer.
  private enum Sample {
    static let list = bytes(
      """
      62706c6973743030d60102030405060708090c0f10557468656d655473697a655474616773566e6573746564
      547768656e54626c6f62546461726b1003a20a0b51615162d10d0e517810013341c60b68800000004200ff08
      151b20252c31363b3d40424447494b5400000000000001010000000000000011000000000000000000000000
      00000057
      """)
    /// An archived `NSDictionary` of a string, an `NSDate` and an `NSArray`.
    static let archive = bytes(
      """
      62706c6973743030d4010203040506070a59246172636869766572582476657273696f6e5424746f7058246f
      626a656374735f100f4e534b65796564417263686976657212000186a0d1080954726f6f748001ab0b0c191a
      1b1c1d21262c2f55246e756c6cd30d0e0f101418574e532e6b6579735a4e532e6f626a656374735624636c61
      7373a3111213800280038004a31516178005800680078008546e616d6554626f726e547461677353416e6ed2
      1e0f1f20574e532e74696d652341c60b68804000008009d20e0f2225a2232480058005800ad22728292a5a24
      636c6173736e616d655824636c61737365735c4e5344696374696f6e617279a2292b584e534f626a656374d2
      27282d2e564e5344617465a22d2bd227283031574e534172726179a2302b00080011001b0024002900320044
      0049004c00510053005f0065006c0074007f0086008a008c008e0090009400960098009a009c00a100a600ab
      00af00b400bc00c500c700cc00cf00d100d300d500da00e500ee00fb00fe0107010c01130116011b01230000
      000000000201000000000000003200000000000000000000000000000126
      """)
    /// An archived object of the class `Mailbox`.
    static let object = bytes(
      """
      62706c6973743030d4010203040506070a59246172636869766572582476657273696f6e5424746f7058246f
      626a656374735f100f4e534b65796564417263686976657212000186a0d1080954726f6f748001a40b0c1516
      55246e756c6cd40d0e0f10111213145624636c617373557469746c6555636f756e74556f776e657280038002
      1007800055496e626f78d21718191a5a24636c6173736e616d655824636c6173736573574d61696c626f78a2
      191b584e534f626a65637408111b24293244494c5153585e676e747a80828486888e939ea7afb20000000000
      000101000000000000001c000000000000000000000000000000bb
      """)

    /// The same object with an owner of the class `com.example.mail.AccountOwner`.
    static let owned = bytes(
      """
      62706c6973743030d4010203040506070a582476657273696f6e592461726368697665725424746f7058246f
      626a6563747312000186a05f100f4e534b657965644172636869766572d1080954726f6f748001a70b0c1314
      1a1b2155246e756c6cd30d0e0f1011125624636c617373557469746c65556f776e657280058002800355496e
      626f78d30d1516171819546e616d655361676580068004102953416e6ed21c1d1e1f5a24636c6173736e616d
      655824636c6173736573574d61696c626f78a21e20584e534f626a656374d21c1d22235f101d636f6d2e6578
      616d706c652e6d61696c2e4163636f756e744f776e6572a2222008111a24293237494c51535b61686f757b7d
      7f81878e9397999b9da1a6b1bac2c5ced3f30000000000000101000000000000002400000000000000000000
      0000000000f6
      """)

    private static func bytes(_ text: String) -> [UInt8] {
      Hexadecimal.bytes(text.filter { !$0.isWhitespace }) ?? []
    }
  }

  private func archive(_ bytes: [UInt8]) -> Value { .keyedArchive(className: nil, bytes) }

  /// Returns a description of each part.
  private func parts(_ value: Value) -> [String]? {
    NestedContent.of(value)?.members.map { member in
      let name = member.name.map { $0 + ": " } ?? ""
      return switch member.content {
      case .value(let reading): name + "\(reading.value)"
      case .container(let kind, let count): name + "\(kind) of \(count)"
      case .outer(let kind): name + "outer \(kind)"
      }
    }
  }

  @Test func aPropertyListIsOpenedOneLevel() throws {
    let content = try #require(NestedContent.of(archive(Sample.list)))
    #expect(content.form == .propertyList && content.count == 6)
    #expect(
      parts(archive(Sample.list)) == [
        #"theme: string("dark")"#, "size: int64(3)", "tags: array of 2", "nested: dictionary of 1",
        "when: date(1718000000.0)", "blob: bytes([0, 255])",
      ])
  }

  @Test func anArchivedDictionaryHasItsKeysAndValues() throws {
    #expect(NestedContent.of(archive(Sample.archive))?.form == .keyedArchive)
    #expect(
      parts(archive(Sample.archive)) == [
        #"name: string("Ann")"#, "born: date(1718000000.5)", "tags: NSArray of 2",
      ])
  }

  @Test func anArchivedObjectHasItsFields() throws {
    #expect(
      parts(archive(Sample.object)) == [
        #"title: string("Inbox")"#, "count: int64(7)", "owner: null",
      ])
  }

  @Test func anObjectWithinIsNamedByItsClassHoweverLong() {
    #expect(
      parts(archive(Sample.owned)) == [
        #"title: string("Inbox")"#, "owner: com.example.mail.AccountOwner of 2",
      ])
  }

  @Test func aListInXMLIsOpenedInText() {
    let text =
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key><integer>1</integer>"
      + "<key>b</key><array><true/></array></dict></plist>"
    #expect(parts(.string(text)) == ["a: int64(1)", "b: array of 1"])
    #expect(NestedContent.of(.string("<?xml version=\"1.0\"?><a/>")) == nil)
  }

  @Test func aMessageHasItsFieldsByNumber() {
    let message: [UInt8] =
      [0x08, 0x96, 0x01, 0x12, 0x05] + Array("hello".utf8) + [0x1a, 0x04, 0x08, 0x01, 0x10, 0x02]
      + [0x25, 0x00, 0x00, 0x80, 0x3f, 0x2a, 0x02, 0xff, 0xfe]
    #expect(
      parts(.bytes(message)) == [
        "1: int64(150)", #"2: string("hello")"#, "3: message of 2", "4: float(1.0)",
        "5: bytes([255, 254])",
      ])
    // A truncated field, and field numbers that no program writes in this order.
    #expect(NestedContent.of(.bytes(Array(message.dropLast()))) == nil)
    #expect(NestedContent.of(.bytes([0x20, 0x01, 0x08, 0x01])) == nil)
  }

  @Test(arguments: [
    ("89504e470d0a1a0a0000", "image/png"),
    ("ffd8ffe000104a46", "image/jpeg"),
    ("474946383961", "image/gif"),
    ("524946460000000057454250", "image/webp"),
    ("00000018667479706865696300000000", "image/heic"),
    ("0000001c667479706176696600000000", "image/avif"),
    ("49492a0008000000", "image/tiff"),
    ("4d4d002a00000008", "image/tiff"),
    ("424d360003000000000036000000", "image/bmp"),
    ("0000010001001010000001002000", "image/vnd.microsoft.icon"),
    ("3842505300010000000000000003", "image/vnd.adobe.photoshop"),
    ("0000000c4a584c200d0a870a", "image/jxl"),
    ("0000000c6a5020200d0a870a", "image/jp2"),
    ("444453207c000000", "image/vnd-ms.dds"),
    ("ab4b5458203131bb0d0a1a0a", "image/ktx"),
    ("4f6767530002", "application/ogg"),
    ("664c614300000022", "audio/flac"),
    ("494433040000", "audio/mpeg"),
    ("524946462400000057415645666d7420", "audio/wav"),
    ("464f524d0000000041494646434f4d4d", "audio/aiff"),
    ("00000020667479704d34412000000000", "audio/mp4"),
    ("636166660001000064657363", "audio/x-caf"),
    ("2321414d520a", "audio/amr"),
    ("4d546864000000060001", "audio/midi"),
    ("00000014667479707174202000000000", "video/quicktime"),
    ("00000014667479703367703400000000", "video/3gpp"),
    ("00000018667479706d70343200000000", "video/mp4"),
    ("5249464600000000415649204c495354", "video/x-msvideo"),
    ("1a45dfa301000000", "video/x-matroska"),
    ("464c56010500000009", "video/x-flv"),
    ("3026b2758e66cf11a6d9", "video/x-ms-asf"),
    ("000001ba4400", "video/mpeg"),
    ("1f8b0800", "application/gzip"),
    ("28b52ffd0400", "application/zstd"),
    ("04224d186440", "application/x-lz4"),
    ("789cedc1", "application/zlib"),
    ("504b030414000000", "application/zip"),
    ("504b0506000000000000000000000000000000000000", "application/zip"),
    ("377abcaf271c0004", "application/x-7z-compressed"),
    ("526172211a070100", "application/vnd.rar"),
    ("fd377a585a000004", "application/x-xz"),
    ("425a6839314159265359", "application/x-bzip2"),
    ("612e747874" + String(repeating: "00", count: 252) + "7573746172003030", "application/x-tar"),
    ("4d534346000000002c00", "application/vnd.ms-cab-compressed"),
    ("213c617263683e0a64656269616e2d62696e617279", "application/x-archive"),
    ("255044462d312e37", "application/pdf"),
    ("d0cf11e0a1b11ae10000", "application/x-ole-storage"),
    ("53514c69746520666f726d6174203300", "application/vnd.sqlite3"),
    ("00000000000000000000000000000000542d444209090000", "application/x-realm"),
    ("000100005374616e64617264204a657420444200", "application/x-msaccess"),
    ("774f463200010000", "font/woff2"),
    ("774f464600010000", "font/woff"),
    ("4f54544f000b0080", "font/otf"),
    ("7474636600010000", "font/collection"),
    ("00010000000e008000030060", "font/ttf"),
    ("000100000013010000040030", "font/ttf"),
    ("7f454c4602010100", "application/x-elf"),
    ("cffaedfe0c000001", "application/x-mach-binary"),
    ("4d5a9000030000000400", "application/vnd.microsoft.portable-executable"),
    ("6465780a30333500", "application/vnd.android.dex"),
    ("cafebabe00000034", "application/java-vm"),
    ("0061736d01000000", "application/wasm"),
  ])
  func filesAreNamedByTheirFirstBytes(_ hex: String, _ type: String) throws {
    let bytes = try #require(Hexadecimal.bytes(hex))
    let content = try #require(NestedContent.of(.bytes(bytes)))
    #expect(content.form == .media && content.media?.type == type)
    #expect(content.members.isEmpty)
  }

  @Test(
    "Bytes that have only part of a signature are not named",
    arguments: [
      "424d000000000001", "000001000100101000000000", "0001000000070070", "4d5a900003",
      "524946460000000041",
      "cafebabe01000000", "464f524d0000000041", "75737461720030", "",
    ])
  func partOfASignatureIsNone(_ hex: String) throws {
    let bytes = try #require(Hexadecimal.bytes(hex))
    #expect(NestedContent.of(.bytes(bytes))?.media == nil)
  }

  @Test func whatIsNoDocumentIsNotOpened() {
    for value in [
      Value.bytes([]), .bytes([1, 2, 3, 4, 5]), .string("hello"), .int64(1), .null,
      archive(Array("bplist00".utf8)),
    ] { #expect(NestedContent.of(value) == nil, "\(value)") }
  }

  @Test("Of damaged lists no more is read than a report has room for", arguments: [1, 2, 3])
  func hostileBytesAreBounded(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for sample in [Sample.list, Sample.archive, Sample.object] {
      for _ in 0..<2000 {
        var bytes = sample
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...40, using: &random)) }
        guard let content = NestedContent.of(archive(bytes)) else { continue }
        #expect(content.members.count <= 256, "seed \(seed)")
        #expect(content.members.count <= max(content.count, 1), "seed \(seed)")
      }
    }
  }

  /// Tests the distance between the numbers of two fields: bytes with wider gaps are no message.
  @Test func theFieldsOfAMessageHaveNumbersWithoutWideGaps() {
    for first in 1...20 {
      for step in -1...20 where first + step > 0 {
        let bytes = [first, first + step].flatMap { number -> [UInt8] in
          // A tag of one byte or two, the wire type of bytes, and text.
          let tag = number << 3 | 2
          return (tag < 0x80 ? [UInt8(tag)] : [UInt8(tag & 0x7f) | 0x80, UInt8(tag >> 7)])
            + [14] + Array("fourteen bytes".utf8)
        }
        let isMessage = first <= 17 && (0...16).contains(step)
        let content = NestedContent.of(.bytes(bytes))
        #expect((content?.form == .protobuf) == isMessage, "\(first), then \(first + step)")
        if isMessage { #expect(content?.members.map(\.name) == ["\(first)", "\(first + step)"]) }
      }
    }
  }
}
