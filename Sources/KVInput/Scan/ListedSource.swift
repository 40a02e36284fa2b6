import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A source of the files in one listed folder that reads each file at most once, and looks up other
/// paths on disk.
///
/// The listing contains the names, and which of them are links. This saves three system calls per
/// store, and listing the folder for each of its files.
final class ListedSource: FileSource {
  private let listing: FolderListing
  private let limit: Int
  private var images = PathTable<FileImage>()

  /// Creates a source of the files in `listing` that reads no file with more than `limit` bytes.
  init(_ listing: FolderListing, limit: Int) {
    self.listing = listing
    self.limit = limit
  }

  /// Returns whether there is a file or a folder at `path`.
  func isTaken(_ path: FilePath) -> Bool {
    let place = listing.place(of: path)
    return place == .elsewhere ? Folder.isTaken(path) : place != .absent
  }

  /// Returns whether `path` is a folder.
  func isFolder(_ path: FilePath) -> Bool {
    let place = listing.place(of: path)
    return place == .elsewhere
      ? Folder.exists(path) && !Folder.isLink(path) : place == .folder
  }

  /// Returns the names in `folder`: its files, then its folders, each sorted.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    if folder == listing.path { return listing.names }
    let contents = try Folder.contents(of: folder)
    return contents.files + contents.folders
  }

  /// Returns where the file at `path` is; if it is in the listing, no link need be resolved.
  func location(of path: FilePath) -> FileLocation {
    listing.location(of: path) ?? FileLocation(Folder.located(path))
  }

  /// Returns the folder of `file`; if the file is in the listing, no link need be resolved.
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder {
    listing.place(of: file) != .elsewhere ? .withoutLinks : StoreFolder(of: file, named: path)
  }

  /// Returns whether a link on the way to `path` leads out of `folder`.
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool {
    switch listing.place(of: path) {
    // What does not exist leads nowhere.
    case .file, .folder, .absent: false
    case .elsewhere: path != listing.path && listing.folder.isLeft(by: path)
    case .other: listing.folder.isLeft(by: path)
    }
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
    let bytes = path.bytes
    if let image = images[bytes] {
      guard image.count <= limit else {
        throw FileError.tooLarge(path: path, count: Int64(image.count), limit: limit)
      }
      return image
    }
    let isListed = listing.place(ofBytes: bytes).isPlain
    if !isListed { try listing.folder.check(path) }
    let image = try FileImage.read(path, limit: limit, isListed: isListed)
    images[bytes] = image
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

  /// What is at a path.
  enum Place {
    /// It is not directly in the folder.
    case elsewhere
    /// The folder has nothing with that name.
    case absent
    case file
    case folder
    /// A link, a pipe, a socket or a device.
    case other

    /// Whether it is in the folder and neither a link nor another special file, if it is anything.
    var isPlain: Bool { self != .elsewhere && self != .other }
  }

  let path: FilePath
  /// The names of its files, then those of its folders, each sorted.
  let names: [FilePath.Component]
  /// Whether the folder has unfinished output, so that files may be part of it.
  let hasUnfinished: Bool
  /// Whether a name is that of a file that belongs to another one.
  let hasSides: Bool
  /// Whether a name may be that of a meta file: in most folders, none is.
  let mayHaveMeta: Bool
  /// What is at each name.
  private let places: PathTable<Place>
  /// The common prefix of the paths of everything in the folder.
  private let prefix: [UInt8]
  /// The path without links.
  let location: FilePath

  /// Creates the listing of the folder at `path`, which is at `location` without links.
  init(of path: FilePath, at location: FilePath, _ contents: Folder.Contents) {
    self.path = path
    self.location = location
    prefix = path.appending("x").bytes.dropLast()
    names = contents.files + contents.folders
    hasUnfinished = contents.hasUnfinished
    var places = PathTable<Place>()
    var (hasSides, mayHaveMeta) = (false, false)
    // In an archive, a folder and a file may have the same name: the file comes last.
    let kinds: [(names: [FilePath.Component], place: Place)] = [
      (contents.folders, .folder), (contents.others, .other), (contents.files, .file),
    ]
    for (names, place) in kinds {
      for bytes in names.lazy.map(\.bytes) {
        places[bytes] = place
        hasSides = hasSides || place == .file && StoreNames.isSide(bytes)
        mayHaveMeta = mayHaveMeta || StoreNames.mayBeMeta(bytes)
      }
    }
    self.places = places
    self.hasSides = hasSides
    self.mayHaveMeta = mayHaveMeta
  }

  /// Returns what is at `path`.
  ///
  /// Names are compared by their bytes, because as text, two encodings of an accented letter would
  /// be equal. To split paths takes five times as long, and this method is called several times a
  /// file.
  func place(of path: FilePath) -> Place {
    place(ofBytes: path.bytes)
  }

  /// Returns what is at the path with these bytes.
  func place(ofBytes bytes: [UInt8]) -> Place {
    guard bytes.count > prefix.count, bytes.starts(with: prefix) else { return .elsewhere }
    let name = Array(bytes[prefix.count...])
    return name.contains(UInt8(ascii: "/")) ? .elsewhere : places[name] ?? .absent
  }

  /// Returns whether something with this name is in the folder.
  func hasName(_ name: [UInt8]) -> Bool { places[name] != nil }

  /// Returns whether a file, a link or another special file with this name is in the folder.
  func hasFile(_ name: [UInt8]) -> Bool {
    let place = places[name]
    return place == .file || place == .other
  }

  /// Returns where the file at `path` is; `nil` if it is not a regular file in the folder.
  func location(of path: FilePath) -> FileLocation? {
    guard place(of: path).isPlain, let name = path.lastComponent else { return nil }
    return FileLocation(location.appending(name))
  }

  /// The folder, with the rule that no link out of it is followed.
  var folder: StoreFolder { StoreFolder(of: path.appending("."), named: path) }
}
