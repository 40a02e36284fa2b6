package import KVModel

/// What can be found in databases of WCDB, and beside them.
package enum WCDBFindings {
  static let encrypted = FindingCode(
    "wcdb.encrypted", .damage,
    means:
      "The file has no header of SQLite, and its bytes look random, as those of SQLCipher do",
    remedy: "Decrypt it with SQLCipher first")
  static let tables = FindingCode(
    "wcdb.tables", .note,
    means: "The database has these tables and columns",
    remedy: "Name one with `--table`, `--key-column` and `--value-column`")
  static let material = FindingCode(
    "wcdb.material", .note,
    means: """
      This is what a repair material of WCDB has: its version, tables and leaf pages; or it is \
      encrypted as well
      """,
    remedy: "None")
  static let materialDamaged = FindingCode(
    "wcdb.material-damaged", .damage,
    means:
      "A material's magic, version, checksum, sizes or page size are wrong; both numbers are given",
    remedy: "None: WCDB does not use it")
  static let pageMismatch = FindingCode(
    "wcdb.page-mismatch", .damage,
    means: """
      A leaf page of the database has another CRC than the material says, or is after the end of \
      the file
      """,
    remedy: "Look at the entries of that page: they may be wrong or missing")
  static let pageChanged = FindingCode(
    "wcdb.page-changed", .note,
    means: """
      A leaf page has another CRC, and may have been written since: the log or the incremental \
      material has it, or the database is newer
      """,
    remedy: "Nothing; damage cannot be told from a write here")
  static let factory = FindingCode(
    "wcdb.factory", .note,
    means: "There is a folder of databases that WCDB has put aside",
    remedy: "Read them by themselves")
  static let backup = FindingCode(
    "wcdb.backup", .note,
    means: "There is a backup of the older repair kit, which is not read",
    remedy: "None")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    encrypted, tables, material, materialDamaged, pageMismatch, pageChanged, factory, backup,
  ]
}
