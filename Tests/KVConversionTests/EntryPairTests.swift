import KVConversion
import KVModel
import SystemPackage
import Testing

/// What becomes of the entries that two stores have of one key: every pair of values and expiry
/// times, and of evidence and cautions.
struct EntryPairTests {
  private static let key = Key(Array("key".utf8))

  private static func source(_ entries: [TypedEntry]) -> TypedSource {
    TypedSource(EntryTable(formatName: "json", files: [], entries: entries, findings: []))
  }

  /// Returns the entries of every value with every expiry time; 0 is none.
  private static let entries: [TypedEntry] = [Value.int32(5), .int64(5), .int32(6)].flatMap {
    value in [0, 1000, 2000].map { TypedEntry(key: key, value: value, expiry: $0) }
  }

  /// What the two entries of a pair have in common, told without the code under test.
  private static func isSameNumber(_ one: TypedEntry, _ other: TypedEntry) -> Bool {
    (one.value == .int32(6)) == (other.value == .int32(6))
  }

  @Test func aComparisonTellsEveryPairOfEntries() throws {
    for before in Self.entries {
      for after in Self.entries {
        let comparison = try Comparison(Self.source([before]), Self.source([after]))
        let expected: [Comparison.Difference.Change] =
          before.expiry != after.expiry || !Self.isSameNumber(before, after)
          ? [.changed] : before.value == after.value ? [] : [.retyped]
        #expect(comparison.differences.map(\.change) == expected, "\(before), \(after)")
        #expect(comparison.sameCount == 1 - expected.count)
        #expect(comparison.differences.allSatisfy { $0.before == before && $0.after == after })
      }
    }
  }

  @Test(arguments: [ConflictRule.first, .last])
  func aMergeKeepsOneEntryOfEveryPair(_ rule: ConflictRule) throws {
    for one in Self.entries {
      for other in Self.entries {
        let merge = try Merge([Self.source([one]), Self.source([other])], onConflict: rule)
        let isConflict = one.expiry != other.expiry || !Self.isSameNumber(one, other)
        #expect(merge.conflicts.count == (isConflict ? 1 : 0), "\(one), \(other)")
        let kept = try Self.entries(of: merge.source)
        #expect(kept.map(\.value) == [(isConflict && rule == .last ? other : one).value])
        #expect(kept.map(\.expiry) == [(isConflict && rule == .last ? other : one).expiry])
      }
    }
  }

  /// Tests that of three stores with one value, the first with the best evidence and, with the same
  /// evidence, the fewest cautions gives the entry.
  @Test func ofEqualEntriesTheBestSupportedIsKept() throws {
    let evidence: [Evidence] = [.guess, .structure, .checksum]
    let cautions: [[Caution]] = [[], [.mayBeDamaged], [.mayBeDamaged, .mayBeStale]]
    let origins = evidence.flatMap { evidence in
      cautions.map { EntryOrigin(evidence, cautions: $0) }
    }
    for number in 0..<729 {
      let trio = [1, 9, 81].map { origins[number / $0 % 9] }
      let merge = try Merge(
        trio.map {
          Self.source([TypedEntry(key: Self.key, value: .string("the same"), origin: $0)])
        }, onConflict: .last)
      var best = trio[0]
      for origin in trio[1...] {
        let (worse, equal) = (origin.evidence < best.evidence, origin.evidence == best.evidence)
        if worse || equal && origin.cautions.count >= best.cautions.count { continue }
        best = origin
      }
      let kept = try #require(try Self.entries(of: merge.source).first)
      #expect(kept.origin.evidence == best.evidence && kept.origin.cautions == best.cautions)
      #expect(merge.conflicts.isEmpty)
    }
  }

  /// Tests the order of differences: what the second store has in its order, then what only the first
  /// has in the order of that.
  @Test func differencesAreInTheOrderOfTheStores() throws {
    func source(_ entries: [(String, Int32)]) -> TypedSource {
      Self.source(entries.map { TypedEntry(key: Key(Array($0.0.utf8)), value: .int32($0.1)) })
    }
    let comparison = try Comparison(
      source([("r2", 1), ("c1", 1), ("r3", 1), ("s", 1), ("c2", 1), ("r1", 1)]),
      source([("a2", 1), ("c2", 2), ("a1", 1), ("s", 1), ("c1", 2), ("a3", 1)]))
    let found = comparison.differences.map { ($0.after ?? $0.before)?.key.text }
    #expect(found == ["a2", "c2", "a1", "c1", "a3", "r2", "r3", "r1"])
    #expect(comparison.sameCount == 1)
  }

  private static func entries(of source: TypedSource) throws -> [TypedEntry] {
    var found: [TypedEntry] = []
    try source.forEachEntry { (entry, _) throws(ConversionError) in found.append(entry) }
    return found
  }
}
