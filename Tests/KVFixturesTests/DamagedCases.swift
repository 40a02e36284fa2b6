import KVFixtures
import KVTestSupport

/// Damaged stores that no rule was tuned on: other ones in each run.
enum DamagedCases {
  /// Hands `count` damaged stores of `format` to `body`, fewer where damage left nothing, each with the
  /// seed that makes it again.
  ///
  /// - Returns: How many there were.
  static func forEach(
    of format: SimulatedFormat, count: Int,
    _ body: (Calibration.Case, _ place: String) throws -> Void
  ) rethrows -> Int {
    print("damaged stores of \(format): seed \(RandomSeeds.run)")
    var seeds = SeededGenerator(seed: RandomSeeds.run)
    var found = 0
    for _ in 0..<count {
      let seed = seeds.next()
      let calibration = Calibration(seed: seed, formats: [format], damage: .heavy)
      guard let damaged = calibration.damagedCase(seed: seed) else { continue }
      try body(damaged, "seed \(seed)")
      found += 1
    }
    return found
  }
}
