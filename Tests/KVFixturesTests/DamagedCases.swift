import KVCalibration
import KVFixtures
import KVTestSupport

/// Damaged stores that no rule was tuned on, different in each run.
enum DamagedCases {
  /// Calls `body` with `count` damaged stores of `format`, or fewer if some could not be damaged.
  ///
  /// Each call gets the seed from which the store can be made again.
  ///
  /// - Returns: The number of stores.
  static func forEach(
    of format: SimulatedFormat, count: Int,
    _ body: (Calibration.Case, _ place: String) throws -> Void
  ) rethrows -> Int {
    print("damaged stores of \(format): seed \(RandomSeeds.run)")
    return try forEach(of: format, .heavy, count, from: RandomSeeds.run, body)
  }

  /// Calls `body` with stores of `format` in which one bit is flipped, the same ones in each run.
  ///
  /// Most unencrypted ones can be corrected. So a test of corrections always has some to examine,
  /// whatever the seed of the run.
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
