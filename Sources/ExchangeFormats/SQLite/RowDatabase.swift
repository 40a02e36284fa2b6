import CSQLite
import KVModel
package import KVSystem
package import SystemPackage

/// A new database to which rows are added one by one, in one transaction.
///
/// The first error is kept and thrown at the end, so callers need not check each row. After an
/// error, nothing more is written.
package final class RowDatabase {
  // This is a class because it owns an open database, and rows are added from several places.

  /// A statement that is run repeatedly.
  private final class Insertion {
    let statement: SQLiteStatement

    init(_ statement: consuming SQLiteStatement) { self.statement = statement }
  }

  private let path: FilePath
  private let connection: SQLiteConnection
  private var insertions: [String: Insertion] = [:]
  private var failure: FileError?

  /// Opens the database at `path`, where an empty file may exist, and runs the statements of
  /// `creation`.
  ///
  /// - Throws: `.system` if the database cannot be created.
  package init(at path: FilePath, _ creation: String) throws(FileError) {
    guard FilePath(path.string) == path else {
      // SQLite accepts only UTF-8 paths.
      throw .system(operation: "write", path: path, errno: .illegalByteSequence)
    }
    self.path = path
    do throws(SQLiteError) {
      connection = try SQLiteConnection(path.string, .new)
      // Nothing reads the file before it is complete and forced to disk.
      try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;")
      try connection.execute(creation)
    } catch {
      throw RowDatabase.error(error, at: path)
    }
  }

  /// Adds a row with `cells` to `table`, which has as many columns.
  package func insert(into table: String, _ cells: [SQLiteCell]) {
    guard failure == nil else { return }
    do throws(SQLiteError) {
      if let known = insertions[table] { return try known.statement.run(cells) }
      let places = Array(repeating: "?", count: cells.count).joined(separator: ", ")
      let insertion = Insertion(
        try connection.statement("INSERT INTO \"\(table)\" VALUES(\(places))", cells))
      insertions[table] = insertion
      try insertion.statement.run(cells)
    } catch {
      failure = RowDatabase.error(error, at: path)
    }
  }

  /// Runs the statements of `completion` and ends the transaction.
  ///
  /// - Throws: The first error since the database was opened.
  package func finish(_ completion: String = "") throws(FileError) {
    if let failure { throw failure }
    insertions.removeAll()
    do throws(SQLiteError) {
      try connection.execute(completion)
      try connection.execute("COMMIT")
    } catch {
      throw RowDatabase.error(error, at: path)
    }
  }

  private static func error(_ error: SQLiteError, at path: FilePath) -> FileError {
    let errno: Errno =
      switch error.code & 0xff {
      case SQLITE_FULL: .noSpace
      case SQLITE_TOOBIG: .fileTooLarge
      default: error.systemError == 0 ? .ioError : Errno(rawValue: error.systemError)
      }
    return .system(operation: "write", path: path, errno: errno)
  }
}
