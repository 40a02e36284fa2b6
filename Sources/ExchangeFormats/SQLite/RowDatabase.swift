import CSQLite
import KVModel
package import KVSystem
package import SystemPackage

/// A new database to which rows are added one by one, in one transaction.
///
/// An error is kept until the end: who adds rows need not look at each. After it nothing more is done.
package final class RowDatabase {
  // A class because it has the database open, and what adds rows is called from several places.

  /// A statement that is run again and again.
  private final class Insertion {
    let statement: SQLiteStatement

    init(_ statement: consuming SQLiteStatement) { self.statement = statement }
  }

  private let path: FilePath
  private let connection: SQLiteConnection
  private var insertions: [String: Insertion] = [:]
  private var failure: FileError?

  /// Opens the database at `path`, where an empty file may be, and runs the statements of `creation`.
  ///
  /// - Throws: `.system`.
  package init(at path: FilePath, _ creation: String) throws(FileError) {
    guard FilePath(path.string) == path else {
      // SQLite takes only paths in UTF-8.
      throw .system(operation: "write", path: path, errno: .illegalByteSequence)
    }
    self.path = path
    do throws(SQLiteError) {
      connection = try SQLiteConnection(path.string, .new)
      // Nobody sees the file before it is complete and forced to the disk.
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
      if insertions[table] == nil {
        let places = Array(repeating: "?", count: cells.count).joined(separator: ", ")
        let statement = try connection.statement(
          "INSERT INTO \"\(table)\" VALUES(\(places))", cells)
        insertions[table] = Insertion(statement)
      }
      try insertions[table]?.statement.run(cells)
    } catch {
      failure = RowDatabase.error(error, at: path)
    }
  }

  /// Runs the statements of `completion` and ends the transaction.
  ///
  /// - Throws: The first error.
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
