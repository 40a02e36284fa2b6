package import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// Standard input as the only file that there is, under the name by which users call it.
package final class StreamSource: FileSource {
  // A class because sources are.

  /// What standard input is called.
  package static let path: FilePath = "-"

  private let image: FileImage

  /// A source of what standard input has, which is read to its end.
  ///
  /// - Throws: As `FileImage.readStandardInput`.
  package init() throws(FileError) { image = try FileImage.readStandardInput(named: Self.path) }

  /// Whether `path` is standard input.
  package func isTaken(_ path: FilePath) -> Bool { path == Self.path }

  /// No path is a folder.
  package func isFolder(_ path: FilePath) -> Bool { false }

  /// Nothing is beside standard input.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] { [] }

  /// A folder in which no link is followed.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder { .withoutLinks }

  /// There are no links.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool { false }

  /// The first bytes, up to `count`.
  ///
  /// - Throws: `.system` for any other path.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    let image = try read(path, limit: .max)
    return FileImage(image.bytes(in: 0..<min(count, image.count)))
  }

  /// All bytes, of which there are no more than `limit`.
  ///
  /// - Throws: `.system` for any other path, `.tooLarge` where there are more.
  package func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    guard path == Self.path else {
      throw .system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    }
    guard image.count <= limit else {
      throw .tooLarge(path: path, count: Int64(image.count), limit: limit)
    }
    return image
  }

  /// All bytes, of which there are no more than `limit`.
  ///
  /// - Throws: As ``read(_:limit:)``.
  package func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }

  /// Keeps the bytes: they cannot be read again.
  package func forget(allBut paths: Set<FilePath>) {}
}
