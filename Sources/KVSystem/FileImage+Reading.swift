package import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FileImage {
  /// The memory that reading a store takes beside its files, in bytes.
  private static var workingMemory: Int { 64 << 20 }
  /// From how many bytes on it is asked whether there is memory for a file.
  private static var largeCount: Int { 1 << 20 }

  /// Reads the whole file at `path`, which is opened read-only.
  ///
  /// The file is copied into memory rather than mapped: a mapped file that shrinks kills the process.
  ///
  /// - Throws: `.system` when a call fails; `.notRegular` for folders, pipes, sockets and devices,
  ///   which are not opened for reading; `.tooLarge` above ``maximumCount``;
  ///   `.tooLargeForMemory` where the process cannot have the memory to work on it; `.changedWhileRead`
  ///   when size or modification time differ between the start and the end.
  package static func read(_ path: FilePath) throws(FileError) -> FileImage {
    try read(path, limit: maximumCount)
  }

  /// Reads the whole file at `path`, which has no more than `limit` bytes.
  ///
  /// - Throws: As ``read(_:)``; `.tooLarge` above `limit`.
  package static func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    try reading(path) { (descriptor) throws(FileError) in
      try readAll(descriptor, path, limit: limit)
    }
  }

  /// Reads the first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As ``read(_:)``, but for the size.
  package static func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    try reading(path) { (descriptor) throws(FileError) in
      let kind = try status(of: descriptor, path).type
      guard kind == .regular else {
        throw FileError.notRegular(path: path, kind: kind.phrase)
      }
      do {
        return FileImage(try descriptor.readBytes(count: count))
      } catch {
        throw FileError.system(operation: "read", path: path, errno: error.errno)
      }
    }
  }

  /// Opens the file at `path` for `body`, and closes it.
  private static func reading(
    _ path: FilePath, _ body: (FileDescriptor) throws(FileError) -> FileImage
  ) throws(FileError) -> FileImage {
    // Opening a socket fails, and opening a device may do something: both are told from the name.
    if let kind = (try? Stat(path))?.type, ![.regular, .directory].contains(kind) {
      throw FileError.notRegular(path: path, kind: kind.phrase)
    }
    let descriptor = try FileImage.open(path)
    let outcome: Result<FileImage, FileError>
    do throws(FileError) {
      outcome = .success(try body(descriptor))
    } catch {
      outcome = .failure(error)
    }
    // The bytes are in memory; that closing a read-only descriptor failed changes nothing.
    _ = try? descriptor.close()
    return try outcome.get()
  }

  /// Reads what comes out of `path`, which may be a pipe, up to `limit` bytes: for keys, not for
  /// stores.
  ///
  /// - Throws: `.system` when a call fails, `.tooLarge` when there is more.
  package static func readStream(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    let bytes: [UInt8]
    do {
      let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      bytes = try descriptor.closeAfter { () throws in try descriptor.readBytes(count: limit + 1) }
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error.errno)
    }
    guard bytes.count <= limit else {
      throw FileError.tooLarge(path: path, count: Int64(bytes.count), limit: limit)
    }
    return FileImage(bytes)
  }

  /// Reads standard input to its end; errors call it `path`.
  ///
  /// - Throws: `.system` when a call fails; `.tooLarge` above ``maximumCount``; `.tooLargeForMemory` where
  ///   the process cannot have the memory to work on it.
  package static func readStandardInput(named path: FilePath) throws(FileError) -> FileImage {
    var bytes: [UInt8] = []
    while true {
      let piece: [UInt8]
      do {
        piece = try FileDescriptor.standardInput.readPiece(count: 1 << 20)
      } catch {
        throw FileError.system(operation: "read", path: path, errno: error.errno)
      }
      if piece.isEmpty { return FileImage(bytes) }
      guard bytes.count + piece.count <= maximumCount else {
        throw FileError.tooLarge(
          path: path, count: Int64(bytes.count + piece.count), limit: maximumCount)
      }
      // What comes after takes as much once more, and so does an array that grows.
      let needed = 2 * (bytes.count + piece.count) + workingMemory
      let available = SystemCalls.availableMemory(upTo: needed)
      guard available >= needed else {
        throw FileError.tooLargeForMemory(
          path: path, count: Int64(bytes.count), needed: needed, available: available)
      }
      bytes += piece
    }
  }

  /// Opens without blocking on a pipe that nobody writes to, and without becoming a terminal's owner.
  static func open(_ path: FilePath) throws(FileError) -> FileDescriptor {
    do {
      return try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error.errno)
    }
  }

  private static func readAll(
    _ descriptor: FileDescriptor, _ path: FilePath, limit: Int
  ) throws(FileError) -> FileImage {
    let before = try status(of: descriptor, path)
    guard before.type == .regular else {
      throw FileError.notRegular(path: path, kind: before.type.phrase)
    }
    guard before.size <= Int64(limit) else {
      throw FileError.tooLarge(path: path, count: before.size, limit: limit)
    }
    if before.size >= largeCount { try checkMemory(for: before.size, path) }
    let bytes: [UInt8]
    do {
      // The files of /proc state no size, and have bytes all the same.
      if before.size == 0, try !descriptor.readBytes(count: 1).isEmpty {
        throw FileError.notRegular(path: path, kind: "a file that states no size")
      }
      bytes = try descriptor.readWhole(count: Int(before.size))
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error.errno)
    }
    let after = try status(of: descriptor, path)
    guard bytes.count == Int(before.size), after.size == before.size,
      after.st_mtim.tv_sec == before.st_mtim.tv_sec,
      after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    else {
      throw FileError.changedWhileRead(path: path, before: before.size, after: after.size)
    }
    return FileImage(bytes)
  }

  /// What comes after reading takes memory too, and cannot say so where there is none: a decrypted copy,
  /// and what is known of the records.
  private static func checkMemory(for count: Int64, _ path: FilePath) throws(FileError) {
    let needed = 2 * Int(count) + workingMemory
    let available = SystemCalls.availableMemory(upTo: needed)
    guard available >= needed else {
      throw FileError.tooLargeForMemory(
        path: path, count: count, needed: needed, available: available)
    }
  }

  static func status(
    of descriptor: FileDescriptor, _ path: FilePath
  ) throws(FileError) -> Stat {
    do {
      return try Stat(descriptor)
    } catch {
      throw FileError.system(operation: "examine", path: path, errno: error)
    }
  }
}

extension FileType {
  /// The type with its article, as a message names it.
  var phrase: String {
    switch self {
    case .directory: "a folder"
    case .fifo: "a named pipe"
    case .socket: "a socket"
    case .characterSpecial: "a character device"
    case .blockSpecial: "a block device"
    default: "not a regular file"
    }
  }
}

extension Error {
  /// The code of a system call's error.
  var errno: Errno { self as? Errno ?? .ioError }
}
