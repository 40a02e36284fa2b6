import ArgumentParser
import ExchangeFormats
import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem

/// `kvfsck dump`: prints the contents of a store.
struct Dump: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print the live entries, or with --history every record.",
    discussion: """
      For a damaged store, prints what `repair -y` would keep, plus less likely entries, unless other \
      choices are given. MMKV stores no types: dump prints the likeliest value and the other types that fit \
      its bytes. Findings go to stderr. Of a folder or an archive with several stores, lists the stores. Exit status: 0 clean, 4 damaged, 8 unreadable.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var answers: AnswerFlags
  @OptionGroup(title: "Options for Damaged Stores") var choices: ChoiceOptions

  @Flag(
    help:
      """
      Print every record in file order, including overwritten and removed ones and those after the end of the log; of a \
      database, its entries and the former ones that can still be read.
      """
  )
  var history = false

  @Flag(
    help: """
      Print the times found in values and expiry fields, earliest first, including those of overwritten and \
      removed entries. A number counts as a time if its size fits.
      """)
  var timeline = false

  @Option(
    help: ArgumentHelp(
      "Leave out entries that are less likely to be right.", valueName: "probability"),
    transform: ConfidenceOptions.parse)
  var minConfidence: Probability?

  @Flag(help: "Print what the probability of each entry results from.")
  var why = false

  @OptionGroup var readings: ReadingOptions
  @OptionGroup var typing: TypeOptions
  @OptionGroup var redacting: RedactionOptions

  @Flag(help: "Print long values in full, and the content of documents in them at any depth.")
  var full = false

  @Flag(help: "Print the objects of a keyed archive as the file has them, without resolving them.")
  var objects = false

  @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
  var store: String

  /// Creates the command for the parser.
  init() {}

  /// Creates a dump of `store` without options.
  init(of store: String) {
    options = .unset
    answers = .unset
    choices = .unset
    history = false
    timeline = false
    minConfidence = nil
    why = false
    readings = .unset
    typing = .unset
    redacting = .unset
    full = false
    objects = false
    self.store = store
  }

  func validate() throws {
    try options.validate(stores: [store])
    try choices.validate(with: answers)
    if history, timeline { throw ValidationError("Give either --history or --timeline.") }
    if minConfidence != nil || why, history || timeline || choices.likeEngine {
      throw ValidationError(
        "--min-confidence and --why are about live entries; omit --history, --timeline and --like-engine."
      )
    }
    if timeline, redacting.isAsked {
      throw ValidationError("--timeline prints times out of values; omit --redact.")
    }
    if choices.dropExpired, history || timeline {
      throw ValidationError(
        "--drop-expired leaves out live entries; --history and --timeline list all records.")
    }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(
      options, .dump,
      values: ValueDetail(readings: readings.readings, isWhole: full, opening: full),
      redaction: redacting.redaction)
    let (schema, failure) = typing.schema(report)
    guard let schema else { throw report.end(failure) }
    let status = StoreOpening.open(
      store, options, report,
      table: { table in
        // Without a log, the history is that of the entries.
        if let option = choices.optionAboutLog {
          return StoreOpening.refuse(option, store, table, report)
        }
        let table = choices.kept(table, now: options.clock)
        let resolved = objects ? nil : ArchivedEntries.resolved(table)
        typing.noteUnmatched(schema, in: [.table(resolved ?? table)])
        if history, table.past == nil { Output.note(Self.noHistory(of: table)) }
        if resolved != nil {
          Output.note(
            "the file is a keyed archive; --objects prints its objects as the file has them")
        }
        return dump(resolved ?? table, report)
      }, listed: { listStores(in: store, for: "dump", report) },
      // The engine would do the same with any bytes.
      unknown: { choices.likeEngine ? dump($0.open(), schema, report) : nil },
      { found in dump(found.open(), schema, report) })
    throw report.end(status)
  }

  private func dump(
    _ opened: some Store, _ schema: TypeSchema, _ report: Reports
  ) -> ExitStatus {
    let store = choices.likeEngine ? opened.asFound.judged() : opened.corrected()
    let now = options.clock
    if report.redaction == nil { begin(store, report) }
    let diagnosis = Diagnosis(of: store, now: now)
    var status = diagnosis.verdict.exitStatus
    var planner = choices.planner(now: now, answers, otherwise: .recover)
    planner.leastProbability = minConfidence
    planner.keepsSoundStates = false
    planner.explainsProbabilities = why
    let plan = planner.plan(store, given: diagnosis)
    if plan == nil, diagnosis.verdict != .unreadable, let state = choices.state {
      StoreOpening.complain(StoreOpening.lacking(state, self.store))
      status.formUnion(.failed)
    }
    let state =
      history || timeline ? historyState(diagnosis) : plan.flatMap { diagnosis.state($0.state) }
    let judge = StoreTyping(of: store, by: state ?? diagnosis.best, schema: schema)
    if report.redaction != nil {
      begin(report.shown(store, by: judge, in: state ?? diagnosis.best), report)
    }
    report(.typed(judge))
    if let plan { typing.noteUnmatched(schema, in: [.store(store, diagnosis, plan)]) }
    if timeline, let state {
      WorkProgress.forEach(of: Timeline(of: store, by: state, judge).moments, .entries) {
        report(.moment($0))
      }
    } else if history, let state {
      History(of: store, by: state).forEachGroup { report(.history($0)) }
    } else if let plan {
      report(.entries(plan.kept))
      for entry in plan.dropped { report(.dropped(entry)) }
    }
    report(.findings(diagnosis.findings, in: store.files))
    report(.summary(ReportSummary(diagnosis, plan, exit: status)))
    return status
  }

  /// Prints the line of `store`; a reader that wants only that need not wait for the rest.
  private func begin(_ store: any Store, _ report: Reports) {
    report(.opened(store, clock: options.clock))
    report.output.flush()
  }

  private func dump(_ read: EntryTable, _ report: Reports) -> ExitStatus {
    let table = report.shown(read)
    let found = TableStatus(of: table)
    let status = found.verdict.exitStatus
    report(.read(table, clock: options.clock))
    let past = history ? table.past?() : nil
    if timeline {
      for moment in Timeline(of: table.entries).moments { report(.moment(moment)) }
    } else {
      WorkProgress.forEach(of: table.entries, .entries) { report(.typedEntry($0)) }
      for record in past ?? [] { report(.pastRecord(record)) }
    }
    report(.findings(read.findings, in: read.files))
    report(.summary(found.summary(status, past: past)))
    return status
  }

  /// Returns the note that a format without a log has no history of its own.
  private static func noHistory(of table: EntryTable) -> String {
    "\(table.formatName) keeps no history, so these are its entries"
  }

  private func historyState(_ diagnosis: Diagnosis) -> StoreState? {
    choices.state.flatMap { diagnosis.state($0) } ?? diagnosis.best
  }
}
