import FastKVFormat
import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import Testing

@Suite("The simulator of FastKV for Android")
struct AndroidFastKVSimulatorTests {
  /// Returns the bytes of the files of a simulation, by suffix.
  private static func files(_ simulation: Simulation) -> [String: [UInt8]] {
    Dictionary(
      simulation.image.files.map { (".\($0.name.split(separator: ".").last ?? "")", $0.bytes) }
    ) { $1 }
  }

  /// Carries out the operations that make the records of a case.
  private static func replay(_ recording: AndroidRecording, key: [UInt8]?) throws -> Simulation {
    var settings = StoreSettings()
    settings.format = .fastkvAndroid
    settings.mode = recording.mode
    settings.key = key.map { StoreKey($0) }
    var simulation = try Simulation(
      Script(settings, recording.operations),
      randomness: EngineRandomness(known: recording.entries.flatMap(\.salts)))
    try simulation.finish()
    return simulation
  }

  @Test(
    "writes the engine's own files, where the records have all of the history",
    arguments: [
      "nb_all_types", "nb_delete", "nb_empty", "nb_grow", "nb_keys", "nb_long_nul_string",
      "nb_missing_encoder", "nb_strings_2048", "nb_two_sessions", "nb_type_change",
      "nb_update_inplace", "nb_update_resize", "sync_all_types", "async_all_types", "sync_gc",
      "sync_noauto", "sync_updates", "random_03_sync", "random_11_sync",
    ])
  func engineBytes(of name: String) throws {
    let recording = try AndroidRecording.golden(name)
    try #require(!recording.files.isEmpty)
    #expect(Self.files(try Self.replay(recording, key: nil)) == recording.files)
  }

  @Test(
    "writes the engine's own headers and records, where a compaction has left others after them",
    arguments: [
      "nb_gc_bytes", "nb_gc_keys", "nb_grow_then_gc_truncate", "random_01_nb", "random_02_nb",
      "random_05_nb", "random_06_nb", "random_08_nb", "random_10_nb", "random_12_nb",
      "random_13_nb",
    ])
  func engineRecords(of name: String) throws {
    let recording = try AndroidRecording.golden(name)
    try #require(!recording.files.isEmpty)
    let files = Self.files(try Self.replay(recording, key: nil))
    #expect(
      files.mapValues { $0.prefix(recording.end) }
        == recording.files.mapValues { $0.prefix(recording.end) })
  }

  /// The key of the cases whose names start with `aes`.
  private static let key = Array("1234567890abcdef".utf8)

  @Test(
    "writes the engine's own files under the demo app's cipher",
    .enabled(if: Cryptography.isAvailable),
    arguments: [
      ("aes_grow", key), ("aes_nb_all_types", key), ("aes_nb_updates", key),
      ("aes_sync_all_types", key), ("plain_to_aes", key),
      ("random_04_nb_aes", Array("hold-out-key-0004".utf8)),
      ("random_09_nb_aes", Array("hold-out-key-0009".utf8)),
    ])
  func encryptedBytes(of name: String, key: [UInt8]) throws {
    let recording = try AndroidRecording.golden(name, key: key)
    try #require(!recording.files.isEmpty)
    #expect(Self.files(try Self.replay(recording, key: key)) == recording.files)
  }

  // MARK: Complete histories

  /// The operations that the generators of these cases carried out.
  ///
  /// `Fixtures/README.md` describes the cases.
  private static let histories: [String: [ScriptOperation]] = [
    "nb_clear": [
      .set(key("a"), .string("A")), .set(key("b"), .string("B")), .clear(),
      .set(key("c"), .string("C")),
    ],
    "nb_clear_only": [.set(key("a"), .string("A")), .set(key("b"), .string("B")), .clear()],
    "nb_gc_bytes": growingTexts(200),
    "nb_gc_keys": (0..<130).flatMap { index -> [ScriptOperation] in
      [.set(key("k\(index)"), .string("v")), .remove([key("k\(index)")])]
    } + [.set(key("last"), .string("L"))],
    "sync_gc": growingTexts(150),
  ]

  private static func key(_ text: String) -> Key { Key(Array(text.utf8)) }

  /// Returns operations that set three keys in turn, each time to a string that is one character
  /// longer.
  private static func growingTexts(_ count: Int) -> [ScriptOperation] {
    (0..<count).map {
      .set(key("s\($0 % 3)"), .string("v\($0)-" + String(repeating: "x", count: $0)))
    }
  }

  @Test(
    "compacts and clears as the engine does, and leaves the same slack",
    arguments: histories.keys.sorted())
  func slack(of name: String) throws {
    let recording = try AndroidRecording.golden(name)
    var settings = StoreSettings()
    settings.format = .fastkvAndroid
    settings.mode = recording.mode
    var simulation = try Simulation(Script(settings, Self.histories[name] ?? []), seed: 0)
    try simulation.finish()
    #expect(Self.files(simulation) == recording.files)
  }

  // MARK: Order

  /// Returns what an operation stores: the copy, the offset, the number of bytes, and whether they
  /// are a word.
  private static func stores(_ step: SimulationStep) -> [String] {
    step.events.map {
      guard case .store(let name, let offset, let bytes, let isWord) = $0 else { return "\($0)" }
      return "\(name) \(offset) \(bytes.count)\(isWord ? " word" : "")"
    }
  }

  @Test("stores into copy A between two lengths, and then into copy B")
  func order() throws {
    var settings = StoreSettings()
    settings.format = .fastkvAndroid
    var simulation = try Simulation(
      Script(
        settings,
        [
          .set(Self.key("n"), .int32(1)), .set(Self.key("n"), .int32(2)),
          .set(Self.key("t"), .string("one")), .set(Self.key("t"), .string("three")),
          .remove([Self.key("n")]),
        ]), seed: 0)
    var steps: [[String]] = []
    while let step = try simulation.next() { steps.append(Self.stores(step)) }
    #expect(
      steps == [
        // A new record: 12 bytes of header, then the type, the length of the key, the key and the
        // number.
        [
          "kv.kva 0 4 word", "kv.kva 4 8 word", "kv.kva 12 7", "kv.kva 0 4 word",
          "kv.kvb 0 4 word", "kv.kvb 4 8 word", "kv.kvb 12 7",
        ],
        // Another number at offset 15. Copy A is not marked, and the number is not an aligned word.
        ["kv.kva 4 8 word", "kv.kva 15 4", "kv.kvb 4 8 word", "kv.kvb 15 4"],
        [
          "kv.kva 0 4 word", "kv.kva 4 8 word", "kv.kva 19 8", "kv.kva 0 4 word",
          "kv.kvb 0 4 word", "kv.kvb 4 8 word", "kv.kvb 19 8",
        ],
        // A longer string: the deletion flag of the old record, then the new record.
        [
          "kv.kva 0 4 word", "kv.kva 4 8 word", "kv.kva 19 1", "kv.kva 27 10", "kv.kva 0 4 word",
          "kv.kvb 0 4 word", "kv.kvb 4 8 word", "kv.kvb 19 1", "kv.kvb 27 10",
        ],
        ["kv.kva 4 8 word", "kv.kva 12 1", "kv.kvb 4 8 word", "kv.kvb 12 1"],
      ])
  }

  @Test("replaces the file as a whole in the other modes")
  func replacement() throws {
    var settings = StoreSettings()
    settings.format = .fastkvAndroid
    settings.mode = .sync
    var simulation = try Simulation(
      Script(settings) { .set(Self.key("t"), .bool(true)) }, seed: 0)
    #expect(simulation.image.files == [])
    let step = try #require(try simulation.next())
    // The record starts at 12, so its bytes are in the upper half of the checksum.
    let record: [UInt8] = [1, 1, 0x74, 1]
    let bytes = [4, 0, 0, 0] + [0, 0, 0, 0] + record + record
    #expect(
      step.events == [
        .create(.copyC, name: "kv.tmp"), .resize(name: "kv.tmp", count: 16),
        .store(name: "kv.tmp", offset: 0, bytes: bytes, isWord: false), .sync(name: "kv.tmp"),
        .rename(name: "kv.tmp", to: "kv.kvc", .copyC),
      ])
  }

  // MARK: Defects

  /// Returns the entries after these operations and another launch.
  private static func entriesAfterReopening(
    _ operations: [ScriptOperation], key: StoreKey? = nil
  ) throws -> [Key: [UInt8]] {
    var settings = StoreSettings()
    settings.format = .fastkvAndroid
    settings.key = key
    var simulation = try Simulation(Script(settings, operations + [.reopen]), seed: 0)
    try simulation.finish()
    return simulation.entries
  }

  @Test("drops the store at a short text with U+0000, and keeps it with a long one")
  func nulText() throws {
    let kept = ScriptOperation.set(Self.key("kept"), .bool(true))
    let short = ScriptOperation.set(Self.key("text"), .string("a\0b"))
    #expect(try Self.entriesAfterReopening([kept, short]) == [:])
    let long = ScriptOperation.set(
      Self.key("text"), .string(String(repeating: "a\0b", count: 700)))
    #expect(try Self.entriesAfterReopening([kept, long]).count == 2)
  }

  @Test(
    "drops an encrypted store of which a number was removed",
    .enabled(if: Cryptography.isAvailable))
  func removedNumber() throws {
    let key = StoreKey(Self.key)
    let kept = ScriptOperation.set(Self.key("kept"), .bool(true))
    let number = ScriptOperation.set(Self.key("number"), .int32(1))
    #expect(try Self.entriesAfterReopening([kept, number], key: key).count == 2)
    #expect(
      try Self.entriesAfterReopening([kept, number, .remove([Self.key("number")])], key: key)
        == [:])
  }

  @Test("drops a store of which a large object was replaced that an earlier start has read")
  func largeObject() throws {
    let large = ScriptOperation.set(
      Self.key("o"), .object(className: "Blob", [UInt8](repeating: 1, count: 70_000)))
    let small = ScriptOperation.set(Self.key("o"), .object(className: "Blob", [2]))
    #expect(try Self.entriesAfterReopening([large, small]) == [Self.key("o"): [2]])
    #expect(try Self.entriesAfterReopening([large, .reopen, small]) == [:])
  }

  // MARK: Unsupported operations

  @Test("refuses what the engine has no call, no type and no setting for")
  func refusals() throws {
    func reason(
      _ operation: ScriptOperation?, _ change: (inout StoreSettings) -> Void = { _ in }
    ) -> String? {
      var settings = StoreSettings()
      settings.format = .fastkvAndroid
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
    #expect(reason(.rekey(nil)) == "FastKV for Android cannot change the key of a store")
    #expect(reason(.enableExpiry(1)) == "FastKV for Android cannot let entries expire")
    #expect(reason(.trim) == "FastKV for Android cannot trim the file")
    #expect(reason(.set(key, .null)) == "FastKV for Android has no type for null")
    #expect(reason(.set(key, .uint32(1))) == "FastKV for Android has no type for uint32")
    #expect(
      reason(.set(key, .bool(true), lifetime: 9))
        == "a lifetime is given, but entries of FastKV for Android do not expire")
    #expect(
      reason(.set(Self.key(String(repeating: "k", count: 256)), .bool(true)))
        == "the key takes 256 bytes, but FastKV for Android allows only 255")
    #expect(reason(nil) { $0.capacity = 8192 } != nil)
    #expect(reason(nil) { $0.page = 5000 } == "the page size, 5000 bytes, is not a power of two")
    for page in [1, 2, 4, 8] {
      #expect(
        reason(nil) { $0.page = page }
          == "the page size, \(page) bytes, leaves no room after a header of 12")
    }
    for page in [0, -16] {
      #expect(
        reason(nil) { $0.page = page } == "the page size, \(page) bytes, is not a power of two")
    }
  }
}
