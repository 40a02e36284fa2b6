import Foundation
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite("Probabilities")
struct ProbabilityTests {
  @Test("are rounded down to four digits, and never 1")
  func rounding() {
    let stated = [0.0, -1, .nan, 0.00019, 0.5, 0.97319, 0.99999, 1, 2, .infinity]
    #expect(
      stated.map { Probability($0).text } == [
        "0.0000", "0.0000", "0.0000", "0.0001", "0.5000", "0.9731", "0.9999", "0.9999", "0.9999",
        "0.9999",
      ])
    #expect(Probability(0.2) < Probability(0.3) && !(Probability(0.3) < Probability(0.3)))
  }

  @Test("of a condition follow from its bits")
  func bits() {
    for bits in stride(from: -59.5, through: 59.5, by: 0.37) {
      let expected = 1 / (1 + exp2(-bits))
      #expect(abs(Weighing.share(ofBits: bits) - expected) <= expected * 1e-12, "\(bits)")
    }
    #expect(Weighing.share(ofBits: .infinity) > 0.999_999 && Weighing.share(ofBits: -1e9) < 1e-17)
  }

  /// Thirteen keys, of which the first two are confirmed and one of them is set again; the checksum over
  /// all does not match.
  private var damaged: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")])
    let payload = builder.payload
    builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    builder.put("two", text: "changed")
    for index in 1...11 { builder.put("key\(index)", text: "value \(index)") }
    builder.digest = 1
    return builder
  }

  private func best(_ builder: MMKVFixtureBuilder) throws -> (MMKVStore, StoreState) {
    let store = builder.open(now: 0)
    return (store, try #require(Diagnosis(of: store, now: 0).best))
  }

  @Test("of sound entries are alike, and higher than those of unverified ones")
  func sound() throws {
    let (whole, state) = try best(MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")]))
    let judgement = Judgement(of: whole, state)
    let probabilities = state.snapshot.live.map { judgement.assessment(of: $0).probability }
    let sound = try #require(probabilities.first ?? nil)
    #expect(probabilities.allSatisfy { $0 == sound } && sound >= Probability(0.99))
    let (store, salvaged) = try best(damaged)
    let other = Judgement(of: store, salvaged)
    let last = try #require(salvaged.snapshot.live.last)
    let doubted = try #require(other.assessment(of: last).probability)
    #expect(doubted < sound && doubted > Probability(0.5))
  }

  /// Tests a store of which a copy cleared the highest bit of each byte.
  @Test("are low where a copy may have changed a value, and high where it leaves such bytes")
  func lossyCopies() throws {
    var builder = damaged
    for index in 12...30 { builder.put("key\(index)", text: "value number \(index)") }
    builder.put("number", [0x85, 0xa3, 0xc1, 0x93, 0x07])
    let files = MMKVFixtureBuilder.files(
      data: builder.data.map { $0 & 0x7f }, meta: builder.meta.map { $0 & 0x7f })
    let store = MMKVFormat(now: 0).open(files).corrected()
    let state = try #require(Diagnosis(of: store, now: 0).best)
    let judgement = Judgement(of: store, state)
    let stated = Dictionary(
      state.snapshot.live.map { record in
        (store.key(of: record), judgement.assessment(of: record).probability)
      }
    ) { $1 }
    let number = try #require(stated[Key(Array("number".utf8))] ?? nil)
    let text = try #require(stated[Key(Array("key30".utf8))] ?? nil)
    #expect(number < Probability(0.85) && text > Probability(0.9), "\(number.text) \(text.text)")
  }

  @Test("are the product of the three conditions, whose bits are those of their reasons")
  func product() throws {
    let (store, state) = try best(damaged)
    let judgement = Judgement(of: store, state)
    for record in state.snapshot.live {
      let weighing = judgement.weighing(of: record)
      var product = 1.0
      for condition in Condition.allCases {
        let reasons = weighing.reasons(for: condition)
        #expect(reasons.first?.name == "base")
        product *= Weighing.share(ofBits: reasons.reduce(0) { $0 + $1.bits })
      }
      #expect(judgement.assessment(of: record).probability == Probability(product))
    }
  }

  @Test("below the least one set entries aside, except from a sound state")
  func leastProbability() throws {
    func plan(_ builder: MMKVFixtureBuilder, _ least: Double) throws -> RepairPlan {
      let store = builder.open(now: 0)
      var planner = RepairPlanner(strategy: .recover)
      planner.leastProbability = Probability(least)
      return try #require(planner.plan(store, given: Diagnosis(of: store, now: 0)))
    }
    let all = try plan(damaged, 0)
    #expect(all.kept.count == 13 && all.unlikely.isEmpty)
    let lowest = try #require(all.kept.compactMap(\.probability).min())
    let some = try plan(damaged, lowest.value + 0.0002)
    #expect(some.kept.count < 13 && some.kept.count + some.unlikely.count == 13 && some.isLossy)
    #expect(all.expectedRight > 10 && all.expectedRight < 13)
    let sound = try plan(MMKVFixtureBuilder(texts: [("one", "1"), ("two", "2")]), 1)
    #expect(sound.kept.count == 2 && sound.unlikely.isEmpty)
  }
}
