import KVModel
package import KVRecovery

/// The totals over the stores of a scan.
package struct ScanTotals: Hashable, Sendable {
  /// The number of stores, including those that could not be read.
  package private(set) var storeCount = 0
  /// The number of stores that could not be read at all, or had nothing to read.
  package private(set) var failureCount = 0
  /// The number of stores with each verdict, by its name.
  private(set) var verdicts: [String: Int] = [:]
  /// The number of clean stores that were emptied and whose former entries can be recovered.
  private(set) var emptiedCount = 0
  /// The number of stores of each format.
  private(set) var formats: [String: Int] = [:]
  /// The number of stores with a finding of each code.
  private(set) var codes: [String: Int] = [:]
  /// The number of entries in all stores.
  package private(set) var entries = EntryCount()
  /// The number of entries that the apps will not have after their next launch.
  private(set) var lost = EntryCount()
  /// The number of entries that can be recovered beyond those that the apps will have.
  private(set) var recoverable = EntryCount()
  /// The records that are not live; `nil` if no store has a log.
  private(set) var past: PastRecords?

  /// The number of files that are not stores, as far as is known.
  private(set) var otherCount = 0

  /// Creates totals over no stores.
  package init() {}

  /// Adds a path that could not be read.
  package mutating func addUnread() {
    storeCount += 1
    failureCount += 1
  }

  /// Adds a file that is not a store, as far as is known.
  package mutating func addOther() { otherCount += 1 }

  /// Adds a store.
  package mutating func add(_ outcome: StoreOutcome) {
    storeCount += 1
    if let verdict = outcome.verdict {
      verdicts[verdict.rawValue, default: 0] += 1
    }
    if outcome.error != nil { failureCount += 1 }
    if outcome.isEmptied { emptiedCount += 1 }
    if let format = outcome.formatName { formats[format, default: 0] += 1 }
    for code in outcome.codes { codes[code, default: 0] += 1 }
    entries += outcome.entries
    lost += outcome.lost ?? EntryCount()
    recoverable += outcome.recoverable
    if let own = outcome.past {
      past = past ?? PastRecords()
      past?.add(own)
    }
  }
}
