import KVModel
import SystemPackage

/// Writes a database in one transaction, at a path where nothing reads it before it is complete.
enum NewDatabase {
  /// Lets `body` fill the database at `path` in one transaction.
  ///
  /// An empty file may exist at `path`. The statements of `settings` are run before the transaction.
  ///
  /// - Throws: `.library` with SQLite's message, or the `ConversionError` that `body` throws.
  static func fill(
    at path: FilePath, settings: String = "",
    _ body: (borrowing SQLiteConnection) throws -> Void
  ) throws(ConversionError) {
    guard FilePath(path.string) == path else {
      throw .library("SQLite accepts only paths in UTF-8")
    }
    try rethrowing { () throws in try fillNew(path.string, settings, body) }
  }

  private static func fillNew(
    _ path: String, _ settings: String, _ body: (borrowing SQLiteConnection) throws -> Void
  ) throws {
    let database = try SQLiteConnection(path, .new)
    // Nothing reads the file before it is complete and forced to disk. The journal in memory has
    // the state before the transaction, which is empty.
    try database.execute(settings)
    try database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;")
    try body(database)
    try database.execute("COMMIT")
  }

  /// Rethrows conversion errors, and wraps all other errors.
  static func rethrowing(_ body: () throws -> Void) throws(ConversionError) {
    do {
      try body()
    } catch let error as ConversionError {
      throw error
    } catch {
      throw .library("the database cannot be written: \(SQLiteFiles.words(of: error))")
    }
  }
}
