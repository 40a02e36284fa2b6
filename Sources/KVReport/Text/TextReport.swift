import KVBytes
public import KVModel
public import KVRecovery
import KVSystem
import SystemPackage

/// A report as text, for people.
public struct TextReport {
  let emit: (String) -> Void
  private let colours: Colours
  /// How many keys or findings are listed before the rest is only counted.
  private static let listLimit = 12

  /// A report that hands each line, without its line feed, to `emit`.
  public init(inColour: Bool, _ emit: @escaping (String) -> Void) {
    self.emit = emit
    colours = Colours(isOn: inColour)
  }

  /// `text` with everything escaped that a terminal could obey.
  public static func printable(_ text: String) -> String {
    DisplayText.escaped(text, limit: .max, quotes: false)
  }

  // MARK: check

  /// The diagnosis of `store`.
  public func check<S: Store>(_ store: S, _ diagnosis: Diagnosis) {
    let name = DisplayText.path(store.files.first?.path)
    guard let best = diagnosis.best else {
      emit("\(name): \(colours.verdict(diagnosis.verdict))")
      findings(diagnosis.findings, of: store, limit: .max)
      return
    }
    let count = Plural.count(best.snapshot.live.count, "entry", "entries")
    emit(
      "\(name): \(colours.verdict(diagnosis.verdict)), \(count), \(store.formatName) version "
        + "\(store.version)\(store.isEncrypted ? ", encrypted" : "")")
    if !diagnosis.findings.isEmpty {
      emit("")
      findings(diagnosis.findings, of: store, limit: TextReport.listLimit)
    }
    emit("")
    states(diagnosis.states)
    emit("")
    predictions(diagnosis.predictions, isAppAsked: store.questions.isAppAsked)
    emit("")
    coverage(diagnosis.coverage)
    if let former = diagnosis.state(.beforeReset) {
      emit("")
      emit(
        "To bring back the \(Plural.count(former.snapshot.live.count, "entry", "entries")) from "
          + "before the store was emptied: kvfsck repair \(name) --out DIR --state before-reset")
    }
    if diagnosis.verdict != .clean, best.snapshot.live.isEmpty {
      emit("")
      emit("Nothing is left in these files that a repair could keep.")
    } else if diagnosis.verdict != .clean {
      emit("")
      emit("To keep what can be kept: kvfsck repair \(name) --out DIR -y (first with --dry-run)")
    }
  }

  /// Findings, one a line, as `file:offset: severity: [code] message`.
  public func findings<S: Store>(_ findings: [Finding], of store: S, limit: Int = .max) {
    self.findings(findings, in: store.files, limit: limit)
  }

  /// What is remarkable in `files`.
  public func findings(_ findings: [Finding], in files: [StoreFile], limit: Int = .max) {
    for finding in findings.prefix(limit) { emit(line(finding, files)) }
    if findings.count > limit {
      emit("… and \(findings.count - limit) more; --json has them all")
    }
  }

  /// What becomes of an entry that is converted.
  public func note(_ loss: Loss, key: Key) {
    emit(
      "\(DisplayText.key(key)): \(colours.severity(loss.severity)): [\(loss.code)] "
        + TextReport.printable(loss.message))
  }

  /// What a file of a format without a log holds, and how it is.
  public func table(_ table: EntryTable) {
    let name = DisplayText.path(table.files.first?.path)
    let verdict: Verdict =
      table.findings.contains { $0.severity == .damage } ? .damaged : .clean
    emit(
      "\(name): \(colours.verdict(verdict)), "
        + "\(Plural.count(table.entries.count, "entry", "entries")), \(table.formatName)")
    if !table.findings.isEmpty { emit("") }
    findings(table.findings, in: table.files, limit: TextReport.listLimit)
  }

  /// The entries of a file of a format without a log.
  public func entries(_ table: EntryTable) {
    for entry in table.entries {
      emit("\(DisplayText.key(entry.key)) = \(DisplayText.value(entry.value))")
    }
  }

  private func line(_ finding: Finding, _ files: [StoreFile]) -> String {
    let role = finding.extent?.file
    let file = files.first { $0.role == role } ?? files.first
    return FindingText.line(
      finding, severity: colours.severity(finding.severity), in: file?.path)
  }

  private func states(_ states: [StoreState]) {
    var table = Columns(["state", "entries", "evidence", "log"])
    for state in states {
      table.add([
        state.name.rawValue, "\(state.snapshot.live.count)", state.weakestEvidence.rawValue,
        state.message,
      ])
    }
    for line in table.lines { emit(line) }
  }

  private func predictions(_ predictions: [EnginePrediction], isAppAsked: Bool) {
    guard let first = predictions.first else { return }
    // Where nobody is asked, the answers make no difference.
    let shown = isAppAsked && !first.load.callbacks.isEmpty ? predictions : [first]
    for prediction in shown {
      emit(EngineForecast(prediction, isAppAsked: isAppAsked).text)
      if !prediction.lostKeys.isEmpty {
        let keys = prediction.lostKeys.prefix(TextReport.listLimit)
          .map { DisplayText.key($0, limit: 30) }
        let rest = prediction.lostKeys.count - keys.count
        emit("  lost: " + keys.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : ""))
      }
      for write in prediction.load.writes { emit("  on opening it \(write)") }
    }
  }

  private func coverage(_ tally: ByteTally) {
    emit(
      "Bytes: \(tally.total) = \(tally.live) live + \(tally.superseded) superseded + "
        + "\(tally.removed) removed + \(tally.lost) lost + \(tally.slack) slack + "
        + "\(tally.structure) structure"
        + (tally.copies > 0 ? " + \(tally.copies) in other copies" : ""))
  }

  // MARK: dump

  /// The entries that a plan keeps, one a line.
  public func entries<S: Store>(_ plan: RepairPlan, of store: S, now: UInt32) {
    for entry in plan.kept {
      let cautions = entry.cautions.map(\.rawValue).joined(separator: " ")
      emit(
        line(entry.record, of: store, now: now) + mark(entry.evidence)
          + (cautions.isEmpty ? "" : " \(cautions)"))
    }
  }

  /// One event of a store's history.
  public func event<S: Store>(_ event: HistoryEvent, of store: S, now: UInt32) {
    switch event {
    case .record(let record, let state, let assessment):
      let offset = Hexadecimal.text(record.offset, digits: 6)
      emit(
        "\(offset)  \(state.rawValue.padded(to: 10))  " + line(record, of: store, now: now)
          + mark(assessment.evidence))
    case .gap(let gap):
      emit(
        "\(Hexadecimal.text(gap.extent.offset, digits: 6))  gap         "
          + "\(Plural.count(gap.extent.count, "byte", "bytes")) [\(gap.cause.code)]")
    }
  }

  private func line<S: Store>(_ record: Record, of store: S, now: UInt32) -> String {
    let key = DisplayText.key(store.key(of: record))
    guard record.operation != .remove else { return "\(key)  (removal)" }
    let readings = DisplayText.readings(of: record, in: store)
    let shown = readings.prefix(2).map { DisplayText.value($0) }
    var line = "\(key) = " + shown.joined(separator: " | ")
    if readings.count > shown.count { line += " | \(readings.count - shown.count) more" }
    if let time = store.expiry(of: record), time != 0 {
      line += "  (\(time <= now ? "expired" : "expires") \(UTCDate(Double(time)).text))"
    }
    return line
  }

  private func mark(_ evidence: Evidence) -> String {
    evidence == .checksum ? "" : "  [\(evidence.rawValue)]"
  }

  // MARK: repair

  /// What a plan answers, keeps and drops.
  public func plan<S: Store>(_ plan: RepairPlan, of store: S) {
    for decision in plan.decisions {
      emit("\(decision.question): \(decision.reason)")
      emit("  answer: \(decision.answer.rawValue)")
    }
    emit("From \(plan.state.rawValue): \(plan.origin)")
    var counts: [String] = []
    for evidence in Evidence.allCases.reversed() {
      let count = plan.kept.count { $0.evidence == evidence }
      if count > 0 { counts.append("\(count) by \(evidence.rawValue)") }
    }
    emit(
      "Keeps \(Plural.count(plan.kept.count, "entry", "entries"))"
        + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", ")))
    for caution in Caution.allCases {
      let count = plan.kept.count { $0.cautions.contains(caution) }
      if count > 0 { emit("  \(count) \(caution.rawValue)") }
    }
    if !plan.gaps.isEmpty {
      let bytes = plan.gaps.reduce(0) { $0 + $1.extent.count }
      emit(
        "Nothing could be read in \(Plural.count(plan.gaps.count, "gap", "gaps")) of "
          + "\(bytes) bytes in all")
    }
    if plan.leftOut > 0 {
      emit("Leaves out \(Plural.count(plan.leftOut, "entry", "entries")) that the files hold")
    }
    if !plan.aside.isEmpty {
      emit(
        "Sets aside "
          + Plural.count(plan.aside.count, "entry that is a guess", "entries that are guesses")
          + ", in another file; --include-guesses keeps what is set aside")
    }
    if !plan.dropped.isEmpty {
      emit("Drops \(Plural.count(plan.dropped.count, "entry", "entries")):")
      for entry in plan.dropped.prefix(TextReport.listLimit) {
        emit("  \(DisplayText.key(store.key(of: entry.record))): \(entry.reason)")
      }
      let rest = plan.dropped.count - TextReport.listLimit
      if rest > 0 { emit("  and \(rest) more") }
    }
  }

  /// The keys of `kept` that `other` does not have.
  public func keysOnly<S: Store>(in kept: RepairPlan, notIn other: RepairPlan, of store: S) {
    let others = Set(other.kept.map { store.key(of: $0.record) })
    let keys = kept.kept.map { store.key(of: $0.record) }.filter { !others.contains($0) }
    if keys.isEmpty { emit("  nothing") }
    for key in keys.prefix(4 * TextReport.listLimit) { emit("  \(DisplayText.key(key))") }
    let rest = keys.count - 4 * TextReport.listLimit
    if rest > 0 { emit("  and \(rest) more") }
  }
}

extension String {
  /// The string, filled with spaces to `count` characters.
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
