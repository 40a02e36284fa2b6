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
    return try forEach(of: format, .heavy, count, from: RandomSeeds.run, body)
  }

  /// Hands stores of `format` with one changed bit to `body`, always the same ones: most of those that are
  /// not encrypted can be corrected, so that a test of corrections has some to look at whatever the seed of
  /// the run is.
  static func forEachChangedBit(
    of format: SimulatedFormat, _ body: (Calibration.Case, _ place: String) throws -> Void
  ) rethrows {
    _ = try forEach(of: format, .named("flip-value"), 10, from: 1, body)
  }

  private static func forEach(
    of format: SimulatedFormat, _ damage: Calibration.DamageChoice, _ count: Int,
    from first: UInt64, _ body: (Calibration.Case, _ place: String) throws -> Void
  ) rethrows -> Int {
    var seeds = SeededGenerator(seed: first)
    var found = 0
    for _ in 0..<count {
      let seed = seeds.next()
      let calibration = Calibration(seed: seed, formats: [format], damage: damage)
      guard let damaged = calibration.damagedCase(seed: seed) else { continue }
      try body(damaged, "seed \(seed)")
      found += 1
    }
    return found
  }
}
