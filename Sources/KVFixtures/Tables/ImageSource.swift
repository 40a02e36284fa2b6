package import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// A folder with the files of an image as a source.
package final class ImageSource: FileSource {
  // A class, because `FileSource` requires one.

  /// The path of the folder.
  package static let folder: FilePath = "/store"

  private let image: DiskImage

  /// Creates a source with the files of `image`.
  package init(_ image: DiskImage) { self.image = image }

  private func file(at path: FilePath) -> SimulatedFile? {
    path.parent == Self.folder ? image[path.name] : nil
  }

  /// Returns whether `path` is the folder or a file in it.
  package func isTaken(_ path: FilePath) -> Bool { isFolder(path) || file(at: path) != nil }

  /// Returns whether `path` is the folder.
  package func isFolder(_ path: FilePath) -> Bool { path == Self.folder }

  /// Returns the names of the files.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    image.files.map(\.name).sorted().compactMap { FilePath.Component($0) }
  }

  /// Returns a folder without links.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder { .withoutLinks }

  /// Returns `false`, because there are no links.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool { false }

  /// Returns at most the first `count` bytes of a file.
  ///
  /// - Throws: The errors of ``read(_:limit:)``.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    FileImage(try read(path, limit: .max).bytes.prefix(count).map(\.self))
  }

  /// Returns all bytes of a file.
  ///
  /// - Throws: `.system` if there is no such file; `.tooLarge` if it has more than `limit` bytes.
  package func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    guard let file = file(at: path) else {
      throw .system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    }
    guard file.bytes.count <= limit else {
      throw .tooLarge(path: path, count: Int64(file.bytes.count), limit: limit)
    }
    return FileImage(file.bytes)
  }

  /// Returns all bytes of a file.
  ///
  /// - Throws: The errors of ``read(_:limit:)``.
  package func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }
}
