package import KVModel
package import KVSystem
package import SystemPackage

/// A new database with the schema of another, and with all of its rows that SQLite can read.
///
/// Rows are copied as they are stored, in all tables: the library that opens the database may need
/// tables of its own. A trigger or a view is created but not run.
struct DatabaseCopy {
  /// A table, an index, a view or a trigger, with the statement that creates it.
  private struct Element {
    let type: String
    let name: String
    let statement: String
  }

  /// The settings of a database that have to be made before its first table.
  private static let pageSettings = ["page_size", "encoding", "auto_vacuum"]
  /// The settings that programs keep in the header of a database.
  private static let ownSettings = ["user_version", "application_id"]

  /// Writes the copy of the database with `files` at `path`, where an empty file may exist, and lets
  /// `addition` add to it.
  ///
  /// - Throws: When the copy cannot be written, or nothing is known of the files.
  static func write(
    _ files: [StoreFile], to path: FilePath,
    adding addition: (borrowing SQLiteConnection) throws -> Void = { _ in }
  ) throws(ConversionError) {
    var result: Result<Void, ConversionError>?
    let outcome = DatabaseReading.read(files) { reading in
      result = Result { () throws(ConversionError) in try copy(&reading, to: path, addition) }
    }
    if let obstacle = outcome.obstacle { throw .file(obstacle) }
    guard let result else {
      throw .library("SQLite cannot open the database, so it cannot be written anew")
    }
    try result.get()
  }

  private static func copy(
    _ reading: inout DatabaseReading, to path: FilePath,
    _ addition: (borrowing SQLiteConnection) throws -> Void
  ) throws(ConversionError) {
    let settings: String
    let elements: [Element]
    let tables: [DatabaseReading.Table]
    do throws(SQLiteError) {
      settings = try pragmas(pageSettings + ownSettings, of: reading.database)
      elements = try Self.elements(of: reading.database)
      tables = try reading.tablesForCopy()
    } catch {
      throw .library("the schema of the database cannot be read: \(SQLiteFiles.words(of: error))")
    }
    try NewDatabase.fill(at: path, settings: settings) { new in
      for element in elements where element.type == "table" { create(element, in: new) }
      for table in tables { try copyRows(of: table, from: &reading, to: new) }
      for element in elements where element.type != "table" { create(element, in: new) }
      try addition(new)
    }
  }

  /// Returns the statements that give another database the values of `names`.
  private static func pragmas(
    _ names: [String], of database: borrowing SQLiteConnection
  ) throws(SQLiteError) -> String {
    var text = ""
    for name in names {
      let value = try database.texts("PRAGMA \(name)").first ?? "0"
      text += "PRAGMA \(name) = '\(value.filter { $0.isLetter || $0.isNumber || $0 == "-" })';"
    }
    return text
  }

  private static func elements(
    of database: borrowing SQLiteConnection
  ) throws(SQLiteError) -> [Element] {
    let rows = try database.statement(
      """
      SELECT type, name, sql FROM sqlite_schema
      WHERE typeof(sql) = 'text' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """)
    var elements: [Element] = []
    while try rows.next() {
      elements.append(
        Element(type: rows.text(0), name: rows.text(1), statement: rows.text(2)))
    }
    return elements
  }

  /// Creates `element`, unless SQLite refuses its statement: then the rest is worth as much.
  ///
  /// Only the first statement of the text is run, which SQLite has checked when it opened the database.
  private static func create(_ element: Element, in database: borrowing SQLiteConnection) {
    let statement = element.statement.uppercased()
    guard statement.hasPrefix("CREATE "), !statement.hasPrefix("CREATE VIRTUAL") else { return }
    try? database.statement(element.statement).run([])
  }

  private static func copyRows(
    of table: DatabaseReading.Table, from reading: inout DatabaseReading,
    to database: borrowing SQLiteConnection
  ) throws {
    let name = SQLiteFiles.quoted(table.name)
    let columns = table.columns.map(SQLiteFiles.quoted).joined(separator: ", ")
    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
    guard !table.columns.isEmpty,
      let insertion = try? database.statement(
        "INSERT OR IGNORE INTO \(name)(\(columns)) VALUES(\(places))")
    else { return }
    var failure: (any Error)?
    reading.walkRows(of: table) { row in
      guard failure == nil else { return 0 }
      do {
        return try insertion.run(copying: row)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
  }
}

extension DatabaseReading {
  /// Returns the tables whose rows a copy needs, with the columns that can be written.
  fileprivate func tablesForCopy() throws(SQLiteError) -> [Table] {
    var tables: [Table] = []
    for name in try tableNames() where name == "sqlite_sequence" || !SQLiteFiles.isReserved(name) {
      let columns = try database.texts(
        "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", [.text(name)])
      tables.append(Table(name: name, columns: columns))
    }
    return tables
  }
}

extension EntryRestorer {
  /// Writes a copy of the database of `table` into `folder`.
  func restoreDatabase(
    of table: EntryTable, _ files: [StoreFile], in folder: FilePath,
    into pending: inout PendingWrite
  ) throws(ConversionError) {
    let path = folder.appending(Self.loadedName(of: files).components)
    try pending.adoptFile(at: path) { (path) throws(ConversionError) in
      try DatabaseCopy.write(files, to: path)
    }
  }
}

extension SQLiteTableReader: EntryRestorer {
  /// Writes a copy of the whole database.
  package func restore(
    _ entries: [TypedEntry], of table: EntryTable, in folder: FilePath,
    into files: inout PendingWrite
  ) throws(ConversionError) {
    try restoreDatabase(of: table, table.files, in: folder, into: &files)
  }
}
