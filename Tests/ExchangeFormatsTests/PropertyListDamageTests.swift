import ExchangeFormats
import KVBytes
import KVFixtures
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading damaged property lists: what is there is read, and what may be wrong is marked.
struct PropertyListDamageTests {
  private let format = PropertyListFormat()

  /// Entries of each type, written as CoreFoundation writes them.
  private static let values: [String: Value] = [
    "name": .string("Mia"), "count": .int64(12), "large": .int64(1 << 40), "ratio": .double(0.5),
    "since": .date(1_700_000_000), "token": .bytes(Array(1...40)), "wide": .string("höß😀"),
    "languages": .array([.string("en"), .string("de")]), "on": .bool(true), "off": .bool(false),
    "window": .dictionary([.init("x", .double(12.25)), .init("title", .string("main window"))]),
  ]

  private func bytes(_ values: [String: Value] = values, isXML: Bool = false) throws -> [UInt8] {
    try FormatContract.expectRoundTrip(
      PropertyListFormat(isXML: isXML),
      values.sorted { $0.key < $1.key }.map {
        TypedEntry(key: Key(Array($0.key.utf8)), value: $0.value)
      })
  }

  // MARK: The trailer and the table

  @Test(arguments: [1, 7, 20, 32])
  func withoutAWholeTrailerTheObjectsAreRead(_ count: Int) throws {
    let bytes = try bytes()
    for damaged in [
      Array(bytes.dropLast(count)), bytes.dropLast(count) + [UInt8](repeating: 0, count: count),
    ] {
      let table = format.table(damaged)
      #expect(table.values == Self.values)
      #expect(table.findings.map(\.code) == ["plist.malformed"])
      // The table verifies the objects.
      #expect(table.entries.allSatisfy { $0.origin.cautions.isEmpty })
    }
  }

  @Test func withoutATableEveryEntryMayBeDamaged() throws {
    let bytes = try bytes()
    let table = format.table(Array(bytes.prefix(Int(bytes[bytes.count - 1]))))
    #expect(table.findings.map(\.code).contains("plist.malformed"))
    for entry in table.entries {
      #expect(entry.origin.cautions == [.mayBeDamaged])
      #expect(Self.values[entry.key.text ?? ""] == entry.value)
    }
    #expect(table.entries.count == Self.values.count)
  }

  @Test func whatIsCutOffIsMissedByName() throws {
    let bytes = try bytes()
    let table = format.table(Array(bytes.prefix(bytes.count * 6 / 10)))
    #expect(!table.entries.isEmpty)
    #expect(table.entries.count < Self.values.count)
    for entry in table.entries {
      #expect(Self.values[entry.key.text ?? ""] == entry.value)
      #expect(entry.origin.cautions == [.mayBeDamaged])
    }
    #expect(table.findings.contains { $0.code == "plist.damaged-value" })
  }

  @Test(arguments: [[UInt8](repeating: 0, count: 100), Array("trailing text".utf8), [0x0d, 0x0a]])
  func bytesAfterTheTrailerArePassedOver(_ more: [UInt8]) throws {
    let bytes = try bytes()
    let table = format.table(bytes + more)
    #expect(table.values == Self.values)
    #expect(table.findings.map(\.code) == ["plist.malformed"])
    #expect(table.findings.first?.extent?.range == bytes.count..<(bytes.count + more.count))
    #expect(table.entries.allSatisfy { $0.origin.cautions.isEmpty })
  }

  @Test func aBrokenTableIsMadeFromTheObjects() throws {
    let bytes = try bytes()
    let start = Int(bytes[bytes.count - 1])
    #expect(bytes[start] == 8, "the table begins with the offset of the first object")
    for index in [1, 5, 12] {
      var damaged = bytes
      damaged[start + index] = 3
      let table = format.table(damaged)
      #expect(table.values == Self.values)
      #expect(table.findings.map(\.code) == ["plist.malformed"])
      #expect(table.entries.contains { $0.origin.cautions == [.mayBeDamaged] })
    }
    var zeroed = bytes
    for offset in start..<(bytes.count - 32) { zeroed[offset] = 0 }
    #expect(format.table(zeroed).values == Self.values)
    #expect(format.codes(zeroed) == ["plist.malformed"])
  }

  @Test func anOutermostObjectThatIsPartOfAnotherIsNotTaken() throws {
    var bytes = try bytes()
    let nested = try #require(
      (0..<Int(bytes[bytes.count - 17])).first {
        $0 > 0 && bytes[Int(bytes[Int(bytes[bytes.count - 1]) + $0])] == 0xd2
      })
    bytes[bytes.count - 9] = UInt8(nested)
    #expect(format.table(bytes).values == Self.values)
    #expect(format.codes(bytes) == ["plist.malformed"])
  }

  @Test func aChangedReferenceIsNoticed() throws {
    let bytes = try bytes()
    // The references of the outermost dictionary: keys, then values.
    #expect(bytes[8] == 0xdb)
    for index in 0..<22 {
      var damaged = bytes
      damaged[9 + index] ^= 1
      let table = format.table(damaged)
      #expect(!table.findings.isEmpty)
      for entry in table.entries where entry.origin.cautions.isEmpty {
        #expect(Self.values[entry.key.text ?? ""] == entry.value)
      }
    }
  }

  /// Tests that a list is healthy in which containers, references and Booleans are stored again.
  ///
  /// CoreFoundation does so for an object that occurs in several places, and refers to the first.
  @Test func anObjectThatIsStoredAgainIsHealthy() {
    var list = BinaryListBuilder()
    list.objects = [
      BinaryListBuilder.container(0xd0, [1, 2, 3, 3]), BinaryListBuilder.text("a"),
      BinaryListBuilder.text("b"), BinaryListBuilder.container(0xa0, [4, 4, 5]), [0x09], [0x80, 7],
      [0x09], BinaryListBuilder.container(0xa0, [4, 4, 5]), [0x09], [0x80, 7],
    ]
    #expect(format.table(list.bytes).findings == [])
    // Another reference, to which nothing refers, was lost.
    list.objects[9] = [0x80, 8]
    #expect(format.codes(list.bytes) == ["plist.malformed"])
  }

  @Test(arguments: [[], [UInt8](repeating: 0, count: 4096), Array("bplist00".utf8), [0]])
  func aFileWithoutContentsIsDamaged(_ bytes: [UInt8]) {
    let table = format.table(bytes)
    #expect(table.entries.isEmpty)
    #expect(table.verdict == .damaged)
  }

  // MARK: Zeros

  /// Entries around one with a long text, a long data and a long key.
  private static let long: [String: Value] = [
    "a": .string("first"), "text": .string(String(repeating: "T", count: 60)),
    "m": .int64(5), "wide": .string(String(repeating: "é", count: 60)),
    "data": .bytes((0..<200).map { UInt8($0 + 1) }), "z": .string("last"),
    String(repeating: "k", count: 60): .bool(true),
  ]

  @Test(arguments: [false, true], [8, 16, 45])
  func zerosInATextAreDamage(isXML: Bool, count: Int) throws {
    let bytes = try bytes(Self.long, isXML: isXML)
    for (key, needle) in [
      ("text", "TTTTT"), ("wide", isXML ? "ééé" : "\u{0}é\u{0}é"),
      (String(repeating: "k", count: 60), "kkkkk"),
    ] {
      // In UTF-16, "é" is 00 E9.
      let sought =
        !isXML && key == "wide" ? [0, 0xe9, 0, 0xe9] : Array(needle.utf8)
      let start = try #require(
        bytes.indices.first { bytes[$0...].starts(with: sought) })
      var damaged = bytes
      for offset in (start + 6)..<(start + 6 + count) { damaged[offset] = 0 }
      let table = format.table(damaged)
      let zeros = table.findings.filter { $0.code == "value.zeros" }
      #expect(zeros.count == 1)
      #expect(zeros.first?.severity == .damage)
      #expect((zeros.first?.extent?.count ?? 0) - count <= 1)
      for entry in table.entries where Self.long[entry.key.text ?? ""] != entry.value {
        #expect(entry.origin.cautions == [.mayBeDamaged], "\(entry.key)")
      }
      #expect(table.entries.contains { $0.origin.cautions.isEmpty })
    }
  }

  @Test func zerosThatAnAppStoresAreHealthy() throws {
    try FormatContract.expectRoundTrip(
      format,
      [
        [UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 4096),
        [1] + [UInt8](repeating: 0, count: 9000) + [1], [UInt8](repeating: 0, count: 1023),
      ].enumerated().map {
        TypedEntry(key: Key(Array("data \($0.offset)".utf8)), value: .bytes($0.element))
      } + [
        TypedEntry(key: Key(Array("real".utf8)), value: .double(0)),
        TypedEntry(key: Key(Array("reals".utf8)), value: .array([.double(0), .double(0)])),
        TypedEntry(key: Key(Array("date".utf8)), value: .date(978_307_200)),
        TypedEntry(key: Key(Array("text".utf8)), value: .string("seven\u{0}\u{0}\u{0}")),
        TypedEntry(key: Key(Array("least".utf8)), value: .int64(.min)),
        TypedEntry(key: Key(Array("unsigned".utf8)), value: .uint64(1 << 63)),
      ])
  }

  @Test func sectorsOfZerosInDataAreDamage() throws {
    let data = (0..<4000).map { UInt8(1 + $0 % 255) }
    let values: [String: Value] = ["data": .bytes(data), "name": .string("Mia")]
    var damaged = try bytes(values)
    for offset in 1024..<2048 { damaged[offset] = 0 }
    let table = format.table(damaged)
    #expect(table.findings.map(\.code) == ["value.zeros"])
    #expect(table.entries.first { $0.key.text == "data" }?.origin.cautions == [.mayBeDamaged])
    #expect(table.entries.first { $0.key.text == "name" }?.origin.cautions == [])
  }

  @Test(arguments: [false, true], [UInt64(11), 12, 13])
  func zerosAnywhereLeaveNoWrongEntryUnmarked(isXML: Bool, seed: UInt64) throws {
    let values = Self.values.merging(Self.long) { $1 }
    let bytes = try bytes(values, isXML: isXML)
    var random = SeededGenerator(seed: seed)
    var counts = (read: 0, wrong: 0)
    for _ in 0..<400 {
      let count = Int.random(in: 8...80, using: &random)
      let start = Int.random(in: 8..<(bytes.count - count), using: &random)
      var damaged = bytes
      for offset in start..<(start + count) { damaged[offset] = 0 }
      let table = format.table(damaged)
      // An app may store zeros in data, so in a binary list they leave no trace there.
      let isWrong = table.entries.filter {
        values[$0.key.text ?? ""] != $0.value && (isXML || $0.value.kind != .bytes)
      }
      if !isWrong.isEmpty { #expect(table.verdict == .damaged) }
      counts.read += table.entries.count
      let unmarked = isWrong.filter { $0.origin.cautions.isEmpty }
      counts.wrong += unmarked.count
      #expect(unmarked.isEmpty, "\(count) zeros at \(start), seed \(seed)")
    }
    print("zeros, \(isXML ? "XML" : "binary"), seed \(seed): \(counts)")
    #expect(counts.read > 0)
    #expect(counts.wrong == 0, "seed \(seed)")
  }

  @Test func whatFollowsTheEndMakesNoEntryDoubtful() throws {
    let bytes = try bytes(isXML: true)
    for rest in ["text", "</dict>", "<a>", "\0\0\0"] {
      let table = format.table(bytes + rest.utf8)
      #expect(table.values == Self.values, "\(rest)")
      #expect(table.findings.map(\.code) == ["plist.malformed"], "\(rest)")
      #expect(table.entries.allSatisfy { $0.origin.cautions.isEmpty }, "\(rest)")
    }
  }

  // MARK: Any damage

  @Test(arguments: [false, true])
  func everyPrefixGivesNoWrongEntryUnmarked(isXML: Bool) throws {
    let bytes = try bytes(isXML: isXML)
    var counts = (read: 0, marked: 0)
    for count in 0..<(bytes.count - (isXML ? 10 : 1)) {
      let table = format.table(Array(bytes.prefix(count)))
      #expect(table.verdict == .damaged, "\(count)")
      for entry in table.entries {
        #expect(Self.values[entry.key.text ?? ""] == entry.value, "\(count)")
        counts.read += 1
        if !entry.origin.cautions.isEmpty { counts.marked += 1 }
      }
    }
    print("prefixes, \(isXML ? "XML" : "binary"): \(counts)")
  }

  /// Tests that a changed bit in the structure of a binary list gives no wrong entry that is not
  /// marked.
  ///
  /// Changed bits in the content of a text, a number or data leave no trace: there is no checksum.
  /// The same is true of the four bits that tell a date from a number, or a text from data.
  @Test func everyBitOfTheStructureIsChecked() throws {
    let bytes = try bytes()
    let isContent = Self.contents(of: bytes)
    let start = Int(bytes[bytes.count - 1])
    let markers = Set(bytes[start..<(bytes.count - 32)].map { Int($0) })
    var counts = (structure: 0, content: 0, missing: 0, read: 0)
    for offset in bytes.indices {
      for bit in 0..<8 {
        let isKind = bit >= 4 || bytes[offset] == 8 || bytes[offset] == 9
        var damaged = bytes
        damaged[offset] ^= 1 << UInt8(bit)
        let table = format.table(damaged)
        counts.read += table.entries.count
        counts.missing += Self.values.count - table.entries.count
        let wrong = table.entries.filter {
          $0.origin.cautions.isEmpty && Self.values[$0.key.text ?? ""] != $0.value
        }
        if table.values != Self.values, !isContent[offset], !(isKind && markers.contains(offset)) {
          #expect(!table.findings.isEmpty, "bit \(bit) at \(offset)")
        }
        if isContent[offset] || isKind && markers.contains(offset) {
          counts.content += wrong.isEmpty ? 0 : 1
        } else {
          counts.structure += wrong.isEmpty ? 0 : 1
          #expect(
            wrong.isEmpty,
            "bit \(bit) at \(offset): \(wrong.map { ($0.key.text ?? "", $0.value) })")
        }
      }
    }
    print("bits of a binary list: \(counts)")
  }

  /// Returns for each byte whether it is the content of a text, a number, a date or data.
  private static func contents(of bytes: [UInt8]) -> [Bool] {
    var isContent = [Bool](repeating: false, count: bytes.count)
    let start = Int(bytes[bytes.count - 1])
    for object in 0..<Int(bytes[bytes.count - 17]) {
      let offset = Int(bytes[start + object])
      let next = object + 1 < Int(bytes[bytes.count - 17]) ? Int(bytes[start + object + 1]) : start
      let kind = bytes[offset] >> 4
      guard (1...6).contains(kind) else { continue }
      let header = bytes[offset] & 0x0f == 0x0f ? 3 : 1
      for byte in (offset + header)..<next { isContent[byte] = true }
    }
    return isContent
  }

  @Test(arguments: [false, true], [UInt64(21), 22, 23])
  func anyDamageIsNoTrap(isXML: Bool, seed: UInt64) throws {
    let bytes = try bytes(isXML: isXML)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let offset = Int.random(in: damaged.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged[offset] = UInt8.random(in: 0 ... .max, using: &random)
        case 1: damaged.remove(at: offset)
        case 2: damaged.insert(UInt8.random(in: 0 ... .max, using: &random), at: offset)
        default:
          damaged[offset] = [0, 0xff, 0x0f, 0x5f, 0xd1, 0xa1].randomElement(using: &random) ?? 0
        }
      }
      let table = format.table(damaged)
      for extent in table.entries.map(\.origin.extent) + table.findings.map(\.extent) {
        if let extent { #expect(extent.offset >= 0 && extent.end <= damaged.count) }
      }
    }
  }
}
