package import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// The files of the disk, each read at most once.
///
/// What was read is kept until it is forgotten, so that a source is made for each store or folder that is
/// looked at.
package final class DiskSource: FileSource {
  private var images: [FilePath: FileImage] = [:]
  /// How many bytes were read from files, those of ``head(of:count:)`` included.
  package private(set) var readCount = 0

  /// The most bytes of a file that is read.
  private let limit: Int

  /// A source that has read nothing yet, and reads no file with more than `limit` bytes.
  package init(limit: Int = FileImage.maximumCount) { self.limit = limit }

  /// Lets go of the bytes of all files but those at `paths`.
  package func forget(allBut paths: Set<FilePath>) {
    images = images.filter { paths.contains($0.key) }
  }

  /// Whether there is anything at `path`, a link that leads nowhere included.
  package func isTaken(_ path: FilePath) -> Bool { Folder.isTaken(path) }

  /// Whether `path` is a folder.
  package func isFolder(_ path: FilePath) -> Bool { Folder.exists(path) }

  /// The names in `folder`, sorted, without those of unfinished output.
  ///
  /// - Throws: `.system` when it cannot be listed.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    try Folder.components(in: folder)
  }

  /// The folder of `file`, a file of the store that the user has named as `path`.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder {
    StoreFolder(of: file, named: path)
  }

  /// Whether a link on the way to `path` leads out of `folder`.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool {
    folder.isLeft(by: path)
  }

  /// The first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As `FileImage.head`.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return FileImage(image.bytes(in: 0..<min(count, image.count))) }
    let head = try FileImage.head(of: path, count: count)
    readCount += head.count
    return head
  }

  /// All bytes of the file at `path`, which has no more than `limit`.
  ///
  /// - Throws: As `FileImage.read`.
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

  /// All bytes of the file at `path`, which was found beside others in `folder`.
  ///
  /// - Throws: As `FileImage.read`; `.leadsOut` for a link out of the folder.
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
  /// - Throws: As ``discover(at:in:)``.
  package func discover(at path: FilePath) throws(DiscoveryError) -> [StoreFile] {
    try discover(at: path, in: DiskSource())
  }
}

extension EntryReader {
  /// Finds the files at `path` on the disk.
  ///
  /// - Throws: As ``discover(at:in:)``.
  package func discover(at path: FilePath) throws(DiscoveryError) -> [StoreFile] {
    try discover(at: path, in: DiskSource())
  }
}
