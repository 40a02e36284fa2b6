package import SystemPackage

/// A reader that splits a stream into lines, at line feeds or another separator.
///
/// In a list of paths, a zero byte ends a line too, as no path contains one: a list for `xargs -0` is
/// read as it is meant.
package final class LineReader {
  // A class, because a folder walk and the code that waits for its next step share the stream.

  private static let pieceCount = 1 << 16
  /// The length, in bytes, above which a line is split: no path and no request is that long.
  package static let lineLimit = 1 << 20

  private let descriptor: FileDescriptor
  private let separator: UInt8
  private let endsAtZeros: Bool
  private var buffer: [UInt8] = []
  private var start = 0
  /// The offset before which no line ends in the rest of the buffer.
  private var searchedEnd = 0
  private var hasEnded = false
  /// Why reading stopped before the end; `nil` if it did not.
  package private(set) var failure: Errno?
  /// Whether the last line that was returned goes on in the next one, because it is too long.
  package private(set) var isSplit = false
  /// Whether the last line that was returned is the rest of the one before it.
  package private(set) var isRest = false

  /// Creates a reader of lines that end in `separator`, or if `endsAtZeros` also in a zero byte;
  /// `descriptor` is not closed.
  package init(
    _ descriptor: FileDescriptor, endingIn separator: UInt8, orZero endsAtZeros: Bool = true
  ) {
    self.descriptor = descriptor
    self.separator = separator
    self.endsAtZeros = endsAtZeros
  }

  /// Whether ``next()`` would return without waiting for the writer of the stream.
  package var isReady: Bool {
    hasEnded || buffer[start...].contains(where: endsLine) || SystemCalls.isReadable(descriptor)
  }

  /// Returns the next nonempty line, without its separator; `nil` after the last.
  package func next() -> [UInt8]? {
    while true {
      if let end = buffer[max(start, searchedEnd)...].firstIndex(where: endsLine) {
        let line = Array(buffer[start..<end])
        start = end + 1
        (isRest, isSplit) = (isSplit, false)
        if !line.isEmpty { return line }
        continue
      }
      if hasEnded || buffer.count - start > LineReader.lineLimit {
        let line = Array(buffer[start...])
        buffer = []
        (start, searchedEnd) = (0, 0)
        (isRest, isSplit) = (isSplit, !hasEnded)
        return line.isEmpty ? nil : line
      }
      fill()
    }
  }

  private func endsLine(_ byte: UInt8) -> Bool {
    byte == separator || byte == 0 && endsAtZeros
  }

  private func fill() {
    buffer.removeFirst(start)
    start = 0
    searchedEnd = buffer.count
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
