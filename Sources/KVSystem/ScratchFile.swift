import KVBytes
package import SystemPackage

/// Text that is kept on the disk until its place in a file has come: parts that grow in turns.
///
/// The file has no name while it is in use, so that it goes with the process, whatever ends that. There is
/// none as long as the parts are short.
package final class ScratchFile {
  // A class because it holds a descriptor, and closures of several layers write to it.

  /// So many bytes of a part are in memory.
  package static var pieceCount: Int { 1 << 16 }

  /// What is in memory of a part, and where in the file its beginning is.
  private struct Part {
    var buffer: [UInt8] = []
    var pieces: [Range<Int>] = []
  }

  private let path: FilePath
  private var descriptor: FileDescriptor?
  private var parts: [Int64: Part] = [:]
  private var end = 0
  private var failure: (any Error)?

  /// An empty file in the folder of `path`, the file that the text is for.
  package init(beside path: FilePath) { self.path = path.removingLastComponent() }

  deinit { _ = try? descriptor?.close() }

  /// The bytes that are in the file, and not in memory.
  package var storedCount: Int { end }

  /// Appends `text` to part `number`.
  package func append(_ text: String, to number: Int64) {
    parts[number, default: Part()].buffer.append(contentsOf: text.utf8)
    if parts[number, default: Part()].buffer.count >= Self.pieceCount { store(number) }
  }

  /// Whether part `number` has any text.
  package func hasText(in number: Int64) -> Bool { parts[number] != nil }

  /// Writes all of part `number` to `stream`, which fails where the file has.
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

  /// Forgets all parts; the room that they took is used again.
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
      try file.writeBytes(buffer, buffer.indices)
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
    try SystemCalls.removeFile(name)
    return file
  }
}
