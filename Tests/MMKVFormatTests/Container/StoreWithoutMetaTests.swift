import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Data files without a meta file: stores, and files of other programs in which some bytes decode.
@Suite struct StoreWithoutMetaTests {
  private static let page = 4096
  private let format = MMKVFormat(now: 1_760_000_000)

  private func isRecognized(_ bytes: [UInt8], _ name: String = "kv") -> Bool {
    let files = [StoreFile(.data, at: FilePath(name), FileImage(bytes))]
    return format.recognize(files).recognition.likelihood >= 10
  }

  /// Returns `bytes` with zeros up to whole pages.
  private static func paged(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (page - bytes.count % page) % page)
  }

  /// Returns the forms of `bytes` that a store could have: with any header, and with whole pages.
  private static func forms(_ bytes: [UInt8]) -> [[UInt8]] {
    let headers: [[UInt8]] = [
      Array(bytes.prefix(4)), [0, 0, 0, 0], MMKVFixtureBuilder.little(UInt32(bytes.count / 2)),
    ]
    return headers.flatMap { header in
      let form = header + bytes.dropFirst(4)
      return [form, paged(form)]
    }
  }

  /// The manifest of a LevelDB database: a record with a name, whose number decodes as a value.
  private static let manifest: [UInt8] =
    [0x78, 0x56, 0x34, 0x12, 0x1c, 0, 1, 1, 0x1a] + "leveldb.BytewiseComparator".utf8
    + [2, 4, 8, 0xc4, 0x31, 8, 0, 1, 2, 0x15, 9, 0, 3, 0x16, 4, 0]

  /// Frames of a Hive box: a length, the key's type, the key, and a text, whose length decodes as a
  /// value.
  private static let box: [UInt8] = (0..<20).flatMap { number -> [UInt8] in
    let key = Array("setting\(number)".utf8)
    let text = Array("the value of number \(number)".utf8)
    let count = UInt32(4 + 2 + key.count + 5 + text.count + 4)
    return MMKVFixtureBuilder.little(count) + [1, UInt8(key.count)] + key + [4]
      + MMKVFixtureBuilder.little(UInt32(text.count)) + text + [0x5a, 0xc3, 0x99, 0x17]
  }

  /// A Lucene index of deleted documents: a count, and bits.
  private static let bits: [UInt8] =
    [0, 0, 0, 0xc8, 0, 0, 0, 3] + (0..<23).map { $0 % 7 == 0 ? 2 : 0 }

  /// Lines of text after a number, which are records to a reader that takes letters for lengths.
  private static let text: [UInt8] =
    [1, 2, 0, 0]
    + (0..<200).flatMap { "\($0) user=\($0 &* 7919) token=abcdefghijklmnopqrstuvwxyz\n".utf8 }

  /// A leaf page of an SQLite database, with the cells at its end.
  private static let leaf: [UInt8] = {
    let cells = (0..<60).flatMap { number -> [UInt8] in
      let key = Array("preference\(number)".utf8)
      return [UInt8(5 + key.count), UInt8(number + 1), 3, UInt8(13 + 2 * key.count), 1] + key + [7]
    }
    let start: [UInt8] = [0x0d, 0, 0, 0, 60, 0x0b, 0, 0]
    return start + [UInt8](repeating: 0, count: page - start.count - cells.count) + cells
  }()

  @Test(
    "files of other programs are no stores, whatever their first bytes and their length",
    arguments: [manifest, box, bits, text, leaf])
  func foreign(bytes: [UInt8]) {
    for form in Self.forms(bytes) {
      #expect(!isRecognized(form), "\(form.count) bytes, \(form.prefix(24))")
    }
  }

  @Test("seeded bytes of other programs are no stores", arguments: 1...20)
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Names with a length before them, as many formats have, between bytes of any kind.
    let bytes = (0..<200).flatMap { _ -> [UInt8] in
      let name = random.bytes(Int.random(in: 4..<20, using: &random)).map { 0x61 + $0 % 26 }
      return [UInt8(name.count)] + name + random.bytes(Int.random(in: 0..<30, using: &random))
    }
    for form in Self.forms(bytes) { #expect(!isRecognized(form), "seed \(seed)") }
  }

  @Test("stores are stores: of one entry, whole, cut, and with a lost page")
  func stores() {
    let one = MMKVFixtureBuilder(texts: [("name", "value")]).data
    var builder = MMKVFixtureBuilder()
    for number in 0..<200 {
      builder.put("preference_\(number)", text: "the value of number \(number)")
    }
    let many = builder.data
    var overridden = MMKVFixtureBuilder(texts: [("only", String(repeating: "longer ", count: 40))])
      .data
    // A shorter value over the longer one, of which the rest is left.
    overridden.replaceSubrange(13..<17, with: [3, 2] + "ab".utf8)
    var lost = many
    lost.replaceSubrange(512..<1024, with: [UInt8](repeating: 0, count: 512))
    for store in [one, many, overridden, lost, Array(many.prefix(1500))] {
      #expect(isRecognized(store), "\(store.count) bytes")
    }
  }

  /// Returns records, and bytes that are none, of which the records are `percent` of 100.
  ///
  /// The header states no log. The other bytes are before the records if those are `late`.
  private static func records(_ percent: Int, prefix: [UInt8], late: Bool = false) -> [UInt8] {
    var builder = MMKVFixtureBuilder()
    builder.header = 0
    builder.prefix = prefix
    for number in 0..<20 { builder.put("preference_\(number)", text: "the value of \(number)") }
    let count = builder.records.count
    let others = [UInt8](repeating: 0xff, count: count * (100 - percent) / percent)
    let parts = late ? prefix + others + builder.records : builder.payload + others
    return MMKVFixtureBuilder.little(UInt32(0)) + parts
  }

  /// Tests the share of records from which on a file is a store: two fifths if they are its start and
  /// its length is one that engines make, and three fifths otherwise.
  @Test func aStoreIsMadeOfRecordsForTheMostPart() {
    for percent in [5, 10, 15, 19, 21, 25, 30, 35, 38, 42, 45, 50, 55, 58, 62, 65, 70, 80, 90, 99] {
      let long = Self.records(percent, prefix: [0xff, 0xff, 0xff, 0x07])
      let odd = long.count.isMultiple(of: 2) ? long + [0xff] : long
      #expect(isRecognized(odd) == (percent > 60), "\(percent)% of an odd length")
      let whole = Self.paged(Self.records(percent, prefix: [0x07]))
      #expect(isRecognized(whole) == (percent > 40), "\(percent)% of whole pages")
      let late = Self.paged(Self.records(percent, prefix: [0x07], late: true))
      #expect(isRecognized(late) == (percent > 60), "\(percent)% of whole pages, at the end")
    }
  }
}
