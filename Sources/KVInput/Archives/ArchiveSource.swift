package import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// The files in an archive, for the formats to find stores in.
package final class ArchiveSource: FileSource {
  // A class because sources are.

  private let tree: any MemberTree
  /// The most bytes of a file that is read.
  private let limit: Int
  private var images: [FilePath: FileImage] = [:]

  /// A source of the files in `tree`, of which none is read that has more than `limit` bytes.
  package init(_ tree: any MemberTree, limit: Int = FileImage.maximumCount) {
    self.tree = tree
    self.limit = limit
  }

  /// Whether there is anything at `path`.
  package func isTaken(_ path: FilePath) -> Bool { tree.isTaken(path) }

  /// Whether `path` is a folder.
  package func isFolder(_ path: FilePath) -> Bool { tree.isFolder(path) }

  /// The names in `folder`, sorted.
  package func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    let contents = tree.contents(of: folder)
    return contents.files + contents.folders
  }

  /// The folder of `file`; no link of an archive is followed.
  package func folder(of file: FilePath, named path: FilePath) -> StoreFolder { .withoutLinks }

  /// Nothing in an archive is a link.
  package func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool { false }

  /// The first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As ``read(_:limit:)``.
  package func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    if let image = images[path] { return FileImage(image.bytes(in: 0..<min(count, image.count))) }
    return try tree.head(of: path, count: count)
  }

  /// All bytes of the file at `path`.
  ///
  /// - Throws: `.member` where the archive does not give them, `.tooLarge` where they are too many.
  package func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    if let image = images[path], image.count <= limit { return image }
    let image = try tree.read(path, limit: min(limit, self.limit))
    images[path] = image
    return image
  }

  /// All bytes of the file at `path`, which belongs to a store in `folder`.
  ///
  /// - Throws: As ``read(_:limit:)``.
  package func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    try read(path, limit: limit)
  }

  /// Lets go of the bytes of all files but those at `paths`.
  package func forget(allBut paths: Set<FilePath>) {
    images = images.filter { paths.contains($0.key) }
  }

  /// What is wrong with the bytes of the file at `path`, by what the archive says.
  package func flaw(of path: FilePath) -> String? { tree.flaw(of: path) }
}

/// A place in an archive, as somebody names it: `evidence.zip!data/user`.
package struct ArchivePlace {
  /// What the archive has.
  package let tree: any MemberTree
  /// Where it is in there.
  package let path: FilePath
  /// What cannot be read of the archive, and of those that it is in, whichever member it is in.
  package private(set) var problems: [String]

  /// The place that `path` names, of which the part before a `!` is a file; `nil` where there is no such
  /// part, or there is a file with the whole path.
  ///
  /// - Throws: When the archive cannot be read, or has nothing there.
  package init?(named path: FilePath) throws(FileError) {
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
      throw FileError.member(path: path, reason: "\(home.text) is no archive that is known")
    }
    let tree = try file.tree()
    guard let place = try Self.place(member, at: home, in: tree) else {
      let problem = Self.problems(of: tree, at: home).first
      throw FileError.member(
        path: path,
        reason: "the archive has no such file or folder"
          + (problem.map { ", and not all of it can be read (\($0))" } ?? ""))
    }
    self = place
  }

  private init(_ tree: any MemberTree, _ path: FilePath, of home: FilePath) {
    self.tree = tree
    self.path = path
    problems = Self.problems(of: tree, at: home)
  }

  /// What cannot be read of the archive `tree` at `home`, but for what is known of a member.
  private static func problems(of tree: any MemberTree, at home: FilePath) -> [String] {
    tree.problems.filter { $0.path == home }.map { "\(home.text): \($0.reason)" }
  }

  /// The place with the name `name` in `tree`, the archive at `home`; `nil` where there is none.
  private static func place(
    _ name: [UInt8], at home: FilePath, in tree: any MemberTree
  ) throws(FileError) -> ArchivePlace? {
    let (layer, name) = layer(of: name)
    let root = MemberPath.root(of: home, layer: layer)
    guard let path = MemberPath.path(of: name, in: root) else {
      return ArchivePlace(tree, root, of: home)
    }
    if tree.isTaken(path) { return ArchivePlace(tree, path, of: home) }
    for (archive, member) in MemberPath.splits(of: name) {
      guard let path = MemberPath.path(of: archive, in: root), let file = tree.archive(at: path)
      else { continue }
      if var place = try place(member, at: path, in: try file.tree()) {
        place.problems += problems(of: tree, at: home)
        return place
      }
    }
    return nil
  }

  /// The layer that `name` begins with, as in `#2!data/user`, and the rest.
  private static func layer(of name: [UInt8]) -> (Int, [UInt8]) {
    guard name.first == UInt8(ascii: "#"), let end = name.firstIndex(of: UInt8(ascii: "!")),
      let layer = Int(String(decoding: name[1..<end], as: UTF8.self)),
      (2...ArchiveLimits.layerCount).contains(layer)
    else { return (1, name) }
    return (layer, Array(name[(end + 1)...]))
  }
}
