package import KVConversion

/// The totals over the stores in which former values were looked for.
package struct ResidueTotals: Sendable {
  /// The number of stores, those among them that could not be read, and other files.
  package private(set) var scan = ScanTotals()
  /// The number of values by what became of them.
  private(set) var states: [EntryFate: Int] = [:]
  /// The number of secrets of each kind.
  private(set) var kinds: [SecretKind: Int] = [:]
  /// The number of stores with such values.
  private(set) var storeCount = 0
  /// The number of stores with more values than were kept.
  private(set) var cutCount = 0

  /// The number of values.
  package var valueCount: Int { states.values.reduce(0, +) }
  /// The number of those that are secrets.
  package var secretCount: Int { kinds.values.reduce(0, +) }

  /// Creates totals over no stores.
  package init() {}

  /// Returns the totals with those of the scan that found the stores.
  package func over(_ scan: ScanTotals) -> ResidueTotals {
    var totals = self
    totals.scan = scan
    return totals
  }

  /// Adds what is left in a store.
  package mutating func add(_ residue: StoreResidue) {
    for value in residue.values {
      states[value.state, default: 0] += 1
      if let kind = value.kind { kinds[kind, default: 0] += 1 }
    }
    storeCount += residue.values.isEmpty ? 0 : 1
    cutCount += residue.isCut ? 1 : 0
  }
}
