import KVCryptography
package import KVFixtures
import KVModel
import KVRecovery
import MMKVFormat

/// Measures how often an encrypted MMKV store is read with the wrong key.
package struct WrongKeys: Sendable {
  /// A wrong key that was accepted.
  package struct Acceptance: Hashable, Sendable {
    /// The seed from which the store can be made again.
    package let storeSeed: UInt64
    /// The key.
    package let key: StoreKey
    /// The number of entries in the store.
    package let entries: Int
    /// The length of its log, in bytes.
    package let byteCount: Int
    /// The verdict with the wrong key, and the number of entries.
    package let verdict: String
  }

  /// The results for all keys.
  package struct Report: Hashable, Sendable {
    /// The number of stores.
    package internal(set) var stores = 0
    /// The number of wrong keys tried.
    package internal(set) var keys = 0
    /// The number of keys that were refused, by the code of the reason.
    package internal(set) var refused: [String: Int] = [:]
    /// The number of keys that were accepted.
    package internal(set) var acceptedCount = 0
    /// The first keys that were accepted, at most ``CalibrationReport/problemLimit``.
    package internal(set) var accepted: [Acceptance] = []
    /// The stores that their own key does not open: their numbers of entries, by the code of the
    /// reason.
    package internal(set) var ownRefused: [String: [Int]] = [:]
    /// The number of entries of each store.
    package internal(set) var entries: [Int] = []
  }

  private let seed: UInt64

  /// Creates a measurement whose random choices `seed` determines.
  package init(seed: UInt64) { self.seed = seed }

  /// Tries `count` keys on `storeCount` stores of 1 to 300 entries, or fewer if `isCancelled`
  /// returns `true`.
  ///
  /// `progress` is called after each key with the number of keys tried.
  ///
  /// - Precondition: `storeCount` is positive, and this build has ciphers.
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
      // The keys are distributed as evenly as possible.
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

  /// Returns a random key other than `key`, for the same cipher.
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

  /// Returns an encrypted store of 1 to 300 entries.
  ///
  /// Small stores are as frequent as large ones.
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
      // Short keys and numbers, as in the smallest logs of apps.
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
