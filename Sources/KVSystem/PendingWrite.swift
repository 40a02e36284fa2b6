import KVBytes
package import SystemPackage

/// New files that appear complete or not at all.
///
/// Each file is written to a temporary sibling, which is forced to the disk, and gets its name only
/// when all are there; a new folder is filled under a temporary name. Whatever ends the attempt before
/// that (an error, a cancellation, a request that the process ends) takes the temporary files with it.
/// What a process leaves that is killed is known by its names, see ``UnfinishedOutput``.
package struct PendingWrite: ~Copyable {
  /// What to do when a file of that name is there.
  package enum ExistingFile: Sendable {
    /// Fail; the file is left as it is.
    case keep
    /// Put the new file in its place, in one step.
    case replace
  }

  /// A file or folder that waits for its name.
  private struct Output {
    let temporary: FilePath
    let final: FilePath
    let isFolder: Bool
  }

  /// What the write keeps in one folder: a number for each temporary name, and the lock.
  private struct Place {
    var count = 0
    var lock: FileDescriptor?
    /// Writes that were killed while they replaced files here.
    var left: [String] = []
  }

  private let id = String(UInt64.random(in: 0 ... .max), radix: 36)
  private var outputs: [Output] = []
  private var places: [FilePath: Place] = [:]
  /// The folders that are new, by their own paths, and where they are until ``commit()``.
  private var folders: [FilePath: FilePath] = [:]
  private var files: [FilePath] = []
  private var isFinished = false
  private let existing: ExistingFile
  private let permissions: FilePermissions
  private let isCancelled: @Sendable () -> Bool

  /// The default permissions of a new file, before the process's mask.
  package static var usualPermissions: FilePermissions {
    [.ownerReadWrite, .groupRead, .otherRead]
  }

  /// A write of no files yet, which get `permissions`; `isCancelled` is asked between steps.
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

  /// The names that the files get at ``commit()``, in the order in which they were added.
  package var paths: [FilePath] { files }

  /// Makes the folder at `path`, whose parent must exist or be made by this write, for its files.
  ///
  /// It appears together with all its files, in one step. Whoever may read the files may enter it,
  /// unless `permissions` says something else. An empty folder that is there is taken as it is.
  ///
  /// - Throws: `.exists` when anything else is at `path`, whatever may be replaced; `.system`.
  package mutating func makeFolder(
    at path: FilePath, permissions: FilePermissions? = nil
  ) throws(FileError) {
    let parent = path.removingLastComponent()
    if let staged = folders[parent] {
      try make(staged.appending(path.lastComponent?.string ?? ""), for: path, permissions)
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

  private mutating func make(
    _ staged: FilePath, for path: FilePath, _ own: FilePermissions?
  ) throws(FileError) {
    Interruption.suspend()
    defer { Interruption.resume() }
    do {
      try SystemCalls.makeDirectory(staged, own ?? permissions.enteringWhatIsRead)
    } catch .fileExists {
      throw FileError.exists(path: path)
    } catch {
      throw FileError.system(operation: "make", path: path, errno: error)
    }
    if folders[path.removingLastComponent()] == nil { Interruption.add([staged]) }
    folders[path] = staged
  }

  /// Removes what killed writes have left in `folder`, once.
  private mutating func clean(_ folder: FilePath) {
    guard places[folder] == nil else { return }
    places[folder] = Place(left: UnfinishedOutput.remove(in: folder))
  }

  /// The next temporary path in `folder`.
  private mutating func temporaryPath(in folder: FilePath) -> FilePath {
    clean(folder)
    let number = places[folder]?.count ?? 0
    places[folder]?.count += 1
    return folder.appending(UnfinishedOutput.temporary(id, number))
  }

  /// Locks the first temporary file in a folder, so that nobody takes it for one that was left.
  ///
  /// - Returns: Whether it is there: before it was locked, another write may have taken it for one, and
  ///   removed it.
  private mutating func lock(_ temporary: FilePath, in folder: FilePath) -> Bool {
    guard places[folder]?.count == 1 else { return true }
    _ = try? places[folder]?.lock?.close()
    // Where there are no locks, other writes leave the files alone for want of one.
    places[folder]?.lock = try? FileDescriptor.open(temporary, .readOnly, options: .closeOnExec)
    guard let lock = places[folder]?.lock else { return Folder.isTaken(temporary) }
    SystemCalls.waitForLock(lock)
    return Folder.isSame(lock, temporary)
  }

  /// Writes `bytes` beside `path`, where they stay until ``commit()``.
  ///
  /// The file has the owner and the permissions of `access`, where that is given.
  ///
  /// - Throws: `.exists` when nothing may be replaced and `path` is there; `.system`; `.interrupted`.
  package mutating func add(
    _ bytes: [UInt8], at path: FilePath, access: FileAccess? = nil
  ) throws(FileError) {
    let cancelled = isCancelled
    _ = try make(path) { (descriptor) throws in
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

  /// Lets `body` make files at temporary paths, which become `paths` at ``commit()``.
  ///
  /// - Throws: `.exists`, `.system`; what `body` throws.
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

  /// Makes a file for `path`, forced to the disk once `body` has filled it, and returns where it is.
  private mutating func make(
    _ path: FilePath, _ body: (FileDescriptor) throws -> Void
  ) throws(FileError) -> FilePath {
    let parent = path.removingLastComponent()
    let staged = folders[parent]
    let temporary =
      staged?.appending(path.lastComponent?.string ?? "") ?? temporaryPath(in: parent)
    if case .keep = existing, staged == nil, Folder.isTaken(path) {
      throw FileError.exists(path: path)
    }
    do {
      var descriptor = try open(temporary, inOwnFolder: staged != nil)
      if staged == nil {
        outputs.append(Output(temporary: temporary, final: path, isFolder: false))
        while !lock(temporary, in: parent) {
          try descriptor.close()
          descriptor = try open(temporary, inOwnFolder: false)
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

  /// Opens a new file; one in a folder that is itself temporary goes with that.
  private func open(
    _ temporary: FilePath, inOwnFolder: Bool
  ) throws -> FileDescriptor {
    Interruption.suspend()
    defer { Interruption.resume() }
    let descriptor = try FileDescriptor.open(
      temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: permissions)
    if !inOwnFolder { Interruption.add([temporary]) }
    return descriptor
  }

  // MARK: Completing

  /// What becomes of the files once they have their names.
  package enum Completion: Sendable {
    /// They are what the process was to make: a request to stop comes too late.
    case last
    /// They are of use with what follows only: a request to stop removes them.
    case provisional
  }

  /// Gives every file its name, and forces the folders to the disk.
  ///
  /// A single file, or a new folder with all that is in it, appears in one step. Where there are more
  /// names to give, a marker in their folder says so until all are given: see ``UnfinishedOutput``.
  ///
  /// - Throws: `.exists`, `.system` or `.interrupted`; then none of the new names is left.
  package consuming func commit(_ completion: Completion = .last) throws(FileError) {
    if isCancelled() { throw FileError.interrupted }
    // What is in a folder is on the disk before the folder has its name.
    for folder in folders.values { try Folder.synchronize(folder) }
    let byParent = Dictionary(grouping: outputs) { $0.final.removingLastComponent() }
    let marked = outputs.count > 1 ? byParent : [:]
    var named: [Output] = []
    Interruption.suspend()
    defer { Interruption.resume() }
    // What is replaced cannot come back here.
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
    case .provisional: Interruption.add(outputs.map(\.final))
    }
    Interruption.remove(outputs.map(\.temporary))
  }

  /// Gives every output its name, and appends it to `named` then.
  ///
  /// The first one, whose temporary name is the lock, comes last. A folder has no second name, and is gone
  /// from where it was: folders follow all files.
  private func giveNames(_ named: inout [Output]) throws(FileError) {
    for output in outputs.reversed().filter({ !$0.isFolder }) + outputs.filter(\.isFolder) {
      try PendingWrite.name(output, existing)
      named.append(output)
    }
  }

  /// Removes the temporary names, of which the first is the lock and goes last, and what earlier writes
  /// left here.
  private func removeTemporaries() throws(FileError) {
    for output in outputs.reversed() where Folder.isTaken(output.temporary) {
      try PendingWrite.removeTemporary(output)
    }
    for (folder, place) in places {
      for id in place.left { UnfinishedOutput.discard(id, in: folder) }
    }
  }

  /// Takes away the names that were given, after a failure.
  ///
  /// Only names that were free before: what was replaced cannot come back here, which is why callers who
  /// replace keep a backup, and the marker stays.
  private mutating func withdraw(_ named: [Output], markedIn folders: [FilePath]) {
    if case .keep = existing {
      for output in named { Folder.removeTree(output.final) }
    }
    if existing == .replace, !named.isEmpty {
      // Which files are old is known by the temporary ones of the others.
      isFinished = true
    } else {
      for folder in folders {
        _ = try? SystemCalls.removeFile(folder.appending(UnfinishedOutput.marker(id)))
      }
    }
  }

  /// Says in `folder` which names are about to be given there.
  private func mark(_ outputs: [Output], in folder: FilePath) throws(FileError) {
    let marker = folder.appending(UnfinishedOutput.marker(id))
    let text = UnfinishedOutput.text(
      outputs.map {
        ($0.temporary.lastComponent?.string ?? "", $0.final.lastComponent?.string ?? "")
      })
    do {
      let descriptor = try FileDescriptor.open(
        marker, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: permissions)
      try descriptor.closeAfter { () throws in
        try descriptor.writeBytes(text, text.indices)
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

  /// Gives a file its second name by a hard link, which fails when the name is taken.
  ///
  /// A rename would not. The temporary name stays, and shows whose file it is until the write is
  /// complete.
  private static func nameIfFree(_ temporary: FilePath, _ final: FilePath) throws(Errno) {
    do throws(Errno) {
      try SystemCalls.hardLink(temporary, to: final)
    } catch .notPermitted, .notSupported, .noFunction {
      // A file system without hard links, as on memory cards.
      try moveIfFree(temporary, final)
    }
  }

  private static func moveIfFree(_ temporary: FilePath, _ final: FilePath) throws(Errno) {
    guard !Folder.isTaken(final) else { throw .fileExists }
    try SystemCalls.move(temporary, to: final)
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
