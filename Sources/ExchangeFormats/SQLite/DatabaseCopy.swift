import KVBytes
import KVModel
import KVSystem
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A temporary copy of a database and the files beside it, in a folder that only this user can
/// access.
///
/// If a database has a log or a journal, SQLite brings it up to date when it opens it. That must
/// not happen to the evidence.
enum DatabaseCopy {
  /// The reason why the copy could not be made.
  struct Failure: Error {
    /// What cannot be done, and what helps.
    let words: String
  }

  /// Copies `files` to a new folder in `parent`, and calls `body` with the path of the copied
  /// database.
  ///
  /// The database is the first of `files`. The folder is removed afterwards.
  ///
  /// - Throws: `Failure` if the copy cannot be made, or an error that `body` throws.
  static func use<Result>(
    of files: [StoreFile], in parent: String, _ body: (String) throws -> Result
  ) throws -> Result {
    let name = "kvfsck-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    return try Interruption.withTemporary(at: FilePath(parent + "/" + name)) {
      try useCopy(of: files, in: parent + "/" + name, body)
    }
  }

  private static func useCopy<Result>(
    of files: [StoreFile], in folder: String, _ body: (String) throws -> Result
  ) throws -> Result {
    // If removing it fails, the copy is left in a folder for temporary files.
    defer { _ = try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/database"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      for (ordinal, file) in files.enumerated() {
        let suffix = SQLiteFiles.sideSuffixes.first { file.path.string.hasSuffix($0) } ?? ""
        try Data(file.image.bytes).write(
          to: URL(fileURLWithPath: path + (ordinal == 0 ? "" : suffix)))
      }
    } catch {
      throw Failure(
        words:
          "no file can be made in \(FilePath(folder).removingLastComponent()); set TMPDIR to another "
          + "folder")
    }
    return try body(path)
  }
}
