package import KVModel

/// What can be found in SQLite databases.
package enum SQLiteFindings {
  static let corrupt = FindingCode(
    "sqlite.corrupt", .damage,
    means: """
      SQLite stopped, in its own words, after the rows that are counted; or the pages are linked \
      so that reading would not end
      """,
    remedy: "None: rows before that are kept")
  static let check = FindingCode(
    "sqlite.check", .damage,
    means: "SQLite's own check of the database complains",
    remedy: "None: what could be read is kept")
  static let noTable = FindingCode(
    "sqlite.no-table", .damage,
    means: "There is no such table, or it has no such column; those that exist are named",
    remedy: "Name one of them")
  static let key = FindingCode(
    "sqlite.key", .damage,
    means: """
      Rows of a table that kvfsck or YYCache writes have a key that is neither text nor bytes; they \
      are counted
      """,
    remedy: "None: they are left out")
  static let nullKey = FindingCode(
    "sqlite.null-key", .warning,
    means: """
      Rows of a table have NULL in the column of the keys, which an ordinary schema allows; they are \
      counted
      """,
    remedy: "None: they are left out. Name another column of keys if it is the wrong one")
  static let value = FindingCode(
    "sqlite.value", .damage,
    means: "The type and the storage class of a value in a database of kvfsck do not go together",
    remedy: "None: the value is taken as SQLite stores it")
  static let text = FindingCode(
    "sqlite.text", .warning,
    means: "A text is not in the database's encoding",
    remedy: "None: it is taken for bytes")
  static let walDamaged = FindingCode(
    "sqlite.wal-damaged", .damage,
    means: """
      The header or a frame of the write-ahead log (`-wal`) does not match: its checksum does \
      not match, or it is cut
      """,
    remedy: "Get the files again: rows are missing, or are as they were at the last checkpoint")
  static let walUnfinished = FindingCode(
    "sqlite.wal-unfinished", .warning,
    means: """
      The write-ahead log ends within a frame, has frames after the last commit, or has a frame \
      that is neither its own nor of an earlier log
      """,
    remedy: "If the files were copied while the app ran, copy them again")
  static let journalDamaged = FindingCode(
    "sqlite.journal-damaged", .damage,
    means: """
      A rollback journal (`-journal`) is there, so that a change was not finished, and its \
      header or one of its records does not match
      """,
    remedy: "Do not trust rows that were written together: the database may hold half of a change"
  )
  static let duplicateKey = FindingCode(
    "sqlite.duplicate-key", .warning,
    means: "Several rows have the same key, byte by byte",
    remedy: "None: the last row counts where a format has each key once")
  static let unknownSchema = FindingCode(
    "sqlite.unknown-schema", .warning,
    means: "A database of kvfsck has another `user_version` than 1",
    remedy: "Read it with the version of kvfsck that wrote it")
  static let noCopy = FindingCode(
    "sqlite.no-copy", .damage,
    means: "A database with a log or a journal has to be copied to be read, and could not be",
    remedy: "Free space in the temporary folder")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    corrupt, check, noTable, key, nullKey, value, text, walDamaged, walUnfinished, journalDamaged,
    duplicateKey, unknownSchema, noCopy,
  ]
}
