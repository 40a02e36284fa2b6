package import KVModel
import KVSystem
package import SystemPackage

/// A table of any SQLite database, one of whose columns has the keys and another the values.
///
///     storage class  value
///     INTEGER        int64
///     REAL           double
///     TEXT           string; bytes where it is not in the database's encoding
///     BLOB           keyed archive where it begins with "bplist00", bytes otherwise
///     NULL           null
///
/// A key that is a number is taken as its text: that is an ordinary schema. A row whose key is NULL is
/// reported and left out.
package struct SQLiteTableReader: EntryReader {
  /// The format's name.
  package static var name: String { "sqlite3" }
  /// The names of the roles that are its own.
  package static var roleNames: [FileRole: String] { SQLiteFiles.roleNames }

  private static let suffixes = [".sqlite", ".sqlite3", ".db"]

  /// The name of the table.
  package let table: String
  /// The name of the column with the keys.
  package let keyColumn: String
  /// The name of the column with the values.
  package let valueColumn: String

  /// A reader of these columns of `table`.
  package init(table: String, keyColumn: String, valueColumn: String) {
    self.table = table
    self.keyColumn = keyColumn
    self.valueColumn = valueColumn
  }

  /// Finds the database at `path`, or the only `.sqlite`, `.sqlite3` or `.db` in it.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    try SQLiteFiles.discover(
      in: source,
      at: FileReading.path(in: source, at: path, format: Self.name) { name in
        Self.suffixes.contains { name.hasSuffix($0) }
      })
  }

  /// Not likely: that a file is a database says nothing of what is in it.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let image = files.first?.image, SQLiteFiles.isDatabase(image) else {
      return Recognition(0, because: ["there is no header of SQLite"])
    }
    return Recognition(10, because: ["a database of SQLite"])
  }

  /// The rows of the table.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var entries: [TypedEntry] = []
    let findings = DatabaseReading.read(files) { reading in
      guard let table = reading.table(table, columns: [keyColumn, valueColumn]) else { return }
      entries = reading.entries(of: table) { $0.plainValue }
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: findings)
  }
}

extension DatabaseReading {
  /// The entries of a table with a column of keys and one of values.
  mutating func entries(of table: Table, _ value: (SQLiteCell) -> Value) -> [TypedEntry] {
    var entries: [TypedEntry] = []
    var (keyless, malformed) = (RowTally(), RowTally())
    var ordinal = 0
    forEachRow(of: table) { cells in
      defer { ordinal += 1 }
      guard let key = cells[0].plainKey else { return keyless.add(ordinal) }
      if case .malformedText = cells[1] { malformed.add(ordinal) }
      entries.append(TypedEntry(key: key, value: value(cells[1])))
    }
    keyless.report(
      SQLiteFindings.nullKey, "with NULL as the key: left out", losesContent: true, to: &self)
    malformed.report(
      SQLiteFindings.text,
      "with text that is not in the database's encoding: taken for bytes", to: &self)
    reportDuplicates(among: entries)
    return entries
  }
}
