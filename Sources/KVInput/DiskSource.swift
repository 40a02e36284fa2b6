package import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// A source of files on disk that reads each file at most once.
///
/// Bytes are kept until they are forgotten, so create a source for each store or folder that is
/// examined.
package final class DiskSource: FileSource {
  private var images: [FilePath: FileImage] = [:]
  private let names: FolderNames
  /// The number of bytes read from files, including those of ``head(of:count:)``.
  private(set) var readCount = 0

  /// The size, in bytes, of the largest file that is read.
  private let limit: Int

  /// Creates a source that reads no file with more than `limit` bytes, and shares `names` with others.
  package init(limit: Int = FileImage.maximumCount, names: FolderNames = FolderNames()) {
    self.limit = limit
    self.names = names
  }

  /// Discards the bytes of all files except those at `paths`.
  package func forget(allBut paths: Set<FilePath>) {
    images = images.filter { paths.contains($0.key) }
  }

  /// Returns whether anything exists at `path`, including a link that leads nowhere.
  package func isTaken(_ path: FilePath) -> Bool { Folder.isTaken(path) }

  /// Returns whether `path` is a folder.
  package func isFolder(_ path: FilePath) -> Bool { Folder.exists(path) }

  /// Returns the sorted names in `folder`, except those of unfinished output.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    try names.names(in: folder)
  }

  /// Returns where the file at `path` is, with all links resolved.
  package func location(of path: FilePath) -> FileLocation { FileLocation(Folder.located(path)) }

  /// Returns the folder of `file`, a file of the store that the user named as `path`.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder {
    StoreFolder(of: file, named: path)
  }

  /// Returns whether a link on the way to `path` leads out of `folder`.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool {
    folder.isLeft(by: path)
  }

  /// Returns at most the first `count` bytes of the file at `path`.
  ///
  /// - Throws: The errors of `FileImage.head(of:count:)`.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return FileImage(image.bytes(in: 0..<min(count, image.count))) }
    let head = try FileImage.head(of: path, count: count)
    readCount += head.count
    return head
  }

  /// Returns all bytes of the file at `path`, which may have at most `limit`.
  ///
  /// - Throws: The errors of `FileImage.read(_:limit:)`.
  package func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    let limit = min(limit, self.limit)
    if let image = images[path] {
      guard image.count <= limit else {
        throw FileError.tooLarge(path: path, count: Int64(image.count), limit: limit)
      }
      return image
    }
    let image = try FileImage.read(path, limit: limit)
    readCount += image.count
    images[path] = image
    return image
  }

  /// Returns all bytes of the file at `path`, which was found beside others in `folder`.
  ///
  /// - Throws: The errors of `FileImage.read(_:limit:)`; `.leadsOut` for a link out of the folder.
  package func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try folder.check(path)
    return try read(path, limit: limit)
  }
}

extension StoreFormat {
  /// Finds the files of the store at `path` on the disk.
  ///
  /// - Throws: The errors of ``discover(at:in:)``.
  package func discover(at path: FilePath) throws(DiscoveryError) -> [StoreFile] {
    try discover(at: path, in: DiskSource())
  }
}

extension EntryReader {
  /// Finds the files at `path` on the disk.
  ///
  /// - Throws: The errors of ``discover(at:in:)``.
  package func discover(at path: FilePath) throws(DiscoveryError) -> [StoreFile] {
    try discover(at: path, in: DiskSource())
  }
}
