import KVBytes
package import SystemPackage

/// A set of new files that appear either complete or not at all.
///
/// Each file is written to a temporary file in the same folder and forced to disk. It gets its name
/// only when all files are complete; a new folder is filled under a temporary name. If an error, a
/// cancellation or a request to stop ends the attempt before that, the temporary files are removed.
/// If the process is killed, the next write recognizes what is left by its names; see
/// ``UnfinishedOutput``.
package struct PendingWrite: ~Copyable {
  /// What to do if a file with the same name exists.
  package enum ExistingFile: Sendable {
    /// Fail, and leave the existing file unchanged.
    case keep
    /// Replace the existing file in one step.
    case replace
  }

  /// A file or folder that has not been given its final name.
  private struct Output {
    let temporary: FilePath
    let final: FilePath
    let isFolder: Bool
  }

  /// The state of the write in one folder: the next number for a temporary name, and the lock.
  private struct Place {
    var count = 0
    var lock: FileDescriptor?
    /// The identifiers of writes that were killed while they were replacing files here.
    var left: [String] = []
  }

  private let id = String(UInt64.random(in: 0 ... .max), radix: 36)
  private var outputs: [Output] = []
  private var places: [FilePath: Place] = [:]
  /// The new folders, by final path, and their paths until ``commit(_:)``.
  private var folders: [FilePath: FilePath] = [:]
  private var files: [FilePath] = []
  private var isFinished = false
  private let existing: ExistingFile
  private let permissions: FilePermissions
  private let isCancelled: @Sendable () -> Bool

  /// The default permissions of a new file, before the process's umask.
  package static var usualPermissions: FilePermissions {
    [.ownerReadWrite, .groupRead, .otherRead]
  }

  /// Creates a write without files; they get `permissions`, and `isCancelled` is checked between
  /// steps.
  package init(
    existing: ExistingFile, permissions: FilePermissions = usualPermissions,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.existing = existing
    self.permissions = permissions
    self.isCancelled = isCancelled
  }

  deinit {
    if !isFinished {
      for output in outputs.reversed() { Folder.removeTree(output.temporary) }
      Interruption.remove(outputs.map(\.temporary))
    }
    for place in places.values { _ = try? place.lock?.close() }
  }

  /// The final paths of the files, in the order in which they were added.
  package var paths: [FilePath] { files }

  /// Creates a folder at `path` for the write's files; its parent must exist or be created by this
  /// write.
  ///
  /// The folder appears together with all its files, in one step. Everyone who may read the files
  /// may enter it, unless `permissions` is given. An existing empty folder is used as it is.
  ///
  /// - Throws: `.exists` if anything else is at `path`, even if files may be replaced;
  ///   `.reservedName`; `.system`.
  package mutating func makeFolder(
    at path: FilePath, permissions: FilePermissions? = nil
  ) throws(FileError) {
    try Self.checkName(path)
    let parent = path.parent
    if let staged = folders[parent] {
      try make(Self.path(in: staged, named: path), for: path, permissions)
      return
    }
    if Folder.isTaken(path) {
      clean(path)
      guard Folder.exists(path), try Folder.names(in: path).isEmpty else {
        throw FileError.exists(path: path)
      }
      return
    }
    let temporary = temporaryPath(in: parent)
    try make(temporary, for: path, permissions)
    outputs.append(Output(temporary: temporary, final: path, isFolder: true))
    while !lock(temporary, in: parent) { try make(temporary, for: path, permissions) }
  }

  /// Checks that no name in `path` is one of unfinished output, which the next write would remove.
  private static func checkName(_ path: FilePath) throws(FileError) {
    guard path.components.contains(where: { UnfinishedOutput.isName($0.string) }) else { return }
    throw .reservedName(path: path)
  }

  /// Returns the path in the folder `staged` that has the last component of `path`.
  private static func path(in staged: FilePath, named path: FilePath) -> FilePath {
    path.lastComponent.map { staged.appending($0) } ?? staged
  }

  private mutating func make(
    _ staged: FilePath, for path: FilePath, _ own: FilePermissions?
  ) throws(FileError) {
    Interruption.suspend()
    defer { Interruption.resume() }
    do {
      try SystemCalls.makeDirectory(
        staged, (own ?? permissions.enteringWhatIsRead).limited(in: staged.parent))
    } catch .fileExists {
      throw FileError.exists(path: path)
    } catch {
      throw FileError.system(operation: "make", path: path, errno: error)
    }
    if folders[path.parent] == nil { Interruption.add([staged]) }
    folders[path] = staged
  }

  /// Removes what killed writes have left in `folder`, the first time it is called for it.
  private mutating func clean(_ folder: FilePath) {
    guard places[folder] == nil else { return }
    places[folder] = Place(left: UnfinishedOutput.removeAbandoned(in: folder))
  }

  /// Returns the next temporary path in `folder`.
  private mutating func temporaryPath(in folder: FilePath) -> FilePath {
    clean(folder)
    let number = places[folder]?.count ?? 0
    places[folder]?.count += 1
    return folder.appending(UnfinishedOutput.temporary(id, number))
  }

  /// Locks the first temporary file in a folder, so that no other write treats it as abandoned.
  ///
  /// - Returns: Whether the file still exists: another write may have removed it before it was
  ///   locked.
  private mutating func lock(_ temporary: FilePath, in folder: FilePath) -> Bool {
    guard places[folder]?.count == 1 else { return true }
    _ = try? places[folder]?.lock?.close()
    // If the file cannot be locked, other writes cannot lock it either, and leave it alone.
    places[folder]?.lock = try? FileDescriptor.open(temporary, .readOnly, options: .closeOnExec)
    guard let lock = places[folder]?.lock else { return Folder.isTaken(temporary) }
    SystemCalls.waitForLock(lock)
    return Folder.isSame(lock, temporary)
  }

  /// Writes `bytes` to a temporary file, which is named `path` by ``commit(_:)``.
  ///
  /// The file gets the owner and permissions of `access`, if that is given. If it `isPrivate`, only
  /// its owner may read it.
  ///
  /// - Throws: `.exists` if `path` exists and may not be replaced; `.reservedName`; `.system`;
  ///   `.interrupted`.
  package mutating func add(
    _ bytes: [UInt8], at path: FilePath, access: FileAccess? = nil, isPrivate: Bool = false
  ) throws(FileError) {
    let cancelled = isCancelled
    _ = try make(path, isPrivate: isPrivate) { (descriptor) throws in
      // Before the file has any content that someone could read.
      try access?.give(to: descriptor)
      for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
        if cancelled() { throw FileError.interrupted }
        try descriptor.writeBytes(bytes, start..<min(start + 1 << 20, bytes.count))
      }
    }
  }

  /// Writes what `body` passes to its stream to a temporary file, which is named `path` by
  /// ``commit(_:)``.
  ///
  /// - Throws: The errors of ``add(_:at:access:isPrivate:)``, and what `body` throws.
  package mutating func stream<Failure: Error>(
    to path: FilePath, _ body: (FileStream) throws(Failure) -> Void
  ) throws(StreamError<Failure>) {
    let cancelled = isCancelled
    var failure: Failure?
    do throws(FileError) {
      _ = try make(path) { (descriptor) throws in
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

  /// Calls `body` to fill files at temporary paths, which are named `paths` by ``commit(_:)``.
  ///
  /// - Throws: `.exists`; `.system`; `.interrupted`; what `body` throws.
  package mutating func adopt<Failure: Error>(
    _ paths: [FilePath], _ body: ([FilePath]) throws(Failure) -> Void
  ) throws(StreamError<Failure>) {
    var temporary: [FilePath] = []
    do throws(FileError) {
      for path in paths { temporary.append(try make(path) { _ in }) }
    } catch {
      throw .file(error)
    }
    do throws(Failure) {
      try body(temporary)
    } catch {
      throw .body(error)
    }
    if isCancelled() { throw .file(.interrupted) }
    for (temporary, path) in zip(temporary, paths) {
      do {
        let descriptor = try FileDescriptor.open(temporary, .readOnly, options: .closeOnExec)
        try descriptor.closeAfter { () throws in try SystemCalls.synchronize(descriptor) }
      } catch {
        throw .file(.system(operation: "write", path: path, errno: error.errno))
      }
    }
  }

  /// Creates a temporary file for `path`, calls `body` to fill it, forces it to disk and returns
  /// its temporary path.
  private mutating func make(
    _ path: FilePath, isPrivate: Bool = false, _ body: (FileDescriptor) throws -> Void
  ) throws(FileError) -> FilePath {
    try Self.checkName(path)
    let parent = path.parent
    let staged = folders[parent]
    let temporary = staged.map { Self.path(in: $0, named: path) } ?? temporaryPath(in: parent)
    if case .keep = existing, staged == nil, Folder.isTaken(path) {
      throw FileError.exists(path: path)
    }
    do {
      let permissions = (isPrivate ? permissions.intersection(.ownerReadWrite) : permissions)
        .limited(in: temporary.parent)
      var descriptor = try open(temporary, permissions, inOwnFolder: staged != nil)
      if staged == nil {
        outputs.append(Output(temporary: temporary, final: path, isFolder: false))
        while !lock(temporary, in: parent) {
          try descriptor.close()
          descriptor = try open(temporary, permissions, inOwnFolder: false)
        }
      }
      files.append(path)
      try descriptor.closeAfter { () throws in
        try body(descriptor)
        try SystemCalls.synchronize(descriptor)
      }
    } catch let error as FileError {
      throw error
    } catch let error where error.errno == .fileExists {
      throw FileError.exists(path: path)
    } catch {
      throw FileError.system(operation: "write", path: path, errno: error.errno)
    }
    return temporary
  }

  /// Creates and opens a file; if its folder is itself temporary, the file is removed with the
  /// folder.
  private func open(
    _ temporary: FilePath, _ permissions: FilePermissions, inOwnFolder: Bool
  ) throws -> FileDescriptor {
    Interruption.suspend()
    defer { Interruption.resume() }
    let descriptor = try FileDescriptor.open(
      temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: permissions)
    if !inOwnFolder { Interruption.add([temporary]) }
    return descriptor
  }

  // MARK: Committing

  /// Whether later work depends on the files.
  package enum Completion: Sendable {
    /// The files are the result of the process: a later request to stop has no effect.
    case last
    /// The files are useless without what follows: a request to stop removes them until the next
    /// write is complete, or begins to replace files.
    case provisional
  }

  /// Gives every file its name and forces the folders to disk.
  ///
  /// A single file, or a new folder with all its contents, appears in one step. If several names
  /// have to be given, a marker in their folder lists them until all are given; see
  /// ``UnfinishedOutput``.
  ///
  /// - Throws: `.exists`, `.system` or `.interrupted`. None of the names is left then, unless files
  ///   are being replaced: those that were replaced before the error stay.
  package consuming func commit(_ completion: Completion = .last) throws(FileError) {
    if isCancelled() { throw FileError.interrupted }
    // A folder's contents must be on disk before the folder gets its name.
    for folder in folders.values { try Folder.synchronize(folder) }
    let byParent = Dictionary(grouping: outputs) { $0.final.parent }
    let marked = outputs.count > 1 ? byParent : [:]
    var named: [Output] = []
    Interruption.suspend()
    defer { Interruption.resume() }
    // A replaced file cannot be restored here.
    if existing == .replace { Interruption.complete() }
    do throws(FileError) {
      for (parent, outputs) in marked { try mark(outputs, in: parent) }
      try giveNames(&named)
      for parent in byParent.keys { try Folder.synchronize(parent) }
      for parent in marked.keys {
        try Folder.removeFile(parent.appending(UnfinishedOutput.marker(id)))
      }
      try removeTemporaries()
      for parent in byParent.keys { try Folder.synchronize(parent) }
    } catch {
      withdraw(named, markedIn: Array(marked.keys))
      throw error
    }
    isFinished = true
    switch completion {
    case .last: Interruption.complete()
    case .provisional: Interruption.addProvisional(outputs.map(\.final))
    }
    Interruption.remove(outputs.map(\.temporary))
    FileLedger.current?.noteWritten(files)
  }

  /// Does the same as ``commit(_:)``, and before that gives the files `permissions`, except those
  /// that the process's umask withholds.
  ///
  /// - Throws: The errors of ``commit(_:)``.
  package consuming func commit(granting permissions: FilePermissions) throws(FileError) {
    let granted = permissions.masked
    let temporary = Dictionary(outputs.map { ($0.final, $0.temporary) }) { first, _ in first }
    for path in files {
      let staged = folders[path.parent].map { Self.path(in: $0, named: path) }
      if let file = staged ?? temporary[path] { try Self.give(granted, to: file, path) }
    }
    for (path, staged) in folders { try Self.give(granted.enteringWhatIsRead, to: staged, path) }
    try commit()
  }

  private static func give(
    _ permissions: FilePermissions, to temporary: FilePath, _ path: FilePath
  ) throws(FileError) {
    do {
      try SystemCalls.changePermissions(
        of: temporary, to: permissions.limited(in: temporary.parent))
    } catch {
      throw FileError.system(operation: "write", path: path, errno: error)
    }
  }

  /// Gives every output its name and then appends it to `named`.
  ///
  /// The first file, whose temporary name is the lock, comes last. A folder cannot have two names:
  /// moving it frees its temporary name, so folders follow all files.
  private func giveNames(_ named: inout [Output]) throws(FileError) {
    for output in outputs.reversed().filter({ !$0.isFolder }) + outputs.filter(\.isFolder) {
      try PendingWrite.name(output, existing)
      named.append(output)
    }
  }

  /// Removes the temporary names, the lock last, and what earlier writes left in these folders.
  private func removeTemporaries() throws(FileError) {
    for output in outputs.reversed() where Folder.isTaken(output.temporary) {
      try PendingWrite.removeTemporary(output)
    }
    for (folder, place) in places {
      for id in place.left { UnfinishedOutput.discard(id, in: folder) }
    }
  }

  /// Removes the names that were given, after a failure.
  ///
  /// Only names that did not exist before are removed. A replaced file cannot be restored here, so
  /// callers that replace files keep a backup, and the marker stays.
  private mutating func withdraw(_ named: [Output], markedIn folders: [FilePath]) {
    if case .keep = existing {
      for output in named { Folder.removeTree(output.final) }
    }
    if existing == .replace, !named.isEmpty {
      // The remaining temporary files show which files are still old.
      isFinished = true
      Interruption.remove(outputs.map(\.temporary))
    } else {
      for folder in folders {
        _ = try? SystemCalls.removeFile(folder.appending(UnfinishedOutput.marker(id)))
      }
    }
  }

  /// Writes the marker in `folder` that lists the names about to be given there.
  private func mark(_ outputs: [Output], in folder: FilePath) throws(FileError) {
    let marker = folder.appending(UnfinishedOutput.marker(id))
    let text = UnfinishedOutput.text(
      outputs.compactMap { output in
        guard let temporary = output.temporary.lastComponent,
          let final = output.final.lastComponent, let inode = Folder.inode(of: output.temporary)
        else { return nil }
        return UnfinishedOutput.Naming(temporary: temporary, final: final, inode: inode)
      })
    do {
      let descriptor = try FileDescriptor.open(
        marker, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: permissions)
      try descriptor.closeAfter { () throws in
        try descriptor.writeBytes(text)
        try SystemCalls.synchronize(descriptor)
      }
    } catch {
      throw FileError.system(operation: "write", path: marker, errno: error.errno)
    }
    try Folder.synchronize(folder)
  }

  private static func removeTemporary(_ output: Output) throws(FileError) {
    do {
      try SystemCalls.removeFile(output.temporary)
    } catch {
      throw FileError.system(operation: "name", path: output.final, errno: error)
    }
  }

  private static func name(
    _ output: Output, _ existing: ExistingFile
  ) throws(FileError) {
    let (temporary, final) = (output.temporary, output.final)
    do throws(Errno) {
      switch existing {
      case .replace where !output.isFolder: try SystemCalls.move(temporary, to: final)
      default:
        if output.isFolder {
          try moveIfFree(temporary, final)
        } else {
          try nameIfFree(temporary, final)
        }
      }
    } catch .fileExists {
      throw FileError.exists(path: final)
    } catch {
      throw FileError.system(operation: "name", path: final, errno: error)
    }
  }

  /// Gives a file its final name by a hard link, which fails if the name is taken; a rename would
  /// not.
  ///
  /// The temporary name stays, and shows that the file belongs to this write until it is complete.
  private static func nameIfFree(_ temporary: FilePath, _ final: FilePath) throws(Errno) {
    do throws(Errno) {
      try SystemCalls.hardLink(temporary, to: final)
    } catch .notPermitted, .notSupported, .noFunction {
      // The file system has no hard links; those of memory cards do not.
      try moveIfFree(temporary, final)
    }
  }

  private static func moveIfFree(_ temporary: FilePath, _ final: FilePath) throws(Errno) {
    guard !Folder.isTaken(final) else { throw .fileExists }
    try SystemCalls.move(temporary, to: final)
  }
}

extension FilePermissions {
  /// These permissions without those that the process gives to no new file.
  fileprivate var masked: FilePermissions {
    subtracting(SystemCalls.creationMask())
  }

  /// These permissions, and those to enter a folder for everyone who may read or write.
  fileprivate var enteringWhatIsRead: FilePermissions {
    var all = self
    if !isDisjoint(with: .ownerReadWrite) { all.insert(.ownerExecute) }
    if !isDisjoint(with: .groupReadWrite) { all.insert(.groupExecute) }
    if !isDisjoint(with: .otherReadWrite) { all.insert(.otherExecute) }
    return all
  }
}
