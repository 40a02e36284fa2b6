import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// Writes the files of a store: all of them, or none.
package struct StoreWriter: Sendable {
  /// The permissions of a file that replaces none.
  let permissions: FilePermissions
  private let isCancelled: @Sendable () -> Bool

  /// Creates a writer that calls `isCancelled` between steps.
  ///
  /// Whatever it writes is unreadable to anyone who could not read all of `originals`.
  package init(
    originals: [StoreFile] = [], isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    permissions =
      originals.isEmpty
      ? PendingWrite.usualPermissions
      : Folder.commonPermissions(of: originals.map(\.path)) ?? .ownerReadWrite
    self.isCancelled = isCancelled
  }

  /// Writes `files` into `folder` and overwrites nothing; the folder is created if its parent
  /// exists.
  ///
  /// A new folder appears with all files in one step. The remains of a killed process are refused
  /// by ``UnfinishedOutput``, and are removed by the next write.
  ///
  /// - Returns: The paths of the files.
  ///
  /// - Throws: `.exists` when one of the names is taken, `.interrupted`, `.system`; then nothing is
  ///   left.
  package func write(
    _ files: [EncodedFile], into folder: FilePath
  ) throws(FileError) -> [FilePath] {
    try write(files, into: folder) { _ in nil }
  }

  /// Writes `files` in the same way, each with the access that `access` has for its name, if any.
  func write(
    _ files: [EncodedFile], into folder: FilePath,
    _ completion: PendingWrite.Completion = .last, access: (String) -> FileAccess?
  ) throws(FileError) -> [FilePath] {
    var pending = PendingWrite(
      existing: .keep, permissions: permissions, isCancelled: isCancelled)
    if !Folder.isTaken(folder) {
      try pending.makeFolder(at: folder, permissions: FilePermissions(rawValue: 0o777))
    }
    let paths = files.map { $0.path(in: folder) }
    for (file, path) in zip(files, paths) {
      try pending.add(file.bytes, at: path, access: access(file.name))
    }
    try pending.commit(completion)
    return paths
  }

  /// Replaces the files of the same names in `folder` by `files`, each in one step and with the
  /// access that `access` has for its name.
  ///
  /// - Throws: `.interrupted`, `.system`. A failure between two files leaves one of them replaced;
  ///   callers keep a ``Backup``.
  func replace(
    _ files: [EncodedFile], in folder: FilePath, access: (String) -> FileAccess?
  ) throws(FileError) {
    var pending = PendingWrite(
      existing: .replace, permissions: permissions, isCancelled: isCancelled)
    for file in files {
      try pending.add(
        file.bytes, at: file.path(in: folder), access: access(file.name))
    }
    try pending.commit()
  }
}
