import KVCryptography
import KVModel
import KVRecovery
import MMKVFormat

/// Measures how often an encrypted MMKV store is read with a key that is not its own.
package struct WrongKeys: Sendable {
  /// A wrong key that was taken.
  package struct Acceptance: Hashable, Sendable {
    /// The seed of the store, which makes it again.
    package let storeSeed: UInt64
    /// The key.
    package let key: StoreKey
    /// How many entries the store has.
    package let entries: Int
    /// How many bytes its log has.
    package let byteCount: Int
    /// What it is called with the wrong key.
    package let verdict: String
  }

  /// What became of all keys.
  package struct Report: Hashable, Sendable {
    /// How many stores there were.
    package internal(set) var stores = 0
    /// How many wrong keys were tried.
    package internal(set) var keys = 0
    /// How many of them were refused, by the code of the reason.
    package internal(set) var refused: [String: Int] = [:]
    /// How many were taken.
    package internal(set) var acceptedCount = 0
    /// The first ones that were taken, at most ``CalibrationReport/problemLimit``.
    package internal(set) var accepted: [Acceptance] = []
    /// The stores that their own key does not open, by the code of the reason; the number of their
    /// entries.
    package internal(set) var ownRefused: [String: [Int]] = [:]
    /// The numbers of entries of the stores.
    package internal(set) var entries: [Int] = []
  }

  private let seed: UInt64

  /// A measurement that `seed` decides.
  package init(seed: UInt64) { self.seed = seed }

  /// Tries `count` keys over so many stores of 1 to 300 entries; fewer where `isCancelled` says so.
  ///
  /// - Precondition: There is a store at least, and this build has ciphers.
  package func report(
    keys count: Int, stores storeCount: Int, isCancelled: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) -> Report {
    precondition(storeCount > 0 && Cryptography.isAvailable)
    var report = Report()
    var seeds = SeededGenerator(seed: seed)
    for index in 0..<storeCount {
      if isCancelled() { break }
      let storeSeed = index == 0 ? seed : seeds.next()
      // The keys are shared out as evenly as they can be.
      let own = count * (index + 1) / storeCount - count * index / storeCount
      guard let run = Self.run(storeSeed), let key = run.key else { continue }
      report.stores += 1
      report.entries.append(run.entries.count)
      if let code = Self.outcome(of: key, run).refusal {
        report.ownRefused[code, default: []].append(run.entries.count)
      }
      var generator = SeededGenerator(seed: storeSeed ^ 0x5bd1_e995)
      for _ in 0..<own {
        if isCancelled() { break }
        let wrong = Self.key(otherThan: key, using: &generator)
        report.keys += 1
        let outcome = Self.outcome(of: wrong, run)
        if let code = outcome.refusal {
          report.refused[code, default: 0] += 1
        } else {
          report.acceptedCount += 1
          if report.accepted.count < CalibrationReport.problemLimit {
            report.accepted.append(
              Acceptance(
                storeSeed: storeSeed, key: wrong, entries: run.entries.count,
                byteCount: outcome.byteCount, verdict: outcome.verdict))
          }
        }
        progress(report.keys)
      }
    }
    return report
  }

  /// A key of the same cipher, drawn by chance.
  private static func key(
    otherThan key: StoreKey, using generator: inout SeededGenerator
  ) -> StoreKey {
    var other = key
    while other == key {
      other = StoreKey(
        generator.bytes(Int.random(in: 1...(key.isAES256 ? 32 : 16), using: &generator)),
        isAES256: key.isAES256)
    }
    return other
  }

  private static func outcome(
    of key: StoreKey, _ run: SimulationRun
  ) -> (refusal: String?, byteCount: Int, verdict: String) {
    let store = MMKVFormat(key: MMKVKey(key.bytes, isAES256: key.isAES256), now: run.now)
      .open(run.image.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: run.now)
    let count = store.lengthClaims.first?.count ?? 0
    if case .unreadable(let code, _) = store.access { return (code.name, count, "unreadable") }
    let entries = diagnosis.best?.snapshot.live.count ?? 0
    return (
      diagnosis.verdict == .unreadable ? "unreadable" : nil, count,
      "\(diagnosis.verdict.rawValue), \(entries) entries"
    )
  }

  /// An encrypted store of 1 to 300 entries; small ones come as often as large ones.
  static func run(_ seed: UInt64) -> SimulationRun? {
    var generator = SeededGenerator(seed: seed)
    let limits = [1, 2, 3, 5, 10, 30, 100, 300]
    let limit = limits[Int.random(in: limits.indices, using: &generator)]
    let count = Int.random(in: max(1, limit / 3)...limit, using: &generator)
    let isAES256 = Bool.random(using: &generator)
    var settings = StoreSettings()
    settings.key = StoreKey(generator.bytes(16), isAES256: isAES256)
    let isTiny = Bool.random(using: &generator)
    let operations = (0..<count).map { index in
      // Short names and numbers, as in the smallest logs of apps.
      let key =
        isTiny ? Key(Array("k\(index)".utf8)) : Key(Array("\(generator.text(9))_\(index)".utf8))
      let value: Value =
        isTiny
        ? .int32(Int32.random(in: 0...200, using: &generator))
        : .string(generator.text(Int.random(in: 0...60, using: &generator)))
      return ScriptOperation.set(key, value)
    }
    do throws(ScriptError) {
      return try SimulationRun(
        Script(settings, operations), seed: generator.next(), earlierBy: 1)
    } catch {
      return nil
    }
  }
}
