import KVBytes
package import SystemPackage

/// A buffered writer to a new file.
///
/// The first error is kept until the end, so callers need not check each write.
package final class FileStream {
  // A class, because closures in several layers write to the same buffer.

  private static let bufferCount = 1 << 18

  private let descriptor: FileDescriptor
  private let isCancelled: @Sendable () -> Bool
  private var buffer: [UInt8] = []
  private var failure: (any Error)?

  init(_ descriptor: FileDescriptor, isCancelled: @escaping @Sendable () -> Bool) {
    self.descriptor = descriptor
    self.isCancelled = isCancelled
  }

  /// Calls `body` with writers to the files at `paths`, which exist and are empty.
  ///
  /// - Throws: `.system` for the first file that could not be opened or written.
  package static func fill(
    _ paths: some Collection<FilePath>, _ body: ([FileStream]) -> Void
  ) throws(FileError) {
    var streams: [FileStream] = []
    defer { for stream in streams { _ = try? stream.descriptor.close() } }
    func attempt(_ path: FilePath, _ step: () throws -> Void) throws(FileError) {
      do { try step() } catch {
        throw .system(operation: "write", path: path, errno: error.errno)
      }
    }
    for path in paths {
      try attempt(path) {
        let descriptor = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
        streams.append(FileStream(descriptor) { false })
      }
    }
    body(streams)
    for (path, stream) in zip(paths, streams) { try attempt(path, stream.finish) }
  }

  /// Writes `text`.
  package func write(_ text: String) {
    buffer.append(utf8Of: text)
    flushIfLong()
  }

  /// Writes `bytes`.
  package func write(_ bytes: [UInt8]) {
    buffer.append(contentsOf: bytes)
    flushIfLong()
  }

  private func flushIfLong() {
    if buffer.count >= FileStream.bufferCount { flush() }
  }

  /// Records `error` as the failure, unless there is one already; for text that cannot be obtained.
  package func fail(_ error: any Error) {
    if failure == nil { failure = error }
  }

  /// Writes the rest of the buffer.
  ///
  /// - Throws: The first error.
  func finish() throws {
    flush()
    if let failure { throw failure }
  }

  private func flush() {
    if failure == nil {
      do {
        if isCancelled() { throw FileError.interrupted }
        try descriptor.writeBytes(buffer)
      } catch {
        failure = error
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
