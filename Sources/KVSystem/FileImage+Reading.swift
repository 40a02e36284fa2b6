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
  /// The memory, in bytes, that reading a store takes in addition to its files.
  private static var workingMemory: Int { 64 << 20 }
  /// The file size, in bytes, from which available memory is checked first.
  private static var largeCount: Int { 1 << 20 }

  /// Reads the whole file at `path`, which is opened read-only.
  ///
  /// The file is copied into memory rather than mapped: if a mapped file shrinks, the process is
  /// killed.
  ///
  /// - Throws: `.system` if a system call fails; `.notRegular` for folders, pipes, sockets and
  ///   devices, of which only folders are opened; `.tooLarge` above ``maximumCount``;
  ///   `.tooLargeForMemory` if the process does not have enough memory; `.changedWhileRead` if the
  ///   size or modification time differs between the start and the end.
  package static func read(_ path: FilePath) throws(FileError) -> FileImage {
    try read(path, limit: maximumCount)
  }

  /// Reads the whole file at `path`, which may have at most `limit` bytes.
  ///
  /// If `isListed`, the listing of its folder has just shown that it is a regular file.
  ///
  /// - Throws: The errors of ``read(_:)``, and `.tooLarge` above `limit`.
  package static func read(
    _ path: FilePath, limit: Int, isListed: Bool = false
  ) throws(FileError) -> FileImage {
    try reading(path, isListed: isListed) { (descriptor) throws(FileError) in
      try readAll(descriptor, path, limit: limit)
    }
  }

  /// Reads at most the first `count` bytes of the file at `path`.
  ///
  /// - Throws: The errors of ``read(_:)`` other than those about its size.
  package static func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    try reading(path) { (descriptor) throws(FileError) in
      let kind = try status(of: descriptor, path).type
      guard kind == .regular else {
        throw FileError.notRegular(path: path, kind: kind.phrase)
      }
      do {
        let bytes = try descriptor.readBytes(count: count)
        FileLedger.current?.noteGlance(path)
        return FileImage(bytes)
      } catch {
        throw FileError.system(operation: "read", path: path, errno: error.errno)
      }
    }
  }

  /// Opens the file at `path`, calls `body` with it and closes it.
  private static func reading(
    _ path: FilePath, isListed: Bool = false,
    _ body: (FileDescriptor) throws(FileError) -> FileImage
  ) throws(FileError) -> FileImage {
    // Opening a socket fails, and opening a device may have side effects: check the kind by path.
    if !isListed, let kind = (try? Stat(path))?.type, ![.regular, .directory].contains(kind) {
      throw FileError.notRegular(path: path, kind: kind.phrase)
    }
    let descriptor = try FileImage.open(path)
    let outcome: Result<FileImage, FileError>
    do throws(FileError) {
      outcome = .success(try body(descriptor))
    } catch {
      outcome = .failure(error)
    }
    // The bytes are in memory; failing to close a read-only descriptor changes nothing.
    _ = try? descriptor.close()
    return try outcome.get()
  }

  /// Reads at most `limit` bytes from `path`, which may be a pipe; for keys, not for stores.
  ///
  /// - Throws: `.system` if a system call fails; `.tooLarge` if there are more bytes.
  package static func readStream(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    let bytes: [UInt8]
    do {
      let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      bytes = try descriptor.closeAfter { () throws in
        let bytes = try descriptor.readBytes(count: limit + 1)
        FileLedger.current?.noteKey(path, try? Stat(descriptor), bytes.count)
        return bytes
      }
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error.errno)
    }
    guard bytes.count <= limit else {
      throw FileError.tooLarge(path: path, count: Int64(bytes.count), limit: limit)
    }
    return FileImage(bytes)
  }

  /// Reads standard input to its end; errors name it `path`.
  ///
  /// - Throws: `.system` if a system call fails; `.tooLarge` above ``maximumCount``;
  ///   `.tooLargeForMemory` if the process does not have enough memory.
  package static func readStandardInput(named path: FilePath) throws(FileError) -> FileImage {
    // Of a file that is too large, not a byte is read.
    if let file = try? Stat(FileDescriptor.standardInput), file.type == .regular,
      let offset = try? FileDescriptor.standardInput.seek(offset: 0, from: .current),
      file.size - offset > maximumCount
    {
      throw FileError.tooLarge(path: path, count: file.size - offset, limit: maximumCount)
    }
    var bytes: [UInt8] = []
    while true {
      let piece: [UInt8]
      do {
        piece = try FileDescriptor.standardInput.readPiece(count: 1 << 20)
      } catch {
        throw FileError.system(operation: "read", path: path, errno: error.errno)
      }
      if piece.isEmpty {
        let image = FileImage(bytes)
        FileLedger.current?.noteRead(path, image)
        return image
      }
      guard bytes.count + piece.count <= maximumCount else {
        throw FileError.tooLarge(
          path: path, count: Int64(bytes.count + piece.count), limit: maximumCount)
      }
      // Later work needs as much again, and so does an array while it grows.
      let needed = 2 * (bytes.count + piece.count) + workingMemory
      let available = SystemCalls.availableMemory(upTo: needed)
      guard available >= needed else {
        throw FileError.tooLargeForMemory(
          path: path, count: Int64(bytes.count), needed: needed, available: available)
      }
      bytes += piece
    }
  }

  /// Opens a file without blocking on a pipe that has no writer.
  static func open(_ path: FilePath) throws(FileError) -> FileDescriptor {
    do throws(Errno) {
      return try SystemCalls.openForReading(path, [.nonBlocking, .closeOnExec])
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error)
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
      // Files in /proc report a size of 0 but are not empty.
      if before.size == 0, try !descriptor.readBytes(count: 1).isEmpty {
        throw FileError.notRegular(path: path, kind: "a file without a size")
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
    FileLedger.current?.noteRead(path, before, bytes)
    return FileImage(bytes)
  }

  /// Checks that there is memory for the work after reading, which cannot report a lack of it: a
  /// decrypted copy, and what is known about the records.
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
  /// The type as a phrase with its article, for messages.
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
  /// The code of a failed system call; `.ioError` for any other error.
  var errno: Errno { self as? Errno ?? .ioError }
}
