package import KVBytes
package import KVSystem
package import SystemPackage

/// A tree of files whose names are not those on disk: an archive, or a backup with an index.
package protocol MemberTree: AnyObject, Sendable {
  /// The names of the files.
  var names: MemberNames { get }
  /// The number of nested archives, counting this one.
  var depth: Int { get }
  /// The limit on what the archives in the tree unpack to; `nil` if each has a limit according to
  /// its own size.
  var budget: UnpackBudget? { get }
  /// The paths that are known so far to be unreadable, and the reasons.
  var problems: [(path: FilePath, reason: String)] { get }
  /// Returns those of ``problems`` that concern `part`, a file or a folder of the tree: not those
  /// with members elsewhere.
  func problems(of part: FilePath) -> [(path: FilePath, reason: String)]

  /// Returns what is wrong with the bytes of the file at `path`, which were read despite the
  /// problem; `nil` if nothing is known to be wrong.
  func flaw(of path: FilePath) -> String?
  /// Returns whether the file at `path` is an image or other media, which a scan skips.
  func isPassedOver(_ path: FilePath) -> Bool
  /// Returns the archive that the file at `path` is, or the backup that the folder at `path` is;
  /// `nil` if it is neither.
  func archive(at path: FilePath) -> ArchiveFile?
  /// Returns at most the first `count` bytes of the file at `path`.
  ///
  /// - Throws: The errors of ``read(_:limit:)``, except those about the file's size.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage
  /// Returns all bytes of the file at `path`, which may have at most `limit`.
  ///
  /// - Throws: If there is no such file, or it cannot be read.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage
}

extension MemberTree {
  /// The top-level folder of each layer, the first layer's first.
  var roots: [FilePath] { names.roots }
  /// Returns whether there is a file or a folder at `path`.
  func isTaken(_ path: FilePath) -> Bool {
    names.files[path] != nil || names.folders[path] != nil || names.links?[path] != nil
  }
  /// Returns the file in the folder of the link at `path` to which it leads; `nil` if there is none.
  func neighbor(linkedBy path: FilePath) -> FilePath? {
    guard names.files[path] == nil, case .member(let target) = names.links?.place(of: path),
      target.parent == path.parent, names.files[target] != nil
    else { return nil }
    return target
  }
  /// Returns whether there is a folder at `path`, and no file of the same name.
  package func isFolder(_ path: FilePath) -> Bool {
    names.folders[path] != nil && names.files[path] == nil
  }
  /// Returns the problems with the archive as a whole, and with the members that `part` consists of.
  package func problems(of part: FilePath) -> [(path: FilePath, reason: String)] {
    problems.filter { problem in
      !roots.contains(where: { problem.path.starts(with: $0) }) || consists(part, of: problem.path)
    }
  }
  /// Returns whether `member`, which need not exist, is at or below `part`, or would be a file of
  /// the store at `part`.
  func consists(_ part: FilePath, of member: FilePath) -> Bool {
    member.starts(with: part)
      || StoreNames.main(of: member, isTaken: isTaken)
        == StoreNames.main(of: part, isTaken: isTaken)
  }
  /// Returns the folders of all layers that have the name of the one at `path`, which is the one
  /// itself if that is not in the first layer.
  func layers(of path: FilePath) -> [FilePath] {
    var name = path
    guard let first = roots.first, name.removePrefix(first) else { return [path] }
    return [path] + roots.dropFirst().map { $0.pushing(name) }.filter { names.folders[$0] != nil }
  }
  /// Returns the files and folders in the folder at `path`; none if there is no such folder.
  func contents(of path: FilePath) -> Folder.Contents { names.folders[path] ?? Folder.Contents() }
  /// Returns the names of the files in the folder at `path` that are in no earlier layer; `nil` if
  /// the folder is in the first layer.
  func additions(to path: FilePath) -> Set<FilePath.Component>? { names.additions[path] }
}

/// The names of the files in a tree, and the member that each belongs to.
package struct MemberNames: Sendable {
  /// The top-level folder of each layer, the first layer's first.
  package internal(set) var roots: [FilePath]
  /// The number of the member at each path.
  var files = PathTable<Int>()
  var folders = PathTable<Folder.Contents>()
  /// The members that are neither files nor folders; `nil` if there can be none.
  var links: MemberLinks?
  /// For each folder of a later layer, the names of the files that are in no earlier layer.
  var additions = PathTable<Set<FilePath.Component>>()

  /// Returns the number of the member at `path`, or of the one to which a link at `path` leads.
  func member(at path: FilePath) -> Int? {
    if let member = files[path] { return member }
    guard case .member(let target) = links?.place(of: path) else { return nil }
    return files[target]
  }

  /// Checks that what is at `path`, if it is no file, is a link that stays in its folder.
  ///
  /// - Throws: `.leadsOut` if it does not; `.notRegular` if it is a pipe or the like.
  func checkLink(_ path: FilePath) throws(FileError) {
    guard files[path] == nil, let node = links?[path] else { return }
    if case .special(let kind) = node { throw FileError.notRegular(path: path, kind: kind) }
    switch links?.place(of: path) {
    case .member(let target) where target.starts(with: path.parent): return
    case .member(let target), .outside(let target):
      throw FileError.leadsOut(path: path, target: target)
    case nil: return
    }
  }
}
