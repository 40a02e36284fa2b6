package import KVModel
package import KVRecovery

/// What the stores of a scan come to.
package struct ScanTotals: Hashable, Sendable {
  /// How many stores there are, those that could not be read included.
  package private(set) var storeCount = 0
  /// How many could not be read at all.
  package private(set) var failureCount = 0
  /// How many there are of each verdict.
  package private(set) var verdicts: [Verdict: Int] = [:]
  /// How many of the clean ones were emptied, so that what they held can be had.
  package private(set) var emptiedCount = 0
  /// How many there are of each format.
  package private(set) var formats: [String: Int] = [:]
  /// In how many stores there is a finding of each code.
  package private(set) var codes: [String: Int] = [:]
  /// How many entries all stores have.
  package private(set) var entryCount = 0
  /// How many entries the apps will not have after their next launch.
  package private(set) var lostCount = 0
  /// How many entries can be had beyond those that the apps will have.
  package private(set) var recoverableCount = 0

  /// No stores.
  package init() {}

  /// Adds a store.
  package mutating func add(_ outcome: StoreOutcome) {
    storeCount += 1
    if let verdict = outcome.verdict {
      verdicts[verdict, default: 0] += 1
    } else {
      failureCount += 1
    }
    if outcome.isEmptied { emptiedCount += 1 }
    if let format = outcome.formatName { formats[format, default: 0] += 1 }
    for code in outcome.codes { codes[code, default: 0] += 1 }
    entryCount += outcome.entryCount
    lostCount += outcome.lostCount ?? 0
    recoverableCount += outcome.recoverableCount
  }
}
