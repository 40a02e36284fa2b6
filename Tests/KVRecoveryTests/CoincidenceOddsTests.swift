import KVModel
import Testing

/// The scale of the odds of corrections, and its thresholds.
@Suite struct CoincidenceOddsTests {
  @Test(
    "A correction is proven from 12 bits on, and likely from 6",
    arguments: [
      (0, false, false), (5, false, false), (6, true, false), (8, true, false), (11, true, false),
      (12, true, true), (13, true, true), (64, true, true),
    ])
  func cuts(bits: Int, isLikely: Bool, isProven: Bool) {
    let odds = CoincidenceOdds(checksumBits: bits, candidates: 1)
    #expect(odds.bits == bits)
    #expect(odds.isLikely == isLikely && odds.isProven == isProven)
  }

  /// The logarithm is rounded up, so that the odds never claim too much.
  @Test(
    "Each doubling of the candidates takes one bit",
    arguments: [(1, 40), (2, 39), (3, 38), (4, 38), (5, 37), (1024, 30), (1025, 29)])
  func candidates(count: Int, bits: Int) {
    let odds = CoincidenceOdds(checksumBits: 32, framingBits: 8, candidates: Double(count))
    #expect(odds.bits == bits)
    #expect(odds.text == "1 in 2^\(bits)")
  }

  @Test func oddsOfMoreCandidatesThanBitsAreNone() {
    #expect(CoincidenceOdds(checksumBits: 8, candidates: 1_048_576).bits == 0)
    // Zero candidates count as one.
    #expect(CoincidenceOdds(checksumBits: 8, candidates: 0).bits == 8)
  }

  @Test func fewerBitsAreLess() {
    let few = CoincidenceOdds(checksumBits: 8, candidates: 1)
    let many = CoincidenceOdds(checksumBits: 9, candidates: 1)
    #expect(few < many && !(many < few) && !(few < few))
  }
}
