import KVBytes
import KVModel
import SystemPackage

/// How the readers of formats with a single file find it.
enum FileReading {
  /// The file at `path`.
  ///
  /// - Throws: When it cannot be read.
  static func file(
    _ role: FileRole = .data, at path: FilePath
  ) throws(DiscoveryError) -> StoreFile {
    do {
      return StoreFile(role, at: path, try FileImage.read(path))
    } catch {
      throw .file(error)
    }
  }

  /// The file at `path` or, where that is a folder, the only one in it whose name `isNamed` accepts.
  ///
  /// - Throws: When there is none, or more than one.
  static func path(
    at path: FilePath, format: String, named isNamed: (String) -> Bool
  ) throws(DiscoveryError) -> FilePath {
    guard Folder.exists(path) else { return path }
    let names: [FilePath.Component]
    do {
      names = try Folder.components(in: path).filter {
        isNamed($0.string) && !Folder.exists(path.appending($0))
      }
    } catch {
      throw .file(error)
    }
    guard let first = names.first else { throw .noStore(in: path, format: format) }
    if names.count > 1 { throw .severalStores(in: path, names: names.map(\.string)) }
    return path.appending(first)
  }
}
