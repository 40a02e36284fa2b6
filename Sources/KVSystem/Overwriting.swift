package import KVBytes
package import SystemPackage

/// Overwriting bytes where they lie on the disk: a new file in place of the old one would leave them
/// in blocks that are free.
package enum Overwriting {
  /// The number of bytes that are compared or written at a time.
  private static let pieceCount = 1 << 20

  /// Writes zeros over `ranges` of the file at `path`, whose bytes must still be those of `image`, and
  /// returns once the disk has them.
  ///
  /// - Precondition: The ranges lie within the image.
  ///
  /// - Throws: `.system` if a system call fails; `.changedWhileRead` if the file has other bytes now,
  ///   which then stay as they are.
  package static func zero(
    _ ranges: [Range<Int>], of path: FilePath, expecting image: FileImage
  ) throws(FileError) {
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        path, .readWrite, options: [.closeOnExec, .noFollow])
    } catch {
      throw FileError.system(
        operation: "write to", path: path, errno: error as? Errno ?? .ioError)
    }
    let outcome: Result<Void, FileError>
    do throws(FileError) {
      try compare(descriptor, path, image)
      outcome = .success(try write(ranges, to: descriptor, path))
    } catch {
      outcome = .failure(error)
    }
    _ = try? descriptor.close()
    try outcome.get()
    FileLedger.current?.noteWritten([path])
  }

  private static func compare(
    _ descriptor: FileDescriptor, _ path: FilePath, _ image: FileImage
  ) throws(FileError) {
    let status = try FileImage.status(of: descriptor, path)
    guard status.type == .regular else {
      throw FileError.notRegular(path: path, kind: status.type.phrase)
    }
    var offset = 0
    while offset < image.count {
      let count = min(pieceCount, image.count - offset)
      let piece: [UInt8]
      do {
        piece = try descriptor.readPiece(at: Int64(offset), count: count)
      } catch {
        throw FileError.system(operation: "read", path: path, errno: error.errno)
      }
      guard !piece.isEmpty, piece == image.bytes(in: offset..<offset + piece.count) else { break }
      offset += piece.count
    }
    guard offset == image.count, status.size == Int64(image.count) else {
      throw FileError.changedWhileRead(
        path: path, before: Int64(image.count), after: status.size)
    }
  }

  private static func write(
    _ ranges: [Range<Int>], to descriptor: FileDescriptor, _ path: FilePath
  ) throws(FileError) {
    do {
      for range in ranges {
        var offset = range.lowerBound
        while offset < range.upperBound {
          let count = min(pieceCount, range.upperBound - offset)
          offset += try descriptor.writeAll(
            toAbsoluteOffset: Int64(offset), [UInt8](repeating: 0, count: count))
        }
      }
      try SystemCalls.synchronize(descriptor)
    } catch {
      throw FileError.system(
        operation: "write to", path: path, errno: error as? Errno ?? .ioError)
    }
  }
}
