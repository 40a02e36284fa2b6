import KVConversion
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Finding the types by which two stores without stored types are compared.
struct SharedTypesTests {
  private func source(_ entries: [(String, [UInt8])]) throws -> ReadSource {
    var builder = MMKVFixtureBuilder()
    for (key, bytes) in entries { builder.put(key, bytes) }
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    return .store(
      store, diagnosis,
      try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis)))
  }

  /// Returns the values of the key in both stores, if they differ.
  private func difference(
    _ before: [UInt8], _ after: [UInt8], schema: TypeSchema = .empty
  ) throws -> (before: Value?, after: Value?) {
    let comparison = try Comparison(
      try source([("q", before)]), try source([("q", after)]), schema: schema)
    let difference = try #require(comparison.differences.first)
    #expect(comparison.differences.count == 1)
    #expect(difference.change == .changed)
    return (difference.before?.value, difference.after?.value)
  }

  private static let hello: [UInt8] = [5] + Array("hello".utf8)

  @Test(
    "A value that several types have is what the value of the other store is",
    arguments: [
      ([0], hello, Value.string(""), Value.string("hello")),
      (hello, [0], .string("hello"), .string("")),
      ([0], [7], .int32(0), .int32(7)), ([1], [7], .int32(1), .int32(7)),
      ([4, 1, 0x61, 1, 0x62], [0], .list(.string(["a", "b"])), .list(.string([]))),
      ([0x80, 0x80, 0x80, 0x80, 0x40], [7], .int64(1 << 34), .int64(7)),
      ([7], [0x80, 0x80, 0x80, 0x80, 0x40], .int64(7), .int64(1 << 34)),
    ] as [([UInt8], [UInt8], Value, Value)])
  func theOtherStoreDecides(
    _ before: [UInt8], _ after: [UInt8], _ one: Value, _ other: Value
  ) throws {
    let found = try difference(before, after)
    #expect(found.before == one)
    #expect(found.after == other)
  }

  @Test func valuesThatNoTypeHasAreShownAsEachIsLikeliest() throws {
    let found = try difference(Self.hello, [0xac, 0x02])
    #expect(found.before == .string("hello"))
    #expect(found.after == .int32(300))
  }

  @Test func whatAPersonSaysGoesBefore() throws {
    let schema = TypeSchema([.init(.pattern("q"), .bytes)])
    let found = try difference([0], Self.hello, schema: schema)
    #expect(found.before == .bytes([]))
    #expect(found.after == .bytes(Array("hello".utf8)))
  }

  @Test func equalBytesAreNoDifferenceWhateverTheyAre() throws {
    let entries: [(String, [UInt8])] = [("a", [0]), ("b", Self.hello), ("c", [2, 0xff, 0xfe])]
    let comparison = try Comparison(
      try source(entries + [("x", [1])]), try source(entries + [("a", [7]), ("a", [0])]),
      schema: .empty)
    #expect(comparison.differences.map(\.change) == [.removed])
    #expect(comparison.sameCount == 3)
  }

  @Test func aStoreWithTypesLendsThem() throws {
    let table = EntryTable(
      formatName: "json", files: [],
      entries: [
        TypedEntry(key: Key(Array("q".utf8)), value: .uint64(9)),
        TypedEntry(key: Key(Array("r".utf8)), value: .double(1)),
      ], findings: [])
    let store = try source([("q", [7]), ("r", Self.hello)])
    for sources in [(ReadSource.table(table), store), (store, .table(table))] {
      let comparison = try Comparison(sources.0, sources.1, schema: .empty)
      let kinds = comparison.differences.map { [$0.before?.value.kind, $0.after?.value.kind] }
      #expect(kinds[0] == [.uint64, .uint64])
      // Bytes that cannot be a double are shown neither as a double nor as bytes.
      #expect(Set(kinds[1]) == [.double, .string])
    }
  }
}
