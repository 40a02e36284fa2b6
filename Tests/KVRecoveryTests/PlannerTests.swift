import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Synchronization
import Testing

@Suite struct PlannerTests {
  /// Two confirmed entries and one after them, with a checksum that does not match.
  private var builder: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")])
    let payload = builder.payload
    builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    builder.put("three", text: "3")
    builder.digest = 1
    return builder
  }

  private func plan(
    _ builder: MMKVFixtureBuilder, _ strategy: some RecoveryStrategy = FixedStrategy.recover,
    now: UInt32 = 0, _ change: (inout RepairPlanner) -> Void = { _ in }
  ) -> (plan: RepairPlan?, store: MMKVStore) {
    let store = builder.open(now: now)
    let diagnosis = expectSound(store, now: now)
    var planner = RepairPlanner(strategy: strategy)
    change(&planner)
    return (planner.plan(store, given: diagnosis), store)
  }

  private func keys(_ plan: RepairPlan?, _ store: MMKVStore) -> [String?] {
    plan?.kept.map { store.key(of: $0.record).text } ?? ["no plan"]
  }

  @Test func recoveringKeepsAllAndDiscardingWhatIsVerified() throws {
    let recovered = plan(builder, .recover)
    #expect(keys(recovered.plan, recovered.store) == ["one", "two", "three"])
    #expect(recovered.plan?.state == .salvaged)
    let discarded = plan(builder, .discard)
    #expect(keys(discarded.plan, discarded.store) == ["one", "two"])
    #expect(discarded.plan?.state == .confirmed)
    #expect(discarded.plan?.kept.allSatisfy { $0.evidence == .checksum } == true)
    // The plan counts the entries that the answer leaves out.
    #expect(recovered.plan?.leftOut.count == 0 && recovered.plan?.isLossy == false)
    #expect(discarded.plan?.leftOut.count == 1 && discarded.plan?.isLossy == true)
    for (plan, answer) in [(recovered.plan, RecoveryDecision.recover), (discarded.plan, .discard)] {
      #expect(plan?.decisions.map(\.question) == ["onMMKVCRCCheckFail"])
      #expect(plan?.decisions.map(\.answer) == [answer])
      #expect(plan?.isNeeded == true)
    }
  }

  @Test func anEntryThatIsKeptWithAnOlderValueCountsAsLeftOut() {
    var builder = MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")])
    let payload = builder.payload
    builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    builder.put("two", text: "changed")
    builder.digest = 1
    let recovered = plan(builder, .recover)
    #expect(recovered.plan?.contents(of: recovered.store).entries.last?.value.count == 8)
    #expect(recovered.plan?.leftOut.count == 0 && recovered.plan?.isLossy == false)
    // Both keys are kept, one of them with its value at the last full rewrite.
    let discarded = plan(builder, .discard)
    #expect(keys(discarded.plan, discarded.store) == ["one", "two"])
    #expect(discarded.plan?.leftOut.count == 1 && discarded.plan?.isLossy == true)
  }

  @Test func discardingKeepsNothingWhereNothingIsVerified() {
    var builder = builder
    builder.confirmed = (9, 1)
    let (plan, store) = plan(builder, .discard)
    #expect(keys(plan, store) == [])
    #expect(plan?.contents(of: store).entries == [])
    #expect(plan?.leftOut.count == 3 && plan?.isLossy == true)
  }

  @Test func wholeStoreRaisesNoQuestion() {
    for (_, strategy) in FixedStrategy.both {
      let (plan, store) = plan(MMKVFixtureBuilder(texts: [("a", "1")]), strategy)
      #expect(keys(plan, store) == ["a"])
      #expect(plan?.decisions.isEmpty == true && plan?.isNeeded == false && plan?.isLossy == false)
    }
  }

  @Test func contentsAreTheBytesOfTheEntries() {
    let (plan, store) = plan(builder)
    let entries = plan?.contents(of: store).entries
    #expect(entries?.map(\.key.text) == ["one", "two", "three"])
    #expect(entries?.map(\.value) == ["1", "2", "3"].map { [1] + Array($0.utf8) })
    #expect(entries?.map(\.source) == plan?.kept.map(\.record))
  }

  // MARK: Questions

  /// A strategy that gives a fixed answer to each question, and notes the questions.
  private struct Witness: RecoveryStrategy {
    let checksum: RecoveryDecision
    let length: RecoveryDecision
    let note: @Sendable (String) -> Void

    func onChecksumMismatch(_ damage: ChecksumDamage) -> RecoveryDecision {
      note("checksum \(damage.choices.recovered) or \(damage.choices.verified)")
      return checksum
    }

    func onLengthError(_ damage: LengthDamage) -> RecoveryDecision {
      note("length \(damage.stated) of \(damage.available)")
      return length
    }
  }

  @Test func strategyIsAskedTheQuestionThatTheDamageRaises() throws {
    let notes = Mutex<[String]>([])
    @Sendable func note(_ text: String) { notes.withLock { $0.append(text) } }
    let first = plan(builder, Witness(checksum: .discard, length: .recover, note: note))
    #expect(keys(first.plan, first.store) == ["one", "two"])
    #expect(notes.withLock { $0 } == ["checksum 3 or 2"])
    var longer = builder
    longer.actualCount = 5000
    let second = plan(longer, Witness(checksum: .discard, length: .recover, note: note))
    #expect(keys(second.plan, second.store) == ["one", "two", "three"])
    #expect(notes.withLock { $0 } == ["checksum 3 or 2", "length 5000 of 4092"])
    #expect(second.plan?.decisions.map(\.question) == ["onMMKVFileLengthError"])
  }

  @Test(arguments: [RecoveryDecision.recover, .discard])
  func aFixedAnswerIsGivenToItsOwnQuestion(checksum: RecoveryDecision) {
    let length: RecoveryDecision = checksum == .recover ? .discard : .recover
    let strategy = FixedStrategy(EngineAnswers(onChecksumMismatch: checksum, onLengthError: length))
    var longer = builder
    longer.actualCount = 5000
    for (builder, answer) in [(builder, checksum), (longer, length)] {
      let (plan, store) = plan(builder, strategy)
      let kept = answer == .recover ? ["one", "two", "three"] : ["one", "two"]
      #expect(keys(plan, store) == kept)
    }
  }

  // MARK: Choices

  @Test func onlyWhatIsProvenIsKeptWhenThatIsAskedFor() {
    let (plan, store) = plan(builder) { $0.minimumEvidence = .corrected }
    #expect(keys(plan, store) == [])
    #expect(plan?.dropped.count == 3 && plan?.isLossy == true)
    #expect(plan?.dropped.allSatisfy { !$0.isRequested && !$0.reason.isEmpty } == true)
    var proven = builder
    proven.digest = nil
    proven.actualCount = 9
    let other = self.plan(proven) { $0.minimumEvidence = .corrected }
    #expect(keys(other.plan, other.store) == ["one", "two", "three"])
  }

  @Test func expiredEntriesAreKeptUnlessAskedOtherwise() {
    var builder = MMKVFixtureBuilder()
    builder.flags = 1
    for (key, time) in [("never", 0), ("past", 999), ("now", 1000), ("then", 1001)] {
      builder.put(key, [7] + MMKVFixtureBuilder.little(UInt32(time)))
    }
    let kept = plan(builder, now: 1000)
    #expect(keys(kept.plan, kept.store) == ["never", "past", "now", "then"])
    let dropped = plan(builder, now: 1000) { $0.dropsExpiredAt = 1000 }
    #expect(keys(dropped.plan, dropped.store) == ["never", "then"])
    // This was requested, so nothing counts as missing.
    #expect(dropped.plan?.dropped.count == 2 && dropped.plan?.isLossy == false)
  }

  @Test func stateIsChosenByName() throws {
    let confirmed = plan(builder) { $0.state = .confirmed }
    #expect(keys(confirmed.plan, confirmed.store) == ["one", "two"])
    #expect(confirmed.plan?.decisions.isEmpty == true)
    let current = plan(builder) { $0.state = .current }
    #expect(current.plan?.state == .current)
    #expect(plan(builder) { $0.state = .beforeReset }.plan == nil)
  }

  @Test func entryThatTheEngineCannotReadIsSetAsideWhereItsLimitsApply() {
    var builder = builder
    builder.put([UInt8](repeating: 0x6b, count: 65532), [7])
    builder.digest = nil
    let all = plan(builder)
    #expect(all.plan?.kept.count == 4)
    let limited = plan(builder) { $0.appliesEngineLimits = true }
    #expect(keys(limited.plan, limited.store) == ["one", "two", "three"])
    #expect(limited.plan?.dropped.count == 0 && limited.plan?.isLossy == true)
    #expect(limited.plan?.unlikely.count == 0)
    #expect(limited.plan?.refused.map(\.refusal?.isEmpty) == [false])
  }

  @Test func likeEngineDoesWhatTheEngineDoes() {
    for (answer, strategy) in FixedStrategy.both {
      // The last confirmed state is used without a question.
      let silent = plan(builder, strategy) { $0.isLikeEngine = true }
      #expect(keys(silent.plan, silent.store) == ["one", "two"])
      #expect(silent.plan?.decisions.isEmpty == true)
      var asking = builder
      asking.confirmed = (9, 1)
      let asked = plan(asking, strategy) { $0.isLikeEngine = true }
      #expect(
        keys(asked.plan, asked.store) == (answer == .recover ? ["one", "two", "three"] : []))
      #expect(asked.plan?.decisions.map(\.answer) == [answer])
    }
  }

  @Test func repairedStoreIsCleanAndHasTheSameEntries() throws {
    let (plan, store) = plan(builder)
    let contents = try #require(plan?.contents(of: store))
    let files = try MMKVFormat(now: 0).encode(contents, like: store)
    let repaired = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: files[0].bytes, meta: files[1].bytes)
    ).corrected()
    let diagnosis = expectSound(repaired, now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(
      repaired.entries(diagnosis.best?.snapshot.live ?? [])
        == store.entries(plan?.kept.map(\.record) ?? []))
  }
}
