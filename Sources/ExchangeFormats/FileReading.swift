import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// How the readers of formats with a single file find it.
enum FileReading {
  /// The file at `path` or, where that is a folder, the only one in it whose name `isNamed` accepts.
  ///
  /// - Throws: When there is none, or more than one.
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

  /// The file at `path` or, where that is a folder, the only one in it whose name ends in `suffix`.
  ///
  /// - Throws: When there is none, or more than one, or it cannot be read.
  static func file(
    in source: any FileSource, at path: FilePath, format: String, suffix: String
  ) throws(DiscoveryError) -> StoreFile {
    try source.file(
      at: try self.path(in: source, at: path, format: format) { $0.hasSuffix(suffix) })
  }
}
