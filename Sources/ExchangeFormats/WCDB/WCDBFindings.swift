package import KVModel

/// The findings of WCDB databases and the files beside them.
enum WCDBFindings {
  static let encrypted = FindingCode(
    "wcdb.encrypted", .damage,
    means: "The file has no SQLite header, and its bytes look random",
    cause: .encryption,
    remedy: "Decrypt it with SQLCipher first: kvfsck takes no key for this format")
  static let tables = FindingCode(
    "wcdb.tables", .note,
    means: "The database has these tables and columns",
    remedy: "Name one with `--table`, `--key-column` and `--value-column`")
  static let material = FindingCode(
    "wcdb.material", .note,
    means: "There is a repair material that WCDB can try",
    remedy: "If rows are missing, keep it next to the database, and let WCDB repair a copy of both")
  static let materialDamaged = FindingCode(
    "wcdb.material-damaged", .damage,
    means: "The magic, version, page size, length or checksum of a material is wrong",
    cause: .damage,
    remedy: "None: WCDB does not use it")
  static let factory = FindingCode(
    "wcdb.factory", .note,
    means: "There is a folder in which WCDB sets damaged databases aside",
    remedy: "Read them one by one")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [encrypted, tables, material, materialDamaged, factory]
}

extension WCDBReader {
  /// The findings of the format.
  package static var findings: [FindingCode] { WCDBFindings.all }
}
