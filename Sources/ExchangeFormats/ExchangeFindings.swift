package import KVModel

/// What can be found in files of formats without a log.
package enum ExchangeFindings {
  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all: [FindingCode] = [
    FindingCode(
      "json.line", .damage,
      means: "A line of a JSONL file, or an element of a JSON document of entries, is no entry",
      remedy: "Correct it; the others are read"),
    FindingCode(
      "json.malformed", .damage,
      means: "The document is not JSON from the line on that the message names",
      remedy: "Correct it there"),
    FindingCode(
      "json.value", .damage,
      means: """
        A value of a plain document cannot be taken: more than 64 containers lie in each other, or \
        no double holds a number
        """,
      remedy: "Correct the value in the line that the message names"),
    FindingCode(
      "json.duplicate-key", .warning,
      means: "A key, or a name in an object within a value, is there more than once, byte by byte",
      remedy: "Look which of them was meant: the last one counts"),
    FindingCode(
      "json.number-rounded", .warning,
      means: "A whole number is beyond 64 bits, or a number has more digits than a double keeps",
      remedy: "Write the number as a text if its digits count"),
    FindingCode(
      "json.unknown-schema", .warning,
      means: "A file of entries says that its `schema` is another than 1",
      remedy: "Read it with the version of kvfsck that wrote it"),
    FindingCode(
      "datastore.truncated", .damage,
      means: "A field is said to have more bytes than are left; both numbers are given",
      remedy: "Get the file again: it was cut"),
    FindingCode(
      "datastore.malformed", .damage,
      means:
        "The bytes at the offset are no field of protobuf, or of another type than the field has",
      remedy:
        "None: entries before it are kept, and those after it where the length of this one is whole"
    ),
    FindingCode(
      "datastore.empty-value", .damage,
      means: "A value has no member set",
      remedy: "None: the entry is left out"),
    FindingCode(
      "datastore.duplicate-key", .warning,
      means: "A key is there more than once; the last counts, as in DataStore",
      remedy: "None"),
    FindingCode(
      "datastore.unknown-field", .note,
      means: "The file has a field that DataStore does not have",
      remedy: "None: a newer version may have written it; it is not converted"),
    FindingCode(
      "datastore.temporary", .note,
      means: "A `.tmp` is beside the file: a write was not finished",
      remedy: "None: DataStore removes it at its next write"),
    FindingCode(
      "sharedprefs.backup", .warning,
      means: "A `.bak` is beside the file: a write was not finished",
      remedy: "Look at the `.xml` by itself, in another folder, for what the write was"),
    FindingCode(
      "sharedprefs.doctype", .damage,
      means: "The document has a DOCTYPE, which Android writes none of",
      remedy: "Take it out if the file is to be trusted"),
    FindingCode(
      "sharedprefs.malformed", .damage,
      means: "The document is not well-formed at the line and column",
      remedy: "Correct it there: Android reads nothing of such a file"),
    FindingCode(
      "sharedprefs.value", .damage,
      means: "The text of an element is no value of its type",
      remedy: "None: the entry is left out"),
    FindingCode(
      "sharedprefs.unknown-element", .warning,
      means: "There is an element that Android does not write",
      remedy: "None: it is not converted"),
    FindingCode(
      "sharedprefs.duplicate-key", .warning,
      means: "A name is there more than once; the last counts, as on Android",
      remedy: "None"),
    FindingCode(
      "plist.malformed", .damage,
      means: """
        The trailer, the table of objects or the XML is broken, the list has more values than a \
        file of its size can have, or it is of another version
        """,
      remedy: "Look at the bytes at the offset"),
    FindingCode(
      "plist.damaged-value", .damage,
      means: """
        A value or a key cannot be read: its bytes lie outside the file, it lies in itself, it is \
        too deep, its text or number is none
        """,
      remedy: "None: the entry is left out, and the others are kept"),
    FindingCode(
      "plist.not-dictionary", .damage,
      means: "The outermost value is no dictionary, so that there are no entries",
      remedy: "None: it is no file of user defaults"),
    FindingCode(
      "plist.doctype", .damage,
      means: "The document type is not Apple's, or has entities of its own",
      remedy: "Take it out if the file is to be trusted"),
    FindingCode(
      "plist.duplicate-key", .warning,
      means:
        "A key, or a name in a dictionary within a value, is there more than once; the last counts",
      remedy: "Look which of them was meant"),
    FindingCode(
      "sqlite.corrupt", .damage,
      means: """
        SQLite stopped, in its own words, after the rows that are counted; or the pages are linked \
        so that reading would not end
        """,
      remedy: "None: rows before that are kept"),
    FindingCode(
      "sqlite.check", .damage,
      means: "SQLite's own check of the database complains",
      remedy: "None: what could be read is kept"),
    FindingCode(
      "sqlite.no-table", .damage,
      means: "There is no such table, or it has no such column; those that exist are named",
      remedy: "Name one of them"),
    FindingCode(
      "sqlite.key", .damage,
      means: "Rows have a key that is neither text nor bytes; they are counted",
      remedy: "None: they are left out"),
    FindingCode(
      "sqlite.value", .damage,
      means: "The type and the storage class of a value in a database of kvfsck do not go together",
      remedy: "None: the value is taken as SQLite stores it"),
    FindingCode(
      "sqlite.text", .warning,
      means: "A text is not in the database's encoding",
      remedy: "None: it is taken for bytes"),
    FindingCode(
      "sqlite.wal-damaged", .damage,
      means: """
        The header or a frame of the write-ahead log (`-wal`) does not match: its checksum does \
        not match, or it is cut
        """,
      remedy: "Get the files again: rows are missing, or are as they were at the last checkpoint"),
    FindingCode(
      "sqlite.wal-unfinished", .warning,
      means: "The write-ahead log ends within a frame, or has frames after the last commit",
      remedy: "If the files were copied while the app ran, copy them again"),
    FindingCode(
      "sqlite.journal-damaged", .damage,
      means: """
        A rollback journal (`-journal`) is there, so that a change was not finished, and its \
        header or one of its records does not match
        """,
      remedy: "Do not trust rows that were written together: the database may hold half of a change"
    ),
    FindingCode(
      "sqlite.duplicate-key", .warning,
      means: "Several rows have the same key, byte by byte",
      remedy: "None: the last row counts where a format has each key once"),
    FindingCode(
      "sqlite.unknown-schema", .warning,
      means: "A database of kvfsck has another `user_version` than 1",
      remedy: "Read it with the version of kvfsck that wrote it"),
    FindingCode(
      "sqlite.no-copy", .damage,
      means: "A database with a log or a journal has to be copied to be read, and could not be",
      remedy: "Free space in the temporary folder"),
    FindingCode(
      "asyncstorage.manifest", .damage,
      means: "The manifest does not parse, or an item is neither text nor null",
      remedy: "Look at the files of large values, which are still there"),
    FindingCode(
      "asyncstorage.missing-value", .damage,
      means: "The manifest says that a value is in a file, and there is none",
      remedy: "None: the entry is left out"),
    FindingCode(
      "asyncstorage.orphan-file", .warning,
      means: "No entry has its value in the file",
      remedy: "None: its name is the MD5 of its key"),
    FindingCode(
      "asyncstorage.text", .warning,
      means: "A value's file is not UTF-8",
      remedy: "None: it is taken for bytes"),
    FindingCode(
      "asyncstorage.no-digest", .warning,
      means: "This build has no MD5, so that values in files are not found",
      remedy: "Build with the trait `Encryption`"),
    FindingCode(
      "yycache.missing-file", .damage,
      means: "A row's file is not in `data/`; the trash may have it, which is said",
      remedy: "Look into the trash; without the file the entry is left out"),
    FindingCode(
      "yycache.size-mismatch", .damage,
      means: "The value has another size than its row says; both are given",
      remedy: "None: it is kept with the caution `may-be-damaged`"),
    FindingCode(
      "yycache.orphan-file", .warning,
      means: "No row has its value in the file",
      remedy: "None: where a known key has its name, that is said and the entry is a guess"),
    FindingCode(
      "yycache.trash", .warning,
      means: "The trash holds files, which the app will empty",
      remedy: "Copy the folder before the app starts"),
    FindingCode(
      "yycache.corrupt-manifest", .damage,
      means: "The manifest could not be read to its end",
      remedy: "Copy the folder before the app starts"),
    FindingCode(
      "wcdb.encrypted", .damage,
      means:
        "The file has no header of SQLite, and its bytes look random, as those of SQLCipher do",
      remedy: "Decrypt it with SQLCipher first"),
    FindingCode(
      "wcdb.tables", .note,
      means: "The database has these tables and columns",
      remedy: "Name one with `--table`, `--key-column` and `--value-column`"),
    FindingCode(
      "wcdb.material", .note,
      means: """
        This is what a repair material of WCDB has: its version, tables and leaf pages; or it is \
        encrypted as well
        """,
      remedy: "None"),
    FindingCode(
      "wcdb.material-damaged", .damage,
      means:
        "A material's magic, version, checksum, sizes or page size are wrong; both numbers are given",
      remedy: "None: WCDB does not use it"),
    FindingCode(
      "wcdb.page-mismatch", .damage,
      means: """
        A leaf page of the database has another CRC than the material says, or is after the end of \
        the file
        """,
      remedy: "Look at the entries of that page: they may be wrong or missing"),
    FindingCode(
      "wcdb.page-changed", .note,
      means: """
        A leaf page has another CRC, and may have been written since: the log or the incremental \
        material has it, or the database is newer
        """,
      remedy: "Nothing; damage cannot be told from a write here"),
    FindingCode(
      "wcdb.factory", .note,
      means: "There is a folder of databases that WCDB has put aside",
      remedy: "Read them by themselves"),
    FindingCode(
      "wcdb.backup", .note,
      means: "There is a backup of the older repair kit, which is not read",
      remedy: "None"),
  ]
}
