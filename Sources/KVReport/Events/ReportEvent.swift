package import KVConversion
package import KVModel
package import KVRecovery
package import SystemPackage

/// What a command found or did; every report is made from this one stream of events.
///
/// Commands emit events in the order in which things happen. A ``Reporter`` decides what to print,
/// where, and when. Records and the like come while the store is read, one by one or in small groups,
/// so a history of a large store is never in memory as a whole.
package enum ReportEvent: Sendable {
  /// Several stores follow, each with its own `begun`, from a folder or an archive that the user
  /// gave as one.
  case several
  /// Work begins on the store at the path that the user gave.
  case begun(path: ReportedPath)
  /// The store could not be opened.
  case failed(path: ReportedPath, reason: String)
  /// The store was opened.
  ///
  /// The clock, in seconds since 1970, decides which entries have expired.
  case opened(any Store, clock: UInt32)
  /// The likely types of the opened store's values.
  case typed(StoreTyping)
  /// A file of a format without a log was read; `clock` decides which entries have expired.
  case read(EntryTable, clock: UInt32)

  /// The findings about these files.
  case findings([Finding], in: [StoreFile])
  /// The states that the files support.
  case states([StoreState])
  /// The other versions of a file without a log.
  case versions([EntryVersion])
  /// The predictions of the next launch, one for each answer.
  case predictions([EnginePrediction], isAppAsked: Bool)
  /// How many bytes of the files belong to what.
  case coverage(ByteTally)
  /// How the store compares with the expectations.
  case expected(ExpectationResult)

  /// Entries that a plan keeps.
  case entries([RepairPlan.KeptEntry])
  /// An entry that a plan sets aside.
  case aside(RepairPlan.KeptEntry)
  /// An entry that a plan drops.
  case dropped(RepairPlan.DroppedEntry)
  /// An entry of a format without a log.
  case typedEntry(TypedEntry)
  /// A former entry of a format without a log.
  case pastRecord(PastRecord)
  /// The next records and gaps of the store's history.
  case history([HistoryEvent])
  /// A time in the contents.
  case moment(TimelineMoment)
  /// The owner of every byte, to be shown with the bytes.
  case map(ByteMap)
  /// The owner of every byte, to be shown as a picture of the files.
  case overview(ByteMap)

  /// What a repair keeps, the answers behind it, and what becomes of what is set aside.
  case plan(RepairPlan, isExecuted: Bool, aside: LostAndFound.Fate = .written)
  /// What the repair of a file without a log keeps.
  case tablePlan(TablePlan, isExecuted: Bool)
  /// The store was emptied, and stays empty: restoring its contents was not asked for.
  case notRestored
  /// The files that a repair would write.
  case order(RepairOrder)
  /// Nothing is written for the store, for this reason.
  case leftOut(String)
  /// A file was written.
  case written(FilePath, EncodedFile)
  /// The folder that holds a backup of the files that were replaced.
  case backup(FilePath)
  /// What became of all stores in a folder or an archive.
  case repaired(RepairTotals, in: FilePath)

  /// A note about an entry that is converted from one of these files.
  case note(ConversionNote)
  /// All entries were examined, and nothing is written yet.
  case surveyed
  /// The result of a conversion; `paths` is `nil` if nothing was written.
  case converted(Conversion.Summary, to: String, paths: [FilePath]?, exit: Int32)
  /// What became of all stores in folders or archives, of which each is converted.
  case convertedAll(ConversionTotals)
  /// What is left of former values in one of many stores; `isShown` also shows the values.
  case left(StoreResidue, in: StoreOutcome, isShown: Bool)
  /// The totals over all stores in which they were looked for.
  case residueTotals(ResidueTotals)
  /// What was overwritten in the files of a store.
  case wiped(WipeResult)
  /// How copies of a store were merged.
  case merged(MergeResult)
  /// What happened to one of many stores; how its entries differ follows.
  case storeChanged(TreeDifferences.Change, StoreOutcome)
  /// How many stores of two trees differ.
  case treesCompared(TreeDifferences)
  /// How two stores differ.
  case compared(Comparison, exit: Int32)

  /// A place in one of many stores where a search found its pattern.
  case hit(SearchHit, StoreOutcome)
  /// The totals over all stores of a search.
  case searched(SearchTotals)

  /// The result of a scan for one of many stores.
  case scanned(StoreOutcome)
  /// The totals over all stores of a scan.
  case totals(ScanTotals)

  /// The outcome for a store: its last event.
  case summary(ReportSummary)
}

/// The outcome for a store.
package struct ReportSummary: Hashable, Sendable {
  /// The verdict on the store.
  package let verdict: Verdict
  /// The number of entries that the store holds or a plan finds.
  package let entries: EntryCount
  /// The number of findings.
  package let findings: Int
  /// The number of entries with a caution.
  let cautioned: Int
  /// The number of entries that can be recovered beyond those that the app will have.
  let recoverable: EntryCount
  /// The records that are not live; `nil` for a format without a log, and if they could not be
  /// read.
  let past: PastRecords?
  /// Whether nothing is damaged, but the store was emptied and its former entries can be recovered.
  let isEmptied: Bool
  /// The exit status of this store alone.
  package let exit: Int32

  /// Creates the outcome of a command for a store.
  package init(
    _ verdict: Verdict, entries: EntryCount, findings: Int, cautioned: Int = 0,
    recoverable: EntryCount = EntryCount(), past: PastRecords? = nil, isEmptied: Bool = false,
    exit: Int32
  ) {
    self.verdict = verdict
    self.entries = entries
    self.findings = findings
    self.cautioned = cautioned
    self.recoverable = recoverable
    self.past = past
    self.isEmptied = isEmptied
    self.exit = exit
  }
}

extension ReportEvent {
  /// Whether the event is about records of a log.
  var isRecord: Bool {
    switch self {
    case .entries, .aside, .dropped, .history: true
    default: false
    }
  }
}

/// How a store compares with the expectations.
package struct ExpectationResult: Hashable, Sendable {
  /// The file with the expectations, as the user gave it.
  package let file: String
  /// The differences from the expectations.
  let differences: [Difference]
  /// Whether there are findings that count and that the expectations do not cover.
  let hasUnexpectedFindings: Bool
  /// Whether the expectations mention damage, and all of them are met.
  let isMet: Bool

  /// Creates the result of comparing a store with the expectations in `file`.
  package init(
    from file: String, _ differences: [Difference], hasUnexpectedFindings: Bool, isMet: Bool
  ) {
    self.file = file
    self.differences = differences
    self.hasUnexpectedFindings = hasUnexpectedFindings
    self.isMet = isMet
  }
}
