import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// The plan of a repair, and what carrying it out would write.
extension TextReporter {
  /// Prints what a plan answers, keeps and drops.
  func plan(_ plan: RepairPlan, of store: some Store, _ aside: LostAndFound.Fate) {
    for decision in plan.decisions {
      emit("\(decision.question): \(decision.reason)")
      emit("  answer: \(decision.answer.rawValue)")
    }
    let meaning = plan.state == .current ? "" : " (\(plan.state.meaning()))"
    emit("From \(plan.state.rawValue)\(meaning): \(plan.origin)")
    kept(in: plan)
    losses(of: plan, of: store, aside)
  }

  /// Prints what the plan for a file without a log keeps and drops.
  func plan(_ plan: TablePlan, isExecuted: Bool) {
    if !isExecuted { emit("Dry run; nothing is written. Plan:") }
    emit("From \(TextReporter.printable(plan.origin))")
    emit("Keeps \(Plural.count(plan.kept.count, "entry", "entries"))")
    for caution in Caution.allCases {
      let count = plan.kept.count { $0.origin.cautions.contains(caution) }
      if count > 0 { emit("  \(count.grouped) \(caution.rawValue)") }
    }
    for change in plan.changes { note(change) }
    endNotes()
    for words in plan.lacking { emit("Lacks: \(TextReporter.printable(words))") }
    guard !plan.dropped.isEmpty else { return }
    reasons(
      plan.dropped.map { ($0.entry.key, $0.reason) },
      after: "Drops \(Plural.count(plan.dropped.count, "entry", "entries")):")
  }

  /// Prints the number of entries that a plan keeps, by evidence and caution.
  private func kept(in plan: RepairPlan) {
    var counts: [String] = []
    for evidence in Evidence.allCases.reversed() {
      let count = plan.kept.count { $0.evidence == evidence }
      if count > 0 { counts.append("\(count.grouped) by \(evidence.rawValue)") }
    }
    emit(
      "Keeps \(Plural.count(plan.kept.count, "entry", "entries"))"
        + expectation(of: plan) + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", ")))
    for caution in Caution.allCases {
      let count = plan.kept.count { $0.cautions.contains(caution) }
      if count > 0 { emit("  \(count.grouped) \(caution.rawValue)") }
    }
  }

  /// Returns how many of the entries that a plan keeps are expected to be right, unless nothing is
  /// doubted.
  private func expectation(of plan: RepairPlan) -> String {
    guard plan.kept.contains(where: { $0.evidence < .corrected || !$0.cautions.isEmpty }) else {
      return ""
    }
    let tenths = Int(plan.expectedRight * 10)
    return ", about \((tenths / 10).grouped).\(tenths % 10) of them right"
  }

  /// Prints what a plan does not keep.
  private func losses(of plan: RepairPlan, of store: some Store, _ aside: LostAndFound.Fate) {
    if !plan.gaps.isEmpty {
      let bytes = plan.gaps.reduce(0) { $0 + $1.extent.count }
      emit(
        "\(Plural.count(plan.gaps.count, "gap", "gaps")) could not be read ("
          + "\(Plural.count(bytes, "byte", "bytes")))")
    }
    if !plan.leftOut.isEmpty {
      emit(
        "Leaves out \(Plural.count(plan.leftOut.count, "entry", "entries")) present in the files")
    }
    let unlikely = plan.unlikely.count
    if unlikely > 0 {
      emit(
        "Sets aside \(Plural.count(unlikely, "unlikely entry", "unlikely entries")) \(place(aside)); "
          + advice(.keepGuesses))
    }
    let refused = plan.refused.map { (store.key(of: $0.record), $0.refusal ?? "") }
    if !refused.isEmpty {
      let count = Plural.count(refused.count, "entry", "entries")
      reasons(
        refused, after: "Sets aside \(count) that the engine cannot hold, \(place(aside)):")
    }
    if !plan.dropped.isEmpty {
      reasons(
        plan.dropped.map { (store.key(of: $0.record), $0.reason) },
        after: "Drops \(Plural.count(plan.dropped.count, "entry", "entries")):")
    }
  }

  /// Returns where what is set aside goes.
  private func place(_ aside: LostAndFound.Fate) -> String {
    switch aside {
    case .written: "in a separate file"
    case .withheldAsPlaintext:
      "without writing them, as the store is encrypted and a separate file would not be "
        + "(\(advice(.writeAsidePlainly)))"
    case .withheldInPlace:
      "without writing them into the app's folder (\(advice(.repairBackup)))"
    }
  }

  /// Prints keys with the reasons why they are left out, after `title`.
  private func reasons(_ entries: [(key: Key, reason: String)], after title: String) {
    emit(title)
    for entry in entries.prefix(TextReporter.listLimit) {
      emit("  \(DisplayText.key(entry.key)): \(entry.reason)")
    }
    let rest = entries.count - TextReporter.listLimit
    if rest > 0 { emit("  and \(rest.grouped) more") }
  }

  func order(_ order: RepairOrder) {
    switch order.cipher {
    case .keep: break
    case .plain: emit("Would write the store without encryption")
    case .rekey(_, let isAES256):
      emit("Would encrypt the store under the new key, with AES-\(isAES256 ? 256 : 128)")
    }
    for (path, file) in zip(order.paths, order.files) {
      emit(
        "Would write \(TextReporter.printable(path.text)), \(file.bytes.count.inBytes)"
      )
    }
    for name in order.removed { emit("Would remove \(TextReporter.printable(name.text))") }
    if let backup = order.backup {
      emit("Would keep the old files in \(TextReporter.printable(backup.folder.text))")
    }
  }

  func backup(_ folder: FilePath) {
    emit("Backup: \(TextReporter.printable(folder.text)). To restore it:")
    emit(verbatim: "  " + advice(.undo(folder)))
  }

  func plan(_ plan: RepairPlan, isExecuted: Bool, _ aside: LostAndFound.Fate) {
    if !isExecuted { emit("Dry run; nothing is written. Plan:") }
    if let opened = subject.opened { self.plan(plan, of: opened.store, aside) }
  }

  func end(_ totals: RepairTotals, in folder: FilePath) {
    emit("")
    emit(totals.text(TextReporter.printable(folder.text)))
  }

  /// Prints how to restore the contents of an emptied store, which stays empty.
  func notRestored() {
    guard let path = subject.mainPath else { return }
    emit("It was emptied, and its former entries are not restored. To restore them:")
    emit(verbatim: "  " + advice(.restoreBeforeReset(path, isOneOfMany: namesStores)))
  }
}
