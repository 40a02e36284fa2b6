import FastKVFormat
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Records that begin exactly where the log ends: leftovers of any earlier launch, or newer than the
/// header.
@Suite struct AppleSequelTests {
  /// A record: a key with a value, or without one if the key is removed.
  private struct Step {
    let key: String
    let value: String?

    init(_ text: String) {
      let parts = text.split(separator: "=")
      key = String(parts[0])
      value = parts.count > 1 ? String(parts[1]) : nil
    }
  }

  /// Returns a file with the records of `log`, and then those of `rest`.
  ///
  /// A value of one digit is a truth value, any other one a text.
  private static func store(_ log: String, _ rest: String) -> AppleFastKVStore {
    var builder = AppleFixtureBuilder()
    func add(_ text: String) {
      for step in text.split(separator: " ").map({ Step(String($0)) }) {
        switch step.value {
        case nil: builder.add(0, step.key, [])
        case "0": builder.add(2, step.key, [0], class: "NSNumber")
        case "1": builder.add(2, step.key, [1], class: "NSNumber")
        case let text?: builder.add(7, step.key, Array(text.utf8), class: "__NSCFString")
        }
      }
    }
    add(log)
    let length = UInt64(builder.area.count)
    add(rest)
    return AppleFastKVStore(builder.file(zeroFilledTo: 8192, length: length))
  }

  private func cautions(of key: String, in store: AppleFastKVStore) throws -> [Caution] {
    let state = try #require(Diagnosis(of: store, now: 0).best)
    let key = Key(Array(key.utf8))
    let record = try #require(state.snapshot.live.first { store.key(of: $0) == key })
    return state.cautions(of: record)
  }

  // MARK: Healthy stores

  /// Tests that leftovers with removals are no part of the log.
  ///
  /// The last two logs end after the first block of the file, so their headers could be older than
  /// the records.
  @Test(arguments: [
    ("views=four likes=oneX", "likes=five likes"),
    ("first=on secnd=on secnd=no", "secnd"),
    ("a=aaaa b=bbbb c=cccc", "d=dddd d a=eeee b=ffff"),
    (
      "isOn=aaaaaaa isOn=bbbbbbb isOn=ccccccc isOn=ddddddd isOn=eeeeeee isOn=fffffff",
      "isOn=ggggggg isOn=hhhhhhh isOn isOn=iiiiiii isOn=jjjjjjj"
    ),
    (
      "on=aaaa of=bbbb on=cccc of=dddd on=eeee of=ffff on=gggg of=hhhh",
      "of=iiii on=jjjj on of=kkkk of on=llll"
    ),
  ])
  func leftoversWithRemovalsAreNoPartOfTheLog(log: String, rest: String) throws {
    let store = Self.store(log, rest)
    let diagnosis = expectSound(store, now: 0)
    let state = try #require(diagnosis.best)
    #expect(diagnosis.verdict == .clean)
    var truth: [Key: [UInt8]] = [:]
    for step in log.split(separator: " ").map({ Step(String($0)) }) {
      truth[Key(Array(step.key.utf8))] = step.value.map { Array($0.utf8) }
    }
    #expect(store.entries(state.snapshot.live) == truth)
  }

  /// Tests stores of one to three keys of one length, some of which are removed, after two to six
  /// launches.
  ///
  /// None of 100,000 healthy stores of such shapes is called damaged. Where records of an earlier launch
  /// begin exactly at the end of the log, the entries of their keys have a caution.
  @Test func healthyStoresOfKeysOfOneLengthAreClean() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for _ in 0..<TestExtent.count(300, of: 1200) {
      let (bytes, truth) = try Self.session(&random)
      let store = AppleFastKVStore(bytes)
      let diagnosis = Diagnosis(of: store, now: 0)
      let state = try #require(diagnosis.best)
      #expect(!store.check().contains { $0.severity == .damage }, "seed \(seed)")
      for record in state.snapshot.live
      where truth[store.key(of: record)] != store.value(of: record) {
        #expect(!state.cautions(of: record).isEmpty, "seed \(seed)")
      }
    }
  }

  private static func session(
    _ random: inout SeededGenerator
  ) throws -> (bytes: [UInt8], entries: [Key: [UInt8]]) {
    var settings = StoreSettings()
    settings.capacity = 4096
    var engine = try AppleFastKVSimulator(settings, randomness: EngineRandomness(seed: 1))
    let keyCount = Int.random(in: 1...3, using: &random)
    let kind = Int.random(in: 0...2, using: &random)
    let removals = Int.random(in: 5...20, using: &random)
    for launch in 0..<Int.random(in: 2...6, using: &random) {
      if launch > 0 { try engine.perform(.reopen) }
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let key = Key(Array("badge\(Int.random(in: 0..<keyCount, using: &random))".utf8))
        let number = Int32.random(in: 0...999, using: &random)
        if Int.random(in: 0..<100, using: &random) < removals {
          try engine.perform(.remove([key]))
          continue
        }
        let value: Value =
          switch kind {
          case 0: .bool(number % 2 == 0)
          case 1: .int32(number)
          default: .string("text \(1000 + number)")
          }
        try engine.set(key, value, className: nil)
      }
    }
    return (try #require(engine.disk.image[settings.name]).bytes, engine.entries)
  }

  // MARK: Headers of an older block

  /// Tests that a truth value that was set back is no sign of leftovers after the first block: half
  /// of all truth values are as they once were.
  @Test func aTruthValueThatWasSetBackMayBeNewer() throws {
    let store = Self.store("a=1 b=1 a=0 a=1 a=0 b=0 a=1", "b=1")
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
    #expect(try cautions(of: "b", in: store) == [.mayBeStale])
    #expect(try cautions(of: "a", in: store) == [])
  }

  /// Tests that a text that was set back is one: the key has had eight.
  @Test func aTextThatWasSetBackIsOlder() throws {
    let texts = ["aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg", "hhhh"]
    let store = Self.store(texts.map { "k=\($0)" }.joined(separator: " "), "k=aaaa")
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
    #expect(try cautions(of: "k", in: store) == [])
  }

  /// Tests that records of new keys after a log without removals belong to it.
  @Test func newKeysBelongToTheLogIfNoneWasRemoved() throws {
    let log = (0..<8).map { "key\($0)=\(String(repeating: "x", count: $0 * $0 + 2))" }
    let store = Self.store(log.joined(separator: " "), "key8=newer key9=newest")
    let state = try #require(expectSound(store, now: 0).best)
    #expect(store.codes.contains("fastkv-apple.records-after-log"))
    #expect(state.snapshot.live.count == 10)
    #expect(try cautions(of: "key8", in: store) == [.mayBeStale])
    #expect(try cautions(of: "key7", in: store) == [])
  }
}
