import ExchangeFormats
import KVBytes
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
  /// The number of numbered rows in each table.
  private var counts: [String: Int64] = [:]

  private var path = ""
  private var number: Int64 = 0
  private var line: StoreLine?
  private var store: (any Store)?
  private var typing = StoreTyping() { didSet { weighed = WeighedValues() } }
  /// The values weighed so far.
  private var weighed = WeighedValues()
  private var memberships = StateMembership()
  private var files: [FileIndex: (number: Int64, path: String)] = [:]

  /// Creates a reporter that passes each row to `emit`.
  ///
  /// The rows of a store precede the row of the store itself, whose outcome is known last.
  init(_ run: ReportRun, _ emit: @escaping (Row) -> Void) {
    self.emit = emit
    add(
      .run,
      [.text(run.version), .text(run.arguments.joined(separator: " "))]
        + cells(Value.date(Double(run.start)).time).dropLast())
    for explanation in run.explanations {
      for (title, text) in explanation.paragraphs {
        add(
          .explanations,
          [.text(explanation.name), .text(explanation.kind), .text(title), .text(text)])
      }
    }
  }

  func report(_ event: ReportEvent) {
    switch event {
    case .begun(let path): begin(path)
    case .opened(let store, _): open(StoreLine(store), store.files, store)
    case .read(let table): open(StoreLine(table), table.files)
    case .typed(let typing): self.typing = typing
    case .findings(let findings, let files): for finding in findings { add(finding, files) }
    case .states(let states): add(states)
    case .predictions(let predictions, let isAppAsked):
      for prediction in predictions {
        add(PredictionLine(prediction, isAppAsked: isAppAsked), losing: prediction.lostKeys)
      }
    case .history(.record(let record, let state, let assessment)):
      if let store { add(record, state.rawValue, assessment, of: store) }
    case .history(.gap(let gap)):
      add(.gaps, place(gap.extent) + [.text(gap.cause.code)] + remains(at: gap.extent))
    case .typedEntry(let entry): add(entry)
    case .map(let map): add(map)
    case .scanned(let outcome): end(outcome)
    default: break
    }
  }

  private func begin(_ path: String) {
    self.path = path
    number = nextNumber(of: .stores)
    line = nil
    store = nil
    typing = StoreTyping()
    memberships = StateMembership()
    files = [:]
  }

  private func open(_ line: StoreLine, _ files: [StoreFile], _ store: (any Store)? = nil) {
    self.line = line
    self.store = store
    for (file, described) in zip(files, line.files) {
      let number = nextNumber(of: .files)
      self.files[file.index] = (number, described.path)
      add(
        .files,
        [
          .integer(number), .integer(self.number), .text(described.file), .text(described.path),
          .blob(Array(file.path.shownBytes)), .integer(Int64(described.size)),
          .init(described.sha256),
        ], file.index)
    }
  }

  private func add(_ finding: Finding, _ files: [StoreFile]) {
    let index = finding.extent?.index ?? finding.file
    add(
      .findings,
      [.integer(nextNumber(of: .findings))] + place(finding.extent, in: index) + [
        .text(finding.severity.rawValue), .text(finding.code), .text(finding.message),
        .init(words: finding.rules.map(\.text)), .init(finding.odds?.bits),
      ], index)
  }

  private func add(_ states: [StoreState]) {
    memberships = store.map { StateMembership(states, of: $0) } ?? StateMembership()
    for state in states.map(StateLine.init) {
      add(
        .states,
        [
          .integer(nextNumber(of: .states)), .integer(number), .text(state.name),
          .init(state.entries), .init(state.guesses ?? 0), .text(state.evidence),
          .text(state.message),
          .init(words: state.rules),
        ])
    }
  }

  private func add(_ prediction: PredictionLine, losing keys: [Key]) {
    let row = nextNumber(of: .predictions)
    add(
      .predictions,
      [
        .integer(row), .integer(number), .text(prediction.strategy),
        .init(words: prediction.callbacks), .text(prediction.outcome), .init(prediction.keys),
        .init(prediction.lost), .init(prediction.lostGuesses ?? 0), .text(prediction.message),
      ])
    for key in keys {
      add(.losses, [.integer(row), .integer(number), .init(key.text), .blob(key.bytes)])
    }
  }

  private func add(_ map: ByteMap) {
    // Records have a table of their own.
    for region in map.regions where !region.isRecord {
      add(
        .regions,
        place(region.extent) + [.text(region.name), .text(region.meaning)]
          + remains(at: region.mayHoldRemains ? region.extent : nil),
        region.extent.index)
    }
  }

  /// Returns the bytes at `extent`, their text, and the number of bytes that are left out.
  private func remains(at extent: Extent?) -> [SQLiteCell] {
    // What cannot be decrypted says nothing.
    guard let extent, let store, case .readable = store.access,
      let remains = Remains(at: extent, of: store)
    else { return [.null, .null, .null] }
    let text = remains.text
    return [
      .blob(remains.bytes), .init(text.isEmpty ? nil : text),
      .init(remains.leftOutCount == 0 ? nil : remains.leftOutCount),
    ]
  }

  private func end(_ outcome: StoreOutcome) {
    if let store {
      for (record, assessment) in memberships.rest {
        add(record, StateMembership.otherLog, assessment, of: store)
      }
    }
    let isRead = outcome.verdict != nil
    var row: [SQLiteCell] = [
      .integer(number), .text(path), .blob(Array(outcome.path.shownBytes)),
      .init(line?.format ?? outcome.formatName), .init(line?.version),
      .init(line.map { $0.encrypted ? 1 : 0 }), .init(outcome.verdict?.rawValue),
      .init(outcome.isEmptied ? "emptied" : outcome.verdict?.rawValue),
    ]
    for count in [isRead ? outcome.entries : nil, outcome.lost, isRead ? outcome.recoverable : nil]
    {
      row += [.init(count?.entries), .init(count?.guesses)]
    }
    let past = outcome.past
    row += [
      .init(past?.superseded), .init(past?.removed), .init(past?.residual),
      .init(past?.residualBytes), .init(outcome.error),
    ]
    add(.stores, row)
    store = nil
    memberships = StateMembership()
  }

  // MARK: Records

  private func add<S: Store>(
    _ record: Record, _ state: String, _ assessment: Assessment, of store: S
  ) {
    let isPut = record.operation != .remove
    // A value may be in a file that is missing.
    let hasValue = isPut && store.obstacle(to: record, scan: .plain) == nil
    // On a line of its own: an access while the states are read would copy them for each record.
    let states = memberships.take(record)
    addRecord(
      store.key(of: record), hasValue ? typing.reported(record, in: store, &weighed).readings : [],
      bytes: hasValue ? store.value(of: record) : nil,
      [
        .text(record.operation.name), .text(state),
        .init(words: memberships.names(states)),
      ], assessment, expiry: isPut ? store.expiry(of: record) ?? 0 : 0, record.extent)
  }

  private func add(_ entry: TypedEntry) {
    addRecord(
      entry.key, [Reading(entry.value, because: "the format stores types")],
      bytes: entry.origin.raw,
      [.text("put"), .text(HistoryEvent.RecordState.live.rawValue), .null],
      Assessment(entry.origin.evidence, entry.origin.cautions), expiry: entry.expiry,
      entry.origin.extent)
  }

  private func addRecord(
    _ key: Key, _ readings: [Reading], bytes: [UInt8]?, _ fate: [SQLiteCell],
    _ assessment: Assessment, expiry: UInt32, _ extent: Extent?
  ) {
    let record = nextNumber(of: .records)
    let best = readings.first
    var row: [SQLiteCell] = [.integer(record)]
    row += cells(best?.value.time) + [.init(key.text), .blob(key.bytes)] + cells(best)
    let others = StoreTyping.otherKinds(in: readings, than: Array(readings.prefix(1)))
    row += [.init(words: others.map(\.rawValue)), bytes.map { .blob($0) } ?? .null]
    row +=
      fate + [
        .text(assessment.soundness), .text(assessment.evidence.rawValue),
        assessment.probability.map { .real($0.value) } ?? .null,
        .init(words: assessment.cautions.map(\.rawValue)),
        .init(words: assessment.rules.map(\.text)),
      ]
    row += cells(expiry == 0 ? nil : Value.date(Double(expiry)).time).dropLast()
    let place = place(extent)
    add(.records, row + place[2...] + place[..<2], extent?.index)
    for (index, reading) in readings.enumerated().dropFirst() {
      add(
        .readings,
        [.integer(record), .init(index + 1)] + cells(reading) + cells(reading.value.time))
    }
  }

  // MARK: Cells

  /// Returns type, value, count and reason.
  private func cells(_ reading: Reading?) -> [SQLiteCell] {
    guard let reading else { return [.null, .null, .null, .null] }
    return [
      .text(reading.value.kind.rawValue), SQLiteCell(reading.value), .init(reading.count),
      .text(reading.reason),
    ]
  }

  /// Returns a time in seconds, as text, and its unit.
  private func cells(_ time: CountedTime?) -> [SQLiteCell] {
    guard let time else { return [.null, .null, .null] }
    let seconds = Int64(exactly: time.seconds).map { SQLiteCell.integer($0) } ?? .real(time.seconds)
    return [time.seconds.isNaN ? .null : seconds, .text(time.text), .text(time.unit.name)]
  }

  /// Returns store, file, offset and length.
  private func place(_ extent: Extent?, in index: FileIndex? = nil) -> [SQLiteCell] {
    let file = (extent?.index ?? index).flatMap { files[$0] }
    return [
      .integer(number), file.map { .integer($0.number) } ?? .null, .init(extent?.offset),
      .init(extent?.count),
    ]
  }

  private func nextNumber(of table: ReportTable) -> Int64 {
    counts[table.name, default: 0] += 1
    return counts[table.name, default: 0]
  }

  private func add(_ table: ReportTable, _ cells: [SQLiteCell], _ file: FileIndex? = nil) {
    emit(Row(table: table, cells: cells, store: path, file: file.flatMap { files[$0]?.path }))
  }
}

extension Assessment {
  /// The content of the column `soundness`, derived from evidence and cautions.
  fileprivate var soundness: String {
    if cautions.contains(.mayBeDamaged) { return "may-be-damaged" }
    return evidence >= .corrected && cautions.isEmpty ? "sound" : "unverified"
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

extension SQLiteCell {
  /// The cell in a table of texts; bytes are in hexadecimal.
  var plainText: String? {
    switch self {
    case .null: nil
    case .integer(let number): "\(number)"
    case .real(let number): number.digits
    case .text(let text): text
    case .blob(let bytes), .malformedText(let bytes): Hexadecimal.text(bytes)
    }
  }

  fileprivate init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  fileprivate init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

  /// Creates a cell with names separated by spaces, or NULL if there are none.
  fileprivate init(words: [String]) {
    self = words.isEmpty ? .null : .text(words.joined(separator: " "))
  }

  /// Creates the cell for `value`: a number, a text or bytes if SQLite has such a type, otherwise
  /// JSON.
  fileprivate init(_ value: Value) {
    switch value {
    case .bool(let bool): self = .integer(bool ? 1 : 0)
    case .int32(let number): self = .integer(Int64(number))
    case .uint32(let number): self = .integer(Int64(number))
    case .int64(let number): self = .integer(number)
    case .uint64(let number):
      self = Int64(exactly: number).map { .integer($0) } ?? .text(String(number))
    case .float(let number): self.init(Double(number))
    case .double(let number), .date(let number): self.init(number)
    case .string(let text), .json(let text): self = .text(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      self = .blob(bytes)
    case .null: self = .null
    case .list, .set, .array, .dictionary: self = .text(TextReporter.text(of: value))
    }
  }

  /// Creates the cell for a number.
  ///
  /// SQLite stores NaN as NULL, and few programs read its infinities, so these are texts.
  private init(_ number: Double) {
    self =
      number.isFinite
      ? .real(number) : .text(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
  }
}
