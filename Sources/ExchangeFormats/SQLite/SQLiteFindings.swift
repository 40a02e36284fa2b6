package import KVModel

/// The findings of SQLite databases.
enum SQLiteFindings {
  static let corrupt = FindingCode(
    "sqlite.corrupt", .damage,
    means: """
      SQLite stopped with an error, or the pages form a loop; the message has the number of rows \
      before
      """,
    cause: .damage,
    remedy: "Repair the database, which keeps the rows before the damage and after it")
  static let check = FindingCode(
    "sqlite.check", .damage,
    means: "SQLite's own check of the database reports a problem",
    cause: .damage,
    remedy: "Repair the database, which keeps what can be read")
  static let sharedPage = FindingCode(
    "sqlite.shared-page", .damage,
    means: """
      Two places of the database lead to one page, or rows of a table are out of order: SQLite may \
      read rows of another table, or removed ones, and miss others
      """,
    cause: .damage,
    remedy: "Do not trust single entries. Repair the database, which keeps them with a caution")
  static let noTable = FindingCode(
    "sqlite.no-table", .damage,
    means: "There is no such table or column; the message names those that exist",
    cause: .foreign,
    remedy: "Name one of those")
  static let key = FindingCode(
    "sqlite.key", .damage,
    means: """
      Rows of a table of YYCache have a number as the key, or rows of one of kvfsck a number or NULL; \
      the message has their number
      """,
    cause: .foreign,
    remedy: "None: these rows are left out")
  static let nullKey = FindingCode(
    "sqlite.null-key", .warning,
    means: "Rows of a table have NULL in the key column; the message has their number",
    cause: .foreign,
    remedy: "None: these rows are left out. If it is not the key column, name another")
  static let value = FindingCode(
    "sqlite.value", .damage,
    means: "The type and the storage class of a value in a kvfsck database do not match",
    cause: .foreign,
    remedy: "None: the value is taken as SQLite stores it")
  static let text = FindingCode(
    "sqlite.text", .warning,
    means: "A text is not in the database's encoding",
    cause: .foreign,
    remedy: "None: it is treated as bytes")
  static let walDamaged = FindingCode(
    "sqlite.wal-damaged", .damage,
    means: """
      The header or a frame of the write-ahead log (`-wal`) is cut, or its checksum does not match
      """,
    cause: .apart,
    remedy: "Get the files again: rows are missing, or are as they were at the last checkpoint")
  static let walUnfinished = FindingCode(
    "sqlite.wal-unfinished", .warning,
    means: """
      The write-ahead log ends within a frame, has frames after the last commit, or has a frame of \
      no log
      """,
    cause: .tear,
    remedy: "If the files were copied while the app ran, copy them again", isOfCopy: true)
  static let walMissing = FindingCode(
    "sqlite.wal-missing", .note,
    means: """
      The database uses a write-ahead log, but has no `-wal` file next to it. If it was not \
      copied, the newest rows are missing
      """,
    remedy: "If the device still has the file, copy it next to the database", isOfCopy: true)
  static let journalDamaged = FindingCode(
    "sqlite.journal-damaged", .damage,
    means: """
      There is a rollback journal (`-journal`), and its header or one of its records does not \
      match
      """,
    cause: .tear,
    remedy: "Do not trust rows that were written together: some may have half of a change")
  static let duplicateKey = FindingCode(
    "sqlite.duplicate-key", .warning,
    means: "Several rows have the same key, byte for byte",
    cause: .foreign,
    remedy: """
      None: where a format has each key once, the last row counts. If it is not the key column, \
      name another
      """)
  static let limit = FindingCode(
    "sqlite.limit", .warning,
    means: """
      What SQLite computes for rows, such as the content of a generated column, is longer than \
      kvfsck reads; the message has the number of rows before
      """,
    cause: "A column whose content no row stores: it says nothing about damage",
    remedy: "Read the other rows with SQLite itself")
  static let unknownSchema = FindingCode(
    "sqlite.unknown-schema", .warning,
    means: "A kvfsck database has a `user_version` other than 1",
    cause: "Probably a newer version of kvfsck wrote the database",
    remedy: "Read it with that version. This one ignores what it does not know")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    corrupt, check, sharedPage, noTable, key, nullKey, value, text, walDamaged, walUnfinished,
    walMissing, journalDamaged, duplicateKey, limit, unknownSchema,
  ]
}

extension SQLiteFormat {
  /// The findings of SQLite databases.
  package static var findings: [FindingCode] { SQLiteFindings.all }
}

extension SQLiteTableReader {
  /// The findings of SQLite databases.
  package static var findings: [FindingCode] { SQLiteFindings.all }
}
