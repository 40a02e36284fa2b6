import FastKVFormat
import KVBytes
import KVCryptography
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading stores that the real engine wrote, and comparing the result with the engine's.
@Suite struct AndroidCorpusTests {
  private static var cases: [AndroidCase] { get throws { try AndroidCase.all } }

  /// The cases that the modeled engine reads differently.
  ///
  /// An older engine opened them, or they contain an object for which the app had no decoder.
  private static let others = [
    "nb_missing_encoder", "large_opened_by_old", "mid_value_opened_by_v112",
  ]

  @Test func corpusIsThere() throws {
    let cases = try Self.cases
    // Without ciphers, the encrypted cases are omitted.
    #expect(cases.count > (Cryptography.isAvailable ? 200 : 150))
    #expect(cases.contains { $0.kind == "healthy" } && cases.contains { $0.kind == "damaged" })
  }

  @Test(arguments: try cases.filter { $0.kind == "healthy" })
  func healthyStoreIsReadAsTheEngineDoes(_ example: AndroidCase) throws {
    let store = try example.open()
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .clean, "\(diagnosis.findings)")
    let live = try #require(diagnosis.best?.snapshot.live)
    #expect(AndroidCase.differences(store.entries(live), example.truth) == [])
  }

  @Test(arguments: try cases.filter { !$0.isWrongKey })
  func likeEngineRepairKeepsWhatTheEngineKeeps(_ example: AndroidCase) throws {
    if Self.others.contains(where: { example.description.contains($0) }) { return }
    let store = try example.open()
    guard store.access == .readable else {
      #expect(example.engine.isEmpty)
      return
    }
    var planner = RepairPlanner(strategy: FixedStrategy.recover)
    planner.isLikeEngine = true
    let plan = try #require(planner.plan(store, given: Diagnosis(of: store, now: 0)))
    let entries = store.entries(plan.kept.map(\.record))
    // The engine lists the keys of values whose file is missing until it reads those values.
    let log = try #require(store.lengthClaims.first?.log ?? store.logArea)
    let valueless = Set(
      store.records(in: log, scan: .plain).compactMap { event in
        if case .record(let record) = event, store.loadedValue(of: record) == .missing {
          store.key(of: record)
        } else {
          nil
        }
      })
    let (missing, expected) = (
      example.engine.filter { valueless.contains($0.key) },
      example.engine.filter { !valueless.contains($0.key) }
    )
    #expect(AndroidCase.differences(entries, expected) == [])
    #expect(missing.values.allSatisfy { $0.any == true || $0.hex == "" })
  }

  /// Tests that entries whose files are missing count neither for the engine nor for a repair.
  ///
  /// Of the five keys, three have their values in missing files.
  @Test func anEntryWithoutItsFileIsNoneThatTheEngineOrARepairHas() throws {
    let found = try AndroidCase.all.first { $0.description.hasSuffix("ext__ext_dir_missing") }
    let store = try #require(found).open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let lost = ["arr", "big", "obj"].map { Key(Array($0.utf8)) }
    #expect(diagnosis.entries == 2 && diagnosis.states.map(\.entryCount) == [2])
    for prediction in diagnosis.predictions {
      #expect(prediction.keyCount == 2 && prediction.lostKeys == lost)
      #expect(prediction.unsupportedCount == 0)
    }
    // A repair cannot bring them back.
    #expect(diagnosis.recoverable == 0)
    #expect(!diagnosis.findings.contains { $0.code == "engine.silent-loss" })
    let plan = RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis)
    #expect(plan?.kept.count == 2 && plan?.dropped.count == 3)
  }

  @Test func aFileThatIsNotRenamedIsReadByARepairAndNotByTheEngine() throws {
    let found = try AndroidCase.all.first { $0.description.hasSuffix("ext__ext_tmp_left") }
    let store = try #require(found).open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let lost = [Key(Array("obj".utf8))]
    #expect(diagnosis.predictions.map(\.lostKeys) == [lost, lost])
    #expect(diagnosis.recoverable == 1)
    #expect(diagnosis.findings.contains { $0.code == "engine.silent-loss" })
  }

  @Test(arguments: [("mix__stale_tmp", ".tmp"), ("mix__stale_C", ".kvc")])
  func thePredictionNamesTheFileThatIsThere(_ name: String, _ suffix: String) throws {
    let found = try AndroidCase.all.first { $0.description.hasSuffix("/\(name)") }
    let store = try #require(found).open()
    let load = store.engineLoad(answering: EngineAnswers(always: .recover))
    #expect(load.writes == ["overwrites .kva and .kvb with \(suffix), then deletes \(suffix)"])
  }

  /// Tests that a message states why the engine refuses an entry.
  ///
  /// The key is short and plain, and the engine refuses its value.
  @Test func theReasonForARefusalIsThatOfTheFormat() throws {
    let found = try AndroidCase.all.first { $0.description.hasSuffix("mix__AB_nul_in_string") }
    let store = try #require(found).open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let finding = diagnosis.findings.first { $0.code == "record.refused-by-engine" }
    #expect(finding?.message.contains("its text contains U+0000") == true)
    #expect(finding?.message.contains("key") == false)
  }

  @Test func mostOfWhatWasDamagedIsReadAndNeverLessThanByTheEngine() throws {
    var (right, wrong, total) = (0, 0, 0)
    for example in try Self.cases where example.kind != "healthy" && !example.isWrongKey {
      let store = try example.open()
      let diagnosis = Diagnosis(of: store, now: 0)
      let plan = RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis)
      let entries = store.entries((plan?.kept ?? []).map(\.record))
      let count = AndroidCase.rightCount(entries, example.truth)
      let theirs = example.engine.count { key, known in
        known.hex != nil && known.hex == example.truth[key]?.hex
      }
      #expect(count >= theirs, "\(example)")
      guard example.kind == "damaged" else { continue }
      right += count
      wrong += entries.count - count
      total += example.truth.count
    }
    #expect(right * 100 >= total * 80, "\(right) of \(total)")
    #expect(wrong * 50 <= total, "\(wrong) of \(total)")
  }

  @Test(arguments: try cases.filter(\.isWrongKey))
  func wrongKeyGivesNoEntries(_ example: AndroidCase) throws {
    let store = try example.open()
    guard case .unreadable = store.access else {
      Issue.record("\(store.access)")
      return
    }
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .unreadable && diagnosis.states.isEmpty)
  }

  @Test(arguments: try cases)
  func everyByteHasOneOwner(_ example: AndroidCase) throws {
    expectSound(try example.open(), now: 0, example.description)
  }

  @Test(arguments: try cases.filter { $0.kind == "healthy" })
  func repairedStoreHoldsTheSame(_ example: AndroidCase) throws {
    let store = try example.open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(
      RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis))
    let format = AndroidFastKVFormat(
      key: example.key, mode: example.isBlocking ? .blocking : .nonBlocking)
    let files = try format.encode(plan.contents(of: store), like: store, cipher: .keep)
    let copy = format.open(files.map { StoreFile($0.role, at: FilePath($0.name), .init($0.bytes)) })
      .corrected()
    let again = Diagnosis(of: copy, now: 0)
    #expect(again.verdict == .clean, "\(again.findings)")
    let live = try #require(again.best?.snapshot.live)
    #expect(AndroidCase.differences(copy.entries(live), example.truth) == [])
    #expect(copy.isEncrypted == store.isEncrypted || live.isEmpty)
  }
}
