import SystemPackage

/// A stream of lines, which keeps quiet once nobody reads it any more.
final class Output {
  // A class because the one buffer is filled from several places and emptied once at the end.

  /// Where results go.
  static var standard: Output { Output(.standardOutput) }
  /// Where everything else goes.
  static var error: Output { Output(.standardError) }

  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []
  /// Whether writing has failed: a closed pipe is no reason to complain, or to stop a repair.
  private(set) var isClosed = false

  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { flush() }

  /// Writes `line` and a line feed.
  func write(_ line: String) {
    guard !isClosed else { return }
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Writes `text` as it is, at once.
  func prompt(_ text: String) {
    guard !isClosed else { return }
    buffer.append(contentsOf: text.utf8)
    flush()
  }

  /// Hands over what is held back.
  func flush() {
    guard !isClosed, !buffer.isEmpty else { return }
    do {
      try descriptor.writeAll(buffer)
    } catch {
      isClosed = true
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
