import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// Finds the file of a format that has a single file.
enum FileReading {
  /// Returns `path`, or if it is a folder, the only file in it whose name `isNamed` accepts.
  ///
  /// - Throws: An error if there is no such file, or more than one.
  static func path(
    in source: any FileSource, at path: FilePath, format: String, named isNamed: (String) -> Bool
  ) throws(DiscoveryError) -> FilePath {
    guard source.isFolder(path) else { return path }
    let names = try source.allNames(in: path).filter {
      isNamed($0.string) && !source.isFolder(path.appending($0))
    }
    guard let first = names.first else { throw .noStore(in: path, format: format) }
    if names.count > 1 { throw .severalFiles(in: path, names: names.map(\.string)) }
    return path.appending(first)
  }

  /// Returns the file at `path`, or if `path` is a folder, the only file in it whose name ends in
  /// `suffix`.
  ///
  /// - Throws: An error if there is no such file or more than one, or if it cannot be read.
  static func file(
    in source: any FileSource, at path: FilePath, format: String, suffix: String
  ) throws(DiscoveryError) -> StoreFile {
    try source.file(
      at: try self.path(in: source, at: path, format: format) { $0.hasSuffix(suffix) })
  }
}
