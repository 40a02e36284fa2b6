import Foundation
import KVFixtures

/// How much is tested of what takes long: many seeds, many stores, every call that can fail.
///
/// `swift test` takes a share of it, another one in each run, so that it ends within minutes. With
/// `KVFSCK_TESTS=all`, as in `.ci/run`, all of it is tested.
package enum TestExtent {
  /// Whether everything is tested, however long it takes.
  package static let isComplete = ProcessInfo.processInfo.environment["KVFSCK_TESTS"] == "all"

  /// All of `cases`; else `count` of them, which the seed of the run decides.
  package static func share<Cases: Collection>(
    _ count: Int, of cases: Cases
  ) -> [Cases.Element] {
    guard !isComplete else { return Array(cases) }
    var generator = SeededGenerator(seed: RandomSeeds.run)
    return Array(cases.indices.shuffled(using: &generator).prefix(count).sorted().map { cases[$0] })
  }

  /// `complete`, or `count` where only a share is tested.
  package static func count(_ count: Int, of complete: Int) -> Int {
    isComplete ? complete : count
  }
}

/// Seeds that no rule was tuned on: other ones in each run.
///
/// A failure names its seed. With `KVFSCK_SEED` set to that, it is the first seed of the run, and so the
/// failure comes again.
package enum RandomSeeds {
  /// The seed of this run, which is printed: `KVFSCK_SEED`, or another one each time.
  package static let run: UInt64 = {
    let text = ProcessInfo.processInfo.environment["KVFSCK_SEED"]
    let seed = text.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    print("The random tests of this run come again with KVFSCK_SEED=\(seed).")
    return seed
  }()

  /// The seed of the run, and others that come from it.
  package static func fresh(_ count: Int) -> [UInt64] {
    var generator = SeededGenerator(seed: run)
    return [run] + (1..<max(count, 1)).map { _ in generator.next() }
  }
}
