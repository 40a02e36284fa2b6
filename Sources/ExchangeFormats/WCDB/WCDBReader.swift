import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// A database of Tencent's WCDB: a SQLite database, and the files that WCDB keeps to repair it.
///
///     name                      content
///     x                         SQLite, or SQLCipher, which looks random
///     x-first.material          backups of the schema and of the checksums of pages; WCDB always
///     x-last.material           replaces the older of the two
///     x-incremental.material    the pages that have changed since
///     x-backup                  a backup of the schema by the older repair kit; not read
///     x.factory/                databases that were set aside because they were damaged; not read
///
/// Only the app knows which table has the keys and values. If no table is chosen, there are no
/// entries, and a finding lists the tables.
///
/// Reference: `Docs/CONVERSION.md` § WCDB.
package struct WCDBReader: EntryReader {
  /// The format's name.
  package static var name: String { "wcdb" }
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { WCDBFiles.roleNames }

  private static let listedTables = 100

  /// The table with the entries, or `nil` to read none.
  package let table: SQLiteTableReader?

  /// Creates a reader of the entries of `table`.
  ///
  /// If `table` is `nil`, no entries are read, and a finding lists the tables.
  package init(reading table: SQLiteTableReader? = nil) { self.table = table }

  /// Finds the database at `path`, or the only one in the folder at `path`, and the files beside
  /// it.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    try WCDBFiles.discover(at: path, in: source)
  }

  /// Judges the database by the files beside it, because nothing in it is specific to WCDB.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let main = files.first else { return Recognition(0, because: ["there is no file"]) }
    let isDatabase = SQLiteFiles.isDatabase(main.image)
    guard isDatabase || SQLCipherGuess.fits(main.image) else {
      return Recognition(0, because: ["it is neither an SQLite database nor an encrypted one"])
    }
    if files.contains(where: \.role.isMaterial) {
      return Recognition(90, because: ["there is a WCDB material beside the database"])
    }
    if !WCDBFiles.deposits(of: main.path).isEmpty {
      return Recognition(80, because: ["there is a WCDB folder beside the database"])
    }
    return isDatabase
      ? Recognition(5, because: ["it is an SQLite database"])
      : Recognition(5, because: ["it may be an encrypted database"])
  }

  /// Returns the rows of the table, with findings about the pages that the materials cover.
  package func read(_ all: [StoreFile]) -> EntryTable {
    let files = all.read
    var entries: [TypedEntry] = []
    var findings = FindingList()
    let database = files.filter { [.data, .side].contains($0.role) }
    guard let main = files.first(where: { $0.role == .data }) else {
      return EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
    let isEncrypted = SQLCipherGuess.fits(main.image)
    if isEncrypted {
      findings.add(
        Finding(
          WCDBFindings.encrypted, at: Extent(.data, main.image.range),
          "it has no SQLite header and its \(main.image.count.grouped) bytes look random, like a "
            + "SQLCipher database: nothing can be read without the app's key"))
    } else {
      let outcome = DatabaseReading.read(database) { entries = entriesAndTables(&$0) }
      if let obstacle = outcome.obstacle {
        return EntryTable(
          formatName: Self.name, files: files, entries: [], findings: [], obstacle: obstacle)
      }
      for finding in outcome.findings { findings.add(finding) }
    }
    var check = WCDBCheck(files, isEncrypted: isEncrypted)
    check.run()
    for finding in check.findings.all { findings.add(finding) }
    reportTheRest(files, main, to: &findings)
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: findings.all)
  }

  private func entriesAndTables(_ reading: inout DatabaseReading) -> [TypedEntry] {
    let (tables, count) = reading.tables(limit: Self.listedTables)
    let list = tables.map { table in
      "\(Value.quoted(table.name))(\(table.columns.map { Value.quoted($0) }.joined(separator: ", ")))"
    }
    reading.report(
      WCDBFindings.tables,
      (count == 0 ? "no table was found" : "the tables are " + list.joined(separator: ", "))
        + (count > tables.count ? " and \(count - tables.count) more" : "")
        + (table == nil ? "; none was chosen, so no entries are read" : ""))
    guard let table,
      let found = reading.table(table.table, columns: [table.keyColumn, table.valueColumn])
    else { return [] }
    return reading.entries(of: found) { $0.plainValue }
  }

  private func reportTheRest(
    _ files: [StoreFile], _ main: StoreFile, to findings: inout FindingList
  ) {
    if let backup = files.first(where: { $0.role == .external }) {
      findings.add(
        Finding(
          WCDBFindings.backup, at: Extent(.external, backup.image.range),
          "there is a backup from WCDB's older repair kit, which is not read"))
    }
    let deposits = WCDBFiles.deposits(of: main.path)
    guard !deposits.isEmpty else { return }
    findings.add(
      Finding(
        WCDBFindings.factory, at: nil,
        "WCDB has set aside \(deposits.count.grouped) "
          + (deposits.count == 1 ? "damaged database" : "damaged databases")
          + " in the folder \(main.path.lastComponent?.string ?? "").factory, whose rows may be "
          + "missing here: "
          + deposits.prefix(10).map { Value.quoted($0) }.joined(separator: ", ")
          + (deposits.count > 10 ? ", …" : "")))
  }
}
