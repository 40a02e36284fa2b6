package import SystemPackage

/// A reader that splits a stream of paths into lines, at line feeds or another separator.
///
/// A zero byte ends a line too, as no path contains one: a list for `xargs -0` is read as it is meant.
package final class LineReader {
  // A class, because a folder walk and the code that waits for its next step share the stream.

  private static let pieceCount = 1 << 16
  /// The length, in bytes, above which a line is split: no path is that long.
  private static let lineLimit = 1 << 20

  private let descriptor: FileDescriptor
  private let separator: UInt8
  private var buffer: [UInt8] = []
  private var start = 0
  private var hasEnded = false
  /// Why reading stopped before the end; `nil` if it did not.
  package private(set) var failure: Errno?

  /// Creates a reader of lines that end in `separator`; `descriptor` is not closed.
  package init(_ descriptor: FileDescriptor, endingIn separator: UInt8) {
    self.descriptor = descriptor
    self.separator = separator
  }

  /// Whether ``next()`` would return without waiting for the writer of the stream.
  package var isReady: Bool {
    hasEnded || buffer[start...].contains(where: endsLine) || SystemCalls.isReadable(descriptor)
  }

  /// Returns the next nonempty line, without its separator; `nil` after the last.
  package func next() -> [UInt8]? {
    while true {
      if let end = buffer[start...].firstIndex(where: endsLine) {
        let line = Array(buffer[start..<end])
        start = end + 1
        if !line.isEmpty { return line }
        continue
      }
      if hasEnded || buffer.count - start > LineReader.lineLimit {
        let line = Array(buffer[start...])
        buffer = []
        start = 0
        return line.isEmpty ? nil : line
      }
      fill()
    }
  }

  private func endsLine(_ byte: UInt8) -> Bool { byte == separator || byte == 0 }

  private func fill() {
    buffer.removeFirst(start)
    start = 0
    do throws(Errno) {
      let piece = try descriptor.readPiece(count: LineReader.pieceCount)
      hasEnded = piece.isEmpty
      buffer += piece
    } catch {
      failure = error
      hasEnded = true
    }
  }
}
