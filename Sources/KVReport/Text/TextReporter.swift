import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem
package import SystemPackage

/// Reports as text, for people.
package final class TextReporter: Reporter {
  /// The command that the text is for, which decides where findings appear.
  package enum Job {
    /// Findings follow the heading of their store, which is known last.
    case check
    /// Findings are not part of the output; they go to the errors, without notes.
    case dump, map
    /// Findings are not printed; nothing but the value is.
    case get
    /// The first findings are listed before the rest of the text, without notes.
    case repair, convert, compare
    /// Findings are not printed; each store has one line.
    case scan
  }

  /// The destination of lines.
  package struct Sink {
    /// Takes one or more whole lines, each with a line feed.
    let emit: ([UInt8]) -> Void
    let colors: Colors
    /// Whether the output is a terminal.
    let isTerminal: Bool
    /// The number of characters in a line; `nil` if lines are not folded.
    let width: Int?

    /// Creates a sink that passes lines to `emit`, one or several with their line feeds, and folds
    /// those longer than `width`.
    package init(
      inColor: Bool, isTerminal: Bool = true, width: Int? = nil,
      _ emit: @escaping ([UInt8]) -> Void
    ) {
      self.emit = emit
      self.isTerminal = isTerminal
      self.width = width
      colors = Colors(isOn: inColor)
    }

    /// Writes `line`, folded between words if it is too long.
    func write(_ line: String) {
      guard let width else { return write(verbatim: line) }
      FoldedText.lines(of: line, width: width).forEach(write(verbatim:))
    }

    /// Writes `line` unchanged.
    func write(verbatim line: String) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(line.utf8.count + 1)
      bytes.append(utf8Of: line)
      bytes.append(UInt8(ascii: "\n"))
      emit(bytes)
    }
  }

  /// What the reader can do next.
  ///
  /// The program that prints the text expresses it in its own commands and options.
  package enum Advice {
    /// List the findings beyond those listed.
    case listAllFindings
    /// List the notes beyond those listed.
    case listAllNotes
    /// Review and correct the types that were chosen by likelihood.
    case correctTypes
    /// State the types of values, accept the likeliest, or accept bytes.
    case decideTypes
    /// Also keep the entries that are guesses.
    case keepGuesses
    /// Write what is set aside even if the store is encrypted.
    case writeAsidePlainly
    /// Write what was set aside by repairing the backup of a store into another folder.
    case repairBackup
    /// Check the store at this path, one of many, of which a line shows too little.
    case check(FilePath)
    /// Review what a repair of the store at this path would keep.
    case planRepair(FilePath)
    /// Repair the store at this path.
    case repair(FilePath)
    /// Restore the store at this path, which may be one of many, as it was before it was emptied.
    case restoreBeforeReset(FilePath, isOneOfMany: Bool)
    /// List the entries of the store at this path, which may be one of many.
    case dump(FilePath)
    /// Write a new file with the entries of the one at this path, whose format, of this name, has no
    /// log.
    case rewrite(FilePath, format: String)
    /// Restore the replaced files from this folder.
    case undo(FilePath)
  }

  /// The most keys or findings that are listed; the rest are only counted.
  static let listLimit = 12
  /// The most notes of a kind that are listed.
  static let noteLimit = 5

  let job: Job
  private let output: Sink
  private let errors: Sink
  let values: ValueDetail
  /// Whether notes and advice are left out.
  let isBrief: Bool
  /// `false`: types concern most keys, so they have one line at the end.
  package var listsTypes: Bool { false }
  let advice: (Advice) -> String
  /// What was reported about the store that was begun last.
  private(set) var subject = Subject() { didSet { recordLines = nil } }
  /// The lines about the records of this store; `nil` before the first.
  private var recordLines: RecordLines?
  private var begunCount = 0
  /// Whether the path of each store is printed above what is reported about it.
  private(set) var namesStores = false
  /// The stores of a scan.
  private var scanned = ScanTable()
  /// The store with the hit before.
  var lastHit: FilePath?
  /// The number of notes of each kind.
  var noteCounts: [String: Int] = [:]
  /// Some of the keys whose values have an undecided type.
  var undecidedKeys: [Key] = []

  /// Creates a reporter for the command `job`, which shows as much of `values`; `advice` puts next
  /// steps into words, unless the report `isBrief`.
  package init(
    _ job: Job, to output: Sink, errors: Sink, values: ValueDetail = ValueDetail(),
    isBrief: Bool = false, advice: @escaping (Advice) -> String
  ) {
    self.job = job
    self.output = output
    self.errors = errors
    self.values = values
    self.isBrief = isBrief
    self.advice = advice
  }

  /// Takes in the next event.
  package func report(_ event: ReportEvent) {
    if !event.isRecord { finish() }
    switch event {
    case .several: namesStores = true
    case .begun(let path): begin(path.text)
    case .opened(let store, let clock): subject.opened = (store, clock)
    case .typed(let typing): subject.typing = typing
    case .read(let table, let clock): subject.table = (table, clock)
    case .findings(let findings, let files): self.findings(findings, in: files)
    case .states(let states): subject.states = states
    case .predictions(let all, let isAppAsked): subject.predictions = (all, isAppAsked)
    case .coverage(let tally): subject.coverage = tally
    case .expected(let result): subject.expectation = result
    case .entries(let entries): self.entries(entries)
    case .typedEntry(let entry): self.entry(entry)
    case .pastRecord(let record): self.past(record)
    case .history(let events): withRecordLines { $0.add(events, to: output.emit) }
    case .map(let map): if let opened = subject.opened { hexdump(map, of: opened.store) }
    case .moment(let moment): self.moment(moment)
    case .overview(let map): if let opened = subject.opened { blocks(map, of: opened.store) }
    case .plan(let plan, let isRun, let aside): self.plan(plan, isExecuted: isRun, aside)
    case .tablePlan(let plan, let isRun): self.plan(plan, isExecuted: isRun)
    case .notRestored: notRestored()
    case .order(let order): self.order(order)
    case .leftOut(let reason): emit("\(subject.name): \(reason)")
    case .written(let path, let file): written(file.bytes.count, to: path)
    case .backup(let folder): backup(folder)
    case .repaired(let totals, let folder): end(totals, in: folder)
    case .note(let note): self.note(note)
    case .surveyed: endNotes()
    case .converted(let summary, let format, let paths, _):
      converted(summary, to: format, paths)
    case .compared(let comparison, _): self.comparison(comparison)
    case .scanned(let outcome): scanned.add(outcome)
    case .totals(let totals): end(totals)
    case .summary(let summary): conclude(summary)
    default: found(event)
    }
  }

  private func written(_ byteCount: Int, to path: FilePath) {
    emit("Wrote \(TextReporter.printable(path.text)), \(byteCount.inBytes)")
  }

  /// Prints the lines about records that are left.
  package func finish() { recordLines?.finish(to: output.emit) }

  /// Returns `text` with everything escaped that a terminal could interpret.
  package static func printable(_ text: String) -> String {
    DisplayText.escaped(text, limit: .max, quotes: false)
  }

  /// Returns whether `bytes` are text in which a terminal could interpret nothing but the line feeds.
  package static func isPrintable(_ bytes: [UInt8]) -> Bool {
    guard let text = String(utf8: bytes) else { return false }
    return text.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy {
      printable(String($0)) == $0
    }
  }

  /// Prints `line`, folded if it is too long for the terminal.
  func emit(_ line: String) { output.write(line) }

  /// Prints `line` unchanged: part of a table, text to be pasted, or content of the store.
  func emit(verbatim line: String) { output.write(verbatim: line) }

  /// Prints `lines`, which have their line feeds, and empties them.
  func emit(lines: inout [UInt8]) {
    if !lines.isEmpty { output.emit(lines) }
    lines.removeAll(keepingCapacity: true)
  }

  /// Prints `table`.
  func emit(_ table: Columns) {
    for line in table.blocks(width: output.width).flatMap(\.self) { emit(verbatim: line) }
  }

  /// Prints all of `value`; on a terminal, without what it would interpret.
  private func emit(whole value: Value) {
    let text = TextReporter.text(of: value)
    guard output.isTerminal else {
      emit(verbatim: text)
      return
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      emit(verbatim: TextReporter.printable(String(line)))
    }
  }

  var colors: Colors { output.colors }

  /// The number of characters in a line; `nil` if lines are not folded.
  var width: Int? { output.width }

  private func begin(_ path: String) {
    if job == .check || namesStores, begunCount > 0 { emit("") }
    begunCount += 1
    if namesStores { emit(TextReporter.printable(path) + ":") }
    subject = Subject(path: path)
    (noteCounts, undecidedKeys) = ([:], [])
  }

  // MARK: scan

  private func end(_ totals: ScanTotals) {
    for line in scanned.lines(in: colors, width: output.width) { emit(verbatim: line) }
    if totals.storeCount > 0 { emit("") }
    for line in self.totals(totals) { emit(line) }
    let steps = isBrief ? [] : scanned.nextSteps { advice($0) }
    scanned = ScanTable()
    if !steps.isEmpty { emit("") }
    for line in steps { emit(verbatim: line) }
  }

  // MARK: Findings

  private func findings(_ findings: [Finding], in files: [StoreFile]) {
    subject.findings = findings
    subject.files = files
    let isTold = { (finding: Finding) in finding.severity > .note || finding.losesContent }
    switch job {
    case .check, .scan, .get: break
    case .dump, .map: list(findings.filter(isTold), to: errors)
    case .repair, .convert, .compare:
      list(findings.filter(isTold), to: output, limit: TextReporter.listLimit)
    }
  }

  /// Lists findings, one per line, as `file:offset: severity: [code] message`.
  private func list(_ findings: [Finding], to sink: Sink, limit: Int = .max) {
    for finding in findings.prefix(limit) {
      sink.write(
        FindingText.line(
          finding, severity: sink.colors.severity(finding.severity),
          in: subject.files.path(of: finding)))
    }
    if findings.count > limit {
      sink.write("… and \((findings.count - limit).grouped) more; \(advice(.listAllFindings))")
    }
  }

  // MARK: check

  /// What was reported about a store, until its outcome is known.
  struct Subject {
    var path = ""
    var opened: (store: any Store, clock: UInt32)?
    var typing = StoreTyping()
    var table: (found: EntryTable, clock: UInt32)?
    var files: [StoreFile] = []
    var findings: [Finding] = []
    var states: [StoreState] = []
    var predictions: (all: [EnginePrediction], isAppAsked: Bool) = ([], false)
    var coverage: ByteTally?
    var expectation: ExpectationResult?

    /// The path of the main file, in displayable form.
    var name: String { DisplayText.path(mainPath) }

    /// The path of the main file.
    var mainPath: FilePath? { (opened?.store.files ?? table?.found.files ?? []).first?.path }

    /// Whether the store came from a stream, which cannot be read again.
    var isStream: Bool {
      path == "-" || ["/dev/", "/proc/"].contains { path.hasPrefix($0) }
    }
  }

  private func conclude(_ summary: ReportSummary) {
    switch job {
    case .check: check(summary)
    case .repair where summary.verdict == .unreadable:
      // The findings were listed first.
      emit("\(subject.name): \(colors.verdict(summary.verdict))")
    default: break
    }
  }

  private func check(_ summary: ReportSummary) {
    if let expectation = subject.expectation {
      differences(expectation, of: subject.path, summary.verdict)
      if expectation.hasUnexpectedFindings { list(subject.findings, to: output) }
    } else if summary.verdict == .unreadable {
      unreadable(summary)
    } else if let (table, _) = subject.table {
      heading(summary, table.formatName)
      if !subject.findings.isEmpty { emit("") }
      list(subject.findings, to: output, limit: TextReporter.listLimit)
      if let past = summary.past, past.recordCount > 0 {
        emit("")
        emit("Former entries that can still be read: \(PastText.text(past))")
      }
      versions(of: table)
      losses(of: table)
      advice(on: table)
    } else if let store = subject.opened?.store {
      heading(
        summary,
        "\(store.formatName) version \(store.version)\(store.isEncrypted ? ", encrypted" : "")")
      diagnosis(summary)
      advice(summary)
    }
  }

  private func heading(_ summary: ReportSummary, _ format: String) {
    let entries = summary.entries.words
    let recoverable = ", \(summary.recoverable.recoverableText)"
    let hasOthersOnly = summary.entries.entries == 0 && summary.recoverable.entries > 0
    let outcome =
      summary.isEmptied
      ? "\(colors.emptied): \(entries)\(recoverable)"
      : "\(colors.verdict(summary.verdict)), \(entries)\(hasOthersOnly ? recoverable : "")"
    emit("\(subject.name): \(outcome), \(format)")
  }

  private func unreadable(_ summary: ReportSummary) {
    emit("\(subject.name): \(colors.verdict(summary.verdict))")
    list(subject.findings, to: output)
  }

  private func diagnosis(_ summary: ReportSummary) {
    if !subject.findings.isEmpty {
      emit("")
      list(subject.findings, to: output, limit: TextReporter.listLimit)
    }
    emit("")
    states(subject.states, subject.predictions.all)
    emit("")
    predictions(
      subject.predictions.all, isAppAsked: subject.predictions.isAppAsked,
      by: subject.opened?.store.questions.engine ?? "")
    emit("")
    if let tally = subject.coverage { coverage(tally) }
    if let past = summary.past, past.recordCount > 0 {
      emit("Records that are not live: " + PastText.text(past))
    }
  }

  private func advice(_ summary: ReportSummary) {
    guard !isBrief, !subject.isStream, let path = subject.mainPath else { return }
    if let emptied = subject.states.first(where: { $0.name == .beforeReset }) {
      let count = emptied.entries.words
      emit("")
      emit("To restore the \(count) from before the store was emptied:")
      emit(verbatim: "  " + advice(.restoreBeforeReset(path, isOneOfMany: false)))
    }
    guard summary.verdict != .clean else { return }
    emit("")
    guard !summary.entries.isEmpty else {
      emit("These files have no entries that a repair could keep.")
      return
    }
    if summary.entries.entries == 0 {
      emit("A repair would keep no entry: these files have only guesses, which it sets aside.")
    }
    emit("Preview the repair, then write it:")
    emit(verbatim: "  " + advice(.planRepair(path)))
    emit(verbatim: "  " + advice(.repair(path)))
  }

  private func coverage(_ tally: ByteTally) {
    emit(
      "Bytes: \(tally.total.grouped) = \(tally.live.grouped) live + \(tally.superseded.grouped) superseded + "
        + "\(tally.removed.grouped) removed + \(tally.lost.grouped) lost + \(tally.slack.grouped) slack + "
        + "\(tally.structure.grouped) structure"
        + (tally.copies > 0 ? " + \(tally.copies.grouped) in other copies" : ""))
  }

  // MARK: dump

  private func entries(_ entries: [RepairPlan.KeptEntry]) {
    guard job == .get else { return withRecordLines { $0.add(entries, to: output.emit) } }
    for entry in entries {
      if let opened = subject.opened { value(of: entry.record, in: opened.store) }
      guard let weighing = entry.weighing else { continue }
      for line in WeighingText(weighing).lines { emit(verbatim: line) }
    }
  }

  private func withRecordLines(_ body: (RecordLines) -> Void) {
    if let recordLines { return body(recordLines) }
    guard let (store, clock) = subject.opened else { return }
    let lines = RecordLines(
      TextRecordForm(
        store: store, clock: clock, typing: subject.typing, values: values, colors: colors))
    recordLines = lines
    body(lines)
  }

  /// Prints the likeliest value of `record`.
  private func value<S: Store>(of record: Record, in store: S) {
    let reading = subject.typing.readings(of: record, in: store)[0]
    emit(whole: reading.value)
    if values.isWhole { emit(values.document(of: reading, in: record, of: store)) }
  }

  private func entry(_ entry: TypedEntry) {
    if job == .get {
      emit(whole: entry.value)
      if values.isWhole { emit(values.content(entry.value)) }
      return
    }
    // Of most entries without a log, nothing more than the structure is known.
    emit(
      verbatim: "\(DisplayText.key(entry.key)) = \(DisplayText.value(entry, values))"
        + (entry.expiry == 0
          ? "" : DisplayText.expiry(at: entry.expiry, by: subject.table?.clock ?? 0))
        + (entry.origin.evidence == .guess ? colors.mark(.guess) : "")
        + colors.mark(entry.origin.cautions))
  }

  private func moment(_ moment: TimelineMoment) {
    let key = DisplayText.key(moment.key)
    var text = "\(moment.time.text.padded(to: 20))  \(key)"
    switch moment.value {
    case let value?:
      text += " = \(DisplayText.value(value))  (\(moment.time.unit.name))"
    case nil: text += "  (expires)"
    }
    guard let state = moment.state, state != .live else { return emit(verbatim: text) }
    emit(verbatim: colors.past("\(text)  [\(state.rawValue)]"))
  }
}

extension String {
  /// Returns the string, padded with spaces to `count` characters.
  func padded(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
