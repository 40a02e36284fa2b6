import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

extension TextReporter {
  /// Prints what is left in a store below its path; `isShown` also prints the values.
  func left(_ residue: StoreResidue, in outcome: StoreOutcome, isShown: Bool) {
    guard !residue.values.isEmpty else { return }
    let origin = [outcome.formatName, outcome.app].compactMap(\.self).map(TextReporter.printable)
    emit(verbatim: "\(DisplayText.path(outcome.path))  (\(origin.joined(separator: ", ")))")
    for value in residue.values {
      let offset = value.place.map { Hexadecimal.text($0.extent.offset, digits: 6) } ?? "-"
      let kind = value.kind?.rawValue ?? "-"
      let key = value.key.map { DisplayText.key($0) } ?? "bytes of no entry"
      let shown = isShown ? value.value.map { " = " + DisplayText.value($0, limit: .max) } : nil
      emit(
        verbatim:
          "  \(offset.padded(to: 8))  \(value.state.rawValue.padded(to: 10))  "
          + "\(kind.padded(to: 11))  \(key)" + (shown ?? "")
          + colors.mark(value.evidence, value.probability))
    }
    if residue.isCut { emit("  … and more") }
  }

  /// Prints the totals over the stores in which former values were looked for.
  func totals(_ totals: ResidueTotals) {
    let stores = Plural.count(
      totals.scan.storeCount - totals.scan.failureCount, "store", "stores")
    guard totals.valueCount > 0 else {
      emit("No former value is left in \(stores).")
      return
    }
    let states = EntryFate.allCases.compactMap { state in
      totals.states[state].map { "\($0.grouped) \(state.rawValue)" }
    }
    emit(
      "\(Plural.count(totals.valueCount, "former value", "former values")) in "
        + "\(totals.storeCount.grouped) of \(stores): \(states.joined(separator: ", "))")
    let kinds = SecretKind.allCases.compactMap { kind in
      totals.kinds[kind].map { "\($0.grouped) \(kind.rawValue)" }
    }
    if !kinds.isEmpty { emit("Secrets among them: \(kinds.joined(separator: ", "))") }
  }
}
