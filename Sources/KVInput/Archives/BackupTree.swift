import ExchangeFormats
import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The files in a backup of an iOS device, by their names on the device.
///
/// The index maps names to files; see `AppleBackupIndex`. A file whose bytes are not in the backup
/// is not in the tree.
final class BackupTree: MemberTree {
  // A class, because all targets in a backup share its names.

  let names: MemberNames
  let depth: Int
  let budget: UnpackBudget?
  /// The problems other than missing files.
  private let known: [(path: FilePath, reason: String)]
  /// The paths of the files that the index lists and the backup lacks.
  private let missing: [FilePath]
  private let path: FilePath
  private let home: (any MemberTree)?
  /// The path of each file's bytes.
  let places: [FilePath]

  /// Returns whether a folder with `contents` has the index of a backup.
  static func mayBeBackup(_ contents: Folder.Contents) -> Bool {
    contents.files.contains(AppleBackupIndex.name)
  }

  /// Returns whether a folder with `contents`, which has such an index, also has other parts of a
  /// backup; without them, another program's database may have the name of the index.
  static func isBackup(_ contents: Folder.Contents) -> Bool {
    contents.files.contains(where: AppleBackupIndex.companions.contains)
      || contents.folders.contains { isFolderOfFiles($0) }
  }

  private static func isFolderOfFiles(_ name: FilePath.Component) -> Bool {
    name.string.utf8.count == 2 && Hexadecimal.bytes(name.string) != nil
  }

  /// Lists the backup in the folder at `path`, in `home` or on disk.
  ///
  /// - Throws: If its index cannot be read, or if it is encrypted.
  init(at path: FilePath, in home: (any MemberTree)?, depth: Int) throws(FileError) {
    let index = try AppleBackupIndex(
      of: path, in: Self.source(home), limit: ArchiveLimits.memberCount)
    let placement = Placement(
      of: index.files, among: try Self.present(in: path, home), below: MemberPath.root(of: path))
    let shape = ArchiveShape(placement.layers, at: path)
    known =
      (index.problems + placement.problems).map { (path, $0) }
      + shape.problems.map { ($0.path, $0.reason) }
    missing = placement.missing
    self.path = path
    names = shape.members
    places = placement.places
    self.home = home
    self.depth = depth
    budget = home?.budget
  }

  /// The names and paths of the files that an index lists.
  private struct Placement {
    /// The path of each file's bytes.
    private(set) var places: [FilePath] = []
    /// The files at each path, in the order of the index.
    private(set) var layers = PathTable<[Int]>()
    /// The paths of the files that are not there.
    private(set) var missing: [FilePath] = []
    private var oddCount = 0
    private var repeatedCount = 0

    /// Places those of `files` that are `present` in a tree below `root`.
    init(
      of files: [AppleBackupIndex.File], among present: [FilePath.Component: FilePath],
      below root: FilePath
    ) {
      for file in files {
        guard let name = ArchiveListing.path(of: file.name, in: root) else {
          oddCount += 1
          continue
        }
        guard let place = FilePath.Component(file.id).flatMap({ present[$0] }) else {
          missing.append(name)
          continue
        }
        let known = layers[name] ?? []
        guard known.count < ArchiveLimits.layerCount else {
          repeatedCount += 1
          continue
        }
        layers[name] = known + [places.count]
        places.append(place)
      }
    }

    /// The parts of the index that do not lead to a file, as messages for people.
    var problems: [String] {
      var problems: [String] = []
      if oddCount > 0 {
        problems.append("files with names that are too long: \(oddCount.grouped)")
      }
      if repeatedCount > 0 {
        problems.append(
          "files that share a name with \(ArchiveLimits.layerCount) others: \(repeatedCount.grouped)"
        )
      }
      return problems
    }
  }

  var problems: [(path: FilePath, reason: String)] { known + Self.absence(of: missing, in: path) }

  func problems(of part: FilePath) -> [(path: FilePath, reason: String)] {
    known + Self.absence(of: missing.filter { consists(part, of: $0) }, in: path)
  }

  /// Returns the problem that files of the index of the backup at `path` are `missing`, if any are.
  private static func absence(
    of missing: [FilePath], in path: FilePath
  ) -> [(path: FilePath, reason: String)] {
    guard let first = missing.first?.text else { return [] }
    return [
      (
        path,
        missing.count == 1
          ? "a file of its index is missing: \(first)"
          : "\(missing.count.counted("file", "files")) of its index are missing, the first being \(first)"
      )
    ]
  }

  private static func source(_ home: (any MemberTree)?) -> any FileSource {
    home.map { ArchiveSource($0) } ?? DiskSource()
  }

  /// Returns the paths of the files in the backup in `folder`, by name; links are not files.
  private static func present(
    in folder: FilePath, _ home: (any MemberTree)?
  ) throws(FileError) -> [FilePath.Component: FilePath] {
    func contents(of path: FilePath) throws(FileError) -> Folder.Contents {
      if let home { return home.contents(of: path) }
      return try Folder.contents(of: path)
    }
    var present: [FilePath.Component: FilePath] = [:]
    for name in try contents(of: folder).folders where isFolderOfFiles(name) {
      let folder = folder.appending(name)
      for file in try contents(of: folder).files where file.string.hasPrefix(name.string) {
        present[file] = folder.appending(file)
      }
    }
    return present
  }

  func flaw(of path: FilePath) -> String? {
    names.files[path].flatMap { home?.flaw(of: places[$0]) }
  }

  /// Returns `false`, because a file's type is known only from its first bytes, which are cheap to
  /// read.
  func isPassedOver(_ path: FilePath) -> Bool { false }

  func archive(at path: FilePath) -> ArchiveFile? {
    guard let head = try? head(of: path, count: ArchiveKind.headCount) else { return nil }
    return ArchiveFile(path, beginningWith: head, in: self)
  }

  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    try Self.source(home).head(of: place(of: path), count: count)
  }

  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    try Self.source(home).read(place(of: path), limit: limit)
  }

  private func place(of path: FilePath) throws(FileError) -> FilePath {
    guard let index = names.files[path] else {
      throw FileError.system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    }
    return places[index]
  }
}
