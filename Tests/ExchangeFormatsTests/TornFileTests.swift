import ExchangeFormats
import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import SystemPackage
import Testing

/// Files without a checksum of which a part never reached the disk, or was cut off.
struct TornFileTests {
  private func entry(_ key: String, _ member: [UInt8]) -> [UInt8] {
    let fields =
      [0x0a, UInt8(key.utf8.count)] + Array(key.utf8) + [0x12, UInt8(member.count)] + member
    return [0x0a, UInt8(fields.count)] + fields
  }

  private func text(_ text: String) -> [UInt8] {
    [0x2a, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private func zeroing(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    return bytes
  }

  private func cautioned(_ table: EntryTable) -> [String?] {
    table.entries.filter { $0.origin.cautions == [.mayBeDamaged] }.map { $0.key.text }
  }

  // MARK: DataStore

  @Test func zerosAtTheEndOfATextAreDamage() throws {
    let whole = entry("a", [0x08, 1]) + entry("token", text(String(repeating: "T", count: 60)))
    let torn = DataStoreFormat().table(zeroing(whole, whole.count - 45..<whole.count))
    #expect(torn.findings.map(\.code) == ["value.zeros"])
    let message = try #require(torn.findings.first?.message)
    #expect(message.contains("45 zeros in a row") && message.contains("to the end of the file"))
    #expect(cautioned(torn) == ["token"])
    #expect(torn.verdict == .damaged)
  }

  @Test func zerosInTheMiddleOfATextAreDamage() {
    let long = text(String(repeating: "x", count: 90))
    let whole = entry("a", long) + entry("b", [0x18, 7])
    let torn = DataStoreFormat().table(zeroing(whole, 40..<52))
    #expect(torn.findings.map(\.code) == ["value.zeros"])
    #expect(torn.findings.first?.extent?.range == 40..<52)
    #expect(cautioned(torn) == ["a"])
    #expect(torn.entries.count == 2)
    // A key and the texts of a set are texts as well.
    let set = entry("s", [0x32, 42, 0x0a, 40] + [UInt8](repeating: 0x79, count: 40))
    let tornSet = DataStoreFormat().table(zeroing(set, 20..<29))
    #expect(cautioned(tornSet) == ["s"])
    let key = entry("abcdefghijklmnop", [0x08, 1])
    #expect(DataStoreFormat().table(zeroing(key, 6..<15)).verdict == .damaged)
  }

  /// Tests that a double before zeros is not trusted: its bytes may be among those that were lost.
  @Test func theEntryBeforeZerosIsMarked() throws {
    let double = entry("ratio", [0x39] + [0, 0, 0, 0, 0, 0, 0xe0, 0x3f])
    let rest = entry("token", text("TTTTTTTTTTTTTTTTTTTT"))
    let whole = entry("theme", text("dark")) + double + rest
    let start = whole.count - rest.count - 8
    let torn = DataStoreFormat().table(zeroing(whole, start..<whole.count))
    #expect(torn.values["ratio"] == .double(0))
    #expect(cautioned(torn) == ["ratio"])
    #expect(torn.findings.map(\.code) == ["value.zeros"])
    #expect(torn.findings.first?.extent?.range == start..<whole.count)
    let message = try #require(torn.findings.first?.message)
    #expect(message.contains("CorruptionException"))
  }

  @Test func aFileOfZerosSaysThatItsContentsWereLost() throws {
    let zeros = [UInt8](repeating: 0, count: 65)
    let store = DataStoreFormat().table(zeros)
    let message = try #require(store.findings.first?.message)
    #expect(message.hasPrefix("only zeros: the contents of 65 bytes never reached the disk"))
    #expect(message.contains("CorruptionException"))
    let preferences = SharedPreferencesFormat().table(zeros)
    #expect(preferences.findings.map(\.code) == ["value.zeros"])
    #expect(preferences.findings.first?.message.hasPrefix("only zeros") == true)
  }

  @Test func zerosThatAnAppMayHaveWrittenAreOnlyDoubtful() {
    let few = DataStoreFormat().table(entry("a", text("abc\0\0")))
    #expect(few.findings.map(\.code) == ["value.trailing-zeros"])
    #expect(few.verdict == .clean && cautioned(few) == ["a"])
    let data = DataStoreFormat().table(
      entry("d", [0x42, 12, 1, 2] + [UInt8](repeating: 0, count: 10)))
    #expect(data.findings.map(\.code) == ["value.trailing-zeros"])
    #expect(data.verdict == .clean && cautioned(data) == ["d"])
    // A number that is zero, and data with zeros before another entry, are usual.
    let usual = DataStoreFormat().table(
      entry("d", [0x42, 12, 1, 2] + [UInt8](repeating: 0, count: 10))
        + entry("n", [0x39] + [UInt8](repeating: 0, count: 8)))
    #expect(usual.findings == [] && cautioned(usual) == [])
  }

  /// Tests that a set is doubtful if the length of one of its texts became zero, so that the text looks
  /// like a field that no set has.
  @Test func aLengthInASetThatBecameZeroIsNotPassedOver() {
    let set = [0x32, 8] + [0x0a, 2] + Array("ab".utf8) + [0x0a, 2] + Array("x6".utf8)
    let file = entry("s", set)
    let whole = DataStoreFormat().table(file)
    #expect(whole.values == ["s": .set(["ab", "x6"])] && cautioned(whole) == [])
    let torn = DataStoreFormat().table(zeroing(file, file.count - 3..<file.count - 2))
    #expect(torn.values == ["s": .set(["ab", ""])] && cautioned(torn) == ["s"])
  }

  // MARK: XML and JSON

  @Test func zerosInXMLAreDamage() {
    let document =
      "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n"
      + "    <int name=\"a\" value=\"1\" />\n    <string name=\"t\">\(String(repeating: "x", count: 60))"
      + "</string>\n    <int name=\"z\" value=\"2\" />\n</map>\n"
    let bytes = Array(document.utf8)
    let start = (document.utf8.firstRange(of: "xxxx".utf8)?.lowerBound).map {
      document.utf8.distance(from: document.utf8.startIndex, to: $0)
    }
    guard let start else { return }
    let inside = SharedPreferencesFormat().table(zeroing(bytes, start + 10..<start + 26))
    #expect(inside.findings.map(\.code) == ["value.zeros"])
    #expect(cautioned(inside) == ["t"])
    #expect(inside.entries.count == 3)
    let end = SharedPreferencesFormat().table(zeroing(bytes, start + 10..<bytes.count))
    #expect(end.findings.map(\.code) == ["value.zeros"])
    #expect(end.entries.map { $0.key.text } == ["a"])
    #expect(cautioned(end) == ["a"])
    // Android does not read what follows the map.
    let after = SharedPreferencesFormat().table(bytes + [UInt8](repeating: 0, count: 512))
    #expect(after.entries.count == 3)
    #expect(cautioned(after) == [])
  }

  @Test func zerosInJSONAreNamed() throws {
    let bytes = Array(#"{"a":"one","b":"0123456789012345678901234567890123456789","c":3}"#.utf8)
    let inside = JSONFormat().table(zeroing(bytes, 20..<36))
    #expect(inside.values == ["a": .string("one"), "c": .int64(3)])
    #expect(inside.findings.first?.message.contains("16 zeros in a row") == true)
    let end = JSONFormat().table(zeroing(bytes, 11..<bytes.count))
    #expect(end.values == ["a": .string("one")])
    #expect(cautioned(end) == ["a"])
    let message = try #require(end.findings.first?.message)
    #expect(message.contains("zeros in a row, to the end of the file"))
  }

  // MARK: Random damage

  /// What became of the values of a file that was damaged in some way.
  private struct Tally: CustomStringConvertible {
    var right = 0
    var marked = 0
    var missing = 0
    var wrong = 0
    /// The wrong values that nothing in the format could have shown.
    var undetectable = 0

    var description: String {
      "\(right) right, \(marked) marked, \(missing) missing, \(undetectable) wrong without redundancy, "
        + "\(wrong) wrong"
    }

    mutating func add(
      _ table: EntryTable, _ truth: [String: Value], undetectable isUndetectable: (Value) -> Bool
    ) {
      var found: Set<String> = []
      for (position, entry) in table.entries.enumerated() {
        let key = entry.key.text ?? ""
        found.insert(key)
        if !entry.origin.cautions.isEmpty {
          marked += 1
        } else if truth[key].map({ $0.isSame(as: entry.value) }) ?? false {
          right += 1
        } else if position == table.entries.count - 1 || TornFileTests.isAtEdge(entry),
          isUndetectable(entry.value)
        {
          undetectable += 1
        } else {
          wrong += 1
        }
      }
      missing += truth.keys.count { !found.contains($0) }
    }
  }

  /// Returns whether zeros up to the end of a sector can end in the entry.
  private static func isAtEdge(_ entry: TypedEntry) -> Bool {
    entry.origin.place.map { $0.extent.offset / 512 < $0.extent.end / 512 } ?? false
  }

  private static func isNumberOrData(_ value: Value) -> Bool {
    switch value {
    case .bool, .int32, .int64, .float, .double, .bytes: true
    default: false
    }
  }

  /// Returns random entries with keys and texts of ordinary letters.
  private static func entries(_ random: inout SeededGenerator) -> [(String, Value)] {
    (0..<Int.random(in: 1..<12, using: &random)).map { number in
      let letters = (0..<Int.random(in: 1..<200, using: &random)).map { _ in
        "abcdefghij klmnö".randomElement(using: &random) ?? "a"
      }
      let text = String(letters)
      let value: Value =
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .int32(Int32.random(in: .min ... .max, using: &random))
        case 1: .bool(Bool.random(using: &random))
        case 2: .float(Float.random(in: 0..<1, using: &random))
        case 3: .int64(Int64.random(in: .min ... .max, using: &random))
        case 4: .set([text, "x\(number)"])
        default: .string(text)
        }
      return ("key\(number)", value)
    }
  }

  /// Tests that no text is wrong without a caution after zeros to the end of the file or of a sector,
  /// or after a cut, from any offset; and prints how many values remain.
  @Test(arguments: RandomSeeds.fresh(2))
  func tornFilesHaveNoWrongTextWithoutACaution(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var tallies = [Tally](repeating: Tally(), count: 6)
    for _ in 0..<6 {
      let entries = Self.entries(&random)
      let truth = Dictionary(uniqueKeysWithValues: entries)
      let typed = entries.map { TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1) }
      let files = [
        try FormatContract.expectRoundTrip(DataStoreFormat(), typed),
        try FormatContract.expectRoundTrip(SharedPreferencesFormat(), typed),
      ]
      for (index, bytes) in files.enumerated() {
        func read(_ bytes: [UInt8]) -> EntryTable {
          index == 0 ? DataStoreFormat().table(bytes) : SharedPreferencesFormat().table(bytes)
        }
        for offset in stride(from: 0, to: bytes.count, by: index == 0 ? 1 : 3) {
          let sectorEnd = min((offset / 512 + 1) * 512, bytes.count)
          let damaged = [
            zeroing(bytes, offset..<bytes.count), zeroing(bytes, offset..<sectorEnd),
            Array(bytes.prefix(offset)),
          ]
          for (kind, bytes) in damaged.enumerated() {
            tallies[index * 3 + kind].add(
              read(bytes), truth,
              undetectable: index == 0 ? Self.isNumberOrData : { _ in false })
          }
        }
      }
    }
    let names = ["zeros to the end", "zeros to the end of a sector", "cut off"]
    for (index, tally) in tallies.enumerated() {
      let format = index < 3 ? "DataStore" : "SharedPreferences"
      print("seed \(seed): \(format), \(names[index % 3]): \(tally)")
      #expect(tally.wrong == 0)
    }
  }

  /// Measures what a changed byte does, which these formats cannot detect in general.
  @Test(arguments: RandomSeeds.fresh(1))
  func changedBytesAreNoTrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var tallies = [Tally(), Tally()]
    for _ in 0..<4 {
      let entries = Self.entries(&random)
      let truth = Dictionary(uniqueKeysWithValues: entries)
      let typed = entries.map { TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1) }
      let files = [
        try FormatContract.expectRoundTrip(DataStoreFormat(), typed),
        try FormatContract.expectRoundTrip(SharedPreferencesFormat(), typed),
      ]
      for (index, bytes) in files.enumerated() {
        for _ in 0..<500 {
          var changed = bytes
          changed[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
            in: 0 ... .max, using: &random)
          let table =
            index == 0
            ? DataStoreFormat().table(changed) : SharedPreferencesFormat().table(changed)
          tallies[index].add(table, truth) { _ in false }
        }
      }
    }
    print("seed \(seed): DataStore, one byte changed: \(tallies[0])")
    print("seed \(seed): SharedPreferences, one byte changed: \(tallies[1])")
  }

  // MARK: The end of a sector

  /// Tests zeros at the end of a text that ends before, at and after the end of a sector.
  @Test func zerosThatReachTheEndOfASectorAreNoted() throws {
    let pads = (0..<4).flatMap { entry("pad\($0)", text(String(repeating: "x", count: 90))) }
    for end in 509...516 {
      for zeros in 0...6 {
        let token = text(String(repeating: "T", count: 40) + String(repeating: "\0", count: zeros))
        let files = (0..<60).map { count in
          pads + entry("fill", text(String(repeating: "y", count: count))) + entry("token", token)
        }
        let whole = try #require(files.first { $0.count == end })
        let table = DataStoreFormat().table(whole + entry("last", [0x08, 1]))
        let isAtTheEnd = (end - zeros..<end).contains(511)
        let codes = isAtTheEnd ? ["value.trailing-zeros"] : []
        #expect(table.findings.map(\.code) == codes, "\(zeros) zeros before \(end)")
        #expect(cautioned(table) == (isAtTheEnd ? ["token"] : []), "\(zeros) before \(end)")
        #expect(table.entries.count == 7)
      }
    }
  }
}
