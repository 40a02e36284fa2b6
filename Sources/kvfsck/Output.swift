import KVBytes
import KVReport
import KVSystem
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
  /// Whether writing has failed, so that there is no point in going on.
  private(set) var isClosed = false
  /// Why it has failed, if nobody wanted that: whoever closes a pipe has read enough.
  private var failure: Errno?

  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { flush() }

  /// Writes `line` and a line feed.
  func write(_ line: String) {
    guard !isClosed else { return }
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 1 << 16 { flush() }
  }

  /// A reporter of JSON lines, made safe where a person reads it.
  func json(_ values: ValueDetail, namesStores: Bool) -> JSONLinesReporter {
    JSONLinesReporter(
      forTerminal: descriptor == .standardOutput && Terminal.isInteractive(.output),
      values: values, namesStores: namesStores, pieces: { self.write(bytes: $0) })
  }

  /// Writes `bytes` as they are.
  func write(bytes: [UInt8]) {
    guard !isClosed else { return }
    buffer += bytes
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Says on stderr what is good to know, unless nobody wants to hear it; what a name could do to a terminal
  /// is taken out of it.
  static func note(_ message: String) {
    guard !Manner.current.isQuiet else { return }
    error.write("kvfsck: note: \(TextReporter.printable(message))")
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
    Interruption.giveWay()
    if let line = StatusLine.current {
      if descriptor == .standardError { line.erase() }
      if descriptor == .standardOutput, Terminal.isInteractive(.output) { line.end() }
    }
    do {
      try descriptor.writeAll(buffer)
    } catch {
      isClosed = true
      let cause = error as? Errno ?? .ioError
      if cause != .brokenPipe { failure = cause }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Hands over what is held back, and says so if results were lost.
  ///
  /// - Returns: `.failed` in that case.
  func finish() -> ExitStatus {
    flush()
    guard let failure else { return [] }
    OpenedStore.complain("cannot write the results: \(failure.description.lowercased())")
    return .failed
  }
}
