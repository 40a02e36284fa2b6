package import KVModel

/// The findings of WCDB databases and the files beside them.
package enum WCDBFindings {
  static let encrypted = FindingCode(
    "wcdb.encrypted", .damage,
    means: "The file has no SQLite header, and its bytes look random",
    cause: "The app encrypts the database with SQLCipher",
    remedy: "Decrypt it with SQLCipher first: kvfsck cannot take a key for this format")
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
    cause: .damage,
    remedy: "None: WCDB does not use it")
  static let pageMismatch = FindingCode(
    "wcdb.page-mismatch", .damage,
    means: """
      The CRC of a leaf page is not that in the material, or the page is beyond the end of the \
      file
      """,
    cause: .apart,
    remedy: "Check the entries of that page: they may be wrong or missing")
  static let pageChanged = FindingCode(
    "wcdb.page-changed", .note,
    means: "The CRC of a leaf page differs, but the page may have been written after the material",
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
