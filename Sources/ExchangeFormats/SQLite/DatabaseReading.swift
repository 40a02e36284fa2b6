import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads a database as far as SQLite can.
///
/// An error that stops SQLite becomes a finding.
package struct DatabaseReading: ~Copyable {
  /// A table and the columns to read, as spelled in the schema.
  package struct Table {
    let name: String
    let columns: [String]
  }

  /// The minimum of the limit for the size of a value.
  ///
  /// No value is longer than the files, but SQLite's own strings need room too.
  private static let minimumLimit = 1 << 20
  /// The number of steps allowed per byte.
  ///
  /// SQLite takes a dozen steps to read a row of six bytes, and as many to check it.
  private static let stepsPerByte = 64
  /// The number of additional steps allowed for the tables and columns of a schema.
  ///
  /// They take less than a second.
  private static let minimumSteps = 20_000_000

  let database: SQLiteConnection
  private let whole: Extent
  /// The maximum number of bytes in rows before reading stops.
  ///
  /// Rows have more bytes than the files only if damage or malice makes them share pages.
  private let budget: Int
  /// The encoding of texts.
  private(set) var encoding = TextEncoding.utf8
  /// The findings so far.
  private(set) var findings: [Finding] = []

  /// What the reading of a database came to.
  package struct Outcome {
    /// The findings from opening the files and from reading the rows.
    package var findings: [Finding] = []
    /// The reason why nothing was read, if it is not in the files.
    package var obstacle: FileError?
  }

  /// Opens `files` without writing to them, and calls `body` with the database.
  ///
  /// The database is the first of `files`. If a copy is needed, it is made in the folder
  /// `temporary`; if it cannot be made, `body` is not called, and nothing is known about the files.
  package static func read(
    _ files: [StoreFile],
    copyingTo temporary: FilePath = FilePath(FileManager.default.temporaryDirectory.path),
    _ body: (inout DatabaseReading) -> Void
  ) -> Outcome {
    let others = files.filter { $0.role == .otherLog }
    let missing = files.first.flatMap { Self.missingLog(of: $0, in: files, others.first) }
    let files = files.read.enumerated()
      .filter { $0.offset == 0 || $0.element.image.count > 0 && $0.element.role != .otherLog }
      .map(\.element)
    do throws(FileError) {
      return Outcome(
        findings: try readRows(files, copyingTo: temporary, body)
          + files.dropFirst().flatMap(sideFindings) + (missing.map { [$0] } ?? []))
    } catch {
      return Outcome(obstacle: error)
    }
  }

  /// Returns the finding about the log that the database `main` uses but that is not among `files`,
  /// or `nil` if it is; `other` is a log under another name.
  private static func missingLog(
    of main: StoreFile, in files: [StoreFile], _ other: StoreFile?
  ) -> Finding? {
    guard SQLiteFiles.usesLog(main.image),
      !files.contains(where: { $0.path.string.hasSuffix(SQLiteFiles.logSuffix) && $0 != other })
    else { return nil }
    let name = main.path.lastComponent?.string ?? ""
    let message =
      "the database uses a write-ahead log, and there is no \(name)\(SQLiteFiles.logSuffix). If the "
      + "device still has it, copy it next to the database: the newest rows may be in it"
    guard let other else {
      return Finding(SQLiteFindings.walMissing, at: Extent(.data, main.image.range), message)
    }
    let count = WALCheck.committedCount(in: other.image)
    return Finding(
      SQLiteFindings.walMissing, at: Extent(.data, main.image.range),
      message + ". \(other.path.lastComponent?.string ?? "") is a write-ahead log of "
        + "\(count.grouped) \(count == 1 ? "frame" : "frames") with the page size of this database, and no "
        + "database beside it has its name. If it belongs to this one, copy both to another folder, "
        + "and name it \(name)\(SQLiteFiles.logSuffix) there")
  }

  /// Returns the version of the database that a log under another name makes, if SQLite finds no
  /// damage in it.
  ///
  /// `read` returns the entries of a database and its log.
  static func versions(
    of files: [StoreFile], _ read: ([StoreFile]) -> EntryTable
  ) -> [EntryVersion] {
    guard let main = files.first, main.obstacle == nil,
      let log = files.first(where: { $0.role == .otherLog && $0.obstacle == nil })
    else { return [] }
    let table = read([main, log.with(.side)])
    guard table.obstacle == nil, table.verdict == .clean else { return [] }
    return [EntryVersion(at: log.path, table.entries, isWhole: true, isReadable: false, .ignored)]
  }

  private static func readRows(
    _ files: [StoreFile], copyingTo temporary: FilePath, _ body: (inout DatabaseReading) -> Void
  ) throws(FileError) -> [Finding] {
    guard let main = files.first else { return [] }
    let whole = Extent(.data, main.image.range)
    // SQLite reads the schema table when it opens a database.
    var walk = BTreeWalk(main.image)
    guard !walk.isEndless(from: 1) else { return [endlessness(whole, "the schema")] }
    do {
      // What is read may differ from what is on the disk.
      if files.count == 1, main.copyDamage == nil, let database = try openInPlace(main) {
        return read(database, main.image, files, body)
      }
      return try withCopy(of: files, in: temporary) { path in try readCopy(at: path, files, body) }
    } catch let error as FileError {
      throw error
    } catch let error as SQLiteError where error.isAboutSpace {
      throw .temporary(folder: temporary, errno: .noSpace)
    } catch {
      return [corruption(whole, error, "no row was read")]
    }
  }

  /// Opens the database `main` in place, so that SQLite neither locks it nor looks for files beside
  /// it.
  ///
  /// - Returns: `nil` if SQLite cannot do that, because it does not support URIs or the file has
  ///   disappeared.
  private static func openInPlace(_ main: StoreFile) throws(SQLiteError) -> SQLiteConnection? {
    guard FilePath(main.path.string) == main.path else { return nil }
    do {
      return try open(main.path.string, .immutable, [main])
    } catch {
      guard error.isUnopenable else { throw error }
      return nil
    }
  }

  /// Copies `files` to a new folder in `parent` that only this user can access, and calls `body`
  /// with the path of the copied database.
  ///
  /// If a database has a log or a journal, SQLite brings it up to date when it opens it. That must
  /// not happen to the evidence. The folder is removed afterwards.
  ///
  /// - Throws: `.temporary` if the copy cannot be made, or an error that `body` throws.
  private static func withCopy<Value>(
    of files: [StoreFile], in parent: FilePath, _ body: (FilePath) throws -> Value
  ) throws -> Value {
    try Folder.withTemporary(in: parent) { folder in
      Result { () throws in
        let path = folder.appending("database")
        for (ordinal, file) in files.enumerated() {
          let suffix =
            file.path.string.hasSuffix(SQLiteFiles.journalSuffix)
            ? SQLiteFiles.journalSuffix : SQLiteFiles.logSuffix
          try Folder.makeTemporaryFile(
            at: ordinal == 0 ? path : path.appending(suffix: suffix), file.image.bytes)
        }
        return try body(path)
      }
    }.get()
  }

  /// Reads a copy, to which SQLite may write when it applies the journal and the log.
  private static func readCopy(
    at path: FilePath, _ files: [StoreFile], _ body: (inout DatabaseReading) -> Void
  ) throws -> [Finding] {
    let database = try open(path.string, .existing, files)
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return read(database, try FileImage.read(path), files, body)
  }

  /// Returns findings about the parts of a file beside the database that SQLite ignores.
  private static func sideFindings(of file: StoreFile) -> [Finding] {
    file.path.string.hasSuffix(SQLiteFiles.journalSuffix)
      ? JournalCheck.findings(in: file.image) : WALCheck.findings(in: file.image)
  }

  private static func read(
    _ database: consuming SQLiteConnection, _ image: FileImage, _ files: [StoreFile],
    _ body: (inout DatabaseReading) -> Void
  ) -> [Finding] {
    var reading = DatabaseReading(
      database: database, whole: Extent(.data, files[0].image.range),
      budget: byteCount(of: files))
    if reading.canBeWalked(image) {
      reading.check()
      body(&reading)
    }
    return reading.findings
  }

  private init(database: consuming SQLiteConnection, whole: Extent, budget: Int) {
    self.database = database
    self.whole = whole
    self.budget = budget
  }

  private static func byteCount(of files: [StoreFile]) -> Int {
    files.reduce(0) { $0 + $1.image.count }
  }

  /// Opens the database at `path`, with limits that depend on the size of `files`.
  ///
  /// Because of the limits, no schema can make SQLite run forever or fill the memory.
  private static func open(
    _ path: String, _ access: SQLiteConnection.Access, _ files: [StoreFile]
  ) throws(SQLiteError) -> SQLiteConnection {
    var database = try SQLiteConnection(path, access)
    let count = byteCount(of: files)
    database.limit(
      byteCount: max(count, minimumLimit),
      stepCount: minimumSteps + count * stepsPerByte)
    try database.execute("PRAGMA cell_size_check = ON")
    // This reports a file that is not a database before anything else is read.
    _ = try database.texts("SELECT name FROM sqlite_schema LIMIT 1")
    return database
  }

  private static func corruption(
    _ extent: Extent, _ error: any Error, _ progress: String
  ) -> Finding {
    Finding(
      SQLiteFindings.corrupt, at: extent,
      "SQLite stopped: \(SQLiteFiles.words(of: error)); \(progress)")
  }

  /// Adds a finding about the database.
  package mutating func report(
    _ code: FindingCode, _ message: String, losesContent: Bool = false
  ) {
    findings.append(Finding(code, at: whole, message, losesContent: losesContent))
  }

  /// Removes all but the last entry of each key from `entries`, and reports the keys that occur in
  /// several rows.
  ///
  /// If SQLite may have read other rows than those of the table, each entry gets a caution.
  package mutating func settle(_ entries: inout [TypedEntry]) {
    if findings.leadSQLiteAstray { entries = entries.map { $0.cautioned() } }
    findings += Duplicates.remove(from: &entries, SQLiteFindings.duplicateKey, at: whole)
  }

  private static func endlessness(_ extent: Extent, _ name: String) -> Finding {
    Finding(
      SQLiteFindings.corrupt, at: extent,
      "the pages of \(name) form a loop, and reading them would never end; "
        + "no row was read")
  }

  /// Returns whether reading ends for every table and index in `image`.
  ///
  /// The check reads all of them.
  private mutating func canBeWalked(_ image: FileImage) -> Bool {
    do {
      var walk = BTreeWalk(image)
      let roots = try database.integers(
        "SELECT rootpage FROM sqlite_schema WHERE typeof(rootpage) = 'integer' AND rootpage > 0")
      for root in roots where walk.isEndless(from: Int(clamping: root)) {
        findings.append(Self.endlessness(whole, "the table or index on page \(root)"))
        return false
      }
      return true
    } catch {
      findings.append(Self.corruption(whole, error, "no row was read"))
      return false
    }
  }

  /// Reads the text encoding, and runs SQLite's check of its pages.
  private mutating func check() {
    do {
      let name = try database.texts("PRAGMA encoding").first
      if let name, name.hasPrefix("UTF-16") {
        encoding = .utf16(isLittleEndian: name == "UTF-16le")
      }
      for complaint in try database.texts("PRAGMA quick_check(20)")
      where complaint != "ok" {
        let isShared = ["2nd reference", "out of order"].contains {
          complaint.utf8.firstRange(of: $0.utf8) != nil
        }
        report(
          isShared ? SQLiteFindings.sharedPage : SQLiteFindings.check,
          "SQLite's integrity check reports: \(SQLiteFiles.oneLine(complaint))")
      }
    } catch {
      report(
        error.isAboutSize && computesColumns ? SQLiteFindings.limit : SQLiteFindings.check,
        "SQLite's integrity check stopped: \(SQLiteFiles.words(of: error))")
    }
  }

  /// Whether a table has columns that SQLite computes, which alone can be longer than the files.
  private var computesColumns: Bool {
    let names = try? database.texts(
      """
      SELECT s.name FROM sqlite_schema AS s JOIN pragma_table_xinfo(s.name) AS x
      WHERE s.type = 'table' AND x.hidden > 1 LIMIT 1
      """)
    return names?.isEmpty == false
  }

  /// Returns the names of the tables with pages of their own.
  ///
  /// Views and virtual tables are left out, because programs generate their rows.
  func tableNames() throws(SQLiteError) -> [String] {
    try database.texts(
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND rootpage > 0 AND typeof(name) = 'text' ORDER BY name
      """)
  }

  /// Returns the names of the columns, including generated ones.
  private func columnNames(of table: String) throws -> [String] {
    // Only columns of virtual tables are hidden.
    try database.texts(
      "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", [.text(table)])
  }

  /// Returns up to `limit` tables with all their columns, and the number of tables.
  ///
  /// SQLite's own tables and tables without pages are left out. If SQLite fails, no tables are
  /// returned, and there is a finding.
  package mutating func tables(limit: Int) -> (tables: [Table], count: Int) {
    do {
      let names = try tableNames().filter { !SQLiteFiles.isReserved($0) }
      return (
        try names.prefix(limit).map { Table(name: $0, columns: try columnNames(of: $0)) },
        names.count
      )
    } catch {
      findings.append(Self.corruption(whole, error, "the tables are not listed"))
      return ([], 0)
    }
  }

  /// Returns the first existing table among those called `candidates`, with `columns`, and after
  /// them those of `others` that exist.
  ///
  /// If the table or a column is missing, returns `nil`, and a finding lists those that exist.
  mutating func table(
    _ candidates: [String], columns: [String], besides others: [String] = []
  ) -> Table? {
    do {
      let names = try tableNames()
      let found = candidates.lazy.compactMap { candidate in
        names.first { SQLiteFiles.isSameName($0, candidate) }
      }.first
      guard let found else {
        let list =
          names.isEmpty ? "there are no tables" : "the tables are " + names.joined(separator: ", ")
        report(
          SQLiteFindings.noTable,
          "there is no table \"\(candidates.joined(separator: "\" or \""))\"; \(list)")
        return nil
      }
      let present = try columnNames(of: found)
      func isPresent(_ column: String) -> Bool {
        present.contains { SQLiteFiles.isSameName($0, column) }
      }
      let missing = columns.filter { !isPresent($0) }
      guard missing.isEmpty else {
        report(
          SQLiteFindings.noTable,
          "the table \"\(found)\" has no column \(missing.joined(separator: ", ")); its columns are "
            + present.joined(separator: ", "))
        return nil
      }
      return Table(name: found, columns: columns + others.filter(isPresent))
    } catch {
      findings.append(Self.corruption(whole, error, "no row was read"))
      return nil
    }
  }

  /// Calls `body` with every row of `table`, in the order of the table, until SQLite cannot
  /// continue.
  package mutating func forEachRow(of table: Table, _ body: ([SQLiteCell]) -> Void) {
    let encoding = encoding
    var shared: [SQLiteCell?] = table.columns.map { _ in nil }
    walkRows(of: table) { rows, isComputed in
      var size = RowSize()
      var cells: [SQLiteCell] = []
      for column in table.columns.indices {
        var (cell, count) = Self.cell(try rows.content(column), encoding)
        if !isComputed[column] {
          size.stored += count
        } else {
          size.computed += count
          // A million rows with one default hold it once.
          if let last = shared[column], last.isSame(as: cell) {
            cell = last
          } else {
            size.held += count
          }
          shared[column] = cell
        }
        cells.append(cell)
      }
      body(cells)
      return size
    }
  }

  /// Returns, for each column of `table`, whether a row may not store its content: that of a column
  /// which was added with a default, or is computed from others.
  private func areComputed(_ table: Table) -> [Bool] {
    let names = try? database.texts(
      "SELECT name FROM pragma_table_xinfo(?) WHERE dflt_value IS NOT NULL OR hidden = 2",
      [.text(table.name)])
    return table.columns.map { column in
      names?.contains { SQLiteFiles.isSameName($0, column) } ?? false
    }
  }

  /// Calls `body` with the statement at each row of `table`, from the first on until SQLite cannot
  /// continue, and then from the last one back to the damage.
  ///
  /// `body` returns the size of the row.
  mutating func walkRows(of table: Table, _ body: RowWalk.Body) {
    var walk = RowWalk(of: table, computed: areComputed(table), budget: budget)
    do {
      try walk.forward(in: database, body)
    } catch {
      let before = walk.count
      try? walk.backward(in: database, body)
      let after = walk.count - before
      let progress =
        "\(before.counted("row", "rows")) of \"\(table.name)\" were read"
        + (after > 0 ? ", and \(after.grouped) after the damage" : "")
      if (error as? SQLiteError)?.isAboutSize == true, computesColumns {
        report(
          SQLiteFindings.limit, "SQLite stopped: \(SQLiteFiles.words(of: error)); \(progress)",
          losesContent: true)
      } else {
        findings.append(Self.corruption(whole, error, progress))
      }
    }
    if walk.isOverBudget {
      report(
        SQLiteFindings.corrupt,
        "the rows of \"\(table.name)\" add up to more bytes than the file; "
          + "\(walk.count.counted("row was", "rows were")) read")
    }
    if walk.isOverLimit {
      report(
        SQLiteFindings.limit,
        "what SQLite computes for the rows of \"\(table.name)\" takes too much memory; "
          + "\(walk.count.counted("row was", "rows were")) read", losesContent: true)
    }
  }

  private static func cell(
    _ content: SQLiteStatement.Content, _ encoding: TextEncoding
  ) -> (cell: SQLiteCell, count: Int) {
    switch content {
    case .null: (.null, 0)
    case .integer(let number): (.integer(number), 0)
    case .real(let number): (.real(number), 0)
    case .text(let bytes): (encoding.cell(bytes), bytes.count)
    case .blob(let bytes): (.blob(bytes), bytes.count)
    }
  }
}
