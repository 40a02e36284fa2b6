import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// A writer for the files of a store.
///
/// If writing new files fails, none of them is left. Files that replace others do so one by one.
package struct StoreWriter: Sendable {
  /// The permissions that all originals have.
  let permissions: FilePermissions
  /// The permissions of a file that has the group of this process.
  private let newPermissions: FilePermissions
  private let isCancelled: @Sendable () -> Bool

  /// Creates a writer that calls `isCancelled` between steps.
  ///
  /// Users who could not read all of `originals` cannot read what it writes either.
  package init(
    originals: [StoreFile] = [], isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    permissions =
      originals.isEmpty
      ? PendingWrite.usualPermissions
      : Folder.commonPermissions(of: originals.map(\.path)) ?? .ownerReadWrite
    newPermissions =
      originals.isEmpty
      ? PendingWrite.usualPermissions
      : Folder.newFilePermissions(like: originals.map(\.path)) ?? .ownerReadWrite
    self.isCancelled = isCancelled
  }

  /// Writes `files` into `folder` and overwrites nothing; the folder is created if its parent
  /// exists.
  ///
  /// A new folder appears with all files in one step. If the process is killed, what is left is
  /// recognized by ``UnfinishedOutput`` and removed by the next write.
  ///
  /// - Returns: The paths of the files.
  ///
  /// - Throws: `.exists` if one of the names is taken, `.interrupted`, `.system`. No file is left
  ///   then.
  package func write(
    _ files: [EncodedFile], into folder: FilePath
  ) throws(FileError) -> [FilePath] {
    try write(files, into: folder) { _ in nil }
  }

  /// Writes `files` in the same way, each with the owner and the permissions that `access` returns
  /// for its name, if any.
  func write(
    _ files: [EncodedFile], into folder: FilePath,
    _ completion: PendingWrite.Completion = .last, access: (String) -> FileAccess?
  ) throws(FileError) -> [FilePath] {
    var pending = PendingWrite(
      existing: .keep, permissions: newPermissions, isCancelled: isCancelled)
    if !Folder.isTaken(folder) {
      try pending.makeFolder(at: folder, permissions: FilePermissions(rawValue: 0o777))
    }
    let paths = files.map { $0.path(in: folder) }
    var made: Set = [folder]
    for parent in paths.map({ $0.parent }) where made.insert(parent).inserted {
      try pending.makeFolder(at: parent)
    }
    for (file, path) in zip(files, paths) {
      try pending.add(
        file.bytes, at: path, access: access(file.name), isPrivate: file.isPrivate)
    }
    try pending.commit(completion)
    return paths
  }

  /// Replaces the files of the same names in `folder` with `files`, each in one step and with the
  /// owner and the permissions that `access` returns for its name.
  ///
  /// - Throws: `.interrupted`, `.system`. After a failure, some files may be replaced and others
  ///   not, so callers keep a ``Backup``.
  func replace(
    _ files: [EncodedFile], in folder: FilePath, access: (String) -> FileAccess?
  ) throws(FileError) {
    var pending = PendingWrite(
      existing: .replace, permissions: newPermissions, isCancelled: isCancelled)
    for file in files {
      try pending.add(
        file.bytes, at: file.path(in: folder), access: access(file.name))
    }
    try pending.commit()
  }
}
