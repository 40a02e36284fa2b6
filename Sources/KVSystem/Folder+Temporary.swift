import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Folders for copies that are needed only while the process works.
///
/// A folder is called `kvfsck-PID-ID`, and is locked while it is in use. If the process is killed,
/// the folder stays, with a copy of the user's data in it; the next process that needs such a folder
/// in the same place removes it.
extension Folder {
  private static let temporaryPrefix = "kvfsck-"

  /// Creates a folder in `parent` that only its owner may enter, calls `body` with its path, and
  /// then removes it with all its contents.
  ///
  /// What killed processes of this user have left in `parent` is removed first.
  ///
  /// - Throws: `.temporary` if the folder cannot be created.
  package static func withTemporary<Value>(
    in parent: FilePath, _ body: (FilePath) -> Value
  ) throws(FileError) -> Value {
    removeAbandonedTemporaries(in: parent)
    let id = String(UInt64.random(in: 0 ... .max), radix: 36)
    let path = parent.appending("\(temporaryPrefix)\(getpid())-\(id)")
    let result: Result<Value, FileError> = Interruption.withTemporary(at: path) {
      let lock: FileDescriptor?
      do throws(Errno) {
        lock = try makeTemporary(path)
      } catch {
        return .failure(.temporary(folder: parent, errno: error))
      }
      defer {
        removeTree(path)
        _ = try? lock?.close()
      }
      return .success(body(path))
    }
    return try result.get()
  }

  /// Creates a file with `bytes` at `path`, which only its owner may read, in a temporary folder.
  ///
  /// - Throws: `.temporary` if it cannot be created or written.
  package static func makeTemporaryFile(at path: FilePath, _ bytes: [UInt8]) throws(FileError) {
    do {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .ownerReadWrite)
      try file.closeAfter { () throws in try file.writeBytes(bytes) }
    } catch {
      throw .temporary(
        folder: path.parent.parent, errno: error.errno)
    }
  }

  /// Creates the folder at `path` and locks it.
  ///
  /// Before it is locked, a process that does not see this one, as from within a container, may take
  /// it for abandoned and remove it; then it is created again.
  private static func makeTemporary(_ path: FilePath) throws(Errno) -> FileDescriptor? {
    while true {
      try SystemCalls.makeDirectory(path, .ownerReadWriteExecute)
      // Without a lock, there is still the process identifier.
      guard let lock = openTemporary(path) else { return nil }
      SystemCalls.waitForLock(lock)
      if isSame(lock, path) { return lock }
      _ = try? lock.close()
    }
  }

  private static func openTemporary(_ path: FilePath) -> FileDescriptor? {
    try? FileDescriptor.open(
      path, .readOnly, options: [.directory, .noFollow, .closeOnExec, .nonBlocking])
  }

  /// Removes the folders in `parent` that killed processes have left.
  ///
  /// Anyone may create files in such a place. So only a folder counts that belongs to this user, that
  /// no one else may enter, whose process is gone and that no process has locked. It is emptied
  /// through its descriptor, so that nothing elsewhere is removed if the name comes to lead there.
  private static func removeAbandonedTemporaries(in parent: FilePath) {
    let names = (try? SystemCalls.names(in: parent.orCurrent, startingWith: temporaryPrefix)) ?? []
    for name in names {
      guard let process = process(ofTemporary: name.string), !isRunning(process),
        let folder = openTemporary(parent.appending(name))
      else { continue }
      defer { _ = try? folder.close() }
      guard let status = try? Stat(folder), status.userID.rawValue == geteuid(),
        status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]),
        SystemCalls.lock(folder)
      else { continue }
      SystemCalls.removeContents(of: folder)
      _ = try? SystemCalls.removeDirectory(parent.appending(name))
    }
  }

  /// Returns the process that made the temporary folder called `name`; `nil` if that is the name of
  /// something else.
  private static func process(ofTemporary name: String) -> pid_t? {
    guard name.hasPrefix(temporaryPrefix) else { return nil }
    let parts = name.dropFirst(temporaryPrefix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let process = pid_t(digits: String(parts[0]), radix: 10), process > 0,
      UInt64(digits: String(parts[1]), radix: 36) != nil
    else { return nil }
    return process
  }

  private static func isRunning(_ process: pid_t) -> Bool {
    kill(process, 0) == 0 || errno != ESRCH
  }
}
