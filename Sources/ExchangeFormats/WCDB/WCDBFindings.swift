package import KVModel

/// The findings of WCDB databases and the files beside them.
package enum WCDBFindings {
  static let encrypted = FindingCode(
    "wcdb.encrypted", .damage,
    means: "The file has no SQLite header, and its bytes look random, like those of SQLCipher",
    remedy: "Decrypt it with SQLCipher first")
  static let tables = FindingCode(
    "wcdb.tables", .note,
    means: "The database has these tables and columns",
    remedy: "Name one with `--table`, `--key-column` and `--value-column`")
  static let material = FindingCode(
    "wcdb.material", .note,
    means: """
      The message describes a WCDB repair material: its version, tables and leaf pages, or that it \
      is encrypted too
      """,
    remedy: "None")
  static let materialDamaged = FindingCode(
    "wcdb.material-damaged", .damage,
    means: """
      The magic, version, checksum, sizes or page size of a material are wrong; the message has \
      both numbers
      """,
    remedy: "None: WCDB does not use it")
  static let pageMismatch = FindingCode(
    "wcdb.page-mismatch", .damage,
    means: """
      The CRC of a leaf page of the database differs from the one in the material, or the page is \
      beyond the end of the file
      """,
    remedy: "Check the entries of that page: they may be wrong or missing")
  static let pageChanged = FindingCode(
    "wcdb.page-changed", .note,
    means: """
      The CRC of a leaf page differs, but the page may have been written since: it is in the log \
      or the incremental material, or the database is newer
      """,
    remedy: "None: damage cannot be told from a later write here")
  static let factory = FindingCode(
    "wcdb.factory", .note,
    means: "There is a folder of databases that WCDB has set aside",
    remedy: "Read them one by one")
  static let backup = FindingCode(
    "wcdb.backup", .note,
    means: "There is a backup of the older repair kit, which kvfsck does not read",
    remedy: "None")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    encrypted, tables, material, materialDamaged, pageMismatch, pageChanged, factory, backup,
  ]
}
