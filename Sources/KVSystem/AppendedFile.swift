import KVBytes
package import SystemPackage

/// A file of lines to which processes append, one at a time, and which nobody shortens.
package enum AppendedFile {
  /// The end of the file: its last whole line, and what is after that.
  package struct End {
    /// The last line that ends in a line feed, without it; `nil` if there is none.
    package let line: [UInt8]?
    /// The bytes after it: a line that was not written to its end.
    package let rest: [UInt8]
  }

  /// The largest number of bytes, from the end, in which lines are looked for.
  private static let endCount = 1 << 26

  /// Appends to the file at `path` what `body` returns, which is given the end of the file.
  ///
  /// The file, and the folder that it is in, are created for their owner alone if they do not exist.
  /// Other processes that append wait meanwhile.
  ///
  /// - Throws: `.notRegular`; `.system`; what `body` throws.
  package static func append(
    to path: FilePath, _ body: (End) throws(FileError) -> [UInt8]
  ) throws(FileError) {
    let folder = path.parent
    do throws(Errno) {
      if !folder.isEmpty { try SystemCalls.makeDirectory(folder, .ownerReadWriteExecute) }
    } catch .fileExists {
      // It may be a file; then the next step fails.
    } catch {
      throw .system(operation: "make", path: folder, errno: error)
    }
    do {
      let file = try FileDescriptor.open(
        path, .readWrite, options: [.append, .create, .closeOnExec, .nonBlocking, .noFollow],
        permissions: .ownerReadWrite)
      try file.closeAfter { () throws in
        SystemCalls.waitForLock(file)
        let status = try FileImage.status(of: file, path)
        guard status.type == .regular else {
          throw FileError.notRegular(path: path, kind: status.type.phrase)
        }
        let bytes = try body(try end(of: file, path, count: Int(status.size)))
        try file.writeBytes(bytes)
        try SystemCalls.synchronize(file)
      }
    } catch let error as FileError {
      throw error
    } catch {
      throw .system(operation: "write", path: path, errno: error.errno)
    }
  }

  /// Returns the first line of the file at `path`, without its line feed; `nil` if it has no whole one.
  ///
  /// - Throws: `.notRegular`; `.system`.
  package static func firstLine(of path: FilePath) throws(FileError) -> [UInt8]? {
    do {
      let file = try FileDescriptor.open(
        path, .readOnly, options: [.closeOnExec, .nonBlocking, .noFollow])
      return try file.closeAfter { () throws in
        let status = try FileImage.status(of: file, path)
        guard status.type == .regular else {
          throw FileError.notRegular(path: path, kind: status.type.phrase)
        }
        var line: [UInt8] = []
        while line.count < endCount {
          let piece = try file.readPiece(at: Int64(line.count), count: 1 << 16)
          if piece.isEmpty { return nil }
          if let feed = piece.firstIndex(of: UInt8(ascii: "\n")) { return line + piece[..<feed] }
          line += piece
        }
        return nil
      }
    } catch let error as FileError {
      throw error
    } catch {
      throw .system(operation: "read", path: path, errno: error.errno)
    }
  }

  private static func end(
    of file: FileDescriptor, _ path: FilePath, count: Int
  ) throws -> End {
    let feed = UInt8(ascii: "\n")
    var bytes: [UInt8] = []
    var wanted = min(count, 1 << 16)
    while bytes.count < wanted {
      try file.seek(offset: Int64(count - wanted), from: .start)
      bytes = try file.readBytes(count: wanted)
      let last = bytes.lastIndex(of: feed)
      let first = last.flatMap { bytes[..<$0].lastIndex(of: feed) }
      if let last, wanted == count || first != nil {
        let start = first.map { $0 + 1 } ?? 0
        return End(line: Array(bytes[start..<last]), rest: Array(bytes[(last + 1)...]))
      }
      guard wanted < min(count, endCount) else { break }
      wanted = min(count, endCount, wanted * 4)
    }
    guard bytes.count == count else {
      throw FileError.member(path: path, reason: "a line at its end is too long")
    }
    return End(line: nil, rest: bytes)
  }
}
