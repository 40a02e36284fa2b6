import KVBytes
import KVConversion
import KVModel
import SystemPackage
import Testing

/// Merging several stores, and comparing one with another.
struct MergeTests {
  private func source(_ entries: [(String, Value)], format: String = "json") -> TypedSource {
    TypedSource(
      EntryTable(
        formatName: format, files: [],
        entries: entries.map { TypedEntry(key: Key(Array($0.0.utf8)), value: $0.1) },
        findings: []))
  }

  private func entries(_ source: TypedSource) throws -> [String: Value] {
    var found: [String: Value] = [:]
    try source.forEachEntry { (entry, _) throws(ConversionError) in
      found[entry.key.text ?? ""] = entry.value
    }
    return found
  }

  @Test(arguments: [(ConflictRule.first, Int32(1)), (.last, 3)])
  func theRuleDecidesWhereStoresDisagree(_ rule: ConflictRule, _ kept: Int32) throws {
    let merge = try Merge(
      [
        source([("a", .int32(1)), ("same", .bool(true))]),
        source([("a", .int32(2)), ("b", .int32(5)), ("same", .bool(true))]),
        source([("a", .int32(3))]),
      ], onConflict: rule)
    #expect(
      try entries(merge.source)
        == ["a": .int32(kept), "b": .int32(5), "same": .bool(true)])
    #expect(merge.conflicts.map(\.key.text) == ["a", "a"])
    #expect(merge.source.count == 3)
  }

  /// Tests that each key has one type, that of the value which is kept, if several stores have others.
  @Test(arguments: [ConflictRule.first, .last], 0..<27)
  func theTypeOfAKeyIsThatOfTheValueThatIsKept(rule: ConflictRule, number: Int) throws {
    let values: [Value] = [.int32(1), .string("x"), .double(0.5)]
    let sources = (0..<3).map { index in
      let value = values[number / [1, 3, 9][index] % 3]
      return source([("shared", value), ("own\(index)", value), ("same", .bool(true))])
    }
    let merged = try Merge(sources, onConflict: rule).source
    var kinds: [String: [Value.Kind]] = [:]
    for rule in merged.types() {
      guard case .key(let key) = rule.subject else { continue }
      kinds[key.text ?? "", default: []].append(rule.kind)
    }
    #expect(try kinds == entries(merged).mapValues { [$0.kind] })
  }

  /// The same number with another type is no conflict; a type that is stored is kept.
  @Test(arguments: [ConflictRule.first, .last])
  func theSameValueWithAnotherTypeIsNoConflict(_ rule: ConflictRule) throws {
    let merge = try Merge(
      [
        source([("a", .int32(5)), ("b", .string("{}")), ("c", .int32(1))]),
        source([("a", .int64(5)), ("b", .json("{}")), ("c", .double(1.5))]),
      ], onConflict: rule)
    #expect(merge.conflicts.map(\.key.text) == ["c"])
    let found = try entries(merge.source)
    #expect(found["a"] == .int32(5))
    #expect(found["b"] == .string("{}"))
  }

  @Test func theLastRuleNamesTheStoreThatHeldTheValueLast() throws {
    let sources = (1...3).map { source([("a", .int32($0))]) }
    let merge = try Merge(sources, onConflict: .last)
    let messages = merge.conflicts.map(\.loss.message)
    #expect(messages.count == 2)
    // The third store replaces the value of the second one, not that of the first.
    #expect(messages.last?.contains("store 3") == true)
    #expect(messages.last?.contains("store 2") == true)
    #expect(messages.last?.contains("store 1") == false)
  }

  @Test func entriesAndFindingsOfSeveralStoresSayWhichTheyAreOf() throws {
    let finding = Finding(LogFindings.emptied, at: nil, "empty")
    func source(_ path: FilePath, _ key: String) -> TypedSource {
      TypedSource(
        EntryTable(
          formatName: "json", files: [StoreFile(.data, at: path, FileImage([]))],
          entries: [TypedEntry(key: Key(Array(key.utf8)), value: .bool(true))],
          findings: [finding]))
    }
    func stores(_ source: TypedSource) throws -> [FilePath?] {
      var found: [FilePath?] = []
      try source.forEachEntry { (entry, _) throws(ConversionError) in
        found.append(entry.origin.store)
      }
      return found
    }
    let sources = [source("a/one", "x"), source("b/two", "y")]
    let merged = try Merge(sources, onConflict: .error).source
    #expect(try stores(merged) == ["a/one", "b/two"])
    #expect(merged.stores == ["a/one", "b/two"])
    #expect(merged.findings.map(\.store) == ["a/one", "b/two"])
    #expect(merged.findings.map(\.finding) == [finding, finding])
    // For a single store, the name is omitted.
    #expect(try stores(Merge([sources[0]], onConflict: .error).source) == [nil])
  }

  @Test func ofAKeyTwiceInOneFileTheLastCounts() throws {
    let source = source([("a", .int32(1)), ("b", .int32(2)), ("a", .int32(3))])
    #expect(try entries(source) == ["a": .int32(3), "b": .int32(2)])
    #expect(source.count == 2)
  }

  /// The parts of a value are compared as values are: by what they mean, and not by how they look in
  /// JSON.
  @Test func partsOfAnotherTypeAreNotAnotherValue() throws {
    let retyped: [(Value, Value)] = [
      (.array([.int32(1)]), .array([.int64(1)])),
      (.list(.double([.nan])), .array([.float(.nan)])),
      (
        .dictionary([.init("a", .float(0.5)), .init("b", .null)]),
        .dictionary([.init("b", .null), .init("a", .double(0.5))])
      ),
      (.keyedArchive(className: "A", [1, 2]), .bytes([1, 2])),
      (.array([.string("{}")]), .array([.json("{}")])),
    ]
    let changed: [(Value, Value)] = [
      (.list(.string(["b", "a", "b"])), .set(["a", "b"])),
      (.list(.bytes([[0]])), .array([.string("AA==")])),
      (.float(-0.0), .double(0)), (.int64(0), .double(-0.0)),
      (.uint64(.max), .int64(-1)), (.array([.int32(1)]), .array([.int32(2)])),
      (.set(["a", nil]), .list(.string(["a"]))),
    ]
    for (pairs, expected) in [(retyped, Comparison.Difference.Change.retyped), (changed, .changed)]
    {
      for (one, other) in pairs {
        for (before, after) in [(one, other), (other, one)] {
          let comparison = try Comparison(source([("k", before)]), source([("k", after)]))
          #expect(comparison.differences.map(\.change) == [expected], "\(before), \(after)")
        }
      }
    }
  }

  @Test func aComparisonTellsAnotherTypeFromAnotherValue() throws {
    let before = source([
      ("same", .float(.nan)), ("gone", .null), ("int", .int32(5)), ("text", .string("5")),
      ("set", .set(["a", "b"])), ("bytes", .bytes([1])), ("zero", .double(0.0)),
      ("infinite", .float(.infinity)), ("none", .float(.nan)),
    ])
    let after = source([
      ("same", .float(.nan)), ("int", .double(5)), ("text", .int32(5)), ("new", .bool(true)),
      ("set", .list(.string(["b", "a"]))), ("bytes", .string("AQ==")), ("zero", .double(-0.0)),
      ("infinite", .double(.infinity)), ("none", .double(.nan)),
    ])
    let comparison = try Comparison(before, after)
    let changes = Dictionary(
      uniqueKeysWithValues: comparison.differences.map {
        (($0.after ?? $0.before)?.key.text ?? "", $0.change)
      })
    #expect(
      changes == [
        "gone": .removed, "int": .retyped, "text": .changed, "new": .added, "set": .retyped,
        "bytes": .changed, "zero": .changed, "infinite": .retyped, "none": .retyped,
      ])
    #expect(comparison.sameCount == 1)
  }
}
