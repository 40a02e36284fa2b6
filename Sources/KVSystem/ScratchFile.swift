import KVBytes
package import SystemPackage

/// Text in several parts that grow in turns, kept on disk until each part can be written to its
/// file.
///
/// The file is unlinked as soon as it is opened, so it disappears with the process, however that
/// ends. As long as the parts are short, there is no file.
package final class ScratchFile {
  // A class, because it owns a descriptor, and closures in several layers write to it.

  /// The number of bytes of a part that are kept in memory before they are stored.
  package static var pieceCount: Int { 1 << 16 }

  /// A part: the bytes in memory, and where in the file the bytes before them are.
  private struct Part {
    var buffer: [UInt8] = []
    var pieces: [Range<Int>] = []
  }

  private let path: FilePath
  private var descriptor: FileDescriptor?
  private var parts: [Int64: Part] = [:]
  private var end = 0
  private var failure: (any Error)?

  /// Creates an empty scratch file, for text that goes into the file at `path`; it uses that file's
  /// folder.
  package init(beside path: FilePath) { self.path = path.parent }

  deinit { _ = try? descriptor?.close() }

  /// The number of bytes in the file, as opposed to in memory.
  package var storedCount: Int { end }

  /// Appends `text` to part `number`.
  package func append(_ text: String, to number: Int64) {
    parts[number, default: Part()].buffer.append(utf8Of: text)
    if parts[number, default: Part()].buffer.count >= Self.pieceCount { store(number) }
  }

  /// Returns whether part `number` has any text.
  package func hasText(in number: Int64) -> Bool { parts[number] != nil }

  /// Writes all of part `number` to `stream`; if the scratch file failed, so does the stream.
  package func write(_ number: Int64, to stream: FileStream) {
    guard let part = parts[number] else { return }
    do {
      if let failure { throw failure }
      for piece in part.pieces {
        try descriptor?.seek(offset: Int64(piece.lowerBound), from: .start)
        stream.write(try descriptor?.readBytes(count: piece.count) ?? [])
      }
      stream.write(part.buffer)
    } catch {
      stream.fail(error)
    }
  }

  /// Removes all parts; their space in the file is reused.
  package func removeAll() {
    parts = [:]
    end = 0
  }

  private func store(_ number: Int64) {
    guard failure == nil, let buffer = parts[number]?.buffer else { return }
    do {
      let file = try descriptor ?? open()
      descriptor = file
      try file.seek(offset: Int64(end), from: .start)
      try file.writeBytes(buffer)
      parts[number]?.pieces.append(end..<end + buffer.count)
      parts[number]?.buffer.removeAll(keepingCapacity: true)
      end += buffer.count
    } catch {
      failure = error
    }
  }

  private func open() throws -> FileDescriptor {
    Interruption.suspend()
    defer { Interruption.resume() }
    let id = String(UInt64.random(in: 0 ... .max), radix: 36)
    let name = path.appending(UnfinishedOutput.temporary(id, 0))
    let file = try FileDescriptor.open(
      name, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: .ownerReadWrite)
    do throws(Errno) {
      try SystemCalls.removeFile(name)
    } catch .noSuchFileOrDirectory {
      // A write in the same folder took the file for what a killed process has left.
    }
    return file
  }
}
