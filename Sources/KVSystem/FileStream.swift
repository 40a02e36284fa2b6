import KVBytes
package import SystemPackage

/// A file that is being written, piece by piece.
///
/// An error is kept until the end: who writes need not look at each piece.
package final class FileStream {
  // A class because closures of several layers write to the same buffer.

  private static let bufferCount = 1 << 18

  private let descriptor: FileDescriptor
  private let isCancelled: @Sendable () -> Bool
  private var buffer: [UInt8] = []
  private var failure: (any Error)?

  init(_ descriptor: FileDescriptor, isCancelled: @escaping @Sendable () -> Bool) {
    self.descriptor = descriptor
    self.isCancelled = isCancelled
  }

  /// Lets `body` write to the files at `paths`, which are there and empty.
  ///
  /// - Throws: `.system`, for the first file that could not be written.
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

  /// Whether there is no point in going on, for a piece could not be written or the user has had
  /// enough.
  package var hasFailed: Bool { failure != nil }

  /// Writes `text`.
  package func write(_ text: String) { append(text.utf8) }

  /// Writes `bytes`.
  package func write(_ bytes: [UInt8]) { append(bytes) }

  private func append(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= FileStream.bufferCount { flush() }
  }

  /// Fails with `error`, unless something else has failed before: what is to be written is not to be had.
  package func fail(_ error: any Error) {
    if failure == nil { failure = error }
  }

  /// Writes what is left.
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
        try descriptor.writeBytes(buffer, buffer.indices)
      } catch {
        failure = error
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
