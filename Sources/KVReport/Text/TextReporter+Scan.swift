import KVBytes
import KVModel
import KVRecovery
import KVSystem

/// The stores of a scan as a table, the worst last, where the eye is when it ends.
struct ScanTable {
  /// How many clean stores are listed before the rest is only counted.
  private static let cleanLimit = 20

  private var outcomes: [StoreOutcome] = []
  private var cleanCount = 0

  mutating func add(_ outcome: StoreOutcome) {
    if Self.isClean(outcome) {
      cleanCount += 1
      if cleanCount > Self.cleanLimit { return }
    }
    outcomes.append(outcome)
  }

  /// The lines of the table; each verdict by `colour`.
  func lines(colour: (Verdict) -> String) -> [String] {
    guard !outcomes.isEmpty else { return [] }
    var table = Columns(["verdict", "entries", "app loses", "recoverable", "format", "store"])
    let sorted = outcomes.enumerated().sorted {
      (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset)
    }.map(\.element)
    for outcome in sorted {
      table.add([
        outcome.verdict?.rawValue ?? "not read", "\(outcome.entryCount)",
        outcome.lostCount.map { $0 == 0 ? "-" : "\($0)" } ?? "-",
        outcome.recoverableCount == 0 ? "-" : "\(outcome.recoverableCount)",
        outcome.formatName ?? "-",
        DisplayText.path(outcome.path)
          + (outcome.error.map { "  (\(TextReporter.printable($0)))" } ?? ""),
      ])
    }
    var lines = table.lines
    for (index, outcome) in sorted.enumerated() {
      // The first column is as wide as it was: a colour takes no room.
      guard let verdict = outcome.verdict else { continue }
      let word = verdict.rawValue
      lines[index + 1] = colour(verdict) + lines[index + 1].dropFirst(word.count)
    }
    if cleanCount > Self.cleanLimit {
      lines.insert("… and \(cleanCount - Self.cleanLimit) more clean stores", at: 1)
    }
    return lines
  }

  private static func isClean(_ outcome: StoreOutcome) -> Bool {
    outcome.verdict == .clean && outcome.recoverableCount == 0
  }

  private static func rank(_ outcome: StoreOutcome) -> Int {
    switch outcome.verdict {
    case .clean: isClean(outcome) ? 0 : 1
    case nil: 2
    case .repairable: 3
    case .unreadable: 4
    case .damaged: 5
    }
  }
}

extension TextReporter {
  /// What the stores of a scan come to.
  func totals(_ totals: ScanTotals) -> [String] {
    guard totals.storeCount > 0 else { return ["No store was found."] }
    let verdicts: [Verdict] = [.clean, .repairable, .damaged, .unreadable]
    var parts = verdicts.compactMap { verdict in
      totals.verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
    }
    if totals.failureCount > 0 { parts.append("\(totals.failureCount) not read") }
    var lines = [
      "\(Plural.count(totals.storeCount, "store", "stores")): " + parts.joined(separator: ", ")
        + "; \(Plural.count(totals.entryCount, "entry", "entries"))"
    ]
    if totals.lostCount > 0 {
      lines.append(
        "At their next launch the apps lose \(Plural.count(totals.lostCount, "entry", "entries")).")
    }
    if totals.recoverableCount > 0 {
      lines.append(
        "\(Plural.count(totals.recoverableCount, "entry", "entries")) beyond what the apps will "
          + "have can be recovered: \(nextStep(.repair("STORE")))")
    }
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    if !totals.formats.isEmpty { lines.append("Formats: " + list(totals.formats)) }
    if !totals.codes.isEmpty { lines.append("Stores by finding: " + list(totals.codes)) }
    return lines
  }
}
