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
///     x-incremental.material    the pages that have changed since; not read
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
  let table: SQLiteTableReader?

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
    guard isDatabase || Self.looksEncrypted(main.image) else {
      return Recognition(0, because: ["it is neither an SQLite database nor an encrypted one"])
    }
    if files.contains(where: { [.firstMaterial, .lastMaterial].contains($0.role) }) {
      return Recognition(90, because: ["there is a WCDB material beside the database"])
    }
    if WCDBFiles.hasOthers(main.path) {
      return Recognition(80, because: ["there are files of WCDB beside the database"])
    }
    return isDatabase
      ? Recognition(5, because: ["it is an SQLite database"])
      : Recognition(5, because: ["it may be an encrypted database"])
  }

  /// Returns the rows of the table, with findings about what WCDB keeps beside the database.
  package func read(_ all: [StoreFile]) -> EntryTable {
    let files = all.read
    var entries: [TypedEntry] = []
    var findings: [Finding] = []
    var past: (@Sendable () -> [PastRecord])?
    let database = files.filter { [.data, .side].contains($0.role) }
    guard let main = files.first(where: { $0.role == .data }) else {
      return EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
    if Self.looksEncrypted(main.image) {
      // By EncryptedSerializable, the materials are encrypted too.
      findings.append(
        Finding(
          WCDBFindings.encrypted, at: Extent(.data, main.image.range),
          "it has no SQLite header and its \(main.image.count.counted("byte looks", "bytes look")) "
            + "random, like a SQLCipher database: decrypt it with SQLCipher first, as no key is taken "
            + "for this format"))
    } else {
      var rows: [[SQLiteCell]] = []
      let outcome = DatabaseReading.read(database) { entries = entriesAndTables(&$0, &rows) }
      past = self.past(in: database, besides: rows, mayLackRows: outcome.findings.mayLackRows)
      if let obstacle = outcome.obstacle {
        return EntryTable(
          formatName: Self.name, files: files, entries: [], findings: [], obstacle: obstacle)
      }
      findings = outcome.findings + files.compactMap(Self.finding(aboutMaterial:))
    }
    if WCDBFiles.hasFactory(main.path) {
      findings.append(
        Finding(
          WCDBFindings.factory, at: nil,
          "WCDB sets damaged databases aside in the folder "
            + "\(main.path.lastComponent?.string ?? "").factory; rows that are missing here may be "
            + "in one of them"))
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: findings, past: past)
  }

  /// Returns the search for entries of the table besides those of `rows`; `nil` without a table.
  private func past(
    in database: [StoreFile], besides rows: [[SQLiteCell]], mayLackRows: Bool
  ) -> (@Sendable () -> [PastRecord])? {
    guard let table else { return nil }
    let own = KeyValueTable(names: [table.table], key: table.keyColumn, value: table.valueColumn)
    return {
      own.records(in: database, besides: rows, mayLackRows: mayLackRows) { $0[1].plainValue }
    }
  }

  private func entriesAndTables(
    _ reading: inout DatabaseReading, _ rows: inout [[SQLiteCell]]
  ) -> [TypedEntry] {
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
      let found = reading.table([table.table], columns: [table.keyColumn, table.valueColumn])
    else { return [] }
    return reading.entries(of: found, keeping: &rows) { $0.plainValue }
  }

  /// Returns a finding about whether WCDB can use the material in `file`; `nil` if it is none.
  private static func finding(aboutMaterial file: StoreFile) -> Finding? {
    guard [.firstMaterial, .lastMaterial].contains(file.role) else { return nil }
    let name = file.role == .firstMaterial ? "the first material" : "the last material"
    let whole = Extent(file.role, file.image.range)
    if let fault = WCDBMaterial.fault(in: file.image) {
      return Finding(
        WCDBFindings.materialDamaged, at: whole, "WCDB does not use \(name): \(fault)")
    }
    return Finding(
      WCDBFindings.material, at: whole,
      "the checksum of \(name) matches: WCDB can try to repair the database with it")
  }

  /// Returns whether `image` has no SQLite header, consists of whole pages, and looks random, as a
  /// SQLCipher database does.
  private static func looksEncrypted(_ image: FileImage) -> Bool {
    // The common divisor of all page sizes that SQLCipher has used.
    let pageSize = 1024
    guard !SQLiteFiles.isDatabase(image), image.count > 0, image.count.isMultiple(of: pageSize)
    else { return false }
    let sample = image.bytes(in: 0..<min(image.count, 1 << 16))
    var counts = [Int](repeating: 0, count: 256)
    for byte in sample { counts[Int(byte)] += 1 }
    // Of all pairs of random bytes, 1 in 256 is equal. Twice as many are still called random.
    let pairs = counts.reduce(0) { $0 + $1 * ($1 - 1) }
    return pairs * 128 < sample.count * (sample.count - 1)
  }
}
