import KVBytes
package import SystemPackage

/// A file that is read piece by piece, and closed when it is no longer referenced.
package final class InputFile {
  // A class, because the descriptor must be closed once.

  /// The path of the file.
  package let path: FilePath
  /// The number of bytes when the file was opened.
  package let count: Int
  private let descriptor: FileDescriptor

  /// Opens the file at `path` for reading.
  ///
  /// - Throws: The errors of `FileImage.read(_:)` other than those about its size.
  package init(_ path: FilePath) throws(FileError) {
    self.path = path
    descriptor = try FileImage.open(path)
    do throws(FileError) {
      let status = try FileImage.status(of: descriptor, path)
      guard status.type == .regular else {
        throw FileError.notRegular(path: path, kind: status.type.phrase)
      }
      count = Int(status.size)
      FileLedger.current?.noteRead(path, status, descriptor)
    } catch {
      _ = try? descriptor.close()
      throw error
    }
  }

  deinit { _ = try? descriptor.close() }

  /// Returns up to `count` bytes from `offset`; none at the end of the file.
  ///
  /// - Throws: `.system` if a system call fails.
  package func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    do {
      return try descriptor.readPiece(at: Int64(offset), count: count)
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error.errno)
    }
  }
}
