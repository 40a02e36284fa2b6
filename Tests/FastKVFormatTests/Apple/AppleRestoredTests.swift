import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Reading records whose key, value and CRC are intact, whatever the damage to their header.
@Suite struct AppleRestoredTests {
  private static func builder(width: Int) -> (builder: AppleFixtureBuilder, middle: Range<Int>) {
    var builder = AppleFixtureBuilder(width: width)
    builder.add(7, "first", Array("Ada".utf8), class: "__NSCFString")
    let start = builder.area.count
    builder.add(6, "when", [0, 0, 0x80, 0x3f, 1, 2, 3, 4], class: "NSNumber")
    let end = builder.area.count
    builder.add(2, "last", [1], class: "NSNumber")
    return (builder, start..<end)
  }

  /// Expects that the value of "when" is read as a double, and not presented as verified.
  private func expectRestored(_ bytes: [UInt8], _ note: String) throws {
    let store = AppleFastKVStore(bytes)
    let best = try #require(expectSound(store, now: 0).best, "\(note)")
    let live = best.snapshot.live
    #expect(Set(live.map { store.key(of: $0).text }) == ["first", "when", "last"], "\(note)")
    let record = try #require(live.first { store.key(of: $0).text == "when" }, "\(note)")
    #expect(store.value(of: record) == [0, 0, 0x80, 0x3f, 1, 2, 3, 4], "\(note)")
    #expect(store.readings(of: record).first?.value == .double(1), "\(note)")
    #expect(best.evidence(of: record) == .structure, "\(note)")
    #expect(!best.cautions(of: record).isEmpty, "\(note)")
  }

  @Test("Any damage to a header leaves a record that its CRC tells", arguments: [4, 8])
  func damagedHeaders(width: Int) throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      var (builder, middle) = Self.builder(width: width)
      let header = middle.lowerBound..<middle.lowerBound + 4 * width + 4
      switch round % 4 {
      case 0: builder.area.replaceSubrange(header, with: random.bytes(header.count))
      case 1:
        let count = Int.random(in: 1...header.count, using: &random)
        builder.area.removeSubrange(header.lowerBound..<header.lowerBound + count)
      case 2:
        let at = Int.random(in: header.dropFirst(), using: &random)
        builder.area.insert(contentsOf: random.bytes(1 + round % 9).map { $0 | 0x80 }, at: at)
      default:
        builder.area.replaceSubrange(header, with: [UInt8](repeating: 0, count: header.count))
      }
      try expectRestored(builder.file(), "seed \(seed), round \(round)")
    }
  }

  @Test("Also where the separator after the record is damaged", arguments: [4, 8])
  func damagedSeparator(width: Int) throws {
    for offset in 0..<23 {
      var (builder, middle) = Self.builder(width: width)
      for place in 0..<4 { builder.area[middle.lowerBound + 4 + place] ^= 0x5a }
      builder.area[middle.upperBound - 23 + offset] ^= 0x81
      try expectRestored(builder.file(), "byte \(offset)")
    }
  }

  @Test("A damaged class name with a damaged separator is corrected", arguments: [4, 8])
  func damagedClassName(width: Int) throws {
    var (builder, middle) = Self.builder(width: width)
    builder.area[middle.lowerBound + 4 * width + 4 + 2] ^= 0xff
    builder.area[middle.upperBound - 4] ^= 0x81
    try expectRestored(builder.file(), "class name")
  }

  @Test("A record whose value is damaged as well is not restored")
  func damagedValue() throws {
    var (builder, middle) = Self.builder(width: 8)
    for place in 0..<36 { builder.area[middle.lowerBound + place] = 0xee }
    builder.area[middle.upperBound - 27] ^= 0x42
    let store = AppleFastKVStore(builder.file())
    let live = try #require(expectSound(store, now: 0).best).snapshot.live
    #expect(live.map { store.key(of: $0).text } == ["first", "last"])
  }
}
