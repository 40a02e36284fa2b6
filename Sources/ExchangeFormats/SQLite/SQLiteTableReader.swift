package import KVModel
import KVSystem
package import SystemPackage

/// A table of any SQLite database, with a column of keys and a column of values.
///
///     storage class  value
///     INTEGER        int64
///     REAL           double
///     TEXT           string; bytes if it is not valid in the database's encoding
///     BLOB           keyed archive if it begins with "bplist00"; bytes otherwise
///     NULL           null
///
/// A numeric key is read as its text, because such schemas are common. A row whose key is NULL is
/// reported and left out.
package struct SQLiteTableReader: EntryReader {
  /// The format's name.
  package static var name: String { "sqlite3" }
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { SQLiteFiles.roleNames }

  private static let suffixes = [".sqlite", ".sqlite3", ".db"]

  /// The name of the table.
  let table: String
  /// The name of the column with the keys.
  let keyColumn: String
  /// The name of the column with the values.
  let valueColumn: String

  /// Creates a reader of these columns of `table`.
  package init(table: String, keyColumn: String, valueColumn: String) {
    self.table = table
    self.keyColumn = keyColumn
    self.valueColumn = valueColumn
  }

  /// Finds the database at `path`, or if `path` is a folder, the only database in it.
  ///
  /// In a folder, the name of the database must end in `.sqlite`, `.sqlite3` or `.db`.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    try SQLiteFiles.discover(
      in: source,
      at: FileReading.path(in: source, at: path, format: Self.name) { name in
        Self.suffixes.contains { name.hasSuffix($0) }
      })
  }

  /// Judges the file by its header.
  ///
  /// The header says nothing about the content, so the likelihood is low.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let image = files.first?.image, SQLiteFiles.isDatabase(image) else {
      return Recognition(0, because: ["it has no SQLite header"])
    }
    return Recognition(10, because: ["it is an SQLite database"])
  }

  /// Returns the rows of the table as entries.
  package func read(_ files: [StoreFile]) -> EntryTable {
    DatabaseReading.entryTable(Self.name, files, own) { $0.plainValue }
  }

  /// The table with its columns.
  var own: KeyValueTable { KeyValueTable(names: [table], key: keyColumn, value: valueColumn) }

  /// Returns what SQLite and the helpers of Android do.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? { SQLiteFiles.refusals }
}

extension DatabaseReading {
  /// Returns the entries of `own` in `files`, those of rows that SQLite does not reach after them, and
  /// a search for former ones.
  static func entryTable(
    _ formatName: String, _ files: [StoreFile], _ own: KeyValueTable,
    _ value: @escaping @Sendable (SQLiteCell) -> Value
  ) -> EntryTable {
    var entries: [TypedEntry] = []
    var rows: [[SQLiteCell]] = []
    let outcome = read(files) { reading in
      guard let table = reading.table(own.names, columns: own.columns) else { return }
      entries = reading.entries(of: table, keeping: &rows, value)
    }
    let mayLackRows = outcome.findings.mayLackRows
    let search: @Sendable () -> [PastRecord] = { [rows] in
      own.records(in: files, besides: rows, mayLackRows: mayLackRows) { value($0[1]) }
    }
    let found = mayLackRows ? CutOffEntries(search()) : nil
    let past: @Sendable () -> [PastRecord]
    if let others = found?.others { past = { others } } else { past = search }
    return EntryTable(
      formatName: formatName, files: files, entries: entries + (found?.entries ?? []),
      findings: outcome.findings, strayCount: found?.entries.count ?? 0,
      versions: versions(of: files) { entryTable(formatName, $0, own, value) },
      past: past, isRefused: outcome.findings.stopSQLite, obstacle: outcome.obstacle)
  }

  /// Returns the entries of a table with a column of keys and a column of values.
  ///
  /// The rows are added to `rows`.
  mutating func entries(
    of table: Table, keeping rows: inout [[SQLiteCell]], _ value: (SQLiteCell) -> Value
  ) -> [TypedEntry] {
    var entries: [TypedEntry] = []
    var (keyless, malformed, zeroed) = (RowTally(), RowTally(), RowTally())
    var endingWithZeros: [(ordinal: Int, index: Int)] = []
    var ordinal = 0
    // Rows of a column that was added later share its default, and the value made of it.
    var last: (cell: SQLiteCell, value: Value)?
    forEachRow(of: table) { cells in
      defer { ordinal += 1 }
      rows.append(cells)
      guard let key = cells[0].plainKey else { return keyless.add(ordinal) }
      if case .malformedText = cells[1] { malformed.add(ordinal) }
      if last?.cell.isSame(as: cells[1]) != true { last = (cells[1], value(cells[1])) }
      let entry = TypedEntry(key: key, value: last?.value ?? value(cells[1]))
      let isZeroed = cells.contains(where: \.hasLostText)
      if isZeroed {
        zeroed.add(ordinal)
      } else if cells.contains(where: \.endsWithZeros) {
        endingWithZeros.append((ordinal, entries.count))
      }
      entries.append(isZeroed ? entry.cautioned() : entry)
    }
    keyless.reportNullKeys(to: &self)
    malformed.report(
      SQLiteFindings.text,
      "with text that is not in the database's encoding (read as bytes)", to: &self)
    zeroed.report(
      ZeroFindings.zeros,
      "with \(ZeroRuns.leastCount) or more zeros in a row in a text: pages that never reached the disk, "
        + "or a torn write", to: &self)
    doubt(endingWithZeros, among: &entries)
    settle(&entries)
    return entries
  }

  /// Doubts those of `entries` whose texts end with zeros, if the database is damaged: an app may have
  /// written them, but then they are rather what is lost.
  private mutating func doubt(
    _ rows: [(ordinal: Int, index: Int)], among entries: inout [TypedEntry]
  ) {
    guard findings.contains(where: { $0.severity == .damage }) else { return }
    var unclear = RowTally()
    for row in rows {
      unclear.add(row.ordinal)
      entries[row.index] = entries[row.index].cautioned()
    }
    unclear.report(
      ZeroFindings.trailing,
      "with a text that ends with zeros: the app may have written them, or a page never reached the disk",
      to: &self)
  }
}
