import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Gaps that a rule puts in the places of others, of which there can be as many as records.
@Suite struct GapOrderTests {
  @Test func gapsTakeThePlacesOfThoseThatTheyOverlap() {
    let run = RandomSeeds.run
    var generator = SeededGenerator(seed: run)
    for round in 0..<2000 {
      let known = ranges(&generator)
      var others = ranges(&generator)
      if round % 4 == 0 { others.shuffle(using: &generator) }
      if round % 4 == 1 { others += ranges(&generator) }
      // One after the other.
      var expected = known
      for other in others {
        expected.removeAll { $0.overlaps(other) }
        expected.append(other)
      }
      expected.sort { $0.lowerBound < $1.lowerBound }
      let found = known.map(gap).overlaid(with: others.map(gap))
      #expect(found.map(\.extent.range) == expected, "seed \(run), round \(round)")
    }
  }

  private func gap(_ range: Range<Int>) -> Gap { Gap(Extent(.data, range), .implausible) }

  /// Returns up to eight ranges in order, some of which touch.
  private func ranges(_ generator: inout SeededGenerator) -> [Range<Int>] {
    var end = 0
    return (0..<Int.random(in: 0...8, using: &generator)).map { _ in
      let start = end + Int.random(in: 0...6, using: &generator)
      end = start + Int.random(in: 1...9, using: &generator)
      return start..<end
    }
  }
}
