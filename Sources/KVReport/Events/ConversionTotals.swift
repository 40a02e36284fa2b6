import KVBytes
package import KVConversion

/// What became of the stores in folders or archives, of which each is converted.
package struct ConversionTotals: Sendable {
  /// What became of one store.
  package enum Kind: String, CaseIterable, Sendable {
    /// It was written, and read back as it was written.
    case converted
    /// It was there already, complete.
    case present
    /// Something would be lost, and so nothing was written.
    case withheld
    /// It could not be read.
    case unread
    /// The new files could not be written, or do not hold what was to be written.
    case failed
  }

  private var counts: [Kind: Int] = [:]
  private var entries = 0
  private var leftOut = 0
  private var losses = 0
  private var undecided = 0
  private let isExecuted: Bool

  /// Creates totals over no stores, of which the new files are written if `isExecuted`.
  package init(isExecuted: Bool) { self.isExecuted = isExecuted }

  /// The number of stores of a kind.
  package subscript(kind: Kind) -> Int { counts[kind, default: 0] }
  /// The number of stores.
  package var storeCount: Int { counts.reduce(0) { $0 + $1.value } }

  /// Adds a store, with the counts of its conversion.
  package mutating func add(_ kind: Kind, _ summary: Conversion.Summary? = nil) {
    counts[kind, default: 0] += 1
    guard let summary else { return }
    entries += summary.written
    leftOut += summary.leftOut
    losses += summary.losses
    undecided += summary.undecided
  }

  fileprivate var text: String {
    let parts = Kind.allCases.filter { self[$0] > 0 }.map { "\(self[$0].grouped) \(words($0))" }
    let details = [
      Plural.count(entries, "entry", "entries"),
      leftOut > 0 ? "\(leftOut.grouped) left out" : nil,
      losses > 0 ? Plural.count(losses, "loss", "losses") : nil,
      undecided > 0 ? "\(undecided.grouped) of undecided type" : nil,
    ]
    return
      "\(Plural.count(storeCount, "store", "stores")): \(parts.joined(separator: ", ")); "
      + details.compactMap(\.self).joined(separator: ", ")
  }

  private func words(_ kind: Kind) -> String {
    switch kind {
    case .converted: isExecuted ? "converted and read back" : "can be converted"
    case .present: "complete already"
    case .withheld: "not written because of losses"
    case .unread: "not read"
    case .failed: "failed"
    }
  }

  fileprivate var line: JSONObject {
    var line: JSONObject = [
      "type": "totals", "schema": JSONObject.schema, "stores": storeCount, "entries": entries,
      "left_out": leftOut, "losses": losses, "undecided": undecided,
    ]
    for kind in Kind.allCases { line.add(kind.rawValue, self[kind]) }
    return line
  }
}

extension TextReporter {
  /// Prints what became of all stores.
  func end(_ totals: ConversionTotals) {
    emit("")
    emit(totals.text)
  }
}

extension JSONObject {
  static func totals(_ totals: ConversionTotals) -> JSONObject { totals.line }
}
