import FastKVFormat
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Reading stores that the real engine wrote.
@Suite struct AppleCorpusTests {
  @Test func everyHealthyStoreIsReadAsItsEngineReadsIt() throws {
    let cases = try AppleCorpusCase.all.filter { $0.kind == "healthy" }
    #expect(cases.count >= 45)
    for example in cases {
      let store = try example.open()
      let diagnosis = expectSound(store, now: 0, example.name)
      #expect(diagnosis.verdict == .clean, "\(example) \(diagnosis.findings)")
      let entries = store.entries(try #require(diagnosis.best).snapshot.live)
      #expect(entries.count == example.truth.count, "\(example)")
      #expect(
        AppleCorpusCase.rightCount(entries, example.truth) == entries.count, "\(example)")
      #expect(AppleFastKVFormat().recognize(store.files).recognition.likelihood >= 90, "\(example)")
    }
  }

  @Test func theEngineIsForeseenToTheLetter() throws {
    for example in try AppleCorpusCase.all
    where !example.name.contains("other_width") && !example.name.contains("/old_0") {
      let store = try example.open()
      let diagnosis = Diagnosis(of: store, now: 0)
      var planner = RepairPlanner(strategy: FixedStrategy.recover)
      planner.isLikeEngine = true
      let plan = try #require(planner.plan(store, given: diagnosis))
      let entries = store.entries(plan.kept.map(\.record))
      #expect(entries.count == example.engine.count, "\(example)")
      #expect(
        AppleCorpusCase.rightCount(entries, example.engine) == entries.count, "\(example)")
      #expect(diagnosis.predictions.allSatisfy { $0.keyCount == entries.count }, "\(example)")
    }
  }

  @Test func noDamagedStoreIsReadWorseThanByItsEngine() throws {
    var right = 0
    var wrong = 0
    var wrongInEngine = 0
    var all = 0
    for example in try AppleCorpusCase.all where example.kind != "healthy" {
      let store = try example.open()
      let diagnosis = expectSound(store, now: 0, example.name)
      let entries = store.entries(try #require(diagnosis.best).snapshot.live)
      let count = AppleCorpusCase.rightCount(entries, example.truth)
      let engine = example.engine.count { key, value in
        value.hex != nil && value.hex == example.truth[key]?.hex
          || value.sha256 != nil && value.sha256 == example.truth[key]?.sha256
      }
      #expect(count >= engine, "\(example)")
      right += count
      wrong += entries.count - count
      wrongInEngine += example.engine.count - engine
      all += example.truth.count
    }
    #expect(right * 100 >= all * 89, "\(right) of \(all)")
    #expect(wrong <= wrongInEngine, "\(wrong), the engine \(wrongInEngine)")
  }
}
