import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

// The tables of a report, with the sources of their rows.

/// The place of what a row is about.
struct RowPlace {
  /// The numbers of the store and of the file.
  let store: Int64
  let file: Int64?
  let extent: Extent?
}

/// The source of a row about a part of a file.
protocol PlacedRow: SendableMetatype {
  var place: RowPlace { get }
}

extension SourceColumn where Source: PlacedRow {
  fileprivate static var store: Self { .row("store", of: "stores", "the store") { $0.place.store } }
  fileprivate static var file: Self {
    .row("file", of: "files", "the file; NULL if unknown") { $0.place.file }
  }
  fileprivate static var offset: Self {
    .integer("offset", "the offset of the first byte in the file") { $0.place.extent?.offset }
  }
  fileprivate static var length: Self {
    .integer("length", "the length in bytes") { $0.place.extent?.count }
  }
}

/// The source of a row about bytes that belong to no record.
protocol RemainsRow: PlacedRow {
  var remains: Remains? { get }
}

extension SourceColumn where Source: RemainsRow {
  fileprivate static var remains: [Self] {
    [
      .bytes(
        "bytes",
        "the bytes that no record has, decrypted, up to the last that is not zero; NULL if there are none"
      ) { $0.remains?.bytes },
      .text("text", "the text among them; a period stands for anything else") {
        $0.remains.flatMap { $0.text.isEmpty ? nil : $0.text }
      },
      .integer("left_out", "number of further bytes that `bytes` leaves out; NULL for none") {
        $0.remains.flatMap { $0.leftOutCount == 0 ? nil : $0.leftOutCount }
      },
    ]
  }
}

struct StoreRow {
  let number: Int64
  let path: String
  let outcome: StoreOutcome
  /// What its files say; `nil` if they could not be read.
  let files: (format: String, version: Int, isEncrypted: Bool)?

  /// The counts of the outcome; `nil` if nothing could be read.
  var read: StoreOutcome? { outcome.verdict == nil ? nil : outcome }
}

struct FileRow {
  let number: Int64
  let store: Int64
  let file: StoreFile
}

struct FindingRow: PlacedRow {
  let number: Int64
  let finding: Finding
  let place: RowPlace
}

struct StateRow {
  let number: Int64
  let store: Int64
  let state: StoreState
}

struct PredictionRow {
  let number: Int64
  let store: Int64
  let prediction: EnginePrediction
  let isAppAsked: Bool
}

struct RecordRow: PlacedRow {
  let number: Int64
  let key: Key
  /// The readings of the value, the likeliest first; empty if there is no value.
  let readings: [Reading]
  let bytes: [UInt8]?
  /// The content of a value that is a document.
  let content: ValueContent?
  let operation: Record.Operation
  let state: String
  /// The names of the states in which the record is live.
  let states: [String]
  let assessment: Assessment
  /// When the entry expires, in seconds since 1970; 0 for never.
  let expiry: UInt32
  let place: RowPlace

  var time: CountedTime? { readings.first?.value.time }
  var expiryTime: CountedTime? { expiry == 0 ? nil : Value.date(Double(expiry)).time }
}

struct GapRow: RemainsRow {
  let gap: Gap
  let place: RowPlace
  let remains: Remains?
}

struct RegionRow: RemainsRow {
  let region: Region
  let place: RowPlace
  let remains: Remains?
}

extension ReportTable {
  /// All tables, each after those that it refers to.
  package static let all: [ReportTable] = [
    run.table, explanations.table, stores.table, files.table, findings.table, states.table,
    predictions.table, losses.table, records.table, readings.table, gaps.table, regions.table,
  ]

  static let run = SourceTable<ReportRun>(
    "run", "the run of kvfsck that wrote this report",
    [
      .text("version", "the version of kvfsck") { $0.version },
      .text("command", "its command line, without keys") { $0.arguments.joined(separator: " ") },
      .unix("start_unix", "when the run started") { $0.startTime },
      .iso8601("start_iso8601") { $0.startTime },
    ])

  static let explanations = SourceTable<
    (explanation: ReportRun.Explanation, title: String, text: String)
  >(
    "explanations", "the meaning of a code, a rule or a state",
    [
      .text("name", "the name, as used in the other tables") { $0.explanation.name },
      .text("kind", "the kind of thing named") { $0.explanation.kind },
      .text("title", "the title of the text; empty if none") { $0.title },
      .text("text", "the text") { $0.text },
    ])

  static let stores = SourceTable<StoreRow>(
    "stores", "a store, or a path that could not be read",
    [
      .id { $0.number },
      .text("path", "the file that names the store; `\\xNN` for a byte that is not UTF-8") {
        $0.path
      },
      .bytes("path_bytes", "the bytes of the path") { Array($0.outcome.path.shownBytes) },
      .text("app", "the app that it belongs to; NULL if nothing tells it") { $0.outcome.app },
      .text("format", "the format; NULL if it could not be read") {
        $0.files?.format ?? $0.outcome.formatName
      },
      .integer("version", "the version stated in its files") { $0.files?.version },
      .integer("is_encrypted", "1 if the store is encrypted, else 0") {
        $0.files.map { $0.isEncrypted ? 1 : 0 }
      },
      .text("verdict", "`clean`, `repairable`, `damaged` or `unreadable`") {
        $0.outcome.verdict?.rawValue
      },
      .text(
        "condition",
        "the verdict, or `emptied` for a clean store that was emptied and has recoverable entries"
      ) { $0.outcome.isEmptied ? "emptied" : $0.outcome.verdict?.rawValue },
      .integer("entries", "number of entries in the best state, without guesses") {
        $0.read?.entries.entries
      },
      .integer("guesses", "number of guesses in that state") { $0.read?.entries.guesses },
      .integer("lost", "entries that the app will lose at its next launch") {
        $0.outcome.lost?.entries
      },
      .integer("lost_guesses", "guesses that it will lose in addition") {
        $0.outcome.lost?.guesses
      },
      .integer("recoverable", "recoverable entries that the app would lose or has lost") {
        $0.read?.recoverable.entries
      },
      .integer("recoverable_guesses", "guesses that it would lose or has lost in addition") {
        $0.read?.recoverable.guesses
      },
      .integer("superseded", "records whose key was set again later") {
        $0.outcome.past?.superseded
      },
      .integer("removed", "records whose key was removed later, and removals") {
        $0.outcome.past?.removed
      },
      .integer("residual", "records outside the log; NULL if they were not counted") {
        $0.outcome.past?.residual
      },
      .integer("residual_bytes", "bytes outside the log up to the last that is not zero") {
        $0.outcome.past?.residualBytes
      },
      .text("error", "why it could not be read") { $0.outcome.error },
    ])

  static let files = SourceTable<FileRow>(
    "files", "a file of a store",
    [
      .id { $0.number },
      .row("store", of: "stores", "the store") { $0.store },
      .text("role", "the role of the file: `data`, `meta`, …") { $0.file.roleName },
      .text("path", "its path; `\\xNN` for a byte that is not UTF-8") { $0.file.path.text },
      .bytes("path_bytes", "the bytes of the path") { Array($0.file.path.shownBytes) },
      .integer("size", "the size in bytes") { $0.file.foundImage.count },
      .text("sha256", "the SHA-256 of the file, in builds that have it") { $0.file.sha256 },
    ])

  static let findings = SourceTable<FindingRow>(
    "findings", "findings about a store",
    [
      .id { $0.number },
      .store, .file, .offset, .length,
      .text("severity", "`damage`, `warning` or `note`") { $0.finding.severity.rawValue },
      .text("code", "the finding code; see the table `explanations`") { $0.finding.code },
      .text("message", "what was found") { $0.finding.message },
      .words("rules", "the rules it follows from") { $0.finding.rules.map(\.text) },
      .integer("odds_bits", "coincidence odds of a correction: 1 in 2 to this power") {
        $0.finding.odds?.bits
      },
    ])

  static let states = SourceTable<StateRow>(
    "states", "a recoverable state of a store",
    [
      .id { $0.number },
      .row("store", of: "stores", "the store") { $0.store },
      .text("name", "the name of the state") { $0.state.name.rawValue },
      .integer("entries", "number of entries, without guesses") { $0.state.entries.entries },
      .integer("guesses", "number of guesses") { $0.state.entries.guesses },
      .text("evidence", "the weakest evidence among them") { $0.state.weakestEvidence.rawValue },
      .text("message", "the source of the state") { $0.state.message },
      .words("rules", "the rules it follows from") { $0.state.rules.map(\.text) },
    ])

  static let predictions = SourceTable<PredictionRow>(
    "predictions", "what the app's engine will do at its next launch, for each answer of the app",
    [
      .id { $0.number },
      .row("store", of: "stores", "the store") { $0.store },
      .text("answer", "the app's answer when the engine asks") { $0.prediction.answer.rawValue },
      .words("callbacks", "the app's handlers that the engine calls") {
        $0.prediction.load.callbacks
      },
      .text("outcome", "what the engine does with the log") {
        $0.prediction.load.outcome.rawValue
      },
      .integer("keys", "number of keys the app then has") { $0.prediction.keyCount },
      .integer("lost", "number of keys it loses, including those of guesses") {
        $0.prediction.lostKeys.count
      },
      .integer("lost_guesses", "number of those of guesses") { $0.prediction.lost.guesses },
      .text("message", "the same in words") {
        EngineForecast($0.prediction, isAppAsked: $0.isAppAsked).text
      },
    ])

  static let losses = SourceTable<(prediction: PredictionRow, key: Key)>(
    "losses", "a key that the app's engine will lose at its next launch",
    [
      .row("prediction", of: "predictions", "the prediction it belongs to") {
        $0.prediction.number
      },
      .row("store", of: "stores", "the store") { $0.prediction.store },
      .text("key", "the key; NULL if its bytes are not text") { $0.key.text },
      .bytes("key_bytes", "the bytes of the key") { $0.key.bytes },
    ])

  static let records = SourceTable<RecordRow>(
    "records", "a record of a store's history, or an entry of a format without a log",
    [
      .id("its number; in file order within a store") { $0.number },
      .unix("time_unix", "the time in the value, or the time that a number probably means") {
        $0.time
      },
      .iso8601("time_iso8601", "the same as ISO 8601, with all digits of the value") { $0.time },
      .text("time_unit", "the unit and epoch of the number") { $0.time?.unit.name },
      .text("key", "the key; NULL if its bytes are not text") { $0.key.text },
      .bytes("key_bytes", "the bytes of the key") { $0.key.bytes },
      .text(
        "type", "the likeliest type of the value; NULL for a removal, or if the value is missing"
      ) { $0.readings.first?.value.kind.rawValue },
      .value("value", "the value with that type; lists as JSON, a date in seconds since 1970") {
        $0.readings.first?.value
      },
      .integer("value_count", "full length, if `value` is shortened") {
        $0.readings.first?.count
      },
      .text("type_reason", "reason for the type") { $0.readings.first?.reason },
      .words("other_types", "other types that fit the bytes; see the table `readings`") {
        StoreTyping.otherKinds(in: $0.readings, than: Array($0.readings.prefix(1)))
          .map(\.rawValue)
      },
      .text(
        "content",
        "the content of a value that is a document, at any depth, as JSON; NULL for others"
      ) { $0.content.map { content in JSONLine.text { $0.document(content) } } },
      .bytes("value_bytes", "the bytes of the value, as the record stores them") { $0.bytes },
      .text("operation", "`put` or `remove`") { $0.operation.name },
      .text("state", "`live`, `superseded`, `removed`, `slack`, or `other log`") { $0.state },
      .words("in_states", "the states of the store in which it is live") { $0.states },
      .text(
        "soundness",
        "`sound`: a checksum matches; `may-be-damaged`: it does not, or is lost; `unverified`"
      ) { $0.assessment.soundness },
      .text("evidence", "`checksum`, `corrected`, `structure` or `guess`") {
        $0.assessment.evidence.rawValue
      },
      .real(
        "probability", "the probability that a live entry is right; NULL for other records"
      ) { $0.assessment.probability?.value },
      .words("cautions", "possible faults that no checksum rules out") {
        $0.assessment.cautions.map(\.rawValue)
      },
      .words("rules", "the rules behind the evidence and the cautions") {
        $0.assessment.rules.map(\.text)
      },
      .unix("expires_unix", "when the entry expires; NULL for never") { $0.expiryTime },
      .iso8601("expires_iso8601") { $0.expiryTime },
      .offset, .length, .store, .file,
    ])

  static let readings = SourceTable<(record: Int64, ordinal: Int, reading: Reading)>(
    "readings", "another type that fits the bytes of a value",
    [
      .row("record", of: "records", "the record") { $0.record },
      .integer("ordinal", "rank; 2 is the likeliest after the one in `records`") { $0.ordinal },
      .text("type", "the type") { $0.reading.value.kind.rawValue },
      .value("value", "the value with that type; long values are shortened") {
        $0.reading.value
      },
      .integer("value_count", "full length, if `value` is shortened") { $0.reading.count },
      .text("type_reason", "reason for the type") { $0.reading.reason },
      .unix("time_unix", "the time that the value would mean") { $0.reading.value.time },
      .iso8601("time_iso8601") { $0.reading.value.time },
      .text("time_unit", "the unit and epoch of the number") { $0.reading.value.time?.unit.name },
    ])

  static let gaps = SourceTable<GapRow>(
    "gaps", "bytes of a log in which no record could be read",
    [
      .store, .file, .offset, .length,
      .text("cause", "the finding code of the cause") { $0.gap.cause.code },
    ] + SourceColumn.remains)

  static let regions = SourceTable<RegionRow>(
    "regions",
    "bytes of a file outside records; together with the records, they cover every byte if the format has a log, "
      + "with one region for the log of another copy",
    [
      .store, .file, .offset, .length,
      .text("owner", "the kind of region") { $0.region.name },
      .text("meaning", "the content in words") { $0.region.meaning },
    ] + SourceColumn.remains)
}

extension ReportRun {
  fileprivate var startTime: CountedTime? { Value.date(Double(start)).time }
}

extension Assessment {
  /// The content of the column `soundness`, derived from evidence and cautions.
  fileprivate var soundness: String {
    if cautions.contains(.mayBeDamaged) { return "may-be-damaged" }
    return evidence >= .corrected && cautions.isEmpty ? "sound" : "unverified"
  }
}
