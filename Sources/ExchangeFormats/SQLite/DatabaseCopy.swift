import KVBytes
import KVModel
import KVSystem
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A copy of a database and the files beside it in a folder that nobody else may enter, which is
/// removed after use.
///
/// A database with a log or a journal is brought up to date when it is opened: that may not happen
/// to the evidence.
enum DatabaseCopy {
  /// Why the copy could not be made.
  struct Failure: Error {
    /// The words of the error.
    let words: String
  }

  /// Copies `files`, the database first, to a new folder in `parent`, and hands the path of the copied
  /// database to `body`.
  ///
  /// - Throws: `Failure` when the copy cannot be made; what `body` throws.
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
    // A copy that cannot be removed is in a folder for temporary files.
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
      throw Failure(words: String(describing: error))
    }
    return try body(path)
  }
}
