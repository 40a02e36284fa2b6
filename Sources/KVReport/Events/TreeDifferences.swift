import KVBytes
import KVModel
import KVRecovery
import KVSystem

/// How the stores of two trees differ.
package struct TreeDifferences: Sendable {
  /// What happened to a store from the first tree to the second.
  package enum Change: String, CaseIterable, Sendable {
    case added, removed, changed, same
    /// It cannot be read in one of them.
    case failed
  }

  private(set) var counts: [Change: Int] = [:]

  /// The number of stores that are not the same.
  package var differenceCount: Int {
    counts.reduce(0) { $0 + ($1.key == .same || $1.key == .failed ? 0 : $1.value) }
  }

  /// Creates the differences of trees without stores.
  package init() {}

  /// Counts a store.
  package mutating func add(_ change: Change) { counts[change, default: 0] += 1 }
}

extension TextReporter {
  /// Prints a store that differs; how its entries do follows.
  func store(_ outcome: StoreOutcome, _ change: TreeDifferences.Change) {
    let sign = change == .added ? "+" : change == .removed ? "-" : "~"
    let entries = Plural.count(outcome.entries.entries, "entry", "entries")
    let details = [outcome.formatName, outcome.app, change == .changed ? nil : entries]
    emit(
      verbatim: "\(sign) \(DisplayText.path(outcome.path))  "
        + "(\(details.compactMap(\.self).map(TextReporter.printable).joined(separator: ", ")))")
  }

  /// Prints how many stores of two trees differ.
  func totals(_ differences: TreeDifferences) {
    let counts = TreeDifferences.Change.allCases.compactMap { change in
      differences.counts[change].map { count in
        "\(count.grouped) \(change == .failed ? "not read" : change.rawValue)"
      }
    }
    emit("Stores: \(counts.joined(separator: ", "))")
  }
}

extension JSONObject {
  static func store(_ outcome: StoreOutcome, _ change: TreeDifferences.Change) -> JSONObject {
    [
      "type": "store_difference", "change": change.rawValue, "path": ReportedPath(outcome.path),
      "format": outcome.formatName, "app": outcome.app, "entries": outcome.entries.entries,
    ]
  }

  static func totals(_ differences: TreeDifferences) -> JSONObject {
    var totals: JSONObject = ["type": "totals", "schema": schema]
    for change in TreeDifferences.Change.allCases {
      totals.add(change.rawValue, differences.counts[change, default: 0])
    }
    return totals
  }
}
