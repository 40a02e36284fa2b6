import KVModel

/// A table of a report; every form with rows takes its columns from here.
package struct ReportTable: Sendable {
  /// The content of a column.
  package enum Content: Sendable, Equatable {
    /// The number of the row.
    case id
    /// The number of a row of the table with this name.
    case row(of: String)
    case integer, text, bytes
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
    package let content: Content
    /// The meaning of the column, for people to read.
    package let meaning: String
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
    "run", "the run of kvfsck that made this",
    [
      ("version", .text, "the version of kvfsck"),
      ("command", .text, "its command line, without keys"),
      ("start_unix", .time, "when it began"),
      ("start_iso8601", .text, "the same as ISO 8601"),
    ])

  static let explanations = ReportTable(
    "explanations", "what a code, a rule or a state means",
    [
      ("name", .text, "the name, as the other tables have it"),
      ("kind", .text, "what has the name"),
      ("title", .text, "the title of the text; empty for none"),
      ("text", .text, "the text"),
    ])

  static let stores = ReportTable(
    "stores", "a store, or a path that could not be read",
    [
      ("id", .id, "its number"),
      ("path", .text, "the file that names the store; `\\xNN` for a byte that is not UTF-8"),
      ("path_bytes", .bytes, "the bytes of the path"),
      ("format", .text, "its format; NULL where it could not be read"),
      ("version", .integer, "the version that its files state"),
      ("is_encrypted", .integer, "1 where it is"),
      ("verdict", .text, "`clean`, `repairable`, `damaged` or `unreadable`"),
      ("entries", .integer, "how many entries its best state holds"),
      ("lost", .integer, "how many of them the app loses at its next launch"),
      ("recoverable", .integer, "how many can be had beyond those that the app will have"),
      ("error", .text, "why it could not be read"),
    ])

  static let files = ReportTable(
    "files", "a file of a store",
    [
      ("id", .id, "its number"),
      store,
      ("role", .text, "what the file is for: `data`, `meta`, …"),
      ("path", .text, "its path; `\\xNN` for a byte that is not UTF-8"),
      ("path_bytes", .bytes, "the bytes of the path"),
      ("size", .integer, "how many bytes it has"),
      ("sha256", .text, "its digest, in a build that has SHA-256"),
    ])

  static let findings = ReportTable(
    "findings", "what is remarkable about a store",
    [
      ("id", .id, "its number"),
      store, file, offset, length,
      ("severity", .text, "`damage`, `warning` or `note`"),
      ("code", .text, "what it is; the table `explanations` has more"),
      ("message", .text, "what was found"),
      ("rules", .text, "the rules that it follows from"),
      ("odds_bits", .integer, "a correction fits by chance in one of 2 to the power of this"),
    ])

  static let states = ReportTable(
    "states", "a state that the files of a store hold evidence for",
    [
      ("id", .id, "its number"),
      store,
      ("name", .text, "which state it is"),
      ("entries", .integer, "how many entries it holds"),
      ("evidence", .text, "the weakest evidence that one of them has"),
      ("message", .text, "where the state comes from"),
      ("rules", .text, "the rules that it follows from"),
    ])

  static let predictions = ReportTable(
    "predictions", "what the app's engine does at its next launch, for an answer of the app",
    [
      ("id", .id, "its number"),
      store,
      ("answer", .text, "what the app answers when the engine asks"),
      ("callbacks", .text, "which of the app's handlers the engine calls"),
      ("outcome", .text, "what the engine does with the log"),
      ("keys", .integer, "how many keys the app has then"),
      ("lost", .integer, "how many keys it loses"),
      ("message", .text, "the same for people"),
    ])

  static let losses = ReportTable(
    "losses", "a key that the app's engine loses at its next launch",
    [
      ("prediction", .row(of: "predictions"), "the prediction by which it is lost"),
      store,
      ("key", .text, "the key; NULL where its bytes are no text"),
      ("key_bytes", .bytes, "the bytes of the key"),
    ])

  static let records = ReportTable(
    "records", "a record of a store's history, or an entry of a format without a log",
    [
      ("id", .id, "its number; in each store in file order"),
      ("time_unix", .time, "the time that the value is, or that a number counts by its size"),
      ("time_iso8601", .text, "the same as ISO 8601, with all digits that the value has"),
      ("time_unit", .text, "what is counted"),
      ("key", .text, "the key; NULL where its bytes are no text"),
      ("key_bytes", .bytes, "the bytes of the key"),
      ("type", .text, "the likeliest type of the value; NULL for a removal"),
      ("value", .value, "the value of that type; lists as JSON, a date in seconds since 1970"),
      ("value_count", .integer, "where `value` is the beginning only: how much the whole has"),
      ("type_reason", .text, "what speaks for the type"),
      ("other_types", .text, "what else the bytes can be; the table `readings` has the values"),
      ("value_bytes", .bytes, "the bytes of the value, as the record stores them"),
      ("operation", .text, "`put` or `remove`"),
      ("state", .text, "`live`, `superseded`, `removed`, `slack`, or `other log`"),
      ("in_states", .text, "in which states of the store it is live"),
      (
        "soundness", .text,
        "`sound`: a checksum matches; `may-be-damaged`: it does not, or is lost; `unverified`"
      ),
      ("evidence", .text, "`checksum`, `corrected`, `structure` or `guess`"),
      ("cautions", .text, "faults that no checksum excludes"),
      ("rules", .text, "the rules that evidence and cautions follow from"),
      ("expires_unix", .time, "when the entry expires; NULL for never"),
      ("expires_iso8601", .text, "the same as ISO 8601"),
      offset, length, store, file,
    ])

  static let readings = ReportTable(
    "readings", "what else the bytes of a value can be",
    [
      ("record", .row(of: "records"), "the record"),
      ("ordinal", .integer, "2 for the likeliest after that in `records`"),
      ("type", .text, "the type"),
      ("value", .value, "the value of that type; of a longer one no more than the beginning"),
      ("value_count", .integer, "where it is the beginning only: how much the whole has"),
      ("type_reason", .text, "what speaks for the type"),
      ("time_unix", .time, "the time that the value would be"),
      ("time_iso8601", .text, "the same as ISO 8601"),
      ("time_unit", .text, "what is counted"),
    ])

  static let gaps = ReportTable(
    "gaps", "bytes of a log in which no record could be read",
    [store, file, offset, length, ("cause", .text, "why")])

  static let regions = ReportTable(
    "regions", "bytes of a file that belong to no record; with those of records, all bytes",
    [
      store, file, offset, length,
      ("owner", .text, "what they are"),
      ("meaning", .text, "what they say"),
    ])

  // MARK: Columns of several tables

  private static let store = ("store", Content.row(of: "stores"), "the store")
  private static let file = ("file", Content.row(of: "files"), "the file; NULL where none is known")
  private static let offset = (
    "offset", Content.integer, "the offset of the first byte in the file"
  )
  private static let length = ("length", Content.integer, "how many bytes there are")
}
