import KVBytes
import KVCalibration
import KVFixtures
import KVModel

extension CalibrationReport {
  /// The report in tables: the run, the corrections, the entries, and the stores with problems.
  func tables(seed: UInt64) -> [MeasuredTable] {
    [
      MeasuredTable(
        title: "The run", type: "calibration",
        rows: [
          [
            "seed": .text("\(seed)"), "stores": .count(stores), "omitted": .count(omitted),
            "bytes": .count(byteCount), "sound": .flag(isSound),
          ]
        ]),
      MeasuredTable(
        title: "Corrections: claimed odds, and how often they were false", type: "correction-bin",
        rows: correctionRows),
      MeasuredTable(
        title: "Entries: how they were read, and which wrong ones were presented as sound",
        type: "soundness", rows: Self.rows(totals)),
      MeasuredTable(
        title: "The same by operator; a store with two operators counts under both",
        type: "soundness", rows: Self.rows(tallies)),
    ] + CalibrationProblem.Kind.allCases.map(problemTable)
  }

  private var correctionRows: [KeyValuePairs<String, MeasuredTable.Cell>] {
    let kinds = corrections.sorted {
      ($0.key.format.rawValue, $0.key.code, $0.key.size.rawValue)
        < ($1.key.format.rawValue, $1.key.code, $1.key.size.rawValue)
    }
    return kinds.flatMap { kind, table in
      table.bins.map { bin in
        [
          "format": .text(kind.format.rawValue), "code": .text(kind.code),
          "size": .text(kind.size.rawValue), "bits": bin.bits.map { .count($0) } ?? .none,
          "corrections": .count(bin.claims), "false": .count(bin.falseClaims),
          "rate": .rate(bin.rate), "rate_low": .rate(bin.interval.lower),
          "rate_high": .rate(bin.interval.upper),
          "claimed_rate": bin.bits == nil ? .none : .rate(bin.claimedRate),
          "overconfident": .flag(bin.isOverconfident),
        ]
      }
    }
  }

  private static func rows(
    _ tallies: [Group: SoundnessTally]
  ) -> [KeyValuePairs<String, MeasuredTable.Cell>] {
    tallies.sorted {
      ($0.key.format.rawValue, $0.key.cipher, $0.key.damage)
        < ($1.key.format.rawValue, $1.key.cipher, $1.key.damage)
    }.map { group, tally in
      [
        "format": .text(group.format.rawValue), "cipher": .text(group.cipher),
        "operator": .text(group.damage), "stores": .count(tally.stores),
        "entries": .count(tally.entries), "right": .count(tally.right),
        "missing": .count(tally.missing), "stale": .count(tally.stale),
        "wrong": .count(tally.wrong), "invented": .count(tally.invented),
        "as_sound": .count(tally.asSound), "stores_as_sound": .count(tally.storesAsSound),
        "corrected": .count(tally.corrected), "corrected_wrong": .count(tally.correctedWrong),
        "stores_loss_unsaid": .count(tally.storesLostUnsaid),
        "stores_older": .count(tally.storesOlder), "stores_misread": .count(tally.storesMisread),
      ]
    }
  }

  private func problemTable(_ kind: CalibrationProblem.Kind) -> MeasuredTable {
    MeasuredTable(
      title: Self.title(of: kind), type: "unsound",
      rows: problems.filter { $0.kind == kind }.map { problem in
        [
          "kind": .text(kind.rawValue), "seed": .text("\(problem.seed)"),
          "format": .text(problem.format.rawValue), "cipher": .text(problem.cipher),
          "operators": .texts(problem.damages), "weight": .count(problem.weight),
          "message": .text(problem.message),
        ]
      })
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

extension WrongKeys.Report {
  /// The report in tables: the run, and each key that was accepted.
  func tables(seed: UInt64) -> [MeasuredTable] {
    [
      MeasuredTable(
        title: "The run", type: "wrong-keys",
        rows: [
          [
            "seed": .text("\(seed)"), "stores": .count(stores), "keys": .count(keys),
            "accepted": .count(acceptedCount), "refused": .codes(refused),
            "own_refused": .codes(ownRefused.mapValues(\.count)),
            "entries": .counts(entries.sorted()),
          ]
        ]),
      MeasuredTable(
        title: "Keys that were accepted", type: "wrong-key",
        rows: accepted.map { found in
          [
            "seed": .text("\(found.storeSeed)"),
            "key_hex": .text(Hexadecimal.text(found.key.bytes)),
            "aes256": .flag(found.key.isAES256), "entries": .count(found.entries),
            "length": .count(found.byteCount), "message": .text(found.verdict),
          ]
        }),
    ]
  }
}
