import KVCryptography
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Reading stores that the real engine wrote, and comparing the result with the engine's.
@Suite struct CorpusTests {
  private static var cases: [CorpusCase] {
    get throws { try CorpusCase.mmkv.filter { $0.key == nil || Cryptography.isAvailable } }
  }

  @Test func corpusIsThere() throws {
    let cases = try CorpusCase.mmkv
    #expect(cases.count >= 352)
    #expect(cases.contains { $0.kind == "healthy" } && cases.contains { $0.isWrongKey })
  }

  @Test(arguments: try cases.filter { $0.kind == "healthy" })
  func healthyStoreIsReadAsTheEngineDoes(_ example: CorpusCase) throws {
    let store = try example.open()
    let diagnosis = expectSound(store, now: example.now, example.name)
    #expect(diagnosis.verdict == .clean, "\(diagnosis.findings)")
    let live = try #require(diagnosis.best?.snapshot.live)
    let differences = CorpusCase.differences(store.entries(live), example.truth)
    #expect(differences == [])
    for prediction in diagnosis.predictions {
      #expect(prediction.load.outcome == .loaded && prediction.load.callbacks == [])
      #expect(prediction.keyCount == example.truth.count)
    }
  }

  @Test(arguments: try cases.filter { $0.kind != "healthy" })
  func engineDoesWhatIsPredicted(_ example: CorpusCase) throws {
    let store = try example.open()
    let diagnosis = expectSound(store, now: example.now, example.name)
    for prediction in diagnosis.predictions {
      let outcome = try #require(example.engine[prediction.answer])
      #expect(prediction.load.callbacks == outcome.callbacks, "\(prediction.answer)")
      #expect(prediction.keyCount == outcome.live.count, "\(prediction.answer)")
      let entries = store.applying([]).entries(prediction.snapshot.live)
      let differences = CorpusCase.differences(entries, outcome.live)
      #expect(differences == [], "\(prediction.answer)")
    }
  }

  @Test(arguments: try cases.filter { $0.kind != "healthy" })
  func likeEngineRepairKeepsWhatTheEngineKeeps(_ example: CorpusCase) throws {
    let store = try example.open().applying([])
    let diagnosis = Diagnosis(of: store, now: example.now)
    for (answer, strategy) in FixedStrategy.both {
      var planner = RepairPlanner(strategy: strategy)
      planner.isLikeEngine = true
      let plan = try #require(planner.plan(store, given: diagnosis))
      let outcome = try #require(example.engine[answer])
      let differences = CorpusCase.differences(
        store.entries(plan.kept.map(\.record)), outcome.live)
      #expect(differences == [], "\(answer)")
    }
  }

  @Test(arguments: try cases.filter { $0.kind != "healthy" && !$0.isWrongKey })
  func recoveringIsNeverWorseThanTheEngine(_ example: CorpusCase) throws {
    let store = try example.open()
    let diagnosis = Diagnosis(of: store, now: example.now)
    let outcome = try #require(example.engine[.recover])
    let engine = outcome.live.count { key, value in
      switch (value, example.truth[key]) {
      case (.bytes(let found), .bytes(let right)): found == right
      case (.sha256(let found), .sha256(let right)): found == right
      default: false
      }
    }
    let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
    let ours = CorpusCase.rightCount(
      store.entries(plan?.kept.map(\.record) ?? []), example.truth)
    #expect(ours >= engine, "\(plan?.origin ?? "no plan") \(diagnosis.findings.map(\.code))")
  }

  @Test(arguments: try cases.filter { $0.kind != "healthy" && !$0.isWrongKey })
  func untouchedRecordsAreKeptAndWhatIsVerifiedIsRight(_ example: CorpusCase) throws {
    let store = try example.open()
    var planner = RepairPlanner(strategy: .recover)
    let diagnosis = Diagnosis(of: store, now: example.now)
    // Records after a log that its checksum verifies are kept only if their state is named.
    planner.state =
      example.state.flatMap(StateName.init(rawValue:)) ?? diagnosis.state(.appended)?.name
    let plan = planner.plan(store, given: diagnosis)
    let kept = plan?.kept ?? []
    let entries = store.entries(kept.map(\.record))
    let missed = example.untouched.filter { key in
      !(entries[key].map { example.isRight($0, of: key) } ?? false)
    }
    #expect(missed == [])
    for entry in kept {
      let key = store.key(of: entry.record)
      if example.isRight(store.value(of: entry.record), of: key) { continue }
      // Any other value must be marked, either as a guess or as unverified with a reason.
      let (evidence, cautions) = (entry.evidence, entry.cautions)
      #expect(evidence <= .structure, "\(key)")
      #expect(evidence == .guess || !cautions.isEmpty, "\(key)")
    }
  }

  @Test(arguments: try cases.filter(\.isWrongKey))
  func storeUnderAWrongKeyIsUnreadable(_ example: CorpusCase) throws {
    let store = try example.open()
    let diagnosis = expectSound(store, now: example.now, example.name)
    #expect(diagnosis.verdict == .unreadable && diagnosis.states.isEmpty)
    for (_, strategy) in FixedStrategy.both {
      #expect(RepairPlanner(strategy: strategy).plan(store, given: diagnosis) == nil)
    }
  }

  #if !Encryption
    @Test func encryptedStoresAreSaidToNeedACipher() throws {
      for example in try CorpusCase.mmkv where example.key != nil {
        guard case .unreadable(let code, _) = try example.open().access else {
          Issue.record("\(example) was opened without a cipher")
          continue
        }
        #expect(code.name == "mmkv.no-cipher")
      }
    }
  #endif
}
