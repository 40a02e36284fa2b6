package import KVConversion

/// The totals over the stores of a search.
package struct SearchTotals: Sendable {
  /// The number of stores, those among them that could not be read, and other files.
  package private(set) var scan = ScanTotals()
  /// The number of hits in each state.
  private(set) var states: [EntryFate: Int] = [:]
  /// The number of stores with hits.
  private(set) var storeCount = 0
  /// The number of stores of which only the bytes were searched.
  private(set) var unreadCount = 0
  /// The number of stores with more hits than were kept.
  private(set) var cutCount = 0

  /// The number of hits.
  var hitCount: Int { states.values.reduce(0, +) }

  /// Creates totals over no stores.
  package init() {}

  /// Returns the totals with those of the scan that found the stores.
  package func over(_ scan: ScanTotals) -> SearchTotals {
    var totals = self
    totals.scan = scan
    return totals
  }

  /// Adds what was found in a store.
  package mutating func add(_ result: SearchResult) {
    for hit in result.hits { states[hit.state, default: 0] += 1 }
    storeCount += result.hits.isEmpty ? 0 : 1
    unreadCount += result.isUnread ? 1 : 0
    cutCount += result.isCut ? 1 : 0
  }
}
