import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folders that stores are read from and written to.
package enum Folder {
  /// The names in the folder at `path`, sorted, as texts, without those of unfinished output; a byte
  /// that is not UTF-8 is replaced.
  ///
  /// - Throws: `.system` when it cannot be listed.
  package static func names(in path: FilePath) throws(FileError) -> [String] {
    try components(in: path).map(\.string)
  }

  /// The names in the folder at `path`, sorted, with the bytes that they have, without those of
  /// unfinished output.
  ///
  /// - Throws: `.system` when it cannot be listed.
  package static func components(in path: FilePath) throws(FileError) -> [FilePath.Component] {
    try allComponents(in: path).filter { !UnfinishedOutput.isName($0.string) }
  }

  /// What is in the folder at `path`, sorted by name, without unfinished output.
  ///
  /// - Throws: `.system` when it cannot be listed.
  package static func contents(of path: FilePath) throws(FileError) -> Contents {
    let entries: [(name: FilePath.Component, type: FileType?)]
    do {
      entries = try SystemCalls.entries(in: path.orCurrent)
    } catch {
      throw FileError.system(operation: "list", path: path, errno: error)
    }
    var contents = Contents()
    for (name, type) in entries where !UnfinishedOutput.isName(name.string) {
      switch type ?? (try? Stat(path.appending(name), followTargetSymlink: false))?.type {
      case .regular: contents.files.append(name)
      case .directory: contents.folders.append(name)
      case nil: continue
      default: contents.others.append(name)
      }
    }
    return contents
  }

  /// What a folder holds.
  package struct Contents: Sendable {
    /// The regular files.
    package var files: [FilePath.Component] = []
    /// The folders.
    package var folders: [FilePath.Component] = []
    /// Symbolic links, pipes, sockets and devices.
    package var others: [FilePath.Component] = []

    /// Nothing.
    package init() {}
  }

  /// All names in the folder at `path`, sorted, as texts.
  package static func allNames(in path: FilePath) throws(FileError) -> [String] {
    try allComponents(in: path).map(\.string)
  }

  private static func allComponents(
    in path: FilePath
  ) throws(FileError) -> [FilePath.Component] {
    do {
      return try SystemCalls.names(in: path.orCurrent)
    } catch {
      throw FileError.system(operation: "list", path: path, errno: error)
    }
  }

  /// Whether `path` is a folder; false when there is nothing, or when it cannot be examined.
  package static func exists(_ path: FilePath) -> Bool {
    (try? Stat(path.orCurrent))?.type == .directory
  }

  /// Whether there is a regular file at `path`, or a link leads to one.
  package static func isRegularFile(_ path: FilePath) -> Bool {
    (try? Stat(path))?.type == .regular
  }

  /// Whether there is anything at `path`, a link that leads nowhere included.
  package static func isTaken(_ path: FilePath) -> Bool {
    (try? Stat(path, followTargetSymlink: false)) != nil
  }

  /// What everybody whom the files let read and write them may do: the permissions that all have.
  ///
  /// `nil` where one cannot be examined.
  package static func commonPermissions(of paths: [FilePath]) -> FilePermissions? {
    var common: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
    for path in paths {
      guard let status = try? Stat(path) else { return nil }
      common.formIntersection(status.permissions)
    }
    return common.union(.ownerReadWrite)
  }

  /// Whether there is a symbolic link at `path`.
  package static func isLink(_ path: FilePath) -> Bool {
    (try? Stat(path, followTargetSymlink: false))?.type == .symbolicLink
  }

  /// What the symbolic link at `path` leads to, without links on the way; `nil` where there is no link
  /// or it leads nowhere.
  package static func target(of path: FilePath) -> FilePath? {
    isLink(path) ? try? path.resolved() : nil
  }

  /// `path` from the root on, with links in it as they are; `path` where the current folder is gone.
  package static func absolute(_ path: FilePath) -> FilePath {
    guard path.isRelative, let current = try? FilePath(".").resolved() else { return path }
    return current.pushing(path)
  }

  /// Whether the two paths lead to the same folder or file.
  package static func isSame(_ first: FilePath, _ second: FilePath) -> Bool {
    guard let one = try? Stat(first.orCurrent), let other = try? Stat(second.orCurrent) else {
      return false
    }
    return one.inode == other.inode && one.deviceID == other.deviceID
  }

  /// Whether the open `file` is the one at `path`.
  static func isSame(_ file: FileDescriptor, _ path: FilePath) -> Bool {
    guard let one = try? Stat(file), let other = try? Stat(path.orCurrent) else { return false }
    return one.inode == other.inode && one.deviceID == other.deviceID
  }

  /// Whether the file at `first` was modified after that at `second`; `nil` where one cannot be
  /// examined.
  package static func isNewer(_ first: FilePath, than second: FilePath) -> Bool? {
    guard let one = try? Stat(first).st_mtim, let other = try? Stat(second).st_mtim else {
      return nil
    }
    return (one.tv_sec, one.tv_nsec) > (other.tv_sec, other.tv_nsec)
  }

  /// Makes the folder at `path`, whose parent must exist.
  ///
  /// - Throws: `.system` when it cannot be made.
  package static func make(_ path: FilePath) throws(FileError) {
    do {
      try SystemCalls.makeDirectory(path)
    } catch {
      throw FileError.system(operation: "make", path: path, errno: error)
    }
  }

  /// Hands the path of a new folder in `parent`, which nobody else may enter, to `body`, and removes the folder
  /// with all that is in it.
  ///
  /// - Throws: `.system` when it cannot be made.
  package static func withTemporary<Value>(
    in parent: FilePath, _ body: (FilePath) -> Value
  ) throws(FileError) -> Value {
    let path = parent.appending("kvfsck-\(String(UInt64.random(in: 0 ... .max), radix: 36))")
    let result: Result<Value, FileError> = Interruption.withTemporary(at: path) {
      do throws(Errno) {
        try SystemCalls.makeDirectory(path, .ownerReadWriteExecute)
      } catch {
        return .failure(.system(operation: "make", path: path, errno: error))
      }
      defer { removeTree(path) }
      return .success(body(path))
    }
    return try result.get()
  }

  /// Removes the folder at `path` if it is empty, and says nothing if it is not.
  package static func removeIfEmpty(_ path: FilePath) {
    _ = try? SystemCalls.removeDirectory(path)
  }

  /// Removes the file at `path`, or the folder with all that is in it, as far as that can be done; links
  /// are not followed.
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
  /// - Throws: `.system` when it cannot be removed.
  package static func removeFile(_ path: FilePath) throws(FileError) {
    do {
      try SystemCalls.removeFile(path)
    } catch {
      throw FileError.system(operation: "remove", path: path, errno: error)
    }
  }

  /// Forces the names in the folder at `path` to the disk.
  ///
  /// - Throws: `.system` when that fails.
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
  /// The path, or `.` when it is empty: the parent of a bare file name.
  var orCurrent: FilePath { isEmpty ? "." : self }
}
