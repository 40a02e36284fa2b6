import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FileDescriptor {
  /// The size, in bytes, from which a file may be worth reading in parts.
  private static var smallCount: Int { 1 << 20 }

  /// Reads up to `count` bytes from `offset`, or else the current position; fewer if the file ends
  /// first.
  func readBytes(at offset: Int64? = nil, count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe LargePages.prefer(for: UnsafeMutableRawBufferPointer(buffer))
      filled = 0
      while filled < count {
        do {
          let free = unsafe UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let got =
            if let offset {
              unsafe try self.read(fromAbsoluteOffset: offset + Int64(filled), into: free)
            } else {
              unsafe try self.read(into: free)
            }
          if got == 0 { return }
          filled += got
        } catch {
          failure = error.errno
          return
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads the first `count` bytes of a regular file, or fewer if it ends first; large files are
  /// read in parallel parts.
  ///
  /// - Precondition: Nothing has been read from the file yet.
  func readWhole(count: Int) throws(Errno) -> [UInt8] {
    if count < Self.smallCount { return try readBytes(count: count) }
    return unsafe try [UInt8](inLargePages: count) { (part, range) throws(Errno) in
      var filled = 0
      while filled < range.count {
        let offset = Int64(range.lowerBound + filled)
        let got: Int
        do {
          let free = unsafe UnsafeMutableRawBufferPointer(rebasing: part[filled...])
          got = unsafe try read(fromAbsoluteOffset: offset, into: free)
        } catch {
          throw error.errno
        }
        if got == 0 { break }
        filled += got
      }
      return filled
    }
  }

  /// Reads up to `count` bytes from `offset`, or else the current position, with one system call;
  /// none at the end.
  func readPiece(at offset: Int64? = nil, count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      do {
        let free = UnsafeMutableRawBufferPointer(buffer)
        filled =
          if let offset {
            unsafe try self.read(fromAbsoluteOffset: offset, into: free)
          } else {
            unsafe try self.read(into: free)
          }
      } catch {
        failure = error.errno
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes `range` of `bytes`, or all of them, with as many system calls as needed.
  ///
  /// As `writeAll(_:)`, but without generic code, which a small store would wait for.
  package func writeBytes(_ bytes: [UInt8], _ range: Range<Int>? = nil) throws(Errno) {
    let range = range ?? bytes.indices
    var failure: Errno?
    unsafe bytes.withUnsafeBytes { buffer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        do {
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset..<range.upperBound])
          offset += unsafe try self.write(rest)
        } catch {
          failure = error.errno
          return
        }
      }
    }
    if let failure { throw failure }
  }
}

extension FileDescriptor.OpenOptions {
  /// Leaves the access time of the file as it is; the C name is `O_NOATIME`.
  ///
  /// Its value, which Swift does not import, is the same on all processors that Swift knows.
  fileprivate static var withoutAccessTime: Self { Self(rawValue: 0o1000000) }
}

/// System calls that swift-system does not offer.
enum SystemCalls {
  /// Forces a file or folder to disk; the C function is `fsync`.
  static func synchronize(_ descriptor: FileDescriptor) throws(Errno) {
    try check(fsync(descriptor.rawValue))
  }

  /// Renames a file or folder, replacing `target` if it exists; the C function is `rename`.
  static func move(_ source: FilePath, to target: FilePath) throws(Errno) {
    try check(
      unsafe source.withPlatformString { from in
        unsafe target.withPlatformString { to in unsafe rename(from, to) }
      })
  }

  /// Creates a hard link, and fails with `.fileExists` if `target` exists; the C function is
  /// `link`.
  static func hardLink(_ source: FilePath, to target: FilePath) throws(Errno) {
    try check(
      unsafe source.withPlatformString { from in
        unsafe target.withPlatformString { to in unsafe link(from, to) }
      })
  }

  /// Returns the permissions that the process gives to no new file; the C function is `umask`, which
  /// can only tell them by changing them.
  ///
  /// For a moment, a file that another thread creates gets fewer permissions, but never more.
  static func creationMask() -> FilePermissions {
    let mask = umask(0o077)
    _ = umask(mask)
    return FilePermissions(rawValue: mask)
  }

  /// Changes the permissions of a file or folder; the C function is `chmod`.
  static func changePermissions(
    of path: FilePath, to permissions: FilePermissions
  ) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe chmod($0, permissions.rawValue) })
  }

  /// Removes a file; the C function is `unlink`.
  static func removeFile(_ path: FilePath) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe unlink($0) })
  }

  /// Creates a folder; the C function is `mkdir`.
  static func makeDirectory(
    _ path: FilePath, _ permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe mkdir($0, permissions.rawValue) })
  }

  /// Removes an empty folder; the C function is `rmdir`.
  static func removeDirectory(_ path: FilePath) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe rmdir($0) })
  }

  /// Removes everything in the open folder `folder`, as far as possible; links are removed and not
  /// followed.
  ///
  /// The C functions are `fdopendir`, `readdir`, `unlinkat` and `openat`.
  static func removeContents(of folder: FileDescriptor) {
    for name in names(inOpen: folder) {
      unsafe name.withPlatformString { name in
        if unsafe unlinkat(folder.rawValue, name, 0) == 0 { return }
        let inner = unsafe openat(folder.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard inner >= 0 else { return }
        removeContents(of: FileDescriptor(rawValue: inner))
        _ = close(inner)
        unsafe _ = unlinkat(folder.rawValue, name, AT_REMOVEDIR)
      }
    }
  }

  /// Returns the names in the open folder `folder`, without `.` and `..`; none if it cannot be
  /// listed.
  private static func names(inOpen folder: FileDescriptor) -> [FilePath.Component] {
    // The stream owns its descriptor.
    guard let copy = try? folder.duplicate() else { return [] }
    guard let stream = unsafe fdopendir(copy.rawValue) else {
      _ = try? copy.close()
      return []
    }
    defer { unsafe _ = closedir(stream) }
    var entries: [(name: FilePath.Component, type: FileType?)] = []
    unsafe _ = read(stream, into: &entries)
    return entries.map(\.name)
  }

  /// Returns the sorted names in a folder that start with `prefix`, without `.` and `..`.
  static func names(
    in path: FilePath, startingWith prefix: String = ""
  ) throws(Errno) -> [FilePath.Component] {
    try entries(in: path, startingWith: prefix).map(\.name)
  }

  /// Returns the entries of a folder whose names start with `prefix`, sorted by name, without `.`
  /// and `..`; types are `nil` if the file system does not report them.
  ///
  /// Names are compared as bytes before anything is made of them: there may be many of them, and
  /// few that start so. The C functions are `fdopendir`, `readdir` and `strncmp`.
  static func entries(
    in path: FilePath, startingWith prefix: String = ""
  ) throws(Errno) -> [(name: FilePath.Component, type: FileType?)] {
    let folder = try openForReading(path, [.directory, .closeOnExec])
    guard let stream = unsafe fdopendir(folder.rawValue) else {
      let error = Errno(rawValue: errno)
      _ = try? folder.close()
      throw error
    }
    defer { unsafe _ = closedir(stream) }
    var entries: [(name: FilePath.Component, type: FileType?)] = []
    if let error = unsafe read(stream, startingWith: prefix, into: &entries) { throw error }
    return Folder.sorted(entries, by: \.name)
  }

  /// Opens the file or folder at `path` for reading, and leaves its access time as it is if the
  /// system allows that: for the owner and for root, on Linux.
  static func openForReading(
    _ path: FilePath, _ options: FileDescriptor.OpenOptions
  ) throws(Errno) -> FileDescriptor {
    do {
      #if os(Linux)
        do {
          return try FileDescriptor.open(
            path, .readOnly, options: options.union(.withoutAccessTime))
        } catch Errno.notPermitted {
          // The file belongs to someone else.
        }
      #endif
      return try FileDescriptor.open(path, .readOnly, options: options)
    } catch {
      throw error.errno
    }
  }

  /// Appends the entries of `stream` whose names start with `prefix`.
  ///
  /// - Returns: Why they are not all of them, if they are not.
  private static func read(
    _ stream: OpaquePointer, startingWith prefix: String = "",
    into entries: inout [(name: FilePath.Component, type: FileType?)]
  ) -> Errno? {
    // Only `errno` tells whether `readdir` has failed or reached the end.
    errno = 0
    while let entry = unsafe readdir(stream) {
      let type = unsafe fileType(entry.pointee.d_type)
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          unsafe strncmp(name, prefix, prefix.utf8.count) == 0
            ? FilePath.Component(platformString: name) : nil
        }
      }
      if let name, name.kind == .regular { entries.append((name, type)) }
      errno = 0
    }
    return errno == 0 ? nil : Errno(rawValue: errno)
  }

  /// Returns the type of an entry read by `readdir`; `nil` if the file system does not report it.
  private static func fileType(_ type: UInt8) -> FileType? {
    switch Int(type) {
    case Int(DT_REG): .regular
    case Int(DT_DIR): .directory
    case Int(DT_LNK): .symbolicLink
    case Int(DT_FIFO): .fifo
    case Int(DT_SOCK): .socket
    case Int(DT_CHR): .characterSpecial
    case Int(DT_BLK): .blockSpecial
    default: nil
    }
  }

  /// Returns how much memory the process can allocate in one piece, at most `wanted` bytes: the
  /// minimum of what the system grants and the machine has.
  ///
  /// The C functions are `mmap` and `sysconf`.
  static func availableMemory(upTo wanted: Int) -> Int {
    func isGranted(_ count: Int) -> Bool {
      let block = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard Int(bitPattern: block) != -1 else { return false }
      unsafe munmap(block, count)
      return true
    }
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let page = sysconf(Int32(_SC_PAGESIZE))
    var high = pages > 0 && page > 0 ? min(wanted, pages * page) : wanted
    if high > 0, isGranted(high) { return high }
    var low = 0
    while high - low > 1 << 20 {
      let middle = low + (high - low) / 2
      if isGranted(middle) { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns whether reading from `descriptor` would not block.
  ///
  /// The C function is `poll`.
  static func isReadable(_ descriptor: FileDescriptor) -> Bool {
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
  }

  /// Locks an open file or folder until the descriptor is closed; returns `false` if another
  /// process holds the lock.
  ///
  /// The C function is `flock`.
  static func lock(_ descriptor: FileDescriptor) -> Bool {
    flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
  }

  /// Waits for the lock on an open file or folder and holds it until the descriptor is closed.
  ///
  /// The C function is `flock`. On a file system without locks, returns at once.
  static func waitForLock(_ descriptor: FileDescriptor) {
    while flock(descriptor.rawValue, LOCK_EX) != 0, errno == EINTR {}
  }

  private static func check(_ result: CInt) throws(Errno) {
    if result != 0 { throw Errno(rawValue: errno) }
  }
}
