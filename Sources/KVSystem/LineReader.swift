package import SystemPackage

/// Reads a stream piece by piece and cuts it into lines, or at another byte.
package final class LineReader {
  // A class because a walk and what waits for its next step share the stream.

  private static let pieceCount = 1 << 16
  /// The longest line that is kept whole: what is longer is no path.
  private static let lineLimit = 1 << 20

  private let descriptor: FileDescriptor
  private let separator: UInt8
  private var buffer: [UInt8] = []
  private var start = 0
  private var hasEnded = false
  /// Why reading stopped before the end; `nil` where it did not.
  package private(set) var failure: Errno?

  /// A reader of `descriptor`, which is not closed, with lines that end in `separator`.
  package init(_ descriptor: FileDescriptor, endingIn separator: UInt8) {
    self.descriptor = descriptor
    self.separator = separator
  }

  /// Whether the next line, or the end, is there without waiting for whoever writes.
  package var isReady: Bool {
    hasEnded || buffer[start...].contains(separator) || SystemCalls.isReadable(descriptor)
  }

  /// Returns the next line that is not empty, without its separator; `nil` after the last.
  package func next() -> [UInt8]? {
    while true {
      if let end = buffer[start...].firstIndex(of: separator) {
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
