import KVFixtures
import KVModel
import Testing

@Suite("The text of a script")
struct ScriptTextTests {
  /// Words with a meaning in a script, and words that only start like one.
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
