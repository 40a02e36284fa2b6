import KVBytes
package import SystemPackage

/// A file that is read piece by piece, and closed when nobody holds it any more.
package final class InputFile {
  // A class because the descriptor is closed once.

  /// Where it is.
  package let path: FilePath
  /// How many bytes it had when it was opened.
  package let count: Int
  private let descriptor: FileDescriptor

  /// Opens the file at `path` for reading.
  ///
  /// - Throws: As `FileImage.read`, but for the size.
  package init(_ path: FilePath) throws(FileError) {
    self.path = path
    descriptor = try FileImage.open(path)
    do throws(FileError) {
      let status = try FileImage.status(of: descriptor, path)
      guard status.type == .regular else {
        throw FileError.notRegular(path: path, kind: status.type.phrase)
      }
      count = Int(status.size)
    } catch {
      _ = try? descriptor.close()
      throw error
    }
  }

  deinit { _ = try? descriptor.close() }

  /// Returns up to `count` bytes from `offset` on, none at the end.
  ///
  /// - Throws: `.system` when a call fails.
  package func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    do {
      try descriptor.seek(offset: Int64(offset), from: .start)
      return try descriptor.readPiece(count: count)
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error.errno)
    }
  }
}
