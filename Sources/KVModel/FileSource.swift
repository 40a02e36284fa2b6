public import KVBytes
public import SystemPackage

/// Named bytes from somewhere: a folder of the disk, the members of an archive.
///
/// A format finds the files of a store in a source, and never touches the disk. A source reads each
/// file at most once, however many formats look at it.
public protocol FileSource: AnyObject {
  /// Whether there is anything at `path`, a link that leads nowhere included.
  func isTaken(_ path: FilePath) -> Bool

  /// Whether `path` is a folder.
  func isFolder(_ path: FilePath) -> Bool

  /// The names in `folder`, sorted, without those of unfinished output.
  ///
  /// - Throws: `.system` when it cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component]

  /// The folder of `file`, a file of the store that the user has named as `path`.
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder

  /// Whether a link on the way to `path` leads out of `folder`.
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool

  /// The first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As ``read(_:limit:)``, but for the size.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage

  /// All bytes of the file at `path`, which has no more than `limit`.
  ///
  /// - Throws: As `FileImage.read`.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage

  /// All bytes of the file at `path`, which was found beside others in `folder` and has no more than
  /// `limit`.
  ///
  /// - Throws: As `FileImage.read`; `.leadsOut` for a link out of the folder.
  func read(_ path: FilePath, in folder: StoreFolder, limit: Int) throws(FileError) -> FileImage
}

extension FileSource {
  /// All bytes of the file at `path`.
  ///
  /// - Throws: As `FileImage.read`.
  public func read(_ path: FilePath) throws(FileError) -> FileImage {
    try read(path, limit: FileImage.maximumCount)
  }

  /// The file at `path`.
  ///
  /// - Throws: `.file` when it cannot be read.
  public func file(
    _ role: FileRole = .data, at path: FilePath
  ) throws(DiscoveryError) -> StoreFile {
    do throws(FileError) {
      return StoreFile(role, at: path, try read(path))
    } catch {
      throw .file(error)
    }
  }

  /// The file at `path`, which is beside others in `folder`; why it cannot be read is kept in
  /// ``StoreFile/obstacle``.
  ///
  /// One such file that cannot be read is no reason to read nothing of the others.
  public func file(
    _ role: FileRole, at path: FilePath, in folder: StoreFolder
  ) -> StoreFile {
    do throws(FileError) {
      return StoreFile(role, at: path, try read(path, in: folder, limit: FileImage.maximumCount))
    } catch {
      return StoreFile(role, at: path, unreadFor: error)
    }
  }

  /// The names in `folder`, sorted.
  ///
  /// - Throws: `.file` when it cannot be listed.
  public func allNames(in folder: FilePath) throws(DiscoveryError) -> [FilePath.Component] {
    do throws(FileError) {
      return try names(in: folder)
    } catch {
      throw .file(error)
    }
  }
}
