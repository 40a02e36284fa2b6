import KVBytes
import KVFixtures
import KVModel

/// The report on how often claims were wrong, in parts.
struct CalibrationMeasurement {
  let report: CalibrationReport
  let seed: UInt64
  /// The command that re-creates a store, without its seed.
  let replay: String

  /// The parts: the run, the corrections, the entries, and the stores with problems.
  var parts: [MeasurementPart] { [opening] + corrections + soundness + problems }

  private var opening: MeasurementPart {
    var object = MeasuredObject(type: "calibration")
    object.add("seed", "\(seed)")
    object.add([
      "stores": report.stores, "omitted": report.omitted, "bytes": report.byteCount,
    ])
    object.add("sound", report.isSound)
    return .line(
      "seed \(seed): \(report.stores.grouped) stores, \(report.omitted) of them with nothing "
        + "to damage; \(report.byteCount.grouped) bytes", object)
  }

  // MARK: Corrections

  private var corrections: [MeasurementPart] {
    let kinds = report.corrections.sorted {
      ($0.key.format.rawValue, $0.key.code, $0.key.size.rawValue)
        < ($1.key.format.rawValue, $1.key.code, $1.key.size.rawValue)
    }
    return MeasurementPart.title("Corrections: claimed odds, and how often they were false") + [
      .table(
        [
          "FORMAT", "CODE", "SIZE", "BITS", "CORRECTIONS", "FALSE", "RATE", "95%", "CLAIMED", "",
        ],
        kinds.flatMap { kind, table in table.bins.map { Self.row(kind, $0) } })
    ]
  }

  private static func row(
    _ kind: CalibrationReport.Correction, _ bin: CalibrationTable.Bin
  ) -> MeasurementPart.Row {
    let interval = bin.interval
    var object = MeasuredObject(type: "correction-bin")
    object.add("format", kind.format.rawValue)
    object.add("code", kind.code)
    object.add("size", kind.size.rawValue)
    object.add("bits", bin.bits.map { .int64(Int64($0)) } ?? .null)
    object.add(["corrections": bin.claims, "false": bin.falseClaims])
    object.add("rate", .double(bin.rate))
    object.add("rate_low", .double(interval.lower))
    object.add("rate_high", .double(interval.upper))
    object.add("claimed_rate", bin.bits == nil ? .null : .double(bin.claimedRate))
    object.add("overconfident", bin.isOverconfident)
    return MeasurementPart.Row(
      cells: [
        kind.format.rawValue, kind.code, kind.size.rawValue,
        bin.bits.map { "\($0) to \($0 + CalibrationTable.binWidth - 1)" } ?? "not stated",
        "\(bin.claims)", "\(bin.falseClaims)", Percentage.text(bin.rate),
        "\(Percentage.text(interval.lower)) to \(Percentage.text(interval.upper))",
        bin.bits == nil ? "none" : Percentage.text(bin.claimedRate),
        bin.isOverconfident ? "overconfident" : "",
      ], object: object)
  }

  // MARK: Entries

  private static let headings = [
    "FORMAT", "CIPHER", "DAMAGE", "STORES", "ENTRIES", "RIGHT", "MISSING", "STALE", "WRONG",
    "INVENTED", "AS SOUND", "IN STORES", "CORRECTED", "FALSE", "UNREPORTED LOSS", "OLDER",
    "MISREAD",
  ]

  private var soundness: [MeasurementPart] {
    MeasurementPart.title(
      "Entries: how they were read, and which wrong ones were presented as sound")
      + [.table(Self.headings, Self.rows(report.totals))]
      + MeasurementPart.title("The same by operator; a store with two operators counts under both")
      + [.table(Self.headings, Self.rows(report.tallies))]
  }

  private static func rows(
    _ tallies: [CalibrationReport.Group: SoundnessTally]
  ) -> [MeasurementPart.Row] {
    tallies.sorted {
      ($0.key.format.rawValue, $0.key.cipher, $0.key.damage)
        < ($1.key.format.rawValue, $1.key.cipher, $1.key.damage)
    }.map { row($0.key, $0.value) }
  }

  private static func row(
    _ group: CalibrationReport.Group, _ tally: SoundnessTally
  ) -> MeasurementPart.Row {
    // In the order of the headings.
    let counts: KeyValuePairs = [
      "stores": tally.stores, "entries": tally.entries, "right": tally.right,
      "missing": tally.missing, "stale": tally.stale, "wrong": tally.wrong,
      "invented": tally.invented, "as_sound": tally.asSound,
      "stores_as_sound": tally.storesAsSound, "corrected": tally.corrected,
      "corrected_wrong": tally.correctedWrong, "stores_loss_unsaid": tally.storesLostUnsaid,
      "stores_older": tally.storesOlder, "stores_misread": tally.storesMisread,
    ]
    var object = MeasuredObject(type: "soundness")
    object.add("format", group.format.rawValue)
    object.add("cipher", group.cipher)
    object.add("operator", group.damage)
    object.add(counts)
    return MeasurementPart.Row(
      cells: [group.format.rawValue, group.cipher, group.damage] + counts.map { "\($0.value)" },
      object: object)
  }

  // MARK: Problems

  private var problems: [MeasurementPart] {
    CalibrationProblem.Kind.allCases.flatMap { kind in
      let own = report.problems.filter { $0.kind == kind }
      guard !own.isEmpty else { return [MeasurementPart]() }
      return MeasurementPart.title("\(Self.title(of: kind)); `\(replay) SEED` reproduces one") + [
        .table(["SEED", "FORMAT", "CIPHER", "DAMAGE", "WHAT"], own.map(Self.row))
      ]
    }
  }

  private static func row(_ problem: CalibrationProblem) -> MeasurementPart.Row {
    var object = MeasuredObject(type: "unsound")
    object.add("kind", problem.kind.rawValue)
    object.add("seed", "\(problem.seed)")
    object.add("format", problem.format.rawValue)
    object.add("cipher", problem.cipher)
    object.add("operators", problem.damages)
    object.add("weight", problem.weight)
    object.add("message", problem.message)
    return MeasurementPart.Row(
      cells: [
        "\(problem.seed)", problem.format.rawValue, problem.cipher,
        problem.damages.isEmpty ? "none" : problem.damages.joined(separator: " + "),
        problem.message,
      ], object: object)
  }

  private static func title(of kind: CalibrationProblem.Kind) -> String {
    switch kind {
    case .asSound: "Wrong entries presented as sound"
    case .healthy: "Healthy stores that are misread"
    case .verdict: "Stores reported as clean or repairable although entries are lost"
    case .correction:
      "False corrections that claim \(CoincidenceOdds.correctedBits) bits or more"
    }
  }
}

/// The report on wrong keys, in parts.
struct WrongKeyMeasurement {
  let report: WrongKeys.Report
  let seed: UInt64

  /// The parts: the run, and each key that was accepted.
  var parts: [MeasurementPart] {
    let opening = [opening] + refusals.map { MeasurementPart.line($0) }
    guard !report.accepted.isEmpty else { return opening }
    return opening + [
      .line(""),
      .table(
        ["STORE", "KEY", "AES", "ENTRIES", "LOG", "READ AS"], report.accepted.map(Self.row)),
    ]
  }

  private var opening: MeasurementPart {
    let entries = report.entries.sorted()
    var object = MeasuredObject(type: "wrong-keys")
    object.add("seed", "\(seed)")
    object.add([
      "stores": report.stores, "keys": report.keys, "accepted": report.acceptedCount,
    ])
    object.add("refused", Self.counts(report.refused))
    object.add("own_refused", Self.counts(report.ownRefused.mapValues(\.count)))
    object.add("entries", .array(entries.map { .int64(Int64($0)) }))
    return .line(
      "seed \(seed): \(report.keys) wrong keys on \(report.stores.grouped) stores of "
        + "\(entries.first ?? 0) to \((entries.last ?? 0).grouped) entries", object)
  }

  private var refusals: [String] {
    report.refused.sorted { $0.key < $1.key }.map { "refused  \($0.value)  \($0.key)" }
      + ["taken    \(report.acceptedCount)"]
      + report.ownRefused.sorted { $0.key < $1.key }.map { code, counts in
        "the store's own key refused  \(counts.count)  \(code), entries: "
          + counts.sorted().map { "\($0)" }.joined(separator: ", ")
      }
  }

  private static func row(_ found: WrongKeys.Acceptance) -> MeasurementPart.Row {
    let key = Hexadecimal.text(found.key.bytes)
    var object = MeasuredObject(type: "wrong-key")
    object.add("seed", "\(found.storeSeed)")
    object.add("key_hex", key)
    object.add("aes256", found.key.isAES256)
    object.add(["entries": found.entries, "length": found.byteCount])
    object.add("message", found.verdict)
    return MeasurementPart.Row(
      cells: [
        "\(found.storeSeed)", key, found.key.isAES256 ? "256" : "128", "\(found.entries)",
        "\(found.byteCount.grouped) bytes", found.verdict,
      ], object: object)
  }

  private static func counts(_ counts: [String: Int]) -> Value {
    .dictionary(
      counts.sorted { $0.key < $1.key }.map { Value.Member($0.key, .int64(Int64($0.value))) })
  }
}
