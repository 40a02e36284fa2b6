import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// The stores of a scan as a table, with the worst last, where the reader looks when it ends.
struct ScanTable {
  /// The most clean stores that are listed; the rest are only counted.
  private static let cleanLimit = 20

  private var outcomes: [StoreOutcome] = []
  private var cleanCount = 0
  /// The number of files of 0 bytes in each folder, of which the first is listed.
  private var emptyCounts: [FilePath: Int] = [:]

  mutating func add(_ outcome: StoreOutcome) {
    if outcome.isEmptyFile {
      emptyCounts[outcome.path.parent, default: 0] += 1
      if emptyCount(beside: outcome) > 1 { return }
    }
    if Self.isClean(outcome) {
      cleanCount += 1
      if cleanCount > Self.cleanLimit { return }
    }
    outcomes.append(outcome)
  }

  /// The most stores of a kind that are named in advice.
  private static let adviceLimit = 3

  /// The listed stores, the worst last.
  private var sorted: [StoreOutcome] {
    outcomes.enumerated().sorted {
      (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset)
    }.map(\.element)
  }

  /// Returns the lines of the table for a width of `width` characters.
  func lines(in colors: Colors, width: Int?) -> [String] {
    guard !outcomes.isEmpty else { return [] }
    var table = Columns([
      "verdict", "entries", "app loses", "recoverable", "not live", "format", "store",
    ])
    let plain = Colors(isOn: false)
    let sorted = sorted
    for outcome in sorted {
      table.add([
        Self.verdict(of: outcome, in: plain), outcome.entries.text,
        outcome.lost.map { $0.isEmpty ? "-" : $0.text } ?? "-",
        outcome.recoverable.isEmpty ? "-" : outcome.recoverable.text,
        outcome.past.map { $0.recordCount == 0 ? "-" : $0.recordCount.grouped } ?? "-",
        outcome.formatName ?? "-",
        text(of: outcome),
      ])
    }
    var blocks = table.blocks(width: width)
    for (index, outcome) in sorted.enumerated() {
      // Pad by the plain text, as color sequences take no room.
      let rest = blocks[index + 1][0].dropFirst(Self.verdict(of: outcome, in: plain).count)
      blocks[index + 1][0] = Self.verdict(of: outcome, in: colors) + rest
    }
    if cleanCount > Self.cleanLimit {
      blocks.insert(["… and \((cleanCount - Self.cleanLimit).grouped) more clean stores"], at: 1)
    }
    return blocks.flatMap(\.self)
  }

  /// Returns advice about the worst stores: titles, and commands in the words of `command`.
  func nextSteps(_ command: (TextReporter.Advice) -> String) -> [String] {
    func steps(
      _ title: String, _ stores: [StoreOutcome], _ advice: (FilePath) -> TextReporter.Advice
    ) -> [String] {
      guard !stores.isEmpty else { return [] }
      let shown = stores.suffix(Self.adviceLimit).reversed()
      return [title + ":"] + shown.map { "  " + command(advice($0.path)) }
        + (stores.count > shown.count ? ["  and \((stores.count - shown.count).grouped) more"] : [])
    }
    let sorted = sorted
    return steps(
      "To inspect the worst stores",
      sorted.filter { !$0.recoverable.isEmpty && !$0.isEmptied }, { .check($0) })
      + steps(
        "To restore an emptied store", sorted.filter { $0.isEmptied && $0.hasLog },
        { .restoreBeforeReset($0, isOneOfMany: true) })
      + steps(
        "To list the values of an emptied store", sorted.filter { $0.isEmptied && !$0.hasLog },
        { .dump($0) })
      + steps(
        "To see why a store cannot be read",
        sorted.filter { $0.verdict == .unreadable && !$0.isEmptyFile },
        { .check($0) })
  }

  /// Returns the path of a store, and why it could not be read; the folder of several files of 0
  /// bytes.
  private func text(of outcome: StoreOutcome) -> String {
    let count = emptyCount(beside: outcome)
    if outcome.isEmptyFile, count > 1 {
      let folder = outcome.path.parent
      return DisplayText.path(folder.isEmpty ? "." : folder)
        + "  (\(count.counted("file has", "files have")) 0 bytes)"
    }
    return DisplayText.path(outcome.path)
      + (outcome.error.map { "  (\(TextReporter.printable($0)))" } ?? "")
  }

  /// Returns the number of files of 0 bytes in the folder of `outcome`.
  private func emptyCount(beside outcome: StoreOutcome) -> Int {
    emptyCounts[outcome.path.parent] ?? 0
  }

  private static func verdict(of outcome: StoreOutcome, in colors: Colors) -> String {
    if outcome.isEmptied { return colors.emptied }
    return outcome.verdict.map(colors.verdict) ?? "not read"
  }

  private static func isClean(_ outcome: StoreOutcome) -> Bool {
    outcome.verdict == .clean && outcome.recoverable.isEmpty
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
  /// Returns the totals over the stores of a scan.
  func totals(_ totals: ScanTotals) -> [String] {
    // Who checks a folder asks for its stores alone.
    let others =
      job == .scan && totals.otherCount > 0
      ? ["\(Plural.count(totals.otherCount, "other file", "other files")) of no known format."] : []
    guard totals.storeCount > 0 else { return ["No store was found."] + others }
    let verdicts: [Verdict] = [.clean, .repairable, .damaged, .unreadable]
    var counts = totals.verdicts
    counts[Verdict.clean.rawValue]? -= totals.emptiedCount
    var parts = verdicts.compactMap { verdict in
      counts[verdict.rawValue].flatMap { $0 > 0 ? "\($0.grouped) \(verdict.rawValue)" : nil }
    }
    if totals.emptiedCount > 0 { parts.append("\(totals.emptiedCount.grouped) emptied") }
    let unreadCount = totals.storeCount - totals.verdicts.values.reduce(0, +)
    if unreadCount > 0 { parts.append("\(unreadCount.grouped) not read") }
    var lines = [
      "\(Plural.count(totals.storeCount, "store", "stores")): " + parts.joined(separator: ", ")
        + "; \(totals.entries.words)"
    ]
    if !totals.lost.isEmpty {
      lines.append("At the next launch, the apps will lose \(totals.lost.words).")
    }
    if !totals.recoverable.isEmpty {
      lines.append(
        "\(totals.recoverable.words) that the apps will lose or have lost can be recovered.")
    }
    if let past = totals.past, past.recordCount > 0 {
      lines.append("Records that are not live: \(PastText.text(past))")
    }
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.value.grouped) \($0.key)" }.joined(separator: ", ")
    }
    if !totals.formats.isEmpty { lines.append("Formats: " + list(totals.formats)) }
    if !totals.codes.isEmpty { lines.append("Stores by finding: " + list(totals.codes)) }
    return lines + others
  }
}
