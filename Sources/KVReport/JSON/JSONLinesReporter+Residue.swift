import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

extension JSONLinesReporter {
  /// Writes a line of type `residue` for each value that is left in a store.
  func left(_ residue: StoreResidue, in outcome: StoreOutcome, isShown: Bool) {
    for value in residue.values {
      writeLine { line in
        if let app = outcome.app { line.member("app", app) }
        line.member("evidence", value.evidence.rawValue)
        if let place = value.place { line.member("file", place.roleName) }
        line.member("format", outcome.formatName)
        if let key = value.key {
          line.member("key", key.text)
          line.member("key_hex", hexadecimal: key.bytes)
        }
        line.member("kind", value.kind?.rawValue)
        if let place = value.place {
          line.member("length", place.extent.count)
          line.member("offset", place.extent.offset)
        }
        line.member("path", ReportedPath(outcome.path))
        if let probability = value.probability {
          line.member("probability") { $0.number(probability) }
        }
        line.member("state", value.state.rawValue)
        line.member("type", "residue")
        if isShown, let value = value.value { line.member("value") { $0.value(value) } }
      }
    }
  }
}

extension JSONObject {
  /// Returns the totals over the stores in which former values were looked for, as the last line.
  static func totals(_ totals: ResidueTotals) -> JSONObject {
    [
      "type": "totals", "schema": schema, "stores": totals.scan.storeCount,
      "failures": totals.scan.failureCount, "values": totals.valueCount,
      "stores_with_residue": totals.storeCount,
      "states": JSONObject(
        EntryFate.allCases.dropFirst().map {
          (key: $0.rawValue, value: totals.states[$0, default: 0])
        }),
      "kinds": JSONObject(
        SecretKind.allCases.map { (key: $0.rawValue, value: totals.kinds[$0, default: 0]) }),
      "cut": totals.cutCount == 0 ? nil : totals.cutCount,
    ]
  }
}
