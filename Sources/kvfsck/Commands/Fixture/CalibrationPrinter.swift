import KVBytes
import KVFixtures
import KVModel
import KVReport

/// Prints how often claims were wrong.
struct CalibrationPrinter {
  let output: Output
  /// The command that makes one store again, up to its seed.
  let replay: String

  // MARK: Text

  /// The tables, and the stores that something is wrong with.
  func printText(_ report: CalibrationReport, _ seed: UInt64) {
    output.write(
      "seed \(seed): \(report.stores.grouped) stores, \(report.omitted) of them without anything to damage; "
        + "\(report.byteCount.grouped) bytes")
    printCorrections(report)
    printSoundness(report)
    for kind in CalibrationProblem.Kind.allCases {
      let own = report.problems.filter { $0.kind == kind }
      guard !own.isEmpty else { continue }
      output.write("")
      output.write("\(Self.title(of: kind)); `\(replay) SEED` makes one again")
      var table = Columns(["SEED", "FORMAT", "CIPHER", "DAMAGE", "WHAT"])
      for problem in own {
        table.add([
          "\(problem.seed)", problem.format.rawValue, problem.cipher,
          problem.damages.isEmpty ? "none" : problem.damages.joined(separator: " + "),
          TextReporter.printable(problem.message),
        ])
      }
      for line in table.lines { output.write(line) }
    }
  }

  private func printCorrections(_ report: CalibrationReport) {
    output.write("")
    output.write("Corrections: what they claim, and how often they were false")
    var table = Columns([
      "FORMAT", "CODE", "SIZE", "BITS", "CORRECTIONS", "FALSE", "RATE", "95%", "CLAIMED", "",
    ])
    for (kind, bin) in Self.bins(of: report) {
      let interval = bin.interval
      table.add([
        kind.format.rawValue, kind.code, kind.size.rawValue, Self.bits(bin),
        "\(bin.claims)", "\(bin.falseClaims)", Self.percent(bin.rate),
        "\(Self.percent(interval.lower)) to \(Self.percent(interval.upper))",
        bin.bits == nil ? "nothing" : Self.percent(bin.claimedRate),
        bin.isOverconfident ? "claims too much" : "",
      ])
    }
    for line in table.lines { output.write(Self.trimmed(line)) }
  }

  private func printSoundness(_ report: CalibrationReport) {
    let headings = [
      "FORMAT", "CIPHER", "DAMAGE", "STORES", "ENTRIES", "RIGHT", "MISSING", "STALE", "WRONG",
      "INVENTED", "AS SOUND", "IN STORES", "CORRECTED", "FALSE", "LOSS UNSAID", "OLDER",
      "MISREAD",
    ]
    output.write("")
    output.write("Entries: how they were read, and which wrong ones are presented as sound")
    var table = Columns(headings)
    for (group, tally) in Self.sorted(report.totals) { table.add(Self.row(group, tally)) }
    for line in table.lines { output.write(line) }
    output.write("")
    output.write("The same by operator, a store with two of them under both")
    table = Columns(headings)
    for (group, tally) in Self.sorted(report.tallies) { table.add(Self.row(group, tally)) }
    for line in table.lines { output.write(line) }
  }

  private static func row(
    _ group: CalibrationReport.Group, _ tally: SoundnessTally
  ) -> [String] {
    [
      group.format.rawValue, group.cipher, group.damage, "\(tally.stores)", "\(tally.entries)",
      "\(tally.right)", "\(tally.missing)", "\(tally.stale)", "\(tally.wrong)",
      "\(tally.invented)", "\(tally.asSound)", "\(tally.storesAsSound)", "\(tally.corrected)",
      "\(tally.correctedWrong)", "\(tally.storesLostUnsaid)", "\(tally.storesOlder)",
      "\(tally.storesMisread)",
    ]
  }

  private static func title(of kind: CalibrationProblem.Kind) -> String {
    switch kind {
    case .asSound: "Wrong entries presented as sound"
    case .healthy: "Healthy stores that are not read as they are"
    case .verdict: "Stores that are called clean or repairable although entries are lost"
    case .correction:
      "False corrections that claim \(CoincidenceOdds.correctedBits) bits and more"
    }
  }

  /// What became of wrong keys.
  func printText(_ report: WrongKeys.Report, _ seed: UInt64) {
    let entries = report.entries.sorted()
    output.write(
      "seed \(seed): \(report.keys) wrong keys on \(report.stores.grouped) stores of "
        + "\(entries.first ?? 0) to \((entries.last ?? 0).grouped) entries")
    for (code, count) in report.refused.sorted(by: { $0.key < $1.key }) {
      output.write("refused  \(count)  \(code)")
    }
    output.write("taken    \(report.acceptedCount)")
    for (code, counts) in report.ownRefused.sorted(by: { $0.key < $1.key }) {
      output.write(
        "the store's own key refused  \(counts.count)  \(code), entries: "
          + counts.sorted().map { "\($0)" }.joined(separator: ", "))
    }
    guard !report.accepted.isEmpty else { return }
    output.write("")
    var table = Columns(["STORE", "KEY", "AES", "ENTRIES", "LOG", "TAKEN AS"])
    for found in report.accepted {
      table.add([
        "\(found.storeSeed)", Hexadecimal.text(found.key.bytes),
        found.key.isAES256 ? "256" : "128", "\(found.entries)", "\(found.byteCount.grouped) bytes",
        found.verdict,
      ])
    }
    for line in table.lines { output.write(line) }
  }

  // MARK: JSON

  /// A line for the run, each bin, each group and each problem.
  func printJSON(_ report: CalibrationReport, _ seed: UInt64) {
    write([
      ("type", .string("calibration")), ("seed", .string("\(seed)")),
      ("stores", number(report.stores)), ("omitted", number(report.omitted)),
      ("bytes", number(report.byteCount)), ("sound", .bool(report.isSound)),
    ])
    for (kind, bin) in Self.bins(of: report) { write(bin, of: kind) }
    for (group, tally) in Self.sorted(report.totals) + Self.sorted(report.tallies) {
      write(tally, of: group)
    }
    for problem in report.problems { write(problem) }
  }

  private func write(_ bin: CalibrationTable.Bin, of kind: CalibrationReport.Correction) {
    write([
      ("type", .string("correction-bin")), ("format", .string(kind.format.rawValue)),
      ("code", .string(kind.code)), ("size", .string(kind.size.rawValue)),
      ("bits", bin.bits.map { number($0) } ?? .null), ("corrections", number(bin.claims)),
      ("false", number(bin.falseClaims)), ("rate", .double(bin.rate)),
      ("rate_low", .double(bin.interval.lower)), ("rate_high", .double(bin.interval.upper)),
      ("claimed_rate", bin.bits == nil ? .null : .double(bin.claimedRate)),
      ("overconfident", .bool(bin.isOverconfident)),
    ])
  }

  private func write(_ tally: SoundnessTally, of group: CalibrationReport.Group) {
    write([
      ("type", .string("soundness")), ("format", .string(group.format.rawValue)),
      ("cipher", .string(group.cipher)), ("operator", .string(group.damage)),
      ("stores", number(tally.stores)), ("entries", number(tally.entries)),
      ("right", number(tally.right)), ("missing", number(tally.missing)),
      ("stale", number(tally.stale)), ("wrong", number(tally.wrong)),
      ("invented", number(tally.invented)), ("as_sound", number(tally.asSound)),
      ("stores_as_sound", number(tally.storesAsSound)),
      ("corrected", number(tally.corrected)),
      ("corrected_wrong", number(tally.correctedWrong)),
      ("stores_loss_unsaid", number(tally.storesLostUnsaid)),
      ("stores_older", number(tally.storesOlder)),
      ("stores_misread", number(tally.storesMisread)),
    ])
  }

  private func write(_ problem: CalibrationProblem) {
    write([
      ("type", .string("unsound")), ("kind", .string(problem.kind.rawValue)),
      ("seed", .string("\(problem.seed)")), ("format", .string(problem.format.rawValue)),
      ("cipher", .string(problem.cipher)),
      ("operators", .array(problem.damages.map { .string($0) })),
      ("weight", number(problem.weight)), ("message", .string(problem.message)),
    ])
  }

  /// A line for the run and each key that was taken.
  func printJSON(_ report: WrongKeys.Report, _ seed: UInt64) {
    write([
      ("type", .string("wrong-keys")), ("seed", .string("\(seed)")),
      ("stores", number(report.stores)), ("keys", number(report.keys)),
      ("accepted", number(report.acceptedCount)),
      ("refused", counts(report.refused)),
      ("own_refused", counts(report.ownRefused.mapValues(\.count))),
      ("entries", .array(report.entries.sorted().map { number($0) })),
    ])
    for found in report.accepted {
      write([
        ("type", .string("wrong-key")), ("seed", .string("\(found.storeSeed)")),
        ("key_hex", .string(Hexadecimal.text(found.key.bytes))),
        ("aes256", .bool(found.key.isAES256)), ("entries", number(found.entries)),
        ("length", number(found.byteCount)), ("message", .string(found.verdict)),
      ])
    }
  }

  private func counts(_ counts: [String: Int]) -> Value {
    .dictionary(
      counts.sorted { $0.key < $1.key }.map { Value.Member($0.key, number($0.value)) })
  }

  private func number(_ count: Int) -> Value { .int64(Int64(count)) }

  private func write(_ members: [(String, Value)]) {
    let line = Value.dictionary(members.map { Value.Member($0.0, $0.1) })
    output.write(line.plainJSON ?? "")
  }

  // MARK: Parts

  private static func bins(
    of report: CalibrationReport
  ) -> [(CalibrationReport.Correction, CalibrationTable.Bin)] {
    report.corrections.sorted {
      ($0.key.format.rawValue, $0.key.code, $0.key.size.rawValue)
        < ($1.key.format.rawValue, $1.key.code, $1.key.size.rawValue)
    }.flatMap { kind, table in table.bins.map { (kind, $0) } }
  }

  private static func sorted(
    _ tallies: [CalibrationReport.Group: SoundnessTally]
  ) -> [(CalibrationReport.Group, SoundnessTally)] {
    tallies.sorted {
      ($0.key.format.rawValue, $0.key.cipher, $0.key.damage)
        < ($1.key.format.rawValue, $1.key.cipher, $1.key.damage)
    }.map { ($0.key, $0.value) }
  }

  private static func bits(_ bin: CalibrationTable.Bin) -> String {
    bin.bits.map { "\($0) to \($0 + CalibrationTable.binWidth - 1)" } ?? "not stated"
  }

  /// A rate in per cent with three significant digits, or 0.
  static func percent(_ rate: Double) -> String {
    guard rate > 0 else { return "0%" }
    var value = rate * 100
    var zeros = 0
    while value < 1, zeros < 12 {
      value *= 10
      zeros += 1
    }
    // Three digits: before the point and after it.
    let whole = value >= 100 ? 0 : value >= 10 ? 1 : 2
    var scaled = value
    for _ in 0..<whole { scaled *= 10 }
    let digits = "\(Int(scaled.rounded()))"
    let places = whole + zeros
    guard places > 0 else { return "\(digits)%" }
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let split = padded.index(padded.endIndex, offsetBy: -places)
    var text = "\(padded[..<split]).\(padded[split...])"
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text + "%"
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
