package import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// A source of the files in an archive, in which the formats look for stores.
package final class ArchiveSource: FileSource {
  // A class, because `FileSource` requires one.

  private let tree: any MemberTree
  /// The folder whose files are examined one after the other; `nil` if only one is.
  private let listing: FolderListing?
  /// The size, in bytes, of the largest file that is read.
  private let limit: Int
  private var images = PathTable<FileImage>()

  /// Creates a source of the files in `tree` that reads no file with more than `limit` bytes.
  package convenience init(_ tree: any MemberTree, limit: Int = FileImage.maximumCount) {
    self.init(tree, nil, limit: limit)
  }

  /// Creates a source of the files in `tree`, of which those of one folder are in `listing`.
  init(_ tree: any MemberTree, _ listing: FolderListing?, limit: Int) {
    self.tree = tree
    self.listing = listing
    self.limit = limit
  }

  /// Returns whether anything exists at `path`.
  package func isTaken(_ path: FilePath) -> Bool { tree.isTaken(path) }

  /// Returns whether `path` is a folder.
  package func isFolder(_ path: FilePath) -> Bool { tree.isFolder(path) }

  /// Returns the names in `folder`: its files, then its folders, each sorted.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    if let listing, folder == listing.path { return listing.names }
    let contents = tree.contents(of: folder)
    return contents.files + contents.folders
  }

  /// Returns a folder without links, because no link in an archive is followed.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder { .withoutLinks }

  /// Returns `false`, because nothing in an archive is a link.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool { false }

  /// Returns at most the first `count` bytes of the file at `path`.
  ///
  /// - Throws: The errors of ``read(_:limit:)``.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return FileImage(image.bytes(in: 0..<min(count, image.count))) }
    FileLedger.current?.noteGlance(path)
    return try tree.head(of: path, count: count)
  }

  /// Returns all bytes of the file at `path`.
  ///
  /// - Throws: `.member` if they cannot be read from the archive; `.tooLarge` if there are more
  ///   than `limit`.
  package func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    if let image = images[path], image.count <= limit { return image }
    let image = try tree.read(path, limit: min(limit, self.limit))
    images[path] = image
    FileLedger.current?.noteRead(path, image)
    return image
  }

  /// Returns all bytes of the file at `path`, which belongs to a store in `folder`.
  ///
  /// - Throws: The errors of ``read(_:limit:)``.
  package func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }

  /// Discards the bytes of all files except those at `paths`.
  package func forget(allBut paths: Set<FilePath>) {
    images.keepOnly(paths)
  }

  /// Returns what is wrong with the bytes of the file at `path`, according to the archive.
  package func flaw(of path: FilePath) -> String? { tree.flaw(of: path) }
}

/// A place in an archive that a user has named, such as `evidence.zip!data/user`.
struct ArchivePlace {
  /// The contents of the archive.
  let tree: any MemberTree
  /// The path in the archive.
  let path: FilePath
  /// The parts of this archive, and of the archives that contain it, that cannot be read, apart
  /// from problems with single members.
  private(set) var problems: [String]

  /// Whether the place is a folder, and the archive has further members with names of its files.
  var hasLayers: Bool { tree.isFolder(path) && tree.layers(of: path).count > 1 }

  /// Finds the place that `path` names; returns `nil` if no part before a `!` is a file, or if a
  /// file with the whole path exists.
  ///
  /// - Throws: If the archive cannot be read, or has nothing at that place.
  init?(named path: FilePath) throws(FileError) {
    guard !Folder.isTaken(path) else { return nil }
    let splits = MemberPath.splits(of: path.bytes)
    guard
      let (archive, member) = splits.first(where: {
        let file = FilePath(bytes: $0.archive)
        return Folder.isTaken(file) && (!Folder.exists(file) || ArchiveFile(at: file) != nil)
      })
    else { return nil }
    let home = FilePath(bytes: archive)
    guard let file = ArchiveFile(at: home) else {
      throw FileError.member(path: path, reason: "\(home.text) is not a known kind of archive")
    }
    let tree = try file.tree()
    guard let place = try Self.place(member, at: home, in: tree) else {
      let problem = Self.problems(tree.problems, at: home).first
      throw FileError.member(
        path: path,
        reason: "the archive has no such file or folder"
          + (problem.map { ", but not all of it can be read (\($0))" } ?? ""))
    }
    self = place
  }

  private init(_ tree: any MemberTree, _ path: FilePath, of home: FilePath) {
    self.tree = tree
    self.path = path
    problems = Self.problems(tree.problems(of: path), at: home)
  }

  /// Returns those of `problems` that are not with single members of the archive at `home`.
  private static func problems(
    _ problems: [(path: FilePath, reason: String)], at home: FilePath
  ) -> [String] {
    problems.filter { $0.path == home }.map { "\(home.text): \($0.reason)" }
  }

  /// Returns the place named `name` in `tree`, the archive at `home`; `nil` if it does not exist.
  private static func place(
    _ name: [UInt8], at home: FilePath, in tree: any MemberTree
  ) throws(FileError) -> ArchivePlace? {
    let (layer, rest) = layer(of: name)
    if layer > 1, let place = try Self.place(rest, inLayer: layer, at: home, in: tree) {
      return place
    }
    // The name of a member may begin like that of a layer.
    return try Self.place(name, inLayer: 1, at: home, in: tree)
  }

  private static func place(
    _ name: [UInt8], inLayer layer: Int, at home: FilePath, in tree: any MemberTree
  ) throws(FileError) -> ArchivePlace? {
    let root = MemberPath.root(of: home, layer: layer)
    guard let path = MemberPath.path(of: name, in: root) else {
      return ArchivePlace(tree, root, of: home)
    }
    if tree.isTaken(path) { return ArchivePlace(tree, path, of: home) }
    for (archive, member) in MemberPath.splits(of: name) {
      let named = archive.isEmpty ? root : MemberPath.path(of: archive, in: root)
      guard let path = named, let file = tree.archive(at: path) else { continue }
      if var place = try place(member, at: path, in: try file.tree()) {
        place.problems += problems(tree.problems(of: path), at: home)
        return place
      }
    }
    return nil
  }

  /// Splits `name` into the number of the layer at its start, as in `#2!data/user`, and the rest.
  private static func layer(of name: [UInt8]) -> (Int, [UInt8]) {
    guard name.first == UInt8(ascii: "#"), let end = name.firstIndex(of: UInt8(ascii: "!")),
      let layer = Int(digits: String(decoding: name[1..<end], as: UTF8.self), radix: 10),
      (2...ArchiveLimits.layerCount).contains(layer)
    else { return (1, name) }
    return (layer, Array(name[(end + 1)...]))
  }
}
