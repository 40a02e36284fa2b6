import KVModel

/// A table of a report; every form with rows takes its columns from here.
package struct ReportTable: Sendable {
  /// The content of a column.
  enum Content: Sendable, Equatable {
    /// The number of the row.
    case id
    /// The number of a row of the table with this name.
    case row(of: String)
    case integer, real, text, bytes
    /// A number, a text or bytes, depending on the column with the type.
    case value
    /// A time in seconds since 1970; the next column has the same time in ISO 8601.
    case time
  }

  /// A column of a table.
  package struct Column: Sendable {
    /// The name of the column.
    package let name: String
    /// The content of the column.
    let content: Content
    /// The meaning of the column, for people to read.
    let meaning: String
  }

  /// The name of the table.
  package let name: String
  /// What a row is, for people to read.
  package let meaning: String
  /// The columns.
  package let columns: [Column]

  private init(_ name: String, _ meaning: String, _ columns: [(String, Content, String)]) {
    self.name = name
    self.meaning = meaning
    self.columns = columns.map { Column(name: $0, content: $1, meaning: $2) }
  }
}

extension ReportTable {
  /// All tables, each after those that it refers to.
  package static let all = [
    run, explanations, stores, files, findings, states, predictions, losses, records, readings,
    gaps, regions,
  ]

  static let run = ReportTable(
    "run", "the run of kvfsck that wrote this report",
    [
      ("version", .text, "the version of kvfsck"),
      ("command", .text, "its command line, without keys"),
      ("start_unix", .time, "when the run started"),
      ("start_iso8601", .text, "the same as ISO 8601"),
    ])

  static let explanations = ReportTable(
    "explanations", "the meaning of a code, a rule or a state",
    [
      ("name", .text, "the name, as used in the other tables"),
      ("kind", .text, "the kind of thing named"),
      ("title", .text, "the title of the text; empty if none"),
      ("text", .text, "the text"),
    ])

  static let stores = ReportTable(
    "stores", "a store, or a path that could not be read",
    [
      ("id", .id, "its number"),
      ("path", .text, "the file that names the store; `\\xNN` for a byte that is not UTF-8"),
      ("path_bytes", .bytes, "the bytes of the path"),
      ("format", .text, "the format; NULL if it could not be read"),
      ("version", .integer, "the version stated in its files"),
      ("is_encrypted", .integer, "1 if the store is encrypted, else 0"),
      ("verdict", .text, "`clean`, `repairable`, `damaged` or `unreadable`"),
      (
        "condition", .text,
        "the verdict, or `emptied` for a clean store that was emptied and has recoverable entries"
      ),
      ("entries", .integer, "number of entries in the best state, without guesses"),
      ("guesses", .integer, "number of guesses in that state"),
      ("lost", .integer, "entries that the app will lose at its next launch"),
      ("lost_guesses", .integer, "guesses that it will lose in addition"),
      ("recoverable", .integer, "recoverable entries that the app would lose or has lost"),
      ("recoverable_guesses", .integer, "guesses that it would lose or has lost in addition"),
      ("superseded", .integer, "records whose key was set again later"),
      ("removed", .integer, "records whose key was removed later, and removals"),
      ("residual", .integer, "records outside the log; NULL if they were not counted"),
      ("residual_bytes", .integer, "bytes outside the log up to the last that is not zero"),
      ("error", .text, "why it could not be read"),
    ])

  static let files = ReportTable(
    "files", "a file of a store",
    [
      ("id", .id, "its number"),
      store,
      ("role", .text, "the role of the file: `data`, `meta`, …"),
      ("path", .text, "its path; `\\xNN` for a byte that is not UTF-8"),
      ("path_bytes", .bytes, "the bytes of the path"),
      ("size", .integer, "the size in bytes"),
      ("sha256", .text, "the SHA-256 of the file, in builds that have it"),
    ])

  static let findings = ReportTable(
    "findings", "findings about a store",
    [
      ("id", .id, "its number"),
      store, file, offset, length,
      ("severity", .text, "`damage`, `warning` or `note`"),
      ("code", .text, "the finding code; see the table `explanations`"),
      ("message", .text, "what was found"),
      ("rules", .text, "the rules it follows from"),
      ("odds_bits", .integer, "coincidence odds of a correction: 1 in 2 to this power"),
    ])

  static let states = ReportTable(
    "states", "a recoverable state of a store",
    [
      ("id", .id, "its number"),
      store,
      ("name", .text, "the name of the state"),
      ("entries", .integer, "number of entries, without guesses"),
      ("guesses", .integer, "number of guesses"),
      ("evidence", .text, "the weakest evidence among them"),
      ("message", .text, "the source of the state"),
      ("rules", .text, "the rules it follows from"),
    ])

  static let predictions = ReportTable(
    "predictions", "what the app's engine will do at its next launch, for each answer of the app",
    [
      ("id", .id, "its number"),
      store,
      ("answer", .text, "the app's answer when the engine asks"),
      ("callbacks", .text, "the app's handlers that the engine calls"),
      ("outcome", .text, "what the engine does with the log"),
      ("keys", .integer, "number of keys the app then has"),
      ("lost", .integer, "number of keys it loses, including those of guesses"),
      ("lost_guesses", .integer, "number of those of guesses"),
      ("message", .text, "the same in words"),
    ])

  static let losses = ReportTable(
    "losses", "a key that the app's engine will lose at its next launch",
    [
      ("prediction", .row(of: "predictions"), "the prediction it belongs to"),
      store,
      ("key", .text, "the key; NULL if its bytes are not text"),
      ("key_bytes", .bytes, "the bytes of the key"),
    ])

  static let records = ReportTable(
    "records", "a record of a store's history, or an entry of a format without a log",
    [
      ("id", .id, "its number; in file order within a store"),
      ("time_unix", .time, "the time in the value, or the time that a number probably means"),
      ("time_iso8601", .text, "the same as ISO 8601, with all digits of the value"),
      ("time_unit", .text, "the unit and epoch of the number"),
      ("key", .text, "the key; NULL if its bytes are not text"),
      ("key_bytes", .bytes, "the bytes of the key"),
      (
        "type", .text,
        "the likeliest type of the value; NULL for a removal, or if the value is missing"
      ),
      ("value", .value, "the value with that type; lists as JSON, a date in seconds since 1970"),
      ("value_count", .integer, "full length, if `value` is shortened"),
      ("type_reason", .text, "reason for the type"),
      ("other_types", .text, "other types that fit the bytes; see the table `readings`"),
      ("value_bytes", .bytes, "the bytes of the value, as the record stores them"),
      ("operation", .text, "`put` or `remove`"),
      ("state", .text, "`live`, `superseded`, `removed`, `slack`, or `other log`"),
      ("in_states", .text, "the states of the store in which it is live"),
      (
        "soundness", .text,
        "`sound`: a checksum matches; `may-be-damaged`: it does not, or is lost; `unverified`"
      ),
      ("evidence", .text, "`checksum`, `corrected`, `structure` or `guess`"),
      ("probability", .real, "the probability that a live entry is right; NULL for other records"),
      ("cautions", .text, "possible faults that no checksum rules out"),
      ("rules", .text, "the rules behind the evidence and the cautions"),
      ("expires_unix", .time, "when the entry expires; NULL for never"),
      ("expires_iso8601", .text, "the same as ISO 8601"),
      offset, length, store, file,
    ])

  static let readings = ReportTable(
    "readings", "another type that fits the bytes of a value",
    [
      ("record", .row(of: "records"), "the record"),
      ("ordinal", .integer, "rank; 2 is the likeliest after the one in `records`"),
      ("type", .text, "the type"),
      ("value", .value, "the value with that type; long values are shortened"),
      ("value_count", .integer, "full length, if `value` is shortened"),
      ("type_reason", .text, "reason for the type"),
      ("time_unix", .time, "the time that the value would mean"),
      ("time_iso8601", .text, "the same as ISO 8601"),
      ("time_unit", .text, "the unit and epoch of the number"),
    ])

  static let gaps = ReportTable(
    "gaps", "bytes of a log in which no record could be read",
    [store, file, offset, length, ("cause", .text, "the finding code of the cause")] + remains)

  static let regions = ReportTable(
    "regions", "bytes of a file outside records; together with the records, they cover every byte",
    [
      store, file, offset, length,
      ("owner", .text, "the kind of region"),
      ("meaning", .text, "the content in words"),
    ] + remains)

  // MARK: Columns of several tables

  private static let store = ("store", Content.row(of: "stores"), "the store")
  private static let file = ("file", Content.row(of: "files"), "the file; NULL if unknown")
  private static let offset = (
    "offset", Content.integer, "the offset of the first byte in the file"
  )
  private static let length = ("length", Content.integer, "the length in bytes")
  private static let remains = [
    (
      "bytes", Content.bytes,
      "the bytes that no record has, decrypted, up to the last that is not zero; NULL if there are none"
    ),
    ("text", Content.text, "the text among them; a period stands for anything else"),
    ("left_out", Content.integer, "number of further bytes that `bytes` leaves out; NULL for none"),
  ]
}
