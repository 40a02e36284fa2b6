import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Texts that are not UTF-8, for which the engine returns nil.
@Suite struct AppleTextTests {
  private static let word = Key(Array("word".utf8))

  private func store(_ value: [UInt8], width: Int = 8) -> AppleFastKVStore {
    var builder = AppleFixtureBuilder()
    builder.width = width
    builder.add(3, "count", [7, 0, 0, 0])
    builder.add(7, "word", value, class: "__NSCFString")
    return AppleFastKVStore(builder.file(zeroFilledTo: 4096))
  }

  private func repairPlan(_ store: AppleFastKVStore, _ diagnosis: Diagnosis) -> RepairPlan? {
    var planner = RepairPlanner(strategy: FixedStrategy.recover)
    planner.appliesEngineLimits = true
    return planner.plan(store, given: diagnosis)
  }

  /// Tests that the entry is predicted to be lost, and not promised to be kept.
  @Test(
    arguments: [
      [0xff, 0xfe, 0x41], [0x41, 0xc3, 0x28, 0x41, 0x42], [0xed, 0xa0, 0x80, 0x41, 0x42],
    ] as [[UInt8]])
  func theEngineHasNoText(value: [UInt8]) throws {
    let store = store(value)
    let diagnosis = expectSound(store, now: 0)
    let prediction = try #require(diagnosis.predictions.first)
    #expect(prediction.lostKeys == [Self.word] && prediction.unsupportedCount == 1)
    #expect(diagnosis.findings.contains { $0.code == "engine.silent-loss" })
    let plan = try #require(repairPlan(store, diagnosis))
    #expect(plan.kept.map { store.key(of: $0.record).text } == ["count"])
    #expect(plan.aside.first?.refusal?.contains("UTF-8") == true)
  }

  /// Tests that a text that was cut within a character is lost for the app, and that a repair, which
  /// keeps the whole characters, makes it readable.
  @Test(arguments: [4, 8])
  func aTextThatWasCutIsMadeReadable(width: Int) throws {
    let store = store(Array("h\u{e9}llo".utf8.prefix(2)), width: width)
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.predictions.first?.lostKeys == [Self.word])
    let plan = try #require(repairPlan(store, diagnosis))
    #expect(plan.kept.count == 2)
    let files = try AppleFastKVFormat().encode(plan.contents(of: store), like: store)
    let repaired = AppleFastKVStore(files[0].bytes)
    let again = expectSound(repaired, now: 0)
    #expect(again.verdict == .clean && again.predictions.first?.lostKeys == [])
    let record = try #require(again.best?.snapshot.live.last)
    #expect(repaired.readings(of: record).first?.value == .string("h"))
  }
}
