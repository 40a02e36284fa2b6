import KVModel
import SystemPackage

/// A database that is written at once, where nobody sees it before it is complete.
enum NewDatabase {
  /// Lets `body` fill the database at `path`, where an empty file may be, in one transaction.
  ///
  /// - Throws: `.library` with SQLite's words; the conversion's error that `body` throws.
  static func fill(
    at path: FilePath, _ body: (borrowing SQLiteConnection) throws -> Void
  ) throws(ConversionError) {
    guard FilePath(path.string) == path else {
      throw .library("SQLite takes only paths in UTF-8")
    }
    try rethrowing { () throws in try fillNew(path.string, body) }
  }

  private static func fillNew(
    _ path: String, _ body: (borrowing SQLiteConnection) throws -> Void
  ) throws {
    let database = try SQLiteConnection(path, .new)
    // Nobody sees the file before it is complete and forced to the disk. A journal in memory holds
    // what was there before the transaction, which is nothing.
    try database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;")
    try body(database)
    try database.execute("COMMIT")
  }

  /// Tells our errors from those of the library.
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
