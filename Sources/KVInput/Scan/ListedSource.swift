import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A source of the files in one listed folder that reads each file at most once, and looks up other
/// paths on disk.
///
/// The listing contains the names, and which of them are links. This saves three system calls per
/// store.
final class ListedSource: FileSource {
  private let listing: FolderListing
  private let limit: Int
  private var images: [FilePath: FileImage] = [:]

  /// Creates a source of the files in `listing` that reads no file with more than `limit` bytes.
  init(_ listing: FolderListing, limit: Int) {
    self.listing = listing
    self.limit = limit
  }

  /// Returns whether there is a file or a folder at `path`.
  func isTaken(_ path: FilePath) -> Bool {
    listing.isParent(of: path) ? listing.hasName(path) : Folder.isTaken(path)
  }

  /// Returns whether `path` is a folder.
  func isFolder(_ path: FilePath) -> Bool {
    guard listing.isParent(of: path), let name = path.lastComponent else {
      return Folder.exists(path) && !Folder.isLink(path)
    }
    return listing.folders.contains(name)
  }

  /// Returns the names in `folder`: its files, then its folders, each sorted.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    let contents = try Folder.contents(of: folder)
    return contents.files + contents.folders
  }

  /// Returns where the file at `path` is; if it is in the listing, no link need be resolved.
  func location(of path: FilePath) -> FileLocation {
    listing.location(of: path) ?? FileLocation(Folder.located(path))
  }

  /// Returns the folder of `file`; if the file is in the listing, no link need be resolved.
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder {
    listing.isParent(of: file) ? .withoutLinks : StoreFolder(of: file, named: path)
  }

  /// Returns whether a link on the way to `path` leads out of `folder`.
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool {
    !(listing.isParent(of: path) && isTaken(path) && !listing.hasOther(path))
      && listing.folder.isLeft(by: path)
  }

  /// Returns at most the first `count` bytes of the file at `path`.
  ///
  /// - Throws: The errors of `FileImage.head(of:count:)`.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return FileImage(image.bytes(in: 0..<min(count, image.count))) }
    return try FileImage.head(of: path, count: count)
  }

  /// Returns all bytes of the file at `path`.
  ///
  /// - Throws: The errors of `FileImage.read(_:limit:)`; `.tooLarge` if the file has more bytes
  ///   than the scan reads; `.leadsOut` for a link out of the listed folder.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    let limit = min(limit, self.limit)
    if let image = images[path] {
      guard image.count <= limit else {
        throw FileError.tooLarge(path: path, count: Int64(image.count), limit: limit)
      }
      return image
    }
    let isListed = listing.isParent(of: path) && !listing.hasOther(path)
    if !isListed { try listing.folder.check(path) }
    let image = try FileImage.read(path, limit: limit, isListed: isListed)
    images[path] = image
    return image
  }

  /// Returns all bytes of the file at `path`, which belongs to a store in `folder`.
  ///
  /// - Throws: The errors of ``read(_:limit:)``.
  func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }
}

/// The names in a folder, by type.
final class FolderListing: Sendable {
  // A class, because all targets in a folder share it.

  let path: FilePath
  let files: Set<FilePath.Component>
  let folders: Set<FilePath.Component>
  /// Whether the folder has unfinished output, so that files may be part of it.
  let hasUnfinished: Bool
  /// The names of links, pipes, sockets and devices.
  private let others: Set<FilePath.Component>
  /// The common prefix of the paths of everything in the folder.
  private let prefix: [UInt8]
  /// The path without links.
  private let place: FilePath

  /// Creates the listing of the folder at `path`, in an archive or on disk.
  init(of path: FilePath, _ contents: Folder.Contents, isOnDisk: Bool) {
    self.path = path
    place = isOnDisk ? Folder.resolved(path.isEmpty ? "." : path) : path
    prefix = path.appending("x").bytes.dropLast()
    files = Set(contents.files)
    folders = Set(contents.folders)
    others = Set(contents.others)
    hasUnfinished = contents.hasUnfinished
  }

  /// Returns where the file at `path` is; `nil` if it is not a regular file in the folder.
  func location(of path: FilePath) -> FileLocation? {
    guard isParent(of: path), let name = path.lastComponent, !others.contains(name) else {
      return nil
    }
    return FileLocation(place.appending(name))
  }

  /// The folder, with the rule that no link out of it is followed.
  var folder: StoreFolder { StoreFolder(of: path.appending("."), named: path) }

  /// Returns whether the last component of `path` is in the folder and is not a folder.
  ///
  /// Names are compared by their bytes, because as text, two encodings of an accented letter would
  /// be equal.
  func hasFile(_ path: FilePath) -> Bool {
    path.lastComponent.map(hasFile) ?? false
  }

  /// Returns whether `path` is a link, a pipe, a socket or a device in the folder.
  func hasOther(_ path: FilePath) -> Bool {
    !others.isEmpty && isParent(of: path) && path.lastComponent.map(others.contains) ?? false
  }

  /// Returns whether the last component of `path` is in the folder.
  func hasName(_ path: FilePath) -> Bool {
    path.lastComponent.map { hasFile($0) || folders.contains($0) } ?? false
  }

  private func hasFile(_ name: FilePath.Component) -> Bool {
    files.contains(name) || others.contains(name)
  }

  /// Returns whether `path` is directly in the folder.
  func isParent(of path: FilePath) -> Bool {
    // This compares bytes, because splitting paths takes five times as long, and this method is
    // called several times per file.
    let bytes = path.bytes
    return bytes.count > prefix.count && bytes.starts(with: prefix)
      && !bytes[prefix.count...].contains(UInt8(ascii: "/"))
  }
}
