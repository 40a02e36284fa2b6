import KVBytes

/// What became of the stores in a folder or an archive, all of which were repaired.
package struct RepairTotals: Hashable, Sendable {
  /// What became of one store.
  package enum Kind: CaseIterable, Hashable, Sendable {
    /// It was damaged, and everything in it is kept.
    case repaired
    /// Something is missing from the new store.
    case partly
    /// It has its contents from before it was emptied.
    case restored
    /// It was clean.
    case clean
    /// It is not damaged, but was emptied; it stays empty, as no one has asked to restore it.
    case emptied
    /// There is nothing to repair: it has no data file, or not the state that was asked for.
    case leftOut
  }

  /// The number of stores.
  package private(set) var stores = 0
  /// The number of stores that could not be repaired.
  private(set) var failures = 0
  /// Whether the repairs were carried out, and not only planned.
  let isExecuted: Bool
  private var counts: [Kind: Int] = [:]

  /// Creates totals over no stores.
  package init(isExecuted: Bool) { self.isExecuted = isExecuted }

  /// The number of stores of a kind.
  package subscript(kind: Kind) -> Int { counts[kind, default: 0] }

  /// Adds a store of a kind; `nil` for one that could not be repaired.
  package mutating func add(_ kind: Kind?) {
    stores += 1
    if let kind { counts[kind, default: 0] += 1 } else { failures += 1 }
  }

  /// Returns the totals in words, for the stores in `place`.
  func text(_ place: String) -> String {
    var parts = Kind.allCases.filter { self[$0] > 0 }.map { "\(self[$0].grouped) \(words($0))" }
    if failures > 0 { parts.append("\(failures.grouped) could not be repaired") }
    return ([Plural.count(stores, "store", "stores") + " in " + place] + parts)
      .joined(separator: "; ")
  }

  private func words(_ kind: Kind) -> String {
    switch kind {
    case .repaired: isExecuted ? "repaired" : "can be repaired"
    case .partly: isExecuted ? "repaired in part" : "can be repaired in part"
    case .restored: isExecuted ? "restored" : "can be restored"
    case .clean: "clean"
    case .emptied: "emptied and not restored"
    case .leftOut: "left out"
    }
  }
}
