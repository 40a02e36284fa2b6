import ExchangeFormats
import KVConversion
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// Makes rows of ``ReportTable`` from what is reported, store after store.
final class TableReporter: Reporter {
  /// A row.
  struct Row {
    let table: ReportTable
    /// The contents of the columns, in their order.
    let cells: [SQLiteCell]
    /// The path of the store that the row is about.
    let store: String
    /// The path of the file that the row is about, if any.
    let file: String?

    /// Returns the content of the column called `name`; `nil` if there is no such column.
    subscript(name: String) -> SQLiteCell? {
      table.columns.firstIndex { $0.name == name }.map { cells[$0] }
    }
  }

  private let emit: (Row) -> Void
  /// The names of the tables whose rows are made; `nil` for all.
  private let tables: [String]?
  private let detail = ValueDetail(opening: true)
  /// The number of numbered rows in each table.
  private var counts: [String: Int64] = [:]

  private var path = ""
  private var number: Int64 = 0
  private var store: (any Store)?
  private var found: (format: String, version: Int, isEncrypted: Bool)?
  private var typing = StoreTyping() { didSet { weighed = WeighedValues() } }
  /// The values weighed so far.
  private var weighed = WeighedValues()
  private var memberships = StateMembership()
  private var files: [FileIndex: (number: Int64, path: String)] = [:]

  /// Creates a reporter that passes each row of `tables`, or of all tables, to `emit`.
  ///
  /// The rows of a store precede the row of the store itself, whose outcome is known last.
  init(_ run: ReportRun, only tables: [String]? = nil, _ emit: @escaping (Row) -> Void) {
    self.emit = emit
    self.tables = tables
    add(to: ReportTable.run, run)
    for explanation in run.explanations {
      for (title, text) in explanation.paragraphs {
        add(to: ReportTable.explanations, (explanation, title, text))
      }
    }
  }

  func report(_ event: ReportEvent) {
    switch event {
    case .begun(let path): begin(path.text)
    case .opened(let store, _):
      self.store = store
      open(store.files, (store.formatName, store.version, store.isEncrypted))
    case .read(let table, _): open(table.files, (table.formatName, 0, false))
    case .typed(let typing): self.typing = typing
    case .findings(let findings, _): for finding in findings { add(finding) }
    case .states(let states): add(states)
    case .predictions(let predictions, let isAppAsked):
      for prediction in predictions { add(prediction, isAppAsked: isAppAsked) }
    case .history(let events): for event in events { add(event) }
    case .typedEntry(let entry): add(entry)
    case .pastRecord(let record):
      if let entry = record.entry { add(entry, state: record.state.rawValue) }
    case .map(let map): add(map)
    case .scanned(let outcome): end(outcome)
    default: break
    }
  }

  private func begin(_ path: String) {
    self.path = path
    number = nextNumber(of: ReportTable.stores)
    store = nil
    found = nil
    typing = StoreTyping()
    memberships = StateMembership()
    files = [:]
  }

  private func open(
    _ files: [StoreFile], _ found: (format: String, version: Int, isEncrypted: Bool)
  ) {
    self.found = found
    for file in files {
      let row = FileRow(number: nextNumber(of: ReportTable.files), store: number, file: file)
      self.files[file.index] = (row.number, file.path.text)
      add(to: ReportTable.files, row, file.index)
    }
  }

  private func add(_ finding: Finding) {
    let index = finding.extent?.index ?? finding.file
    add(
      to: ReportTable.findings,
      FindingRow(
        number: nextNumber(of: ReportTable.findings), finding: finding,
        place: place(finding.extent, in: index)), index)
  }

  private func add(_ event: HistoryEvent) {
    switch event {
    case .record(let record, let state, let assessment):
      if let store { add(record, state.rawValue, assessment, of: store) }
    case .gap(let gap):
      add(
        to: ReportTable.gaps,
        GapRow(gap: gap, place: place(gap.extent), remains: remains(at: gap.extent)))
    }
  }

  private func add(_ states: [StoreState]) {
    memberships = store.map { StateMembership(states, of: $0) } ?? StateMembership()
    for state in states {
      add(
        to: ReportTable.states,
        StateRow(number: nextNumber(of: ReportTable.states), store: number, state: state))
    }
  }

  private func add(_ prediction: EnginePrediction, isAppAsked: Bool) {
    let row = PredictionRow(
      number: nextNumber(of: ReportTable.predictions), store: number, prediction: prediction,
      isAppAsked: isAppAsked)
    add(to: ReportTable.predictions, row)
    for key in prediction.lostKeys { add(to: ReportTable.losses, (row, key)) }
  }

  private func add(_ map: ByteMap) {
    // Records have a table of their own.
    for region in map.regions where !region.isRecord {
      let row = RegionRow(
        region: region, place: place(region.extent),
        remains: region.mayHoldRemains ? remains(at: region.extent) : nil)
      add(to: ReportTable.regions, row, region.extent.index)
    }
  }

  private func remains(at extent: Extent) -> Remains? {
    // What cannot be decrypted says nothing.
    guard let store, case .readable = store.access else { return nil }
    return Remains(at: extent, of: store)
  }

  private func end(_ outcome: StoreOutcome) {
    if let store {
      for (record, assessment) in memberships.rest {
        add(record, StateMembership.otherLog, assessment, of: store)
      }
    }
    add(
      to: ReportTable.stores, StoreRow(number: number, path: path, outcome: outcome, files: found))
    store = nil
    memberships = StateMembership()
  }

  // MARK: Records

  private func add<S: Store>(
    _ record: Record, _ state: String, _ assessment: Assessment, of store: S
  ) {
    let isPut = record.operation != .remove
    // A value may be in a file that is missing.
    let hasValue = isPut && store.reasonForNoValue(of: record) == nil
    // On a line of its own: an access while the states are read would copy them for each record.
    let states = memberships.take(record)
    if hasValue { typing.weighReported(record, in: store, &weighed) }
    let readings = hasValue ? weighed.reported(record, in: store).readings : []
    add(
      RecordRow(
        number: nextNumber(of: ReportTable.records), key: store.key(of: record),
        readings: readings, bytes: hasValue ? store.value(of: record) : nil,
        content: readings.first.flatMap { detail.document(of: $0, in: record, of: store) },
        operation: record.operation, state: state,
        states: memberships.names(states), assessment: assessment,
        expiry: isPut ? store.expiry(of: record) ?? 0 : 0, place: place(record.extent)))
  }

  private func add(
    _ entry: TypedEntry, state: String = HistoryEvent.RecordState.live.rawValue
  ) {
    let origin = entry.origin
    add(
      RecordRow(
        number: nextNumber(of: ReportTable.records), key: entry.key,
        readings: [Reading(entry.value, because: "the format stores types")], bytes: origin.raw,
        content: detail.content(entry.value),
        operation: .put, state: state, states: [],
        assessment: Assessment(origin.evidence, origin.cautions), expiry: entry.expiry,
        place: place(origin.extent)))
  }

  private func add(_ row: RecordRow) {
    add(to: ReportTable.records, row, row.place.extent?.index)
    for (index, reading) in row.readings.enumerated().dropFirst() {
      add(to: ReportTable.readings, (row.number, index + 1, reading))
    }
  }

  // MARK: Rows

  private func place(_ extent: Extent?, in index: FileIndex? = nil) -> RowPlace {
    let file = (extent?.index ?? index).flatMap { files[$0]?.number }
    return RowPlace(store: number, file: file, extent: extent)
  }

  private func nextNumber<Source>(of table: SourceTable<Source>) -> Int64 {
    counts[table.table.name, default: 0] += 1
    return counts[table.table.name, default: 0]
  }

  private func add<Source>(
    to table: SourceTable<Source>, _ source: Source, _ file: FileIndex? = nil
  ) {
    guard tables?.contains(table.table.name) ?? true else { return }
    emit(
      Row(
        table: table.table, cells: table.cells(of: source), store: path,
        file: file.flatMap { files[$0]?.path }))
  }
}

extension Region {
  /// Whether the bytes can be what is left of records.
  fileprivate var mayHoldRemains: Bool {
    switch kind {
    case .slack, .gap, .log, .unused: true
    case .field, .vector, .prefix, .file, .part: false
    }
  }

  /// Whether the region is a record, by the name that ``ByteMap`` gives it.
  fileprivate var isRecord: Bool {
    kind == .part
      && HistoryEvent.RecordState(rawValue: String(name.prefix { $0 != " " })) != nil
  }
}
