package import KVModel

/// The findings of SQLite databases.
package enum SQLiteFindings {
  static let corrupt = FindingCode(
    "sqlite.corrupt", .damage,
    means: """
      SQLite stopped with an error, after the number of rows in the message; or the pages are \
      linked so that reading would never end
      """,
    remedy: "None: the rows before that are kept")
  static let check = FindingCode(
    "sqlite.check", .damage,
    means: "SQLite's own check of the database reports a problem",
    remedy: "None: what could be read is kept")
  static let noTable = FindingCode(
    "sqlite.no-table", .damage,
    means:
      "There is no such table, or the table has no such column; the message names those that exist",
    remedy: "Give one of those")
  static let key = FindingCode(
    "sqlite.key", .damage,
    means: """
      Rows of a table that kvfsck or YYCache writes have a key that is neither text nor bytes; the \
      message has their number
      """,
    remedy: "None: these rows are left out")
  static let nullKey = FindingCode(
    "sqlite.null-key", .warning,
    means: """
      Rows of a table have NULL in the key column, as an ordinary schema allows; the message has \
      their number
      """,
    remedy: "None: these rows are left out. If it is not the key column, give another")
  static let value = FindingCode(
    "sqlite.value", .damage,
    means: "The type and the storage class of a value in a kvfsck database do not match",
    remedy: "None: the value is taken as SQLite stores it")
  static let text = FindingCode(
    "sqlite.text", .warning,
    means: "A text is not in the database's encoding",
    remedy: "None: it is treated as bytes")
  static let walDamaged = FindingCode(
    "sqlite.wal-damaged", .damage,
    means: """
      The header or a frame of the write-ahead log (`-wal`) is cut, or its checksum does not match
      """,
    remedy: "Get the files again: rows are missing, or are as they were at the last checkpoint")
  static let walUnfinished = FindingCode(
    "sqlite.wal-unfinished", .warning,
    means: """
      The write-ahead log ends within a frame, has frames after the last commit, or has a frame \
      that belongs neither to it nor to an earlier log
      """,
    remedy: "If the files were copied while the app ran, copy them again")
  static let walMissing = FindingCode(
    "sqlite.wal-missing", .note,
    means: """
      The database uses a write-ahead log, but there is no `-wal` file next to it. After a clean \
      close there is none; if only the database was copied, the newest rows are missing
      """,
    remedy: "If the device still has the file, copy it next to the database")
  static let journalDamaged = FindingCode(
    "sqlite.journal-damaged", .damage,
    means: """
      There is a rollback journal (`-journal`), so a change was not finished, and the journal's \
      header or one of its records does not match
      """,
    remedy:
      "Do not trust rows that were written together: the database may contain half of a change")
  static let duplicateKey = FindingCode(
    "sqlite.duplicate-key", .warning,
    means: "Several rows have the same key, byte for byte",
    remedy: "None: if a format has each key only once, the last row counts")
  static let unknownSchema = FindingCode(
    "sqlite.unknown-schema", .warning,
    means: "A kvfsck database has a `user_version` other than 1",
    remedy: "Read it with the version of kvfsck that wrote it")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    corrupt, check, noTable, key, nullKey, value, text, walDamaged, walUnfinished, walMissing,
    journalDamaged,
    duplicateKey, unknownSchema,
  ]
}
