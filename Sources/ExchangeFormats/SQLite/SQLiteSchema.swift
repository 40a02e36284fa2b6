/// The tables that ``SQLiteFormat`` writes.
///
/// - `key` is NULL if the key is not UTF-8.
/// - `offset` and `length` are NULL if nothing is known about the bytes.
/// - `expires_at` is in seconds since 1970, or NULL if the entry does not expire.
/// - `iso8601` and `time_unit` are NULL if the value is not a time.
/// - `cautions` are separated by spaces.
/// - `store` is a path in `files`.
enum SQLiteSchema {
  /// The application ID, "kvfs", in the header of every database that kvfsck writes.
  static let applicationID: UInt32 = 0x6b76_6673
  /// The schema version, which is the user version in the header.
  static let version = 1

  /// The statements that create the tables.
  static let creation = """
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE entries(
      key TEXT, key_bytes BLOB NOT NULL, type TEXT NOT NULL, value, iso8601 TEXT, time_unit TEXT,
      raw BLOB, store TEXT, file TEXT, "offset" INTEGER, length INTEGER, evidence TEXT NOT NULL,
      cautions TEXT, expires_at INTEGER);
    CREATE TABLE records(
      key TEXT, key_bytes BLOB NOT NULL, operation TEXT NOT NULL, state TEXT NOT NULL, raw BLOB,
      store TEXT, file TEXT, "offset" INTEGER, length INTEGER, evidence TEXT NOT NULL, cautions TEXT);
    CREATE TABLE findings(
      code TEXT NOT NULL, severity TEXT NOT NULL, store TEXT, file TEXT, "offset" INTEGER,
      length INTEGER, message TEXT NOT NULL);
    CREATE TABLE files(file TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT);
    """

  /// The statement that creates the index, to be run once the entries are present.
  static let indexing = "CREATE INDEX entries_by_key ON entries(key);"

  /// The columns of `entries` that are read back.
  ///
  /// `key` is not one of them, because it is only `key_bytes` as text.
  static let entryColumns = [
    "key_bytes", "type", "value", "evidence", "cautions", "expires_at",
  ]
}
