import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// The ranges of the fields of a meta file that do not depend on random choices.
private enum MetaField {
  static let version = 4..<8
  static let sequence = 8..<12
  static let actualCount = 28..<32
  static let flags = 104..<112
}

@Suite("The simulator of MMKV")
struct MMKVSimulatorTests {
  /// The cases whose script is known, with the files that the engine wrote.
  static let scripted: [ScriptedCase] = {
    do {
      return try ScriptedCase.all
    } catch {
      Issue.record("\(error)")
      return []
    }
  }()

  @Test("has scripts to be held against")
  func scriptsAreThere() {
    #expect(Self.scripted.count >= (Cryptography.isAvailable ? 40 : 20))
    #expect(Self.scripted.filter(\.isPlain).count >= 20)
  }

  @Test("refuses a page that holds no meta file", arguments: [0, -1, 1, 64, 5000])
  func pages(page: Int) {
    var settings = StoreSettings()
    settings.page = page
    let error = #expect(throws: ScriptError.self) {
      try Simulation(Script(settings, [.set(Key([0x61]), .int32(1))]), seed: 1)
    }
    #expect(error?.reason.hasPrefix("the page size, \(page) bytes, ") == true)
  }

  @Test(
    "writes the engine's own bytes, slack included", arguments: scripted.filter(\.isPlain))
  func engineBytes(of known: ScriptedCase) throws {
    let simulation = try known.simulate()
    let data = try #require(simulation.image.files.first { $0.role == .data })
    let meta = try #require(simulation.image.files.first { $0.role == .meta })
    #expect(firstDifference(data.bytes, known.data) == nil)
    #expect(firstDifference(meta.bytes, known.meta) == nil)
  }

  @Test("writes files that hold the engine's map", arguments: scripted)
  func engineMap(of known: ScriptedCase) throws {
    let simulation = try known.simulate()
    let meta = try #require(simulation.image.files.first { $0.role == .meta })
    let fields = [MetaField.version, MetaField.sequence, MetaField.actualCount, MetaField.flags]
    for field in fields { #expect(Array(meta.bytes[field]) == Array(known.meta[field])) }
    let key = simulation.key.map { MMKVKey($0.bytes, isAES256: $0.isAES256) }
    #expect(key?.bytes == known.healthy.key?.bytes)
    let store = MMKVFormat(key: key, now: simulation.now).open(simulation.image.storeFiles())
      .corrected()
    let diagnosis = Diagnosis(of: store, now: simulation.now)
    #expect(diagnosis.verdict == .clean)
    let live = store.entries(try #require(diagnosis.best).snapshot.live)
    #expect(live == simulation.entries)
    #expect(CorpusCase.differences(live, known.healthy.truth) == [])
  }

  /// Tests that an append stores only two words of the meta file.
  ///
  /// Reference: `Docs/FORMAT-MMKV.md` § Writing.
  @Test("stores two words of the meta file for an append, and no more")
  func appendsStoreTwoWords() throws {
    let keys = (0..<4).map { Key(Array("key \($0)".utf8)) }
    var simulation = try Simulation(
      Script(StoreSettings(), keys.map { .set($0, .int32(1)) }), seed: 1)
    let meta = try #require(simulation.image.files.first { $0.role == .meta }).name
    _ = try simulation.next()
    while let step = try simulation.next() {
      let ranges = step.events.compactMap { event -> Range<Int>? in
        guard case .store(meta, let offset, let bytes, _) = event else { return nil }
        return offset..<offset + bytes.count
      }
      #expect(Set(ranges) == [0..<4, MetaField.actualCount])
    }
  }

  /// Tests that the file doubles until it has room for more than the live records.
  ///
  /// There must be room for half as many more, or for eight.
  ///
  /// Reference: `Docs/FORMAT-MMKV.md` § Writing.
  @Test("doubles the file until there is room for more, not until the records fit")
  func growthLeavesRoom() throws {
    let value = Value.bytes([UInt8](repeating: 7, count: 1000))
    var simulation = try Simulation(
      Script(StoreSettings(), (0..<5).map { .set(Key(Array("key \($0)".utf8)), value) }), seed: 1)
    try simulation.finish()
    let data = try #require(simulation.image.files.first { $0.role == .data })
    // Five records of a thousand bytes need 8 KiB. With room for eight more, that is 16 KiB.
    #expect(data.bytes.count == 16 << 10)
  }

  @Test("stores a value again that it has already, where values expire", arguments: [false, true])
  func nothingIsComparedWhereValuesExpire(expires: Bool) throws {
    func count(_ sets: Int) throws -> UInt32 {
      let key = Key(Array("key".utf8))
      let script = Script(StoreSettings()) {
        if expires { ScriptOperation.enableExpiry(60) }
        ScriptOperation.compareBeforeSet
        ScriptOperation.set(Key(Array("other".utf8)), .int32(1))
        for _ in 0..<sets { ScriptOperation.set(key, .string("the same")) }
      }
      var simulation = try Simulation(script, seed: 1)
      try simulation.finish()
      let meta = try #require(simulation.image.files.first { $0.role == .meta })
      var cursor = ByteCursor(meta.bytes.storageSpan, in: MetaField.actualCount)
      return try cursor.readInteger(UInt32.self, as: .little)
    }
    #expect(try (count(2) == count(1)) == !expires)
  }

  private func firstDifference(_ first: [UInt8], _ second: [UInt8]) -> Int? {
    if let index = zip(first, second).enumerated().first(where: { $0.element.0 != $0.element.1 }) {
      return index.offset
    }
    return first.count == second.count ? nil : min(first.count, second.count)
  }
}
