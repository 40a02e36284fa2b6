import GRDB
import KVModel
import SystemPackage

/// A database that is written at once, where nobody sees it before it is complete.
enum NewDatabase {
  /// Lets `body` fill the database at `path`, where an empty file may be, in one transaction.
  ///
  /// - Throws: `.library` with SQLite's words; the conversion's error that `body` throws.
  static func fill(
    at path: FilePath, _ body: (Database) throws -> Void
  ) throws(ConversionError) {
    guard FilePath(path.string) == path else {
      throw .library("SQLite takes only paths in UTF-8")
    }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // Nobody sees the file before it is complete and forced to the disk. A journal in memory holds
      // what was there before the transaction, which is nothing.
      try database.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")
    }
    try rethrowing { () throws in
      // What begins with "file:" would be taken for a URI.
      let name = path.string.hasPrefix("file:") ? "./" + path.string : path.string
      let queue = try DatabaseQueue(path: name, configuration: configuration)
      try queue.inTransaction { database in
        try body(database)
        return .commit
      }
      try queue.close()
    }
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
