public import SystemPackage

/// New files that appear complete or not at all.
///
/// Each file is written to a temporary sibling, which is forced to the disk, and gets its name only
/// when all are there. Whatever ends the attempt before that (an error, a cancellation) takes the
/// temporary files with it.
public struct PendingWrite: ~Copyable {
  /// What to do when a file of that name is there.
  public enum ExistingFile: Sendable {
    /// Fail; the file is left as it is.
    case keep
    /// Put the new file in its place, in one step.
    case replace
  }

  private var temporaries: [(temporary: FilePath, final: FilePath)] = []
  /// The folders that were made, each behind the one that it is in.
  private var folders: [FilePath] = []
  private var isFinished = false
  private let existing: ExistingFile
  private let permissions: FilePermissions
  private let isCancelled: @Sendable () -> Bool

  /// Who may do what with a new file when nothing else is said, before the process's mask.
  public static var usualPermissions: FilePermissions { [.ownerReadWrite, .groupRead, .otherRead] }

  /// A write of no files yet, which get `permissions`; `isCancelled` is asked between steps.
  public init(
    existing: ExistingFile, permissions: FilePermissions = usualPermissions,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.existing = existing
    self.permissions = permissions
    self.isCancelled = isCancelled
  }

  deinit {
    guard !isFinished else { return }
    for file in temporaries { _ = try? SystemCalls.removeFile(file.temporary) }
    for folder in folders.reversed() { Folder.removeIfEmpty(folder) }
  }

  /// The names that the files get at ``commit()``, in the order in which they were added.
  public var paths: [FilePath] { temporaries.map(\.final) }

  /// Makes the folder at `path`, whose parent must exist, for files of this write.
  ///
  /// Unlike a file, it is there at once; unless ``commit()`` succeeds, it is removed again. Whoever may
  /// read the files may enter it. An empty folder that is there is taken as it is, and stays.
  ///
  /// - Throws: `.exists` when anything else is at `path`, whatever may be replaced; `.system`.
  public mutating func makeFolder(at path: FilePath) throws(FileError) {
    do throws(Errno) {
      try SystemCalls.makeDirectory(path, permissions.enteringWhatIsRead)
    } catch .fileExists {
      guard Folder.exists(path), try Folder.names(in: path).isEmpty else {
        throw FileError.exists(path: path)
      }
      return
    } catch {
      throw FileError.system(operation: "make", path: path, errno: error)
    }
    folders.append(path)
  }

  /// Writes `bytes` beside `path`, where they stay until ``commit()``.
  ///
  /// The file has the owner and the permissions of `access`, where that is given.
  ///
  /// - Throws: `.exists` when nothing may be replaced and `path` is there; `.system`; `.interrupted`.
  public mutating func add(
    _ bytes: [UInt8], at path: FilePath, access: FileAccess? = nil
  ) throws(FileError) {
    let cancelled = isCancelled
    try make(path) { (descriptor) throws in
      // Before there is anything in it that somebody could read.
      try access?.give(to: descriptor)
      for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
        if cancelled() { throw FileError.interrupted }
        try descriptor.writeBytes(bytes, start..<min(start + 1 << 20, bytes.count))
      }
    }
  }

  /// Writes what `body` hands to its stream beside `path`, where it stays until ``commit()``.
  ///
  /// - Throws: As ``add(_:at:)``, and what `body` throws.
  public mutating func stream<Failure: Error>(
    to path: FilePath, _ body: (FileStream) throws(Failure) -> Void
  ) throws(StreamError<Failure>) {
    let cancelled = isCancelled
    var failure: Failure?
    do throws(FileError) {
      try make(path) { (descriptor) throws in
        let stream = FileStream(descriptor, isCancelled: cancelled)
        do throws(Failure) {
          try body(stream)
        } catch {
          failure = error
        }
        if failure == nil { try stream.finish() }
      }
    } catch {
      throw .file(error)
    }
    if let failure { throw .body(failure) }
  }

  /// Lets `body` make a file at a temporary path, which becomes `path` at ``commit()``.
  ///
  /// - Throws: `.exists`, `.system`; what `body` throws.
  public mutating func adopt<Failure: Error>(
    _ path: FilePath, _ body: (FilePath) throws(Failure) -> Void
  ) throws(StreamError<Failure>) {
    let temporary: FilePath
    do throws(FileError) {
      try make(path) { _ in }
      temporary = temporaries[temporaries.count - 1].temporary
    } catch {
      throw .file(error)
    }
    do throws(Failure) {
      try body(temporary)
    } catch {
      throw .body(error)
    }
    if isCancelled() { throw .file(.interrupted) }
    do {
      let descriptor = try FileDescriptor.open(temporary, .readOnly, options: .closeOnExec)
      try descriptor.closeAfter { () throws in try SystemCalls.synchronize(descriptor) }
    } catch {
      throw .file(.system(operation: "write", path: path, errno: error.errno))
    }
  }

  private mutating func make(
    _ path: FilePath, _ body: (FileDescriptor) throws -> Void
  ) throws(FileError) {
    if case .keep = existing, (try? Stat(path, followTargetSymlink: false)) != nil {
      throw FileError.exists(path: path)
    }
    let temporary = path.removingLastComponent()
      .appending(".kvfsck-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp")
    do {
      let descriptor = try FileDescriptor.open(
        temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: permissions)
      temporaries.append((temporary, path))
      try descriptor.closeAfter { () throws in
        try body(descriptor)
        try SystemCalls.synchronize(descriptor)
      }
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError.system(operation: "write", path: path, errno: error.errno)
    }
  }

  /// Gives every file its name, then forces the folders to the disk.
  ///
  /// - Throws: `.exists`, `.system` or `.interrupted`; then none of the new names is left behind.
  public consuming func commit() throws(FileError) {
    if isCancelled() { throw FileError.interrupted }
    var named: [FilePath] = []
    do throws(FileError) {
      for file in temporaries {
        try PendingWrite.name(file.temporary, file.final, existing)
        named.append(file.final)
      }
      for folder in Set((named + folders).map { $0.removingLastComponent() }) {
        try Folder.synchronize(folder)
      }
    } catch {
      // Only names that were free before are taken away again: what was replaced cannot come back
      // here, which is why callers who replace keep a backup.
      if case .keep = existing {
        for path in named { _ = try? SystemCalls.removeFile(path) }
      }
      throw error
    }
    isFinished = true
  }

  private static func name(
    _ temporary: FilePath, _ final: FilePath, _ existing: ExistingFile
  ) throws(FileError) {
    do throws(Errno) {
      switch existing {
      case .replace: try SystemCalls.move(temporary, to: final)
      case .keep:
        try nameIfFree(temporary, final)
      }
    } catch .fileExists {
      throw FileError.exists(path: final)
    } catch {
      throw FileError.system(operation: "name", path: final, errno: error)
    }
  }

  /// A hard link fails when the name is taken, which a rename would not.
  private static func nameIfFree(_ temporary: FilePath, _ final: FilePath) throws(Errno) {
    do throws(Errno) {
      try SystemCalls.hardLink(temporary, to: final)
      do throws(Errno) {
        try SystemCalls.removeFile(temporary)
      } catch {
        // Whoever fails leaves no name behind, this one included.
        _ = try? SystemCalls.removeFile(final)
        throw error
      }
    } catch .notPermitted, .notSupported, .noFunction {
      // A file system without hard links, as on memory cards.
      guard !Folder.isTaken(final) else { throw .fileExists }
      try SystemCalls.move(temporary, to: final)
    }
  }
}

extension FilePermissions {
  /// These, and to enter a folder for whoever may read or write.
  fileprivate var enteringWhatIsRead: FilePermissions {
    var all = self
    if !isDisjoint(with: .ownerReadWrite) { all.insert(.ownerExecute) }
    if !isDisjoint(with: .groupReadWrite) { all.insert(.groupExecute) }
    if !isDisjoint(with: .otherReadWrite) { all.insert(.otherExecute) }
    return all
  }
}
