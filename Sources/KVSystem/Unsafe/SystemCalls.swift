import KVBytes
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FileDescriptor {
  /// Up to `count` bytes from the current position; fewer when the file ends first.
  func readBytes(count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe LargePages.prefer(for: UnsafeMutableRawBufferPointer(buffer))
      filled = 0
      while filled < count {
        do {
          let free = unsafe UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let got = unsafe try self.read(into: free)
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

  /// The first `count` bytes of a regular file, or fewer when it ends first; many are read in parts at once.
  func readWhole(count: Int) throws(Errno) -> [UInt8] {
    unsafe try [UInt8](inLargePages: count) { (part, range) throws(Errno) in
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

  /// What one call reads from the current position: up to `count` bytes, none at the end.
  func readPiece(count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      do {
        filled = unsafe try self.read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error.errno
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes `range` of `bytes`, in as many calls as it takes.
  func writeBytes(_ bytes: [UInt8], _ range: Range<Int>) throws(Errno) {
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

/// Calls of the operating system that swift-system does not offer.
enum SystemCalls {
  /// The C function is `fsync`.
  static func synchronize(_ descriptor: FileDescriptor) throws(Errno) {
    try check(fsync(descriptor.rawValue))
  }

  /// The C function is `rename`: `target` is replaced if it exists.
  static func move(_ source: FilePath, to target: FilePath) throws(Errno) {
    try check(
      unsafe source.withPlatformString { from in
        unsafe target.withPlatformString { to in unsafe rename(from, to) }
      })
  }

  /// The C function is `link`: fails with `.fileExists` when there is a `target`.
  static func hardLink(_ source: FilePath, to target: FilePath) throws(Errno) {
    try check(
      unsafe source.withPlatformString { from in
        unsafe target.withPlatformString { to in unsafe link(from, to) }
      })
  }

  /// The C function is `unlink`.
  static func removeFile(_ path: FilePath) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe unlink($0) })
  }

  /// The C function is `mkdir`.
  static func makeDirectory(
    _ path: FilePath, _ permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe mkdir($0, permissions.rawValue) })
  }

  /// The C function is `rmdir`.
  static func removeDirectory(_ path: FilePath) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe rmdir($0) })
  }

  /// The names in a folder, sorted, without itself and its parent.
  static func names(in path: FilePath) throws(Errno) -> [FilePath.Component] {
    try entries(in: path).map(\.name)
  }

  /// The names in a folder, sorted, without itself and its parent, with what they are where the file
  /// system says so.
  ///
  /// The C functions are `opendir` and `readdir`.
  static func entries(
    in path: FilePath
  ) throws(Errno) -> [(name: FilePath.Component, type: FileType?)] {
    guard let stream = unsafe path.withPlatformString({ unsafe opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { unsafe _ = closedir(stream) }
    var entries: [(name: FilePath.Component, type: FileType?)] = []
    // `readdir` says with `errno` alone whether it has failed or come to the end.
    errno = 0
    while let entry = unsafe readdir(stream) {
      let type = unsafe fileType(entry.pointee.d_type)
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe FilePath.Component(platformString: $0)
        }
      }
      if let name, name.kind == .regular { entries.append((name, type)) }
      errno = 0
    }
    if errno != 0 { throw Errno(rawValue: errno) }
    return entries.map { ($0, $0.name.string) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// The kind of an entry by `readdir`; `nil` where the file system does not tell.
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

  /// How much memory the process can have in one piece, up to `wanted` bytes: what the system grants and
  /// the machine has.
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

  /// Whether reading from `descriptor` would not wait.
  ///
  /// The C function is `poll`.
  static func isReadable(_ descriptor: FileDescriptor) -> Bool {
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
  }

  /// Locks an open file or folder, unless another process has, until the descriptor is closed.
  ///
  /// The C function is `flock`.
  static func lock(_ descriptor: FileDescriptor) -> Bool {
    flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
  }

  /// Locks an open file or folder, as soon as no other process has, until the descriptor is closed.
  ///
  /// The C function is `flock`; where there are no locks, nothing is waited for.
  static func waitForLock(_ descriptor: FileDescriptor) {
    while flock(descriptor.rawValue, LOCK_EX) != 0, errno == EINTR {}
  }

  private static func check(_ result: CInt) throws(Errno) {
    if result != 0 { throw Errno(rawValue: errno) }
  }
}
