import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import SystemPackage
import Testing

@Suite("The simulator of FastKV for iOS")
struct AppleFastKVSimulatorTests {
  /// The strings that were set in the cases with strings that are not ASCII.
  private static let texts = [
    "emoji": "😀😀 ok", "fr": "héllo wörld", "jp": "日本語", "mix": "日本語日本語日本",
  ]
  /// The class of a string in GNUstep, with which the real engine was run.
  private static let textClass = "GSCBufferString"

  @Test(
    "writes the engine's own bytes, where the log has all of the history",
    arguments: [
      "all_types", "apple_class_names", "cleanup_then_set", "doubles", "empty_new",
      "equal_value_other_class", "floats", "int_ranges", "long_keys", "nil_sticky",
      "nonascii_written", "same_value_updates", "sep_in_data", "sep_in_key", "sep_in_value",
      "sep_one_byte_crash", "sep_two_zero_crash", "strings_odd", "type_change", "update_remove",
      "w32_all_types", "w32_nonascii", "random_01_w64",
    ])
  func engineBytes(of name: String) throws {
    let recording = try AppleRecording.golden(name)
    var settings = StoreSettings()
    settings.width = name.contains("w32") ? 4 : 8
    settings.capacity = recording.bytes.count
    var engine = try AppleFastKVSimulator(
      settings, randomness: EngineRandomness(known: recording.strayBytes))
    for entry in recording.entries {
      if let value = entry.setValue(Self.texts) {
        try engine.set(entry.key, value, className: entry.className)
      } else {
        try engine.perform(.remove([entry.key]))
      }
    }
    #expect(engine.disk.image[settings.name]?.bytes == recording.bytes)
  }

  /// Tests that leftovers from before several launches are not taken for the newest values.
  ///
  /// Every launch compacts the log, and all records have one size, so the records of earlier launches
  /// begin where those of the log end.
  @Test(
    "leaves healthy stores, however many launches there were",
    arguments: [1, 2, 3, 6], [[5, 1], [10, 1, 0], [10, 1, 3], [7, 2, 2, 1], [20, 3, 1, 1, 4]])
  func stores(of keyCount: Int, afterLaunchesWithSets counts: [Int]) throws {
    let settings = StoreSettings()
    var engine = try AppleFastKVSimulator(settings, randomness: EngineRandomness(seed: 1))
    var last: Int32 = 0
    for (launch, count) in counts.enumerated() {
      if launch > 0 { try engine.perform(.reopen) }
      for index in 0..<count * keyCount {
        last += 1
        let key = Key(Array("item_\(index % keyCount)".utf8))
        try engine.set(key, .int32(last), className: nil)
      }
    }
    try engine.perform(.reopen)
    let image = FileImage(try #require(engine.disk.image[settings.name]).bytes)
    let store = AppleFastKVFormat().open([StoreFile(.data, at: "store.fkv", image)]).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .clean)
    let live = try #require(diagnosis.best).snapshot.live
    let values = Dictionary(
      uniqueKeysWithValues: live.map { (store.key(of: $0), store.value(of: $0)) })
    #expect(values == engine.entries)
  }

  // MARK: Growth and compaction

  /// The ends of the log and of the file after each of 60 updates, as the real engine had them.
  ///
  /// Five keys are set in turn, and the initial size is 200 bytes.
  private static let updates: [(growth: Int, ends: [(end: Int, count: Int)])] = [
    (
      0,
      [
        (104, 200), (191, 200), (279, 512), (368, 512), (458, 512), (463, 2048), (555, 2048),
        (648, 2048), (742, 2048), (837, 2048), (934, 2048), (1032, 2048), (1131, 2048),
        (1231, 2048), (1332, 2048), (1434, 2048), (1537, 2048), (1624, 2048), (1712, 2048),
        (1801, 2048), (1891, 2048), (1982, 2048), (468, 2048), (561, 2048), (655, 2048),
        (750, 2048), (846, 2048), (943, 2048), (1041, 2048), (1140, 2048), (1240, 2048),
        (1341, 2048), (1443, 2048), (1546, 2048), (1633, 2048), (1721, 2048), (1810, 2048),
        (1900, 2048), (1991, 2048), (468, 2048), (561, 2048), (655, 2048), (750, 2048),
        (846, 2048), (943, 2048), (1041, 2048), (1140, 2048), (1240, 2048), (1341, 2048),
        (1443, 2048), (1546, 2048), (1633, 2048), (1721, 2048), (1810, 2048), (1900, 2048),
        (1991, 2048), (468, 2048), (561, 2048), (655, 2048), (750, 2048),
      ]
    ),
    (
      1,
      [
        (104, 200), (191, 200), (279, 418), (368, 418), (458, 622), (549, 622), (468, 721),
        (561, 721), (655, 721), (483, 744), (580, 744), (678, 744), (501, 772), (601, 772),
        (702, 772), (518, 796), (621, 796), (708, 796), (499, 796), (588, 796), (678, 796),
        (769, 796), (468, 796), (561, 796), (655, 796), (750, 796), (488, 796), (585, 796),
        (683, 796), (782, 796), (508, 796), (609, 796), (711, 796), (523, 804), (610, 804),
        (698, 804), (787, 804), (475, 804), (566, 804), (658, 804), (751, 804), (478, 804),
        (573, 804), (669, 804), (766, 804), (498, 804), (597, 804), (697, 804), (798, 804),
        (518, 804), (621, 804), (708, 804), (796, 804), (487, 804), (577, 804), (668, 804),
        (760, 804), (473, 804), (567, 804), (662, 804),
      ]
    ),
  ]

  /// Creates an engine that has just created a new store.
  ///
  /// `known` has the stray bytes that follow its first doubles.
  private static func engine(
    width: Int = 8, growth: Int = 0, capacity: Int, known: [[UInt8]] = []
  ) throws -> AppleFastKVSimulator {
    var settings = StoreSettings()
    (settings.width, settings.growth, settings.capacity) = (width, growth, capacity)
    return try AppleFastKVSimulator(settings, randomness: EngineRandomness(known: known))
  }

  private static func key(_ text: String) -> Key { Key(Array(text.utf8)) }

  private static func recording(_ engine: AppleFastKVSimulator) -> AppleRecording {
    AppleRecording(engine.disk.image.files[0].bytes, width: engine.width)
  }

  @Test("grows and compacts when the engine does, by the same numbers", arguments: [0, 1])
  func growth(by growth: Int) throws {
    var engine = try Self.engine(growth: growth, capacity: 200)
    for (index, end) in Self.updates[growth].ends.enumerated() {
      let text = "value \(index) " + String(repeating: "x", count: index % 17)
      try engine.set(Self.key("k\(index % 5)"), .string(text), className: Self.textClass)
      let recording = Self.recording(engine)
      #expect(recording.length + 18 == end.end, "update \(index)")
      #expect(recording.bytes.count == end.count, "update \(index)")
    }
    let golden = try AppleRecording.golden("update_growth_strategy\(growth)")
    #expect(Set(Self.recording(engine).entries) == Set(golden.entries))
  }

  @Test(
    "holds the engine's records after many inserts, in files of the same length",
    arguments: [("growth_strategy0", 8, 0), ("growth_strategy1", 8, 1), ("w32_growth", 4, 0)])
  func inserts(like name: String, width: Int, growth: Int) throws {
    let golden = try AppleRecording.golden(name)
    var engine = try Self.engine(width: width, growth: growth, capacity: 256)
    for index in golden.entries.indices {
      let number = width == 8 ? index * index : index
      let digits = String(index + 1000).dropFirst()
      try engine.set(
        Self.key("key\(digits)"), .string("value-\(number)"), className: Self.textClass)
    }
    let recording = Self.recording(engine)
    #expect(recording.bytes.count == golden.bytes.count)
    #expect(recording.length == golden.length)
    #expect(Set(recording.entries) == Set(golden.entries))
  }

  @Test("compacts in place at the next launch, and leaves the engine's slack")
  func reopening() throws {
    var engine = try Self.engine(capacity: 16384)
    for index in 0..<40 {
      let digits = String(index + 1000).dropFirst()
      try engine.set(Self.key("k"), .string("v\(digits)"), className: Self.textClass)
    }
    try engine.perform(.reopen)
    #expect(Self.recording(engine).bytes == (try AppleRecording.golden("reopen_slack")).bytes)
  }

  @Test("compacts the records of a 32-bit process, and leaves the engine's slack")
  func narrowReopening() throws {
    let golden = try AppleRecording.golden("w32_updates_compacted")
    var engine = try Self.engine(width: 4, capacity: 4096)
    for index in 0..<40 {
      try engine.set(
        Self.key("k\(index % 6)"), .string("v\(index)"), className: Self.textClass)
    }
    try engine.perform(.reopen)
    try engine.set(Self.key("more"), .string("m"), className: Self.textClass)
    let recording = Self.recording(engine)
    #expect(Set(recording.entries) == Set(golden.entries))
    #expect(recording.length == golden.length)
    #expect(recording.bytes[(18 + golden.length)...] == golden.bytes[(18 + golden.length)...])
  }

  // MARK: Defects

  @Test("cuts texts that are not ASCII at each start, as the engine does")
  func cutTexts() throws {
    var engine = try Self.engine(capacity: 2048)
    let golden = try ["nonascii_gen2", "nonascii_gen3"].map { try AppleRecording.golden($0) }
    for name in ["jp", "fr", "emoji"] {
      let className = golden[0].entries.first { $0.key == Self.key(name) }?.className
      try engine.set(Self.key(name), .string(Self.texts[name] ?? ""), className: className)
    }
    for golden in golden {
      try engine.perform(.reopen)
      let recording = Self.recording(engine)
      #expect(Set(recording.entries) == Set(golden.entries))
      #expect(recording.bytes.count == golden.bytes.count)
      #expect(recording.length == golden.length)
    }
  }

  @Test("stores the float of a double, and at the next launch that of what it then reads")
  func doubles() throws {
    var engine = try Self.engine(capacity: 2048, known: [[0x97, 0x55, 0, 0], [0x18, 0x7f, 0, 0]])
    try engine.perform(.set(Self.key("d"), .double(0.1)))
    #expect(engine.entries[Self.key("d")] == [0xcd, 0xcc, 0xcc, 0x3d, 0x97, 0x55, 0, 0])
    try engine.perform(.reopen)
    #expect(engine.entries[Self.key("d")] == [0, 0, 0, 0, 0x18, 0x7f, 0, 0])
  }

  @Test("reads each number back at the next launch as it was set")
  func numbersAfterALaunch() throws {
    var engine = try Self.engine(capacity: 2048)
    for (name, value) in [
      ("f", .float(1.1)), ("b", .bool(true)), ("i", .int32(-7)), ("l", .int64(1 << 40 | 3)),
    ] as [(String, Value)] { try engine.perform(.set(Self.key(name), value)) }
    let entries = engine.entries
    #expect(entries[Self.key("f")] == [0xcd, 0xcc, 0x8c, 0x3f])
    for _ in 0..<2 {
      try engine.perform(.reopen)
      #expect(engine.entries == entries)
    }
  }

  @Test("brings cleared entries back with the next one, as the engine does")
  func resurrection() throws {
    var engine = try Self.engine(capacity: 2048)
    for name in ["a", "b"] {
      try engine.set(
        Self.key(name), .string(name.uppercased()), className: Self.textClass)
    }
    try engine.perform(.clear())
    #expect(
      Self.recording(engine).bytes == (try AppleRecording.golden("removeall_only")).bytes)
    try engine.set(Self.key("c"), .string("C"), className: Self.textClass)
    #expect(engine.entries == [Self.key("c"): [0x43]])
    #expect(
      Self.recording(engine).bytes == (try AppleRecording.golden("removeall_then_set")).bytes)
    try engine.perform(.reopen)
    #expect(Set(engine.entries.keys) == Set(["a", "b", "c"].map { Self.key($0) }))
  }

  @Test("compacts at the first write after a clear that has cut the file")
  func clearAfterGrowth() throws {
    let golden = try AppleRecording.golden("removeall_after_growth")
    var engine = try Self.engine(capacity: 512)
    for index in 0..<20 {
      let text = String(repeating: "v", count: 50)
      try engine.set(Self.key("k\(index)"), .string(text), className: Self.textClass)
    }
    try engine.perform(.clear())
    try engine.set(Self.key("new"), .string("N"), className: Self.textClass)
    let recording = Self.recording(engine)
    #expect(recording.bytes.count == golden.bytes.count)
    #expect(recording.entries == golden.entries)
  }

  @Test("writes nothing more under a key that is nil")
  func immortalNil() throws {
    var engine = try Self.engine(capacity: 2048)
    try engine.perform(.set(Self.key("n"), .null))
    let image = engine.disk.image
    try engine.perform(.set(Self.key("n"), .bool(true)))
    try engine.perform(.remove([Self.key("n")]))
    #expect(engine.disk.image == image)
    try engine.perform(.reopen)
    try engine.perform(.set(Self.key("n"), .bool(true)))
    #expect(engine.entries == [Self.key("n"): []])
  }

  @Test("loses a text with the separator in it, and ends where one byte stands between two")
  func separators() throws {
    let separator = "$FastKVSeperatorString$"
    var engine = try Self.engine(capacity: 2048)
    try engine.perform(.set(Self.key("t"), .string("a\(separator)b")))
    try engine.perform(.set(Self.key("u"), .bool(true)))
    try engine.perform(.reopen)
    #expect(engine.entries == [Self.key("u"): [1]])
    try engine.perform(.set(Self.key("t"), .string("\(separator)x\(separator)")))
    #expect(throws: ScriptError.self) { try engine.perform(.reopen) }
  }

  // MARK: Order

  @Test("stores the record first and the length second, as one word")
  func order() throws {
    var engine = try Self.engine(capacity: 2048)
    _ = engine.disk.takeEvents()
    try engine.perform(.set(Self.key("b"), .bool(true)))
    // 36 bytes of numbers, "NSNumber", the key, the value, the CRC, and 23 bytes of separator.
    let record = Array(engine.disk.image.files[0].bytes[18..<89])
    #expect(
      engine.disk.takeEvents() == [
        .store(name: "kv", offset: 18, bytes: record, isWord: false),
        .store(name: "kv", offset: 10, bytes: [71, 0, 0, 0, 0, 0, 0, 0], isWord: true),
      ])
  }

  // MARK: Unsupported operations

  @Test("refuses what the engine has no call, no type and no setting for")
  func refusals() throws {
    func reason(
      _ operation: ScriptOperation?, _ change: (inout StoreSettings) -> Void = { _ in }
    ) -> String? {
      var settings = StoreSettings()
      settings.format = .fastkvApple
      change(&settings)
      do throws(ScriptError) {
        var simulation = try Simulation(Script(settings, operation.map { [$0] } ?? []), seed: 0)
        try simulation.finish()
        return nil
      } catch {
        return error.reason
      }
    }
    let key = Self.key("k")
    #expect(reason(.sync) == "FastKV for iOS cannot wait for the disk on request")
    #expect(reason(.compact) == "FastKV for iOS cannot compact the log on request")
    #expect(reason(.rekey(nil)) == "FastKV for iOS cannot change the key of a store")
    #expect(
      reason(.clear(keepsSpace: true))
        == "FastKV for iOS cannot clear and keep the file's length")
    #expect(reason(.set(key, .set(["a"]))) == "FastKV for iOS has no type for string-set")
    #expect(
      reason(.set(key, .bool(true), lifetime: 9))
        == "a lifetime is given, but entries of FastKV for iOS do not expire")
    #expect(
      reason(.set(Key([0xff]), .null))
        == "a key in FastKV for iOS must be text, but this one is not UTF-8")
    #expect(
      reason(nil) { $0.key = StoreKey([1]) }
        == "a key is given, but FastKV for iOS has no encryption")
    #expect(
      reason(nil) { $0.width = 5 } == "the width is 5, but a pointer has 4 or 8 bytes")
    #expect(
      reason(nil) { $0.capacity = 9 } == "the capacity is 9 bytes, but the header takes 18")
  }
}
