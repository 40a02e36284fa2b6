import GRDB
import KVBytes
package import KVModel
import KVSystem
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A database that is read as far as SQLite goes; what stops it becomes a finding.
package struct DatabaseReading {
  /// A table with the columns that are read, in the spelling of the schema.
  package struct Table {
    let name: String
    let columns: [String]
  }

  private enum TextEncoding {
    case utf8, utf16(isLittleEndian: Bool)
  }

  private let database: Database
  private let whole: Extent
  /// More bytes than the files have cannot be in the rows, unless damage or malice makes rows share
  /// pages: reading ends there.
  private let budget: Int
  private var encoding = TextEncoding.utf8
  /// What was found.
  private(set) var findings: [Finding] = []

  /// Opens `files`, the database first, without writing to them, and hands the database to `body`;
  /// where a copy is needed, it is made in the folder `temporary`.
  ///
  /// - Returns: What was found, in the opening and in `body`.
  package static func read(
    _ files: [StoreFile], copyingTo temporary: String = FileManager.default.temporaryDirectory.path,
    _ body: (inout DatabaseReading) -> Void
  ) -> [Finding] {
    let files = files.read
    return readRows(files, copyingTo: temporary, body)
      + files.dropFirst().flatMap(sideFindings)
  }

  private static func readRows(
    _ files: [StoreFile], copyingTo temporary: String, _ body: (inout DatabaseReading) -> Void
  ) -> [Finding] {
    guard let main = files.first else { return [] }
    let whole = Extent(.data, main.image.range)
    // The table of tables is read when the database is opened.
    var walk = BTreeWalk(main.image)
    guard !walk.isEndless(from: 1) else { return [endlessness(whole, "the schema")] }
    do {
      // Immutable: SQLite neither locks the file nor looks for others beside it.
      if files.count == 1, FilePath(main.path.string) == main.path {
        do {
          let queue = try open("file:\(escaped(main.path.string))?immutable=1", readOnly: true)
          return read(queue, main.image, files, body)
        } catch DatabaseError.SQLITE_CANTOPEN {
          // A library without URIs, or a file that has gone: the copy is made of what was read.
        }
      }
      return try DatabaseCopy.use(of: files, in: temporary) { path in
        // The copy may be written to: SQLite applies the journal and the log.
        let queue = try open(path, readOnly: false)
        defer { _ = try? queue.close() }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        return read(queue, try FileImage.read(FilePath(path)), files, body)
      }
    } catch let failure as DatabaseCopy.Failure {
      return [
        Finding(
          SQLiteFindings.noCopy, at: whole,
          "nothing was read, for the database and the log or journal beside it cannot be copied to a "
            + "temporary folder: \(failure.words)")
      ]
    } catch {
      return [corruption(whole, error, "no row was read")]
    }
  }

  /// What SQLite passes over in a file beside the database.
  private static func sideFindings(of file: StoreFile) -> [Finding] {
    file.path.string.hasSuffix(SQLiteFiles.journalSuffix)
      ? JournalCheck.findings(in: file.image) : WALCheck.findings(in: file.image)
  }

  private static func read(
    _ queue: DatabaseQueue, _ image: FileImage, _ files: [StoreFile],
    _ body: (inout DatabaseReading) -> Void
  ) -> [Finding] {
    queue.unsafeReentrantRead { database in
      var reading = DatabaseReading(
        database: database, whole: Extent(.data, files[0].image.range),
        budget: files.reduce(0) { $0 + $1.image.count })
      if reading.canBeWalked(image) {
        reading.check()
        body(&reading)
      }
      return reading.findings
    }
  }

  private init(database: Database, whole: Extent, budget: Int) {
    self.database = database
    self.whole = whole
    self.budget = budget
  }

  private static func open(_ path: String, readOnly: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // Nothing that the schema of a foreign database calls is run.
      try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private static func escaped(_ path: String) -> String {
    path.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + Hexadecimal.text([byte])
      }
    }
  }

  private static func corruption(
    _ extent: Extent, _ error: any Error, _ progress: String
  ) -> Finding {
    Finding(
      SQLiteFindings.corrupt, at: extent,
      "SQLite gives up: \(SQLiteFiles.words(of: error)); \(progress)")
  }

  /// Adds a finding about the database.
  package mutating func report(
    _ code: FindingCode, _ message: String, losesContent: Bool = false
  ) {
    findings.append(Finding(code, at: whole, message, losesContent: losesContent))
  }

  /// Reports the keys that are in several rows.
  package mutating func reportDuplicates(among entries: [TypedEntry]) {
    findings += Duplicates.findings(SQLiteFindings.duplicateKey, among: entries, at: whole)
  }

  private static func endlessness(_ extent: Extent, _ name: String) -> Finding {
    Finding(
      SQLiteFindings.corrupt, at: extent,
      "the pages of \(name) are linked to each other again and again, and reading them would not end; "
        + "no row was read")
  }

  /// Whether SQLite comes to an end with every table and index in `image`, which the check reads all.
  private mutating func canBeWalked(_ image: FileImage) -> Bool {
    do {
      var walk = BTreeWalk(image)
      let roots = try Int64.fetchAll(
        database,
        sql:
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

  /// Lets SQLite check its pages, and finds out how texts are encoded.
  private mutating func check() {
    do {
      for complaint in try String.fetchAll(database, sql: "PRAGMA quick_check(20)")
      where complaint != "ok" {
        report(SQLiteFindings.check, "SQLite's check says: \(complaint)")
      }
      let name = try String.fetchOne(database, sql: "PRAGMA encoding")
      if let name, name.hasPrefix("UTF-16") {
        encoding = .utf16(isLittleEndian: name == "UTF-16le")
      }
    } catch {
      report(SQLiteFindings.check, "SQLite's check ends: \(SQLiteFiles.words(of: error))")
    }
  }

  /// The names of the tables that have pages of their own: no views and no virtual tables, whose
  /// rows are made by programs.
  package func tableNames() throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT name FROM sqlite_schema
        WHERE type = 'table' AND rootpage > 0 AND typeof(name) = 'text' ORDER BY name
        """)
  }

  private func columnNames(of table: String) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
  }

  /// The tables that have pages of their own and are not SQLite's, up to `limit`, with all their columns;
  /// `nil` where SQLite gives up.
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

  /// The first table there is of those called `candidates`, with `columns`; where it or one of them is
  /// missing, a finding says which there are.
  package mutating func table(_ candidates: String..., columns: [String]) -> Table? {
    do {
      let names = try tableNames()
      let found = candidates.lazy.compactMap { candidate in
        names.first { SQLiteFiles.isSameName($0, candidate) }
      }.first
      guard let found else {
        let list = names.isEmpty ? "there is none" : "there are " + names.joined(separator: ", ")
        report(
          SQLiteFindings.noTable,
          "there is no table \"\(candidates.joined(separator: "\" or \""))\"; \(list)")
        return nil
      }
      let present = try columnNames(of: found)
      let missing = columns.filter { column in
        !present.contains { SQLiteFiles.isSameName($0, column) }
      }
      guard missing.isEmpty else {
        report(
          SQLiteFindings.noTable,
          "the table \"\(found)\" has no column \(missing.joined(separator: ", ")); it has "
            + present.joined(separator: ", "))
        return nil
      }
      return Table(name: found, columns: columns)
    } catch {
      findings.append(Self.corruption(whole, error, "no row was read"))
      return nil
    }
  }

  /// Hands every row of `table` to `body`, in the order of the table, until SQLite cannot go on.
  package mutating func forEachRow(of table: Table, _ body: ([SQLiteCell]) -> Void) {
    var rowCount = 0
    var byteCount = 0
    do {
      let rows = try Row.fetchCursor(database, sql: Self.query(table))
      while let row = try rows.next() {
        var cells: [SQLiteCell] = []
        for column in table.columns.indices {
          let isText = row[2 * column] as DatabaseValue
          let cell = cell(row[2 * column + 1] as DatabaseValue, isText: isText.storage == .int64(1))
          byteCount += cell.count
          cells.append(cell.cell)
        }
        // A row takes four bytes at least: a pointer and a cell.
        byteCount += 4
        guard byteCount <= budget else {
          report(
            SQLiteFindings.corrupt,
            "the rows of \"\(table.name)\" have more bytes than the file; "
              + "\(rowCount) rows were read")
          return
        }
        body(cells)
        rowCount += 1
      }
    } catch {
      findings.append(
        Self.corruption(whole, error, "\(rowCount) rows of \"\(table.name)\" were read"))
    }
  }

  /// The query for all rows of `table`, with whether each cell is text beside it.
  ///
  /// GRDB reads text up to its first U+0000 only: it is read as bytes, and told by its type.
  private static func query(_ table: Table) -> String {
    let list = table.columns.map { column in
      let name = SQLiteFiles.quoted(column)
      return "typeof(\(name)) = 'text', "
        + "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) ELSE \(name) END"
    }
    return """
      SELECT \(list.joined(separator: ", "))
      FROM \(SQLiteFiles.quoted(table.name)) NOT INDEXED
      """
  }

  private func cell(_ value: DatabaseValue, isText: Bool) -> (cell: SQLiteCell, count: Int) {
    switch value.storage {
    case .null: (.null, 0)
    case .int64(let number): (.integer(number), 0)
    case .double(let number): (.real(number), 0)
    // Never asked for, but then it is whole up to a U+0000.
    case .string(let text): (.text(text), text.utf8.count)
    case .blob(let data) where isText: (text([UInt8](data)), data.count)
    case .blob(let data): (.blob([UInt8](data)), data.count)
    }
  }

  private func text(_ bytes: [UInt8]) -> SQLiteCell {
    switch encoding {
    case .utf8:
      return String(utf8: bytes).map { .text($0) } ?? .malformedText(bytes)
    case .utf16(let isLittleEndian):
      guard bytes.count.isMultiple(of: 2) else { return .malformedText(bytes) }
      let units = stride(from: 0, to: bytes.count, by: 2).map { offset in
        let (low, high) =
          isLittleEndian
          ? (bytes[offset], bytes[offset + 1]) : (bytes[offset + 1], bytes[offset])
        return UInt16(high) << 8 | UInt16(low)
      }
      return String(utf16: units).map { .text($0) } ?? .malformedText(bytes)
    }
  }
}
