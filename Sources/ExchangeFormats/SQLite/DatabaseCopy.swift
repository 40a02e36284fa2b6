package import KVModel
package import KVSystem
package import SystemPackage

/// A new database with the schema of another, and with all of its rows that SQLite can read.
///
/// Rows are copied as they are stored, with their ids, in all tables: the library that opens the
/// database may need tables of its own. A trigger or a view is created but not run, and a virtual table
/// is only listed: its content is in other tables.
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
  /// If SQLite cannot open the database, `addition` fills a new one, if it `isEnough`.
  ///
  /// - Throws: When the copy cannot be written, or nothing is known of the files.
  /// - Returns: What the copy lacks besides rows, in words.
  static func write(
    _ files: [StoreFile], to path: FilePath,
    orOnly isEnough: Bool = false,
    adding addition: (borrowing SQLiteConnection) throws -> Void = { _ in }
  ) throws(ConversionError) -> [String] {
    var result: Result<[String], ConversionError>?
    let outcome = DatabaseReading.read(files) { reading in
      result = Result { () throws(ConversionError) in try copy(&reading, to: path, addition) }
    }
    if let obstacle = outcome.obstacle { throw .file(obstacle) }
    guard let result else {
      if isEnough {
        try NewDatabase.fill(at: path, addition)
        return []
      }
      throw .library("SQLite cannot open the database, so it cannot be written anew")
    }
    return try result.get()
  }

  private static func copy(
    _ reading: inout DatabaseReading, to path: FilePath,
    _ addition: (borrowing SQLiteConnection) throws -> Void
  ) throws(ConversionError) -> [String] {
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
    var lacking: [String] = []
    func add(_ element: Element, to new: borrowing SQLiteConnection) {
      if !create(element, in: new) {
        lacking.append("SQLite refuses to create the \(element.type) \(element.name)")
      }
    }
    // Rows that are there are written, whatever the checks of their table say.
    let unchecked = "PRAGMA ignore_check_constraints = ON;"
    try NewDatabase.fill(at: path, settings: settings + unchecked) { new in
      for element in elements where element.type == "table" { add(element, to: new) }
      for table in tables where table.name != sequences {
        try copyRows(of: table, from: &reading, to: new)
      }
      // The insertions have counted their own ids.
      for table in tables where table.name == sequences {
        try new.execute("DELETE FROM \(sequences)")
        try copyRows(of: table, from: &reading, to: new)
      }
      for element in elements where element.type != "table" { add(element, to: new) }
      try addition(new)
    }
    return lacking
  }

  /// The table in which SQLite keeps the highest ids of others.
  fileprivate static let sequences = "sqlite_sequence"

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

  /// Creates `element`, and returns whether SQLite does so.
  ///
  /// Only the first statement of the text is run, which SQLite has checked when it opened the database.
  private static func create(
    _ element: Element, in database: borrowing SQLiteConnection
  ) -> Bool {
    let statement = element.statement.uppercased()
    guard statement.hasPrefix("CREATE ") else { return false }
    do {
      guard statement.hasPrefix("CREATE VIRTUAL") else {
        try database.statement(element.statement).run([])
        return true
      }
      try database.execute("PRAGMA writable_schema = ON")
      let insertion = try database.statement(
        "INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES('table', ?, ?, 0, ?)"
      )
      try insertion.run([.text(element.name), .text(element.name), .text(element.statement)])
      try database.execute("PRAGMA writable_schema = OFF")
      return true
    } catch {
      return false
    }
  }

  private static func copyRows(
    of table: DatabaseReading.Table, from reading: inout DatabaseReading,
    to database: borrowing SQLiteConnection
  ) throws {
    let name = SQLiteFiles.quoted(table.name)
    // A walk through rows with ids has them as the last column.
    let hasIDs = (try? database.statement("SELECT rowid FROM \(name)")) != nil
    let names = table.columns.map(SQLiteFiles.quoted) + (hasIDs ? ["rowid"] : [])
    let columns = names.joined(separator: ", ")
    let places = names.map { _ in "?" }.joined(separator: ", ")
    guard !table.columns.isEmpty,
      let insertion = try? database.statement(
        "INSERT OR IGNORE INTO \(name)(\(columns)) VALUES(\(places))")
    else { return }
    let encoding = reading.encoding
    var failure: (any Error)?
    reading.walkRows(of: table) { row, areComputed in
      guard failure == nil else { return RowSize() }
      do {
        return try insertion.run(copying: row, in: encoding, computed: areComputed)
      } catch {
        failure = error
        return RowSize()
      }
    }
    if let failure { throw failure }
  }
}

extension DatabaseReading {
  /// Returns the tables whose rows a copy needs, with the columns that can be written.
  fileprivate func tablesForCopy() throws(SQLiteError) -> [Table] {
    var tables: [Table] = []
    for name in try tableNames()
    where name == DatabaseCopy.sequences || !SQLiteFiles.isReserved(name) {
      let columns = try database.texts(
        "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", [.text(name)])
      tables.append(Table(name: name, columns: columns))
    }
    return tables
  }
}

extension EntryRestorer {
  /// Writes a copy of the database of `table` into `folder`, without the rows of `own` whose entries are
  /// not among `entries`, and with those that SQLite did not reach.
  func restoreDatabase(
    of table: EntryTable, holding entries: [TypedEntry], _ own: KeyValueTable,
    in folder: FilePath, into pending: inout PendingWrite
  ) throws(ConversionError) -> [String] {
    let path = folder.appending(Self.loadedName(of: table.files).components)
    let kept = Set(entries.map(\.key))
    let dropped = table.entries.prefix(table.indexedCount).filter { !kept.contains($0.key) }
    let cutOff = table.entries.suffix(table.strayCount).filter { kept.contains($0.key) }
    var lacking: [String] = []
    try pending.adoptFile(at: path) { (path) throws(ConversionError) in
      lacking = try DatabaseCopy.write(table.files, to: path, orOnly: !cutOff.isEmpty) { new in
        try own.delete(Array(dropped), from: new)
        try own.insert(Array(cutOff), into: new, like: table.files)
      }
    }
    return lacking
  }
}

extension SQLiteTableReader: EntryRestorer {
  /// `true`: the database is copied.
  package func keepsUnread(of table: EntryTable) -> Bool { true }

  /// Writes a copy of the whole database.
  package func restore(
    _ entries: [TypedEntry], of table: EntryTable, in folder: FilePath,
    into files: inout PendingWrite
  ) throws(ConversionError) -> [String] {
    try restoreDatabase(of: table, holding: entries, own, in: folder, into: &files)
  }

  /// `true`: a log of the old database would be applied to the new one.
  package static var removesFirst: Bool { true }
}

extension KeyValueTable {
  /// Deletes the rows of `entries` from the table in `database`.
  func delete(_ entries: [TypedEntry], from database: borrowing SQLiteConnection) throws {
    guard !entries.isEmpty, let column = columns.first, let name = try ownName(in: database) else {
      return
    }
    let key = SQLiteFiles.quoted(column)
    let deletion = try database.statement(
      "DELETE FROM \(SQLiteFiles.quoted(name)) WHERE CAST(\(key) AS TEXT) = ? OR \(key) = ?")
    for entry in entries {
      let bytes = SQLiteCell.blob(entry.key.bytes)
      try deletion.run([entry.key.text.map { .text($0) } ?? bytes, bytes])
    }
  }

  /// Adds rows with `entries` to the table in `database`, which is created if it is not there, as it was
  /// in the database with `files`.
  ///
  /// A row that lacks what the table demands is left out.
  func insert(
    _ entries: [TypedEntry], into database: borrowing SQLiteConnection, like files: [StoreFile]
  ) throws {
    guard !entries.isEmpty else { return }
    if try ownName(in: database) == nil, let creation = creation(in: files) {
      // Only the first statement of what a damaged file contains is run.
      try database.statement(creation.statement).run([])
      if creation.version > 0 {
        try database.execute("PRAGMA user_version = \(creation.version)")
      }
    }
    guard let name = try ownName(in: database) else { return }
    let list = columns.map(SQLiteFiles.quoted).joined(separator: ", ")
    let insertion = try database.statement(
      "INSERT OR IGNORE INTO \(SQLiteFiles.quoted(name))(\(list)) VALUES(?, ?)")
    for entry in entries {
      let value: SQLiteCell =
        switch entry.value {
        case .keyedArchive(_, let bytes): .blob(bytes)
        default: SQLiteCell(entry.value)
        }
      try insertion.run([entry.key.text.map { .text($0) } ?? .blob(entry.key.bytes), value])
    }
  }

  /// Returns the name of the table in `database`, if it is there.
  private func ownName(in database: borrowing SQLiteConnection) throws -> String? {
    try names.first { name in
      try !database.texts(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)",
        [.text(name)]
      ).isEmpty
    }
  }
}
