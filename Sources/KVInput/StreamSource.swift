package import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// A source with standard input as its only file.
package final class StreamSource: FileSource {
  // A class, because `FileSource` requires one.

  /// The path by which users name standard input.
  package static let path: FilePath = "-"

  private let image: FileImage

  /// Creates a source from standard input, which is read to its end.
  ///
  /// - Throws: The errors of `FileImage.readStandardInput(named:)`.
  package init() throws(FileError) { image = try FileImage.readStandardInput(named: Self.path) }

  /// Returns whether `path` is standard input.
  package func isTaken(_ path: FilePath) -> Bool { path == Self.path }

  /// Returns `false`, because no path is a folder.
  package func isFolder(_ path: FilePath) -> Bool { false }

  /// Returns no names, because no other file is beside standard input.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] { [] }

  /// Returns a folder without links.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder { .withoutLinks }

  /// Returns `false`, because there are no links.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool { false }

  /// Returns at most the first `count` bytes of standard input.
  ///
  /// - Throws: `.system` for any other path.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    let image = try read(path, limit: .max)
    return FileImage(image.bytes(in: 0..<min(count, image.count)))
  }

  /// Returns all bytes of standard input, which may have at most `limit`.
  ///
  /// - Throws: `.system` for any other path; `.tooLarge` if there are more bytes.
  package func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    guard path == Self.path else {
      throw .system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    }
    guard image.count <= limit else {
      throw .tooLarge(path: path, count: Int64(image.count), limit: limit)
    }
    return image
  }

  /// Returns all bytes of standard input, which may have at most `limit`.
  ///
  /// - Throws: The errors of ``read(_:limit:)``.
  package func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }

  /// Does nothing, because the bytes cannot be read again.
  package func forget(allBut paths: Set<FilePath>) {}
}
