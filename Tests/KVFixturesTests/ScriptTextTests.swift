import KVFixtures
import KVModel
import KVTestSupport
import Testing

@Suite("The text of a script")
struct ScriptTextTests {
  /// Tests words with a meaning in a script, and words that only start like one.
  @Test(
    "is read back as the same operations, whatever the bytes spell",
    arguments: [
      "%", "%%", "@", "@60", "hex:", "hex:00", "random:3", "a b", "a\nb", "é", "plain",
    ])
  func anyBytesComeBack(_ text: String) throws {
    let bytes = Array(text.utf8)
    let operations: [ScriptOperation] = [
      .set(Key(bytes), .string(text)), .set(Key(Array("key".utf8)), .bytes(bytes), lifetime: 60),
      .remove([Key(bytes)]), .set(Key(bytes), .string("")),
    ]
    let script = Script(StoreSettings(), operations)
    let read = try Script(parsing: try script.text())
    #expect(read.statements.map(\.operation) == operations)
  }

  @Test("is read back as the same lists, up to the ends of their types")
  func listsComeBack() throws {
    let lists: [Value.List] = [
      .bool([true, false]), .int32([.min, .max]), .uint32([0, .max]), .int64([.min, .max]),
      .uint64([0, .max]), .float([-0.5, 1e30]), .double([.pi, -1e300]), .string(["", "é"]),
      .bytes([[], [0x61], [0xff]]), .bytes([[0x61]]), .string([]), .bytes([]), .int32([]),
      .double([]),
    ]
    let operations = lists.enumerated().map {
      ScriptOperation.set(Key(Array("list \($0.offset)".utf8)), .list($0.element))
    }
    let read = try Script(parsing: try Script(StoreSettings(), operations).text())
    #expect(read.statements.map(\.operation) == operations)
  }

  @Test("is read back with the same keys, of either size")
  func keysComeBack() throws {
    var settings = StoreSettings()
    for isAES256 in [false, true] {
      settings.key = StoreKey(Array("a key".utf8), isAES256: isAES256)
      let operations = [
        ScriptOperation.set(Key([0x61]), .int32(1)),
        .rekey(StoreKey(Array("another".utf8), isAES256: !isAES256)),
      ]
      let read = try Script(parsing: try Script(settings, operations).text())
      #expect(read.settings == settings && read.statements.map(\.operation) == operations)
    }
  }

  private static let key = Key([0x6b])

  /// Tests lifetimes after values that may have no words.
  ///
  /// A lifetime is the last word of a line, and a value of these types may have no word at all.
  @Test(
    "is read back with the lifetimes of values without words",
    arguments: [
      .list(.string([])), .list(.int32([])), .list(.bool([])), .list(.bytes([])), .set([]), .null,
      .list(.string(["@60"])), .set(["@60"]), .string("@60"), .object(className: "@60", []),
    ] as [Value])
  func lifetimesComeBack(_ value: Value) throws {
    for lifetime in [nil, 0, 60] as [UInt32?] {
      let operation = ScriptOperation.set(Self.key, value, lifetime: lifetime)
      let text = try Script(StoreSettings(), [operation]).text()
      #expect(try Script(parsing: text).statements.map(\.operation) == [operation], "\(text)")
    }
  }

  @Test(
    "is read back with the names of stores and of classes",
    arguments: ["", "hex:00", "a b", "%", "#", "é", "random:3", "@1"])
  func namesComeBack(_ name: String) throws {
    var settings = StoreSettings()
    if !name.isEmpty { settings.name = name }
    let operation = ScriptOperation.set(Self.key, .object(className: name, [1]))
    let read = try Script(parsing: try Script(settings, [operation]).text())
    #expect(read.settings == settings && read.statements.map(\.operation) == [operation])
  }

  @Test(
    "is refused where it would say something else",
    arguments: [
      (.remove([]), "names at least one key"), (.remove([Key([])]), "a key is not empty"),
      (.set(Key([]), .null), "a key is not empty"), (.set(key, .set([nil])), "a null in a set"),
      (.set(key, .set(["a", "a"])), "no text twice"),
      (.rekey(StoreKey([])), "is not empty"), (.set(key, .array([])), "no word for the type"),
    ] as [(ScriptOperation, String)])
  func refusals(_ operation: ScriptOperation, _ reason: String) {
    let error = #expect(throws: ScriptError.self) {
      try Script(StoreSettings(), [operation]).text()
    }
    #expect(error?.line == nil && error?.reason.contains(reason) == true)
  }

  @Test("is refused for settings that no script can state")
  func settingsThatNoScriptStates() {
    func expectRefusal(_ change: (inout StoreSettings) -> Void) {
      var settings = StoreSettings()
      change(&settings)
      #expect(throws: ScriptError.self) { try Script(settings, []).text() }
    }
    expectRefusal { $0.name = "../kv" }
    expectRefusal { $0.name = "a\nb" }
    expectRefusal { $0.name = "" }
    expectRefusal { $0.page = 16 }
    expectRefusal { $0.capacity = -1 }
    expectRefusal { $0.width = 16 }
    expectRefusal { $0.growth = 2 }
    expectRefusal { $0.key = StoreKey([], isAES256: true) }
  }

  @Test(
    "is read back as the same operation or refused, whatever the operation",
    arguments: RandomSeeds.fresh(20))
  func anyOperationComesBackOrIsRefused(seed: UInt64) throws {
    var random = RandomOperations(seed: seed)
    var count = 0
    for _ in 0..<500 {
      let operation = random.operation()
      let text: String
      do throws(ScriptError) {
        text = try Script(StoreSettings(), [operation]).text()
      } catch {
        #expect(error.line == nil)
        continue
      }
      let read = try Script(parsing: text).statements.map(\.operation)
      // By their descriptions, because a NaN is not equal to itself.
      #expect("\(read)" == "\([operation])", "seed \(seed): \(text)")
      count += 1
    }
    #expect(count > 250, "seed \(seed)")
  }

  @Test("may have settings of another format, which change nothing")
  func settingsOfAnotherFormat() throws {
    func image(_ settings: String) throws -> DiskImage {
      let script = try Script(parsing: "format mmkv\n\(settings)int32 a 7\n")
      var simulation = try Simulation(script, seed: 1)
      try simulation.finish()
      return simulation.image
    }
    #expect(try image("mode nb\nwidth 4\n") == image(""))
  }
}
