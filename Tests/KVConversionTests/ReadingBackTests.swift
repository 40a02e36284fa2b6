import KVConversion
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// Comparing what new files hold with what was to be written, and types learned from many stores.
struct ReadingBackTests {
  private static func table(_ entries: [TypedEntry]) -> EntryTable {
    EntryTable(formatName: "test", files: [], entries: entries, findings: [])
  }

  /// Tests that every change of an entry is noticed, and nothing else.
  @Test(arguments: RandomSeeds.fresh(1))
  func everyChangedEntryIsNoticed(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for format in WritableFormat.all where type(of: format.encoder).keepsTypes {
      let conversion = Conversion(
        of: TypedSource(Self.table(Samples.entries)), by: format.encoder)
      let written = format.fitted(Samples.entries)
      let back = try format.roundTrip(written)
      #expect(try conversion.keysThatDiffer(in: .table(Self.table(back))) == [], "\(format.title)")
      var changed = back
      let index = Int.random(in: back.indices, using: &random)
      changed[index] = TypedEntry(key: back[index].key, value: .string("changed on the disk"))
      let lost = changed.remove(at: (index + 1) % back.count)
      changed.append(TypedEntry(key: Key(Array("nobody wrote it".utf8)), value: .bool(true)))
      let found = try conversion.keysThatDiffer(in: .table(Self.table(changed)))
      let expected = [back[index].key, lost.key, Key(Array("nobody wrote it".utf8))]
      #expect(Set(found) == Set(expected) && found.count == 3, "\(format.title), seed \(seed)")
    }
  }

  private static func rule(_ key: String, _ kind: Value.Kind) -> TypeSchema.Rule {
    TypeSchema.Rule(.key(Key(Array(key.utf8))), kind)
  }

  @Test func aKeyHasARuleIfAllStoresAgree() {
    var learned = LearnedTypes()
    learned.add(
      [Self.rule("a", .int32), Self.rule("b", .string), Self.rule("c", .raw)], areStated: false)
    learned.add(
      [Self.rule("a", .int64), Self.rule("b", .string), Self.rule("c", .raw)], areStated: false)
    // Rules do not change the types that a format stores.
    learned.add([Self.rule("b", .bytes), Self.rule("d", .float)], areStated: true)
    #expect(
      learned.common.rules
        == [Self.rule("b", .string), Self.rule("c", .raw), Self.rule("d", .float)])
    #expect(learned.differing == [Key(Array("a".utf8))])
  }
}
