import KVModel
import KVRecovery
import Testing

@Suite("The choice of corrections")
struct CorrectionChoiceTests {
  private enum Rule: EvidenceRule {
    static let id: RuleID = "test.rule"
    static let premise = ""
    static let conclusion = ""
    static let ceiling = Evidence.corrected
    static let failure = ""
  }

  private func correction(
    _ offset: Int, bits: Int?, neededBits: Int = CoincidenceOdds.likelyBits,
    _ rivalry: Correction.Rivalry = .none
  ) -> Correction {
    Correction(
      [.change(ByteChange(.data, at: offset, xor: 1))], by: Rule.self,
      bits.map { CoincidenceOdds(checksumBits: $0, candidates: 1) }, neededBits: neededBits,
      rivalry: rivalry, reason: "")
  }

  @Test("A correction is taken with 6 bits, and with fewer where the stored bytes are wrong")
  func oddsDecide() {
    let likely = correction(0, bits: CoincidenceOdds.likelyBits)
    let unlikely = correction(1, bits: CoincidenceOdds.likelyBits - 1)
    let onlyWay = correction(2, bits: 1, neededBits: 0)
    let unmeasured = correction(3, bits: nil, neededBits: 0)
    let choice = CorrectionChoice(among: [likely, unlikely, onlyWay, unmeasured])
    #expect(choice.accepted == [likely, onlyWay, unmeasured])
    #expect(choice.declined == [unlikely])
  }

  @Test("Of two that explain the same damage none is taken, whatever their odds")
  func contradictingOnesAreDeclined() {
    let first = correction(0, bits: 30, .contradicting)
    let second = correction(1, bits: 7, .contradicting)
    #expect(CorrectionChoice(among: [first, second]).declined == [first, second])
    #expect(CorrectionChoice(among: [first]).accepted == [first])
  }

  @Test("Of two that restore a copy each, the likelier one is taken, and the first of equals")
  func redundantOnesCompete() {
    let first = correction(0, bits: 8, .redundant)
    let better = correction(1, bits: 20, .redundant)
    let equal = correction(2, bits: 20, .redundant)
    let choice = CorrectionChoice(among: [first, better, equal])
    #expect(choice.accepted == [better] && choice.declined == [first, equal])
    let unlikely = correction(3, bits: 2, .redundant)
    #expect(CorrectionChoice(among: [unlikely]).declined == [unlikely])
  }
}
