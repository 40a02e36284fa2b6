import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The files of one folder that was listed, each read at most once; what is elsewhere is asked of the
/// disk.
///
/// That names are known, and which of them are links, spares three system calls a store.
final class ListedSource: FileSource {
  private let listing: FolderListing
  private let limit: Int
  private var images: [FilePath: FileImage] = [:]

  /// A source of the files in `listing`, of which none is read that has more than `limit` bytes.
  init(_ listing: FolderListing, limit: Int) {
    self.listing = listing
    self.limit = limit
  }

  /// Whether there is a file or a folder at `path`.
  func isTaken(_ path: FilePath) -> Bool {
    listing.isParent(of: path) ? listing.hasName(path) : Folder.isTaken(path)
  }

  /// Whether `path` is a folder.
  func isFolder(_ path: FilePath) -> Bool {
    guard listing.isParent(of: path), let name = path.lastComponent else {
      return Folder.exists(path) && !Folder.isLink(path)
    }
    return listing.folders.contains(name)
  }

  /// The names in `folder`, sorted.
  ///
  /// - Throws: `.system` when it cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    let contents = try Folder.contents(of: folder)
    return contents.files + contents.folders
  }

  /// The folder of `file`; of those that were listed it is known which are links.
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder {
    listing.isParent(of: file) ? .withoutLinks : StoreFolder(of: file, named: path)
  }

  /// Whether a link on the way to `path` leads out of `folder`.
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool {
    !(listing.isParent(of: path) && isTaken(path) && !listing.hasOther(path))
      && listing.folder.isLeft(by: path)
  }

  /// The first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As `FileImage.head`.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return FileImage(image.bytes(in: 0..<min(count, image.count))) }
    return try FileImage.head(of: path, count: count)
  }

  /// All bytes of the file at `path`.
  ///
  /// - Throws: As `FileImage.read`; `.tooLarge` where it has more bytes than the scan reads, `.leadsOut` for a
  ///   link out of the folder that was listed.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return image }
    if listing.hasOther(path) || !listing.isParent(of: path) { try listing.folder.check(path) }
    let image = try FileImage.read(path, limit: min(limit, self.limit))
    images[path] = image
    return image
  }

  /// All bytes of the file at `path`, which belongs to a store in `folder`.
  ///
  /// - Throws: As ``read(_:limit:)``.
  func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }
}

/// The names in a folder.
final class FolderListing: Sendable {
  // A class because all targets of a folder share it.

  let path: FilePath
  let files: Set<FilePath.Component>
  let folders: Set<FilePath.Component>
  /// What is neither: links, pipes, devices.
  private let others: Set<FilePath.Component>
  /// What the path of all that is in the folder begins with.
  private let prefix: [UInt8]

  init(of path: FilePath, _ contents: Folder.Contents) {
    self.path = path
    prefix = path.appending("x").bytes.dropLast()
    files = Set(contents.files)
    folders = Set(contents.folders)
    others = Set(contents.others)
  }

  /// The folder, out of which no link is followed.
  var folder: StoreFolder { StoreFolder(of: path.appending("."), named: path) }

  /// Whether the folder has the last name of `path`, and it is no folder's.
  ///
  /// Names compare by their bytes; as texts, two spellings of an accent would be one.
  func hasFile(_ path: FilePath) -> Bool {
    path.lastComponent.map { files.contains($0) || others.contains($0) } ?? false
  }

  /// Whether the last name of `path` is that of a link, a pipe or a device in the folder.
  func hasOther(_ path: FilePath) -> Bool {
    !others.isEmpty && isParent(of: path) && path.lastComponent.map(others.contains) ?? false
  }

  /// Whether the folder has the last name of `path`.
  func hasName(_ path: FilePath) -> Bool {
    hasFile(path) || path.lastComponent.map(folders.contains) ?? false
  }

  /// Whether `path` is directly in the folder.
  func isParent(of path: FilePath) -> Bool {
    // As bytes: taking paths apart takes five times as long, and this is asked some times a file.
    let bytes = path.bytes
    return bytes.count > prefix.count && bytes.starts(with: prefix)
      && !bytes[prefix.count...].contains(UInt8(ascii: "/"))
  }
}
