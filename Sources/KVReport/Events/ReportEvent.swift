package import KVConversion
package import KVModel
package import KVRecovery
package import SystemPackage

/// What a command found out or did: the one stream that every report is made from.
///
/// Commands compute and emit events, in the order in which things happen; a ``Reporter`` decides what
/// to print of them, where, and when. What a store has many of comes one event each, while it is read,
/// so that a dump of a large store is never in memory as a whole.
package enum ReportEvent {
  /// Work begins on the store at the path that the user gave.
  case begun(path: String)
  /// The store could not be opened.
  case failed(path: String, reason: String)
  /// The store was opened; the clock, in seconds since 1970, says which entries have expired.
  case opened(any Store, clock: UInt32)
  /// What the values of the store that was opened are likely to be.
  case typed(StoreTyping)
  /// A file of a format without a log was read.
  case read(EntryTable)

  /// What is remarkable in these files.
  case findings([Finding], in: [StoreFile])
  /// The states that the files hold evidence for.
  case states([StoreState])
  /// What the engine does at the next launch, for both answers.
  case predictions([EnginePrediction], isAppAsked: Bool)
  /// How the bytes of the files divide.
  case coverage(ByteTally)
  /// How the store compares with what was expected of it.
  case expected(ExpectationResult)

  /// An entry that a plan keeps.
  case entry(RepairPlan.KeptEntry)
  /// An entry that a plan sets aside.
  case aside(RepairPlan.KeptEntry)
  /// An entry that a plan drops.
  case dropped(RepairPlan.DroppedEntry)
  /// An entry of a format without a log.
  case typedEntry(TypedEntry)
  /// A record or a gap of the store's history.
  case history(HistoryEvent)
  /// A time that the contents name.
  case moment(TimelineMoment)
  /// The owner of every byte, with the bytes.
  case map(ByteMap)
  /// The owner of every byte, as a picture of the files.
  case overview(ByteMap)

  /// What a repair keeps, and the answers that lead to it.
  case plan(RepairPlan, isExecuted: Bool)
  /// What a repair would write.
  case order(RepairOrder)
  /// The store is clean, and its files are left as they are.
  case unchanged
  /// A file was written.
  case written(FilePath, EncodedFile)
  /// The folder that holds a backup of the files that were replaced.
  case backup(FilePath)

  /// What becomes of an entry that is converted, from one of these files.
  case note(ConversionNote)
  /// All entries were looked at, and nothing is written yet.
  case surveyed
  /// What a conversion comes to; `paths` is `nil` where nothing was written.
  case converted(Conversion.Summary, to: String, paths: [FilePath]?, exit: Int32)
  /// How two stores differ.
  case compared(Comparison, exit: Int32)

  /// What a scan reports about one of many stores.
  case scanned(StoreOutcome)
  /// What all stores of a scan come to.
  case totals(ScanTotals)

  /// The outcome for a store: its last event.
  case summary(ReportSummary)
}

/// The outcome for a store.
package struct ReportSummary: Hashable, Sendable {
  /// How the store is.
  package let verdict: Verdict
  /// How many entries it holds, or a plan keeps.
  package let entries: Int
  /// How many findings there are.
  package let findings: Int
  /// How many of the entries carry a caution.
  package let cautioned: Int
  /// How many entries can be had beyond those that the app will have.
  package let recoverable: Int
  /// Whether nothing is damaged, but the store was emptied, and what it held can be had.
  package let isEmptied: Bool
  /// The exit status of this store alone.
  package let exit: Int32

  /// The outcome of a command about a store.
  package init(
    _ verdict: Verdict, entries: Int, findings: Int, cautioned: Int = 0, recoverable: Int = 0,
    isEmptied: Bool = false, exit: Int32
  ) {
    self.verdict = verdict
    self.entries = entries
    self.findings = findings
    self.cautioned = cautioned
    self.recoverable = recoverable
    self.isEmptied = isEmptied
    self.exit = exit
  }
}

/// How a store compares with what was expected of it.
package struct ExpectationResult: Hashable, Sendable {
  /// The file with the expectations, as the user gave it.
  package let file: String
  /// Where the store is not as expected.
  package let differences: [Difference]
  /// Whether there are findings that count and that the expectations do not mention.
  package let hasUnexpectedFindings: Bool
  /// Whether the expectations mention damage, and all of them are met.
  package let isMet: Bool

  /// The result of comparing a store with `file`.
  package init(
    from file: String, _ differences: [Difference], hasUnexpectedFindings: Bool, isMet: Bool
  ) {
    self.file = file
    self.differences = differences
    self.hasUnexpectedFindings = hasUnexpectedFindings
    self.isMet = isMet
  }
}
