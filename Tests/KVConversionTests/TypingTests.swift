import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Finding the types of values whose types are not stored.
struct TypingTests {
  /// Returns the converted values of a store with the records of `entries`, in order.
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

  @Test func whatIsUndecidedStaysBytesAndIsSaid() throws {
    // Two texts, two numbers, and a key without a meaning whose value is empty, false or 0.
    let found = try typed(
      [("a", Self.text), ("b", Self.text), ("c", [2]), ("d", [3]), ("q", [0])])
    #expect(found["q"]?.value == .raw([0]))
    #expect(found["q"]?.codes == ["convert.ambiguous-type"])
  }

  @Test func printableTextIsTextAndNeverCertain() throws {
    let json: [UInt8] = [7] + Array(#"{"a":1}"#.utf8)
    let found = try typed([("text", Self.text), ("json", json)])
    #expect(found["text"]?.value == .string("hello"))
    // The app stored a string. That it is JSON is a matter of interpretation.
    #expect(found["json"]?.value == .string(#"{"a":1}"#))
    #expect(found.values.allSatisfy { $0.codes == ["convert.likely-type"] })
  }

  @Test(
    "The byte 00 is what the other values of its key are",
    arguments: [
      ([[5] + Array("hello".utf8)], Value.string("")), ([[7]], .int32(0)),
      ([[1], [0]], .bool(false)), ([[4, 1, 0x61, 1, 0x62]], .list(.string([]))),
      ([[0x80, 0x80, 0x80, 0x80, 0x40]], .int64(0)),
    ] as [([[UInt8]], Value)])
  func historyDecides(earlier: [[UInt8]], expected: Value) throws {
    let found = try typed(earlier.map { ("q", $0) } + [("q", [0])])
    #expect(found["q"]?.value == expected)
  }

  @Test func valuesThatNoTypeHasSayNothingOfOneAnother() throws {
    let found = try typed([("q", [2, 0xff, 0xfe]), ("q", [7]), ("q", Self.text)])
    #expect(found["q"]?.value == .string("hello"))
  }

  @Test func keysOfTheSamePatternDecide() throws {
    let numbers = (2...9).map { ("room_\($0)_x", [UInt8($0)]) }
    let found = try typed(numbers + [("room_1_x", [1]), ("room_0_x", [0])])
    #expect(found["room_1_x"]?.value == .int32(1))
    #expect(found["room_0_x"]?.value == .int32(0))
    let texts = (2...9).map { ("room_\($0)_y", Self.text) }
    #expect(try typed(texts + [("room_0_y", [0])])["room_0_y"]?.value == .string(""))
  }

  /// Tests keys that differ in one character, wherever it is: they have other patterns.
  @Test(arguments: 1...20)
  func keysThatDifferInALetterHaveOtherPatterns(_ count: Int) throws {
    for (place, other) in (0..<count).flatMap({ [($0, "b"), ($0, "5")] }) {
      func name(_ letter: String) -> String {
        String(repeating: "k", count: place) + letter
          + String(repeating: "k", count: count - place - 1)
      }
      let numbers = (2...9).map { ("\(name("a"))_\($0)", [UInt8($0)]) }
      let texts = (2...9).map { ("\(name(other))_\($0)", Self.text) }
      let zeros = [("\(name("a"))_0", [UInt8(0)]), ("\(name(other))_0", [0])]
      let found = try typed(numbers + texts + zeros)
      #expect(found[zeros[0].0]?.value == .int32(0), "\(zeros[0].0)")
      #expect(found[zeros[1].0]?.value == .string(""), "\(zeros[1].0)")
    }
  }

  @Test func zerosWithoutOnesAreWhatTheOtherKeysAre() throws {
    // As many Booleans as this are not all false, and other keys show that these can be empty.
    let zeros = (1...30).map { ("config_\($0)", [UInt8(0)]) }
    let texts = (31...36).map { ("config_\($0)", Self.text) }
    let found = try typed(texts + zeros)
    #expect(found["config_7"]?.value == .string(""))
    // With as many ones, they are what most such keys are.
    let ones = (41...70).map { ("config_\($0)", [UInt8(1)]) }
    #expect(try typed(texts + zeros + ones)["config_7"]?.value == .bool(false))
  }

  @Test func aStringIsNoParticiple() throws {
    let found = try typed([("filter_string", [0]), ("loading", [0])])
    #expect(found["filter_string"]?.value == .string(""))
    #expect(found["loading"]?.value == .bool(false))
  }

  @Test func aVoteDecidesWhatNamesDoNot() throws {
    // Twelve numbers that are all 0 or 1 are not plausible.
    let flags = (0..<12).map { ("\(Character(UnicodeScalar(UInt8(0x61 + $0))))q", [UInt8($0 % 2)]) }
    let found = try typed(flags)
    #expect(found.count == 12)
    for (index, flag) in flags.enumerated() {
      #expect(found[flag.0]?.value == .bool(index % 2 == 1))
    }
  }

  @Test(
    arguments: [
      ("isOpen", .bool(false)), ("has_paid", .bool(false)), ("push.enabled", .bool(false)),
      ("launchCount", .int32(0)), ("retry_times", .int32(0)), ("nick-name", .string("")),
      ("SETTINGS_LABS_ENABLE_LATEX_KEY", .bool(false)), ("showUnreadCount", .bool(false)),
      ("timesShownOnStart", .int32(0)), ("skipCount", .int32(0)), ("islogin", .bool(false)),
      ("userURLPath", .string("")), ("nMode", .int32(0)), ("strCity", .string("")),
      ("last_seen", .int32(0)), ("pref_language_key", .string("")),
      ("ACCESS_TOKEN", .string("")), ("blocked_ids", .list(.string([]))),
    ] as [(String, Value)])
  func namesDecideWhatBytesDoNot(_ key: String, _ expected: Value) throws {
    #expect(try typed([(key, [0])])[key]?.value == expected)
  }

  @Test func aNameDoesNotMakeBytesIntoWhatTheyAreNot() throws {
    let found = try typed([("is_on", [7]), ("count", Self.text), ("name", [0xac, 0x02])])
    #expect(found["is_on"]?.value == .int32(7))
    #expect(found["count"]?.value == .string("hello"))
    #expect(found["name"]?.value == .int32(300))
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
        .init(.key(Key(Array("n.1".utf8))), .uint64), .init(.pattern("n.*"), .int64),
        .init(.pattern("*"), .string), .init(.key(Key(Array("flag".utf8))), .bool),
      ])
    #expect(found["flag"]?.value == .bool(true))
    #expect(found["n.1"]?.value == .uint64(7))
    #expect(found["n.2"]?.value == .int64(8))
    #expect(found["text"]?.value == .string("hello"))
    #expect(found.values.allSatisfy { $0.codes.isEmpty })
  }

  @Test func aTypeThatTheBytesAreNotIsSaid() throws {
    let found = try typed([("text", Self.text)], [.init(.pattern("t*t"), .double)])
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
    #expect(found["text"]?.codes == ["convert.likely-type"])
    #expect(found["once"]?.value == .string("hello"))
    #expect(found["same"]?.value == .string("hello"))
  }

  @Test func aWiderNumberBeforeWidensTheType() throws {
    let wide: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x40]
    let found = try typed([("n", wide), ("n", [0xac, 0x02])])
    #expect(found["n"]?.value == .int64(300))
  }

  @Test(
    "Of the other values of a key the six newest are looked at, each once",
    arguments: [
      // The wide number is the seventh before the last value.
      ([[2], [3], [4], [5], [6], [7]], Value.int32(1)),
      ([[2], [3], [4], [5], [6]], .int64(1)),
      // A value that equals the last one, or that occurs twice, is not one of the six.
      ([[2], [3], [1], [4], [5], [6]], .int64(1)),
      ([[2], [3], [3], [2], [4], [5], [6], [6]], .int64(1)),
      ([[2], [3], [1], [4], [5], [6], [7]], .int32(1)),
      // The wide number occurs again.
      ([[2], [3], [4], [5], [6], [7], Self.wide, [8]], .int64(1)),
    ] as [([[UInt8]], Value)])
  func sixValuesAreLookedAt(later: [[UInt8]], expected: Value) throws {
    let found = try typed(([Self.wide] + later + [[1]]).map { ("q", $0) })
    #expect(found["q"]?.value == expected)
  }

  /// A number that takes more than 32 bits.
  private static let wide: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x40]

  @Test func theLikeliestIsTakenWhereThatIsAskedFor() throws {
    let entries = [("a", Self.text), ("b", Self.text), ("c", [2]), ("d", [3]), ("q", [0])]
    #expect(try typed(entries)["q"]?.codes == ["convert.ambiguous-type"])
    let found = try typed(entries, assumesLikeliest: true)
    #expect(found["q"]?.codes == ["convert.likely-type"])
    #expect(found["q"]?.value.kind != .raw)
  }

  /// Tests that other possible types are named once, without the chosen one.
  ///
  /// The number means 2003 in seconds since 1970, and 2034 in seconds since 2001.
  @Test func otherTypesAreNamedOnceAndTheOneTakenIsNot() throws {
    let moment = 1_050_000_000.5
    var builder = MMKVFixtureBuilder()
    builder.put("when", MMKVFixtureBuilder.little(moment.bitPattern))
    let store = builder.open()
    let record = try #require(Diagnosis(of: store, now: 0).best?.snapshot.live.first)
    let readings = store.readings(of: record)
    #expect(readings.map(\.value.kind) == [.date, .double, .date])
    let others = readings.dropFirst().map(\.value.kind)
    #expect(
      Loss.likelyType(readings[0].value.kind, "why", besides: others).message
        == "read as date: why. Other types that fit: double")
    #expect(
      Loss.likelyType(.double, "why", besides: readings.map(\.value.kind)).message
        == "read as double: why. Other types that fit: date")
    #expect(Loss.ambiguousType(readings).message.hasSuffix("Types that fit: date, double"))
  }

  @Test func aSchemaIsReadAsItIsWritten() throws {
    let schema = TypeSchema([
      .init(.key(Key(Array("a \"quoted\" key\n".utf8))), .string),
      .init(.key(Key([0xff])), .int64List, readings: [.bytes, .string]),
      .init(.pattern("x*y"), .date),
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
    let schema = TypeSchema([.init(.pattern(pattern), .bool)])
    #expect((schema.kind(of: Key(Array(key.utf8))) != nil) == matches)
  }

  /// Tests what makes a part of a key an ID, which keys of one pattern have different ones of: a
  /// quarter of digits, among eight characters or more.
  @Test(arguments: [
    (["ghijkm12", "npqrst34", "uvwxyz56", "hgjikm78", "zyxwvu90"], true),
    (["ghijkmn1", "npqrstu2", "uvwxyzg3", "hgjikml4", "zyxwvut5"], false),
    (["ghijk12", "npqrs34", "uvwxy56", "hgjik78", "zyxwv90"], false),
    (["abcdefa1", "fedcbaa2", "aabbccd3", "ddeeffa4", "badcafe5"], true),
  ])
  func keysWithOtherIDsHaveOnePattern(parts: [String], areIDs: Bool) throws {
    let texts = parts.dropLast().map { ($0, Self.text) }
    // Most other values of the store are numbers.
    let numbers = (2...30).map { ("other \($0)", [UInt8($0)]) }
    let found = try typed(texts + numbers + [(parts[4], [0])])[parts[4]]
    #expect((found?.value == .string("")) == areIDs, "\(String(describing: found))")
  }
}
