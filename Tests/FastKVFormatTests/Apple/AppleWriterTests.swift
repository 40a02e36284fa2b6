import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import SystemPackage
import Testing

/// Writing files for a repair.
@Suite struct AppleWriterTests {
  private func rewritten(_ store: AppleFastKVStore, width: Int? = nil) throws -> [UInt8] {
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(
      RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis))
    let files = try AppleFastKVFormat(pointerWidth: width)
      .encode(plan.contents(of: store), like: store)
    #expect(files.map(\.name) == ["store.fkv"])
    return try #require(files.first?.bytes)
  }

  @Test func aCompactStoreIsWrittenByteForByte() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("old".utf8), class: "NSString")
    builder.add(2, "on", [1], class: "NSNumber")
    builder.add(7, "a", Array("new".utf8), class: "NSString")
    var wanted = AppleFixtureBuilder()
    wanted.add(2, "on", [1], class: "NSNumber")
    wanted.add(7, "a", Array("new".utf8), class: "NSString")
    let store = AppleFastKVStore(builder.file(zeroFilledTo: 1024))
    #expect(try rewritten(store) == wanted.file())
    wanted = AppleFixtureBuilder(width: 4)
    wanted.add(2, "on", [1], class: "NSNumber")
    wanted.add(7, "a", Array("new".utf8), class: "NSString")
    #expect(try rewritten(store, width: 4) == wanted.file())
  }

  @Test func doublesAndTextsAreMended() throws {
    var builder = AppleFixtureBuilder()
    builder.add(6, "d", [0, 0, 0x80, 0x3f, 0x60, 0x55, 0, 0])
    builder.add(6, "z", [0, 0, 0, 0x80, 0x60, 0x55, 0, 0])
    builder.add(7, "t", [0x61, 0xe6, 0x97])
    var wanted = AppleFixtureBuilder()
    wanted.add(6, "d", [0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
    wanted.add(6, "z", [0, 0, 0, 0, 0, 0, 0, 0x80])
    wanted.add(7, "t", [0x61])
    #expect(try rewritten(AppleFastKVStore(builder.file())) == wanted.file())
  }

  /// Tests that infinity and NaN stay floats.
  ///
  /// Stored in full, they would look damaged and be read as 0.
  @Test(arguments: [[0, 0, 0x80, 0x7f], [0, 0, 0xc0, 0x7f]] as [[UInt8]])
  func doublesThatWouldLookBrokenStayFloats(float: [UInt8]) throws {
    var builder = AppleFixtureBuilder()
    builder.add(6, "d", float + [0x60, 0x55, 0, 0])
    var wanted = AppleFixtureBuilder()
    wanted.add(6, "d", float + [0, 0, 0, 0])
    #expect(try rewritten(AppleFastKVStore(builder.file())) == wanted.file())
  }

  @Test func bytesThatAreNoTextWithoutTheirEndEitherKeepIt() throws {
    var builder = AppleFixtureBuilder()
    builder.add(7, "t", [0x61, 0x95, 0x8a, 0xc8])
    #expect(try rewritten(AppleFastKVStore(builder.file())) == builder.file())
  }

  @Test func whatWouldEndTheAppIsNotWritten() throws {
    let separator = AppleFixtureBuilder().separator
    var builder = AppleFixtureBuilder()
    builder.add(7, "evil", Array("\(separator)Q\(separator)".utf8))
    let store = AppleFastKVStore(builder.file())
    #expect(throws: EncodingError.self) { try rewritten(store) }
    let record = try #require(Diagnosis(of: store, now: 0).best?.snapshot.live.first)
    #expect(store.obstacle(to: record, scan: .engine) != nil)
  }

  @Test func randomStoresGoRoundTrip() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      var builder = AppleFixtureBuilder(width: Bool.random(using: &random) ? 8 : 4)
      var truth: [Key: [UInt8]] = [:]
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let key = "k\(Int.random(in: 0...5, using: &random))"
        let bytes = random.bytes(Int.random(in: 0...40, using: &random))
        let (type, value): (Int, [UInt8]) =
          switch Int.random(in: 0...4, using: &random) {
          case 0: (0, [])
          case 1: (2, [bytes.isEmpty ? 0 : 1])
          case 2: (3, random.bytes(4))
          case 3: (7, Array(String(decoding: bytes, as: UTF8.self).utf8))
          default: (8, bytes)
          }
        builder.add(type, key, value, class: type < 2 ? "" : "NSNumber")
        truth[Key(Array(key.utf8))] = type == 0 ? nil : value
      }
      let store = AppleFastKVStore(builder.file(zeroFilledTo: 64))
      let diagnosis = expectSound(store, now: 0, "seed \(seed), round \(round)")
      #expect(diagnosis.verdict == .clean, "seed \(seed), round \(round)")
      #expect(
        store.entries(try #require(diagnosis.best).snapshot.live) == truth,
        "seed \(seed), round \(round)")
      let again = AppleFastKVStore(try rewritten(store, width: round % 2 == 0 ? 8 : 4))
      let best = try #require(Diagnosis(of: again, now: 0).best)
      #expect(again.entries(best.snapshot.live) == truth, "seed \(seed)")
      #expect(best.snapshot.recordCount == truth.count, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: [4, 8])
  func entriesAreWrittenInTheWidthThatIsAskedFor(width: Int) throws {
    let entry = TypedEntry(key: Key(Array("a".utf8)), value: .int32(7))
    let files = try AppleFastKVFormat(pointerWidth: width).files(named: "store", [entry])
    let store = AppleFastKVStore(try #require(files.first).bytes)
    #expect(files.count == 1 && store.dialect.width == width)
  }
}
