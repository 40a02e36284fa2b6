import Foundation
import KVFixtures

/// The extent of tests that take long because of many seeds, many stores, or every call that can
/// fail.
///
/// `swift test` runs a share of them, which the seed of the run decides, so that it ends within minutes.
/// With `KVFSCK_TESTS=all`, as in `.ci/run`, all of them are run.
package enum TestExtent {
  /// Whether all cases are tested, however long that takes.
  package static let isComplete = ProcessInfo.processInfo.environment["KVFSCK_TESTS"] == "all"

  /// The number of stores that a test of a rate examines, if the environment gives one.
  package static let storeCount = ProcessInfo.processInfo.environment["KVFSCK_STORES"].flatMap {
    Int($0)
  }

  /// Returns all of `cases` in a complete run, or else `count` of them, chosen by the seed of the
  /// run.
  package static func share<Cases: Collection>(
    _ count: Int, of cases: Cases
  ) -> [Cases.Element] {
    guard !isComplete else { return Array(cases) }
    var generator = SeededGenerator(seed: RandomSeeds.run)
    return Array(cases.indices.shuffled(using: &generator).prefix(count).sorted().map { cases[$0] })
  }

  /// Returns `complete` in a complete run, or else `count`.
  package static func count(_ count: Int, of complete: Int) -> Int {
    isComplete ? complete : count
  }
}

/// Seeds that no rule was tuned on.
///
/// They are the same in each run, so that no change is blamed for what another one caused. With
/// `KVFSCK_SEED=new`, a run draws others and prints them; a failure names its seed. If `KVFSCK_SEED` is
/// set to that seed, it becomes the first seed of the run, which reproduces the failure.
package enum RandomSeeds {
  /// The seed of a run for which the environment gives none.
  private static let usual: UInt64 = 20_261_129

  /// The seed of this run.
  package static let run: UInt64 = {
    guard let text = ProcessInfo.processInfo.environment["KVFSCK_SEED"] else { return usual }
    if let seed = UInt64(text) { return seed }
    precondition(text == "new", "KVFSCK_SEED is neither a number nor new")
    let seed = UInt64.random(in: 0 ... .max)
    print("The random tests of this run come again with KVFSCK_SEED=\(seed).")
    return seed
  }()

  /// Returns the seed of the run, followed by others derived from it.
  package static func fresh(_ count: Int) -> [UInt64] {
    var generator = SeededGenerator(seed: run)
    return [run] + (1..<max(count, 1)).map { _ in generator.next() }
  }
}
