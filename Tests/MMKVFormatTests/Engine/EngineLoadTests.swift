import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Each step in which the engine opens a store, with stores made by hand.
///
/// The corpus shows what the engine really did.
@Suite struct EngineLoadTests {
  /// Two records confirmed by a second full rewrite, and one appended after them.
  private var builder: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")])
    let payload = builder.payload
    builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    builder.put("three", text: "3")
    return builder
  }

  private var confirmedEnd: Int {
    4 + MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")]).payload.count
  }

  private func load(_ builder: MMKVFixtureBuilder, _ answer: RecoveryDecision) -> EngineLoad {
    let store = builder.open()
    expectSound(store, now: 0)
    return store.engineLoad(answering: EngineAnswers(always: answer))
  }

  /// Returns the numbers of keys in the engine's map, for both answers.
  private func keyCounts(_ builder: MMKVFixtureBuilder) -> [Int] {
    expectSound(builder.open(), now: 0).predictions.map(\.keyCount)
  }

  @Test func digestThatHoldsIsLoaded() {
    for answer in RecoveryDecision.allCases {
      let load = load(builder, answer)
      #expect(load.callbacks == [] && load.outcome == .loaded && load.writes == [])
      #expect(load.log == Extent(.data, 4..<4 + builder.payload.count))
    }
    #expect(keyCounts(builder) == [3, 3])
  }

  @Test func confirmedStateIsTakenWithoutACallback() {
    var builder = builder
    builder.digest = 1
    for answer in RecoveryDecision.allCases {
      let load = load(builder, answer)
      #expect(load.callbacks == [] && load.outcome == .rolledBack)
      #expect(load.log == Extent(.data, 4..<confirmedEnd))
      #expect(load.writes.count == 1)
    }
    #expect(keyCounts(builder) == [2, 2])
  }

  @Test func headerIsTakenBeforeTheConfirmedState() {
    var builder = builder
    builder.header = UInt32(builder.payload.count)
    builder.actualCount = 9
    let load = load(builder, .discard)
    #expect(load.callbacks == [] && load.outcome == .rolledBack)
    #expect(load.log == Extent(.data, 4..<4 + builder.payload.count))
    #expect(keyCounts(builder) == [3, 3])
  }

  @Test func sizeBeyondTheFileTriesTheSameFallbacks() {
    var builder = builder
    builder.header = 0
    builder.actualCount = 5000
    #expect(load(builder, .recover).outcome == .rolledBack)
    #expect(keyCounts(builder) == [2, 2])
  }

  @Test func prefixAloneIsConfirmedAndEmptiesTheStore() {
    // This is true of almost every small store. Its last confirmed state is that of its first
    // write.
    var builder = builder
    builder.confirmed = nil
    builder.digest = 1
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.predictions.map(\.load.outcome) == [.rolledBack, .rolledBack])
    #expect(diagnosis.predictions.map(\.keyCount) == [0, 0])
    #expect(diagnosis.predictions.allSatisfy { $0.isSilentLoss })
    #expect(diagnosis.predictions[0].lostKeys.count == 3)
  }

  @Test func handlerIsAskedWhereNothingHolds() {
    var builder = builder
    builder.digest = 1
    builder.confirmed = (9, 1)
    let discard = load(builder, .discard)
    #expect(discard.callbacks == ["onMMKVCRCCheckFail"] && discard.outcome == .discarded)
    #expect(discard.log == nil && discard.writes.count == 1)
    let recover = load(builder, .recover)
    #expect(recover.callbacks == ["onMMKVCRCCheckFail"] && recover.outcome == .recovered)
    #expect(recover.log == Extent(.data, 4..<4 + builder.payload.count))
    #expect(recover.onDamage == .keepPrefix)
    #expect(keyCounts(builder) == [0, 3])
  }

  @Test func lengthErrorReadsTheWholeFile() {
    var builder = builder
    builder.actualCount = 4093
    builder.confirmed = (9, 1)
    builder.header = 0
    // A stale record after the real end. The engine replays it last, so it wins.
    var stale = MMKVFixtureBuilder()
    stale.put("one", text: "old")
    builder.slack = stale.records
    let recover = load(builder, .recover)
    #expect(recover.callbacks == ["onMMKVFileLengthError"] && recover.outcome == .recovered)
    #expect(recover.log == Extent(.data, 4..<4096))
    #expect(load(builder, .discard).outcome == .discarded)
    let store = builder.open()
    let predictions = expectSound(store, now: 0).predictions
    #expect(predictions.map(\.keyCount) == [0, 3])
    let one = predictions[1].snapshot.live.first { store.key(of: $0).text == "one" }
    #expect(one.map { store.value(of: $0) } == [3] + Array("old".utf8))
  }

  @Test(arguments: [0, 1, 2] as [UInt32])
  func oldMetaFileHasNoFallback(_ version: UInt32) {
    var builder = builder
    builder.version = version
    builder.digest = 1
    #expect(load(builder, .discard).callbacks == ["onMMKVCRCCheckFail"])
    builder.header = 4093
    #expect(load(builder, .discard).callbacks == ["onMMKVFileLengthError"])
  }

  @Test func strictDecodingIsAllOrNothing() {
    var builder = builder
    builder.records += [1, 0x61, 0x80]
    #expect(load(builder, .recover).outcome == .loaded)
    #expect(load(builder, .recover).onDamage == .dropAll)
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.predictions.map(\.keyCount) == [0, 0])
    #expect(diagnosis.predictions.allSatisfy { $0.isSilentLoss })
    #expect(diagnosis.best?.snapshot.live.count == 3)
  }

  @Test func greedyDecodingKeepsWhatStandsBeforeTheDamage() {
    var builder = builder
    builder.records += [1, 0x61, 0x80]
    builder.put("four", text: "4")
    builder.digest = 1
    builder.confirmed = (9, 1)
    #expect(keyCounts(builder) == [0, 3])
  }

  @Test func recoveringDropsWhatHasExpired() {
    func builder(flags: UInt64) -> MMKVFixtureBuilder {
      var builder = MMKVFixtureBuilder()
      builder.flags = flags
      for (key, time) in [("never", 0), ("past", 999), ("now", 1000), ("then", 1001)] {
        builder.put(key, [7] + MMKVFixtureBuilder.little(UInt32(time)))
      }
      builder.confirmed = (9, 1)
      builder.digest = 1
      return builder
    }
    func keys(_ builder: MMKVFixtureBuilder) -> [String?] {
      let store = builder.open(now: 1000)
      let live = expectSound(store, now: 1000).predictions[1].snapshot.live
      return live.map { store.key(of: $0).text }
    }
    #expect(keys(builder(flags: 1)) == ["never", "then"])
    #expect(keys(builder(flags: 0)) == ["never", "past", "now", "then"])
  }

  @Test func loadingAStoreDropsNothingThatHasExpired() {
    var builder = MMKVFixtureBuilder()
    builder.flags = 1
    builder.put("past", [7] + MMKVFixtureBuilder.little(UInt32(1)))
    let diagnosis = expectSound(builder.open(now: 1000), now: 1000)
    #expect(diagnosis.predictions.map(\.keyCount) == [1, 1])
    #expect(diagnosis.findings.map(\.code).contains("store.expired"))
  }

  @Test func unknownVersionIsRewritten() {
    var meta = builder.meta
    meta.replaceSubrange(4..<8, with: [7, 0, 0, 0])
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: builder.data, meta: meta)
    ).corrected()
    let load = store.engineLoad(answering: EngineAnswers(always: .discard))
    #expect(load.outcome == .loaded && load.writes.count == 1)
  }

  @Test func twoAnswersAreGivenToTwoQuestions() {
    var builder = builder
    builder.confirmed = (9, 1)
    builder.digest = 1
    let store = builder.open()
    let answers = EngineAnswers(onChecksumMismatch: .recover, onLengthError: .discard)
    #expect(store.engineLoad(answering: answers).outcome == .recovered)
    builder.actualCount = 5000
    builder.header = 0
    #expect(builder.open().engineLoad(answering: answers).outcome == .discarded)
  }
}
