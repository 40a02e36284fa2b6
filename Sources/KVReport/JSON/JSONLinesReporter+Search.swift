import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

extension JSONLinesReporter {
  /// Takes in an event about what was found in many stores, overwritten, merged or converted; others
  /// have no line.
  func found(_ event: ReportEvent) {
    switch event {
    case .hit(let hit, let outcome): self.hit(hit, outcome)
    case .searched(let totals): end(.totals(totals))
    case .left(let residue, let outcome, let isShown):
      left(residue, in: outcome, isShown: isShown)
    case .residueTotals(let totals): end(.totals(totals))
    case .wiped(let result): write(.wiped(result))
    case .merged(let result): merged(result)
    case .storeChanged(let change, let outcome): write(.store(outcome, change))
    case .treesCompared(let differences): end(.totals(differences))
    case .convertedAll(let totals): end(.totals(totals))
    default: break
    }
  }

  /// Writes a line of type `hit` about a place in the store with `outcome`.
  private func hit(_ hit: SearchHit, _ outcome: StoreOutcome) {
    writeLine { line in
      if let app = outcome.app { line.member("app", app) }
      line.member("encoding", hit.encoding.name)
      line.member("evidence", hit.evidence.rawValue)
      if !hit.excerpt.isEmpty { line.member("excerpt", hit.excerpt) }
      if let place = hit.place { line.member("file", place.roleName) }
      line.member("format", outcome.formatName)
      if let key = hit.key {
        line.member("key", key.text)
        line.member("key_hex", hexadecimal: key.bytes)
      }
      if let place = hit.place { line.member("length", place.extent.count) }
      if let range = hit.range {
        line.member("match_length", range.count)
        line.member("match_offset", range.lowerBound)
      }
      if let member = hit.member { line.member("member", member) }
      if let place = hit.place { line.member("offset", place.extent.offset) }
      line.member("path", ReportedPath(outcome.path))
      if let probability = hit.probability {
        line.member("probability") { $0.number(probability) }
      }
      line.member("state", hit.state.rawValue)
      line.member("type", "hit")
      line.member("where", hit.part.rawValue)
    }
  }
}

extension JSONObject {
  /// Returns the totals over all stores of a search, as its last line.
  static func totals(_ totals: SearchTotals) -> JSONObject {
    let states = EntryFate.allCases.map {
      (key: $0.rawValue, value: totals.states[$0, default: 0])
    }
    return [
      "type": "totals", "schema": schema, "stores": totals.scan.storeCount,
      "failures": totals.scan.failureCount, "others": totals.scan.otherCount,
      "hits": totals.hitCount, "states": JSONObject(states),
      "stores_with_hits": totals.storeCount, "unread": totals.unreadCount,
      "cut": totals.cutCount == 0 ? nil : totals.cutCount,
    ]
  }
}
