import KVBytes
import KVConversion
import KVModel
import KVRecovery
import SystemPackage

extension TextReporter {
  /// Takes in an event about what was found in many stores, overwritten, merged or converted; nothing is printed for
  /// others.
  func found(_ event: ReportEvent) {
    switch event {
    case .hit(let hit, let outcome): self.hit(hit, outcome)
    case .searched(let totals): for line in self.totals(totals) { emit(line) }
    case .left(let residue, let outcome, let isShown):
      left(residue, in: outcome, isShown: isShown)
    case .residueTotals(let totals): self.totals(totals)
    case .wiped(let result): wiped(result)
    case .merged(let result): merged(result)
    case .storeChanged(let change, let outcome): store(outcome, change)
    case .treesCompared(let differences): self.totals(differences)
    case .convertedAll(let totals): end(totals)
    default: break
    }
  }

  /// Prints a hit, below the path of its store if it is the first one there.
  private func hit(_ hit: SearchHit, _ outcome: StoreOutcome) {
    if lastHit != outcome.path {
      lastHit = outcome.path
      let origin = [outcome.formatName, outcome.app].compactMap(\.self).map(TextReporter.printable)
      emit(
        verbatim: DisplayText.path(outcome.path)
          + (origin.isEmpty ? "" : "  (\(origin.joined(separator: ", ")))"))
    }
    let offset = hit.range?.lowerBound ?? hit.place?.extent.offset
    let place = offset.map { Hexadecimal.text($0, digits: 6) } ?? "-"
    let text = "  \(place.padded(to: 6))  \(hit.state.rawValue.padded(to: 10))  \(words(hit))"
    emit(
      verbatim: (hit.state == .live ? text : colors.past(text))
        + colors.mark(hit.evidence, hit.probability))
  }

  private func words(_ hit: SearchHit) -> String {
    let excerpt = DisplayText.escaped(hit.excerpt, limit: .max, quotes: false)
    let encoding = hit.encoding == .utf8 ? "" : "  (\(hit.encoding.name))"
    let file = hit.place.map { $0.extent.file == .data ? "" : "  in \($0.roleName)" }
    let key = hit.key.map { DisplayText.key($0) } ?? ""
    let member = hit.member.map { " > " + DisplayText.escaped($0) } ?? ""
    let subject = hit.part == .key || excerpt.isEmpty ? "" : " = " + excerpt
    return (key.isEmpty ? excerpt : key + member + subject) + encoding + (file ?? "")
  }

  /// Returns the totals over the stores of a search.
  private func totals(_ totals: SearchTotals) -> [String] {
    let stores = Plural.count(
      totals.scan.storeCount - totals.scan.failureCount, "store", "stores")
    guard totals.hitCount > 0 else { return ["Nothing was found in \(stores)."] + gaps(in: totals) }
    let states = EntryFate.allCases.compactMap { state in
      totals.states[state].map { "\($0.grouped) \(state.rawValue)" }
    }
    return [
      "\(Plural.count(totals.hitCount, "hit", "hits")) in \(totals.storeCount.grouped) of \(stores): "
        + states.joined(separator: ", ")
    ] + gaps(in: totals)
  }

  /// Returns what could not be searched.
  private func gaps(in totals: SearchTotals) -> [String] {
    let unread = Plural.count(totals.unreadCount, "store", "stores")
    return [
      totals.unreadCount > 0
        ? "\(unread) cannot be decrypted or decoded: only the bytes as they are were searched."
        : nil,
      totals.cutCount > 0
        ? "\(Plural.count(totals.cutCount, "store has", "stores have")) more hits than are listed."
        : nil,
      totals.scan.failureCount > 0
        ? "\(Plural.count(totals.scan.failureCount, "path", "paths")) could not be read." : nil,
    ].compactMap(\.self)
  }
}
