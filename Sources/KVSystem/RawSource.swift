package import KVBytes
package import SystemPackage

/// A file or a block device of any size, of which parts are read: a disk image, a dump of memory.
package struct RawSource: Sendable {
  /// The path, as the user named it.
  package let path: FilePath
  /// The number of bytes.
  package let count: Int
  /// When it was changed last, in nanoseconds since 1970; 0 for a device, which does not say.
  package let modified: Int
  private let descriptor: FileDescriptor

  /// Calls `body` with the file or block device at `path`, opened for reading only.
  ///
  /// - Throws: `.system`; `.notRegular` for a folder, a pipe or another device; what `body` throws.
  package static func open<Result>(
    _ path: FilePath, _ body: (RawSource) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let descriptor = try FileImage.open(path)
    defer { _ = try? descriptor.close() }
    let status = try FileImage.status(of: descriptor, path)
    guard status.type == .regular || status.type == .blockSpecial else {
      throw .notRegular(path: path, kind: status.type.phrase)
    }
    let end: Int64
    do {
      end = try descriptor.seek(offset: 0, from: .end)
    } catch {
      throw .system(operation: "read", path: path, errno: error.errno)
    }
    FileLedger.current?.noteRead(path, status, descriptor, count: Int(end))
    let modified = status.type == .regular ? FileLedger.Facts(status).modified : 0
    return try body(
      RawSource(path: path, count: Int(end), modified: modified, descriptor: descriptor))
  }

  /// Returns the bytes in `range`, without those after the end.
  ///
  /// - Throws: `.system` if they cannot be read.
  package func read(_ range: Range<Int>) throws(FileError) -> FileImage {
    let range = range.clamped(to: 0..<count)
    do throws(Errno) {
      return FileImage(try descriptor.readBytes(at: Int64(range.lowerBound), count: range.count))
    } catch {
      throw .system(operation: "read", path: path, errno: error)
    }
  }
}
