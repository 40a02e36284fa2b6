import KVFixtures
import KVModel
import KVRecovery
import MMKVFormat
import Testing

@Suite("A script")
struct ScriptTests {
  @Test("is read from text")
  func isRead() throws {
    let script = try Script(
      parsing: """
        # What an app does.
        format mmkv
        key hex:00ff aes256
        start 1000

        string token hex:c3a9 @60
        bool seen 1
        vec names a % random:3
        remove token seen
        clearallkeep
        rekey %
        """, seed: 7)
    #expect(script.settings.key == StoreKey([0, 0xff], isAES256: true))
    #expect(script.settings.now == 1000)
    #expect(script.statements.map(\.line) == [6, 7, 8, 9, 10, 11])
    #expect(
      script.statements.map(\.operation).prefix(2) == [
        .set(Key(Array("token".utf8)), .string("é"), lifetime: 60),
        .set(Key(Array("seen".utf8)), .bool(true)),
      ])
    #expect(script.statements.last?.operation == .rekey(nil))
  }

  @Test("leaves the same files at once and step by step", arguments: SimulatedFormat.allCases)
  func isCarriedOutAtOnce(format: SimulatedFormat) throws {
    let lines = (0..<300).map {
      "string key\($0 % 40) random:\($0 % 90 + 1)\nremove key\($0 % 7)\n"
    }
    let script = try Script(
      parsing: "format \(format.rawValue)\n" + lines.joined() + "now 77\n", seed: 5)
    var steps = try Simulation(script, seed: 3)
    var count = 0
    while try steps.next() != nil { count += 1 }
    var whole = try Simulation(script, seed: 3)
    try whole.finish()
    #expect(count == script.statements.count)
    #expect(whole.image == steps.image)
    #expect(whole.entries == steps.entries)
    #expect(whole.now == 77)
    #expect(try whole.next() == nil)
  }

  @Test("has texts that are not UTF-8, which stay the bytes that they are")
  func textsThatAreNotUTF8() throws {
    let script = try Script(parsing: "string a hex:61ff\nvec b hex:c3a9 hex:ff\n")
    #expect(
      script.statements.map(\.operation) == [
        .set(Key(Array("a".utf8)), .bytes([0x61, 0xff])),
        .set(Key(Array("b".utf8)), .list(.bytes([[0xc3, 0xa9], [0xff]]))),
      ])
  }

  @Test("ends its lines as Windows does, if it likes")
  func carriageReturns() throws {
    let script = try Script(parsing: "# Two operations.\r\nstring a b\r\n\r\nremove a\r\n")
    #expect(script.statements.map(\.line) == [2, 4])
    #expect(
      script.statements.map(\.operation) == [
        .set(Key(Array("a".utf8)), .string("b")), .remove([Key(Array("a".utf8))]),
      ])
  }

  @Test(
    "says which line is wrong, and why",
    arguments: [
      ("string a b\nformat mmkv", 2, "settings must come before"),
      ("int32 a 4294967296", 1, "not a valid int32"), ("string", 1, "a key is missing"),
      ("\n\nfly a", 3, "not an operation, a setting or a type"),
      ("string % x", 1, "must not be empty"),
      ("trim now", 1, "unexpected “now”"), ("string a hex:0", 1, "which is not hexadecimal"),
      ("name ../kv", 1, "not a file name"), ("name kv\r", 1, "not a file name"),
      ("string a random:99999999999", 1, "a count"),
      ("bool a yes", 1, "not a Boolean"), ("page 1", 1, "from 4096"),
    ])
  func isRefused(_ text: String, _ line: Int, _ reason: String) {
    let error = #expect(throws: ScriptError.self) { try Script(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("that chance makes is the same as text", arguments: SimulatedFormat.allCases)
  func isTheSameAsText(_ format: SimulatedFormat) throws {
    var settings = StoreSettings()
    settings.format = format
    for seed in 1...5 as ClosedRange<UInt64> {
      let script = RandomScript(settings, operations: 120).script(seed: seed)
      let read = try Script(parsing: try script.text())
      #expect(read.settings == script.settings)
      // An empty string and empty bytes are written as the same word.
      #expect(
        read.statements.map(\.operation) == script.statements.map(\.operation), "seed \(seed)")
    }
  }

  @Test("of operations that an engine has not names the line")
  func unknownOperation() throws {
    var simulation = try Simulation(
      try Script(parsing: "format fastkv-apple\nint32 a 1\nenableexpire 5"), seed: 1)
    #expect(try simulation.next() != nil)
    let error = #expect(throws: ScriptError.self) { try simulation.next() }
    #expect(error?.line == 3)
  }

  @Test("leaves old records after the log at record boundaries, which are not taken for new")
  func oldRecordsInStepAreOld() throws {
    var generator = SeededGenerator(seed: 11)
    var operations: [ScriptOperation] = []
    for _ in 0..<400 {
      let key = Key(Array("key_\(Int.random(in: 0..<8, using: &generator))".utf8))
      operations.append(.set(key, .double(Double.random(in: 0...1e6, using: &generator))))
      switch Int.random(in: 0..<60, using: &generator) {
      case 0: operations.append(.clear(keepsSpace: true))
      case 1: operations.append(.compact)
      default: break
      }
    }
    var simulation = try Simulation(Script(StoreSettings(), operations), seed: 11)
    while let step = try simulation.next() {
      let store = MMKVFormat(now: step.now).open(step.after.storeFiles()).corrected()
      let verdict = Diagnosis(of: store, now: step.now).verdict
      #expect(verdict == .clean, "seed 11, \(step.statement.operation)")
    }
  }
}
