import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Operations on the folders and files that stores are read from and written to.
package enum Folder {
  /// Returns the sorted names in the folder at `path` as text, except those of unfinished output;
  /// bytes that are not UTF-8 are replaced.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  package static func names(in path: FilePath) throws(FileError) -> [String] {
    try components(in: path).map(\.string)
  }

  /// Returns the sorted names in the folder at `path` with their original bytes, except those of
  /// unfinished output.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  package static func components(in path: FilePath) throws(FileError) -> [FilePath.Component] {
    try allComponents(in: path).filter { !UnfinishedOutput.isName($0.string) }
  }

  /// Returns what is in the folder at `path`, sorted by name, except unfinished output.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  package static func contents(of path: FilePath) throws(FileError) -> Contents {
    let entries: [(name: FilePath.Component, type: FileType?)]
    do {
      entries = try SystemCalls.entries(in: path.orCurrent)
    } catch {
      throw FileError.system(operation: "list", path: path, errno: error)
    }
    var contents = Contents()
    for (name, type) in entries {
      if UnfinishedOutput.isName(name.string) {
        contents.hasUnfinished = true
        continue
      }
      switch type ?? (try? Stat(path.appending(name), followTargetSymlink: false))?.type {
      case .regular: contents.files.append(name)
      case .directory: contents.folders.append(name)
      case nil: continue
      default: contents.others.append(name)
      }
    }
    return contents
  }

  /// The entries of a folder, by type.
  package struct Contents: Sendable {
    /// The regular files.
    package var files: [FilePath.Component] = []
    /// The folders.
    package var folders: [FilePath.Component] = []
    /// Symbolic links, pipes, sockets and devices.
    package var others: [FilePath.Component] = []
    /// Whether there is unfinished output, which is none of these.
    package var hasUnfinished = false

    /// Creates the contents of an empty folder.
    package init() {}
  }

  /// Returns all names in the folder at `path` that start with `prefix`, sorted, as text.
  package static func allNames(
    in path: FilePath, startingWith prefix: String = ""
  ) throws(FileError) -> [String] {
    try allComponents(in: path, startingWith: prefix).map(\.string)
  }

  /// Returns `names` sorted.
  package static func sorted(_ names: [FilePath.Component]) -> [FilePath.Component] {
    sorted(names) { $0 }
  }

  /// Returns `entries` sorted by their names.
  ///
  /// Names that are equal as text, such as two spellings of an accented letter, are sorted by their
  /// bytes. Each name is converted to text once.
  package static func sorted<Entry>(
    _ entries: some Sequence<Entry>, by name: (Entry) -> FilePath.Component
  ) -> [Entry] {
    let entries = Array(entries)
    let texts = entries.map { name($0).string }
    // Numbers are moved while sorting, not entries, to copy which takes longer than to compare them.
    return entries.indices.sorted { first, second in
      guard texts[first] == texts[second] else { return texts[first] < texts[second] }
      return name(entries[first]).bytes.lexicographicallyPrecedes(name(entries[second]).bytes)
    }.map { entries[$0] }
  }

  private static func allComponents(
    in path: FilePath, startingWith prefix: String = ""
  ) throws(FileError) -> [FilePath.Component] {
    do {
      return try SystemCalls.names(in: path.orCurrent, startingWith: prefix)
    } catch {
      throw FileError.system(operation: "list", path: path, errno: error)
    }
  }

  /// Returns whether `path` is a folder; `false` if it does not exist or cannot be examined.
  package static func exists(_ path: FilePath) -> Bool {
    guard let status = try? Stat(path.orCurrent) else { return false }
    return status.type == .directory
  }

  /// Returns whether `path` is a regular file or a link to one.
  package static func isRegularFile(_ path: FilePath) -> Bool {
    (try? Stat(path))?.type == .regular
  }

  /// Returns the number of bytes of the regular file at `path`; `nil` if there is none.
  package static func fileSize(at path: FilePath) -> Int? {
    guard let status = try? Stat(path), status.type == .regular else { return nil }
    return Int(exactly: status.size)
  }

  /// Returns whether anything exists at `path`, including a link that leads nowhere.
  package static func isTaken(_ path: FilePath) -> Bool {
    (try? Stat(path, followTargetSymlink: false)) != nil
  }

  /// Returns the read and write permissions that all of `paths` have in common; the owner always
  /// has both.
  ///
  /// The result is `nil` if a path cannot be examined.
  package static func commonPermissions(of paths: [FilePath]) -> FilePermissions? {
    var common: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
    for path in paths {
      guard let status = try? Stat(path) else { return nil }
      common.formIntersection(status.permissions)
    }
    return common.union(.ownerReadWrite)
  }

  /// Returns the permissions that a new file of this process can have without letting anyone read or
  /// write it who could not read or write all of `paths`.
  ///
  /// A new file has the group of the process, or ``PendingWrite`` takes permissions from it. Where
  /// that is another one than a file's, its members may have been anyone to that file. The result is
  /// `nil` if a path cannot be examined.
  package static func newFilePermissions(like paths: [FilePath]) -> FilePermissions? {
    guard var common = commonPermissions(of: paths) else { return nil }
    let group = getegid()
    for path in paths where (try? Stat(path))?.groupID.rawValue != group {
      common = common.withoutDifferenceOfGroups
    }
    return common
  }

  /// Returns `path` with all symbolic links resolved; unchanged if nothing exists there.
  package static func resolved(_ path: FilePath) -> FilePath { (try? path.resolved()) ?? path }

  /// Returns `path` with all symbolic links resolved; if nothing exists there, those of its folder.
  package static func located(_ path: FilePath) -> FilePath {
    if let place = try? path.resolved() { return place }
    guard let name = path.lastComponent else { return path }
    return resolved(path.parent.orCurrent).appending(name)
  }

  /// Returns whether `path` is a symbolic link.
  package static func isLink(_ path: FilePath) -> Bool {
    (try? Stat(path, followTargetSymlink: false))?.type == .symbolicLink
  }

  /// Returns the target of the symbolic link at `path`, with all links resolved; `nil` if it is not
  /// a link or leads nowhere.
  package static func target(of path: FilePath) -> FilePath? {
    isLink(path) ? try? path.resolved() : nil
  }

  /// Returns the file beside `path` that the symbolic link at `path` leads to; `nil` if it is not a
  /// link or leads elsewhere.
  package static func neighbor(linkedBy path: FilePath) -> FilePath? {
    guard let name = target(of: path)?.lastComponent else { return nil }
    let neighbor = path.parent.appending(name)
    return neighbor != path && isSame(neighbor, path) ? neighbor : nil
  }

  /// Returns `path` as an absolute path with links unresolved; `path` itself if the current folder
  /// no longer exists.
  package static func absolute(_ path: FilePath) -> FilePath {
    guard path.isRelative, let current = try? FilePath(".").resolved() else { return path }
    return current.pushing(path)
  }

  /// Returns whether the two paths lead to the same file or folder.
  package static func isSame(_ first: FilePath, _ second: FilePath) -> Bool {
    guard let one = try? Stat(first.orCurrent), let other = try? Stat(second.orCurrent) else {
      return false
    }
    return one.inode == other.inode && one.deviceID == other.deviceID
  }

  /// Returns whether the two paths are names of one regular file; links are not followed.
  static func isSameFile(_ first: FilePath, _ second: FilePath) -> Bool {
    guard let one = try? Stat(first, followTargetSymlink: false), one.type == .regular,
      let other = try? Stat(second, followTargetSymlink: false)
    else { return false }
    return one.inode == other.inode && one.deviceID == other.deviceID
  }

  /// Returns the inode of the file or link at `path`; `nil` if there is none.
  static func inode(of path: FilePath) -> UInt64? {
    (try? Stat(path, followTargetSymlink: false)).map { UInt64($0.inode.rawValue) }
  }

  /// Returns whether `path` is a regular file or a folder, as a write makes them, and not a link.
  static func isWritten(_ path: FilePath) -> Bool {
    switch (try? Stat(path, followTargetSymlink: false))?.type {
    case .regular, .directory: true
    default: false
    }
  }

  /// Returns whether the open `file` is the one at `path`.
  static func isSame(_ file: FileDescriptor, _ path: FilePath) -> Bool {
    guard let one = try? Stat(file), let other = try? Stat(path.orCurrent) else { return false }
    return one.inode == other.inode && one.deviceID == other.deviceID
  }

  /// Creates the folder at `path`, whose parent must exist.
  ///
  /// - Throws: `.system` if it cannot be created.
  package static func make(_ path: FilePath) throws(FileError) {
    do {
      try SystemCalls.makeDirectory(path)
    } catch {
      throw FileError.system(operation: "make", path: path, errno: error)
    }
  }

  /// Returns whether `path`, at which there need not be anything, is the folder `root` or below it.
  package static func isInside(_ path: FilePath, _ root: FilePath) -> Bool {
    var place = absolute(path).lexicallyNormalized()
    while !isSame(place, root) {
      guard place.removeLastComponent() else { return false }
    }
    return true
  }

  /// Creates the folder at `path`, and those above it that do not exist.
  ///
  /// - Throws: `.system` if one cannot be created.
  package static func makeAll(_ path: FilePath) throws(FileError) {
    guard !path.isEmpty, !isTaken(path) else { return }
    try makeAll(path.parent)
    try make(path)
  }

  /// Removes the folder at `path` if it is empty; otherwise does nothing.
  package static func removeIfEmpty(_ path: FilePath) {
    _ = try? SystemCalls.removeDirectory(path)
  }

  /// Removes the file at `path`, or the folder with all its contents, as far as possible; links are
  /// not followed.
  static func removeTree(_ path: FilePath) {
    if (try? Stat(path, followTargetSymlink: false))?.type == .directory {
      for name in (try? SystemCalls.names(in: path)) ?? [] { removeTree(path.appending(name)) }
      _ = try? SystemCalls.removeDirectory(path)
    } else {
      _ = try? SystemCalls.removeFile(path)
    }
  }

  /// Removes the file at `path`.
  ///
  /// - Throws: `.system` if it cannot be removed.
  package static func removeFile(_ path: FilePath) throws(FileError) {
    do {
      try SystemCalls.removeFile(path)
    } catch {
      throw FileError.system(operation: "remove", path: path, errno: error)
    }
  }

  /// Forces the names in the folder at `path` to disk.
  ///
  /// - Throws: `.system` if that fails.
  package static func synchronize(_ path: FilePath) throws(FileError) {
    do {
      let descriptor = try FileDescriptor.open(path.orCurrent, .readOnly, options: .directory)
      try descriptor.closeAfter { () throws in try SystemCalls.synchronize(descriptor) }
    } catch {
      throw FileError.system(operation: "write", path: path, errno: error.errno)
    }
  }
}

extension FilePath {
  /// The path, or `.` if it is empty, as the parent of a bare file name is.
  var orCurrent: FilePath { isEmpty ? "." : self }
}
