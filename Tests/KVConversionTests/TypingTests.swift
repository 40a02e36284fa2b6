import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// How a type is found where none is stored.
struct TypingTests {
  /// The store with the records of `entries`, in order, and what a conversion takes its values for.
  private func typed(
    _ entries: [(key: String, bytes: [UInt8])], _ rules: [TypeSchema.Rule] = [],
    assumesLikeliest: Bool = false
  ) throws -> [String: (value: Value, codes: [String])] {
    var builder = MMKVFixtureBuilder()
    for entry in entries { builder.put(entry.key, entry.bytes) }
    let format = MMKVFormat(now: 0)
    let store = format.open(builder.files()).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    let source = TypedSource(
      store, diagnosis, plan, schema: TypeSchema(rules), assumesLikeliest: assumesLikeliest)
    var found: [String: (value: Value, codes: [String])] = [:]
    try source.forEachEntry { (entry, losses) throws(ConversionError) in
      found[entry.key.text ?? ""] = (entry.value, losses.map(\.code))
    }
    return found
  }

  private static let text: [UInt8] = [5] + Array("hello".utf8)

  @Test func whatSeveralTypesFitStaysBytesAndIsSaid() throws {
    let found = try typed([("flag", [1]), ("text", Self.text)])
    #expect(found["flag"]?.value == .raw([1]))
    #expect(found["flag"]?.codes == ["convert.ambiguous-type"])
    #expect(found["text"]?.value == .raw(Self.text))
  }

  @Test func theOnlyTypeThatFitsIsTaken() throws {
    let found = try typed([("count", [0xac, 0x02])])
    #expect(found["count"]?.value == .int32(300))
    #expect(found["count"]?.codes == ["convert.assumed-type"])
  }

  @Test func aSchemaGoesBeforeEverything() throws {
    let found = try typed(
      [("flag", [1]), ("n.1", [7]), ("n.2", [8]), ("text", Self.text)],
      [
        .init(.key(Key(Array("n.1".utf8))), "uint64"), .init(.pattern("n.*"), "int64"),
        .init(.pattern("*"), "string"), .init(.key(Key(Array("flag".utf8))), "bool"),
      ])
    #expect(found["flag"]?.value == .bool(true))
    #expect(found["n.1"]?.value == .uint64(7))
    #expect(found["n.2"]?.value == .int64(8))
    #expect(found["text"]?.value == .string("hello"))
    #expect(found.values.allSatisfy { $0.codes.isEmpty })
  }

  @Test func aTypeThatTheBytesAreNotIsSaid() throws {
    let found = try typed([("text", Self.text)], [.init(.pattern("t*t"), "double")])
    #expect(found["text"]?.value == .raw(Self.text))
    #expect(found["text"]?.codes == ["convert.schema-mismatch"])
  }

  @Test func twoDifferentValuesOfOneTypeShowIt() throws {
    let other: [UInt8] = [5] + Array("world".utf8)
    let found = try typed([
      ("text", Self.text), ("once", Self.text), ("text", other), ("same", Self.text),
      ("same", Self.text),
    ])
    #expect(found["text"]?.value == .string("world"))
    #expect(found["text"]?.codes == ["convert.assumed-type"])
    #expect(found["once"]?.value == .raw(Self.text))
    // The same bytes twice show no more than once.
    #expect(found["same"]?.value == .raw(Self.text))
  }

  @Test func aWiderNumberBeforeWidensTheType() throws {
    let wide: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x40]
    let found = try typed([("n", wide), ("n", [0xac, 0x02])])
    #expect(found["n"]?.value == .int64(300))
  }

  @Test func theLikeliestIsTakenWhereThatIsAskedFor() throws {
    let found = try typed([("text", Self.text)], assumesLikeliest: true)
    #expect(found["text"]?.value == .string("hello"))
    #expect(found["text"]?.codes == ["convert.assumed-type"])
  }

  @Test func aSchemaIsReadAsItIsWritten() throws {
    let schema = TypeSchema([
      .init(.key(Key(Array("a \"quoted\" key\n".utf8))), "string"),
      .init(.key(Key([0xff])), "list<int64>", readings: ["bytes", "string"]),
      .init(.pattern("x*y"), "date"),
    ])
    #expect(try TypeSchema(parsing: schema.bytes).rules == schema.rules)
  }

  @Test(arguments: [
    ("[]", TypeSchemaError.malformed("")),
    (#"{"kvfsck":"types","schema":2,"types":[]}"#, .malformed("")),
    (
      #"{"kvfsck":"types","schema":1,"types":[{"key":"a","type":"text"}]}"#,
      .unknownType("text", ordinal: 1)
    ),
    (#"{"kvfsck":"types","schema":1,"types":[{"type":"bool"}]}"#, .noSubject(ordinal: 1)),
    (
      #"{"kvfsck":"types","schema":1,"types":[{"key_hex":"f","type":"bool"}]}"#,
      .noSubject(ordinal: 1)
    ),
  ])
  func aSchemaThatMakesNoSenseIsRefused(_ text: String, _ expected: TypeSchemaError) {
    let error = #expect(throws: TypeSchemaError.self) {
      try TypeSchema(parsing: Array(text.utf8))
    }
    if case .malformed = expected, case .malformed = error { return }
    #expect(error == expected)
  }

  @Test(arguments: [
    ("", "", true), ("*", "", true), ("a*", "b", false), ("*a*b", "xxaxbxb", true),
    ("a*b*c", "abxc", true), ("a*b*c", "acb", false), ("a", "ab", false),
  ])
  func starsStandForAnything(_ pattern: String, _ key: String, _ matches: Bool) {
    let schema = TypeSchema([.init(.pattern(pattern), "bool")])
    #expect((schema.kind(of: Key(Array(key.utf8))) != nil) == matches)
  }
}
