import KVBytes
import KVReport
import KVSystem
import SystemPackage

/// A buffered stream of lines that goes silent when its reader is gone.
final class Output {
  // A class, because one buffer is filled from several places and flushed once at the end.

  /// Standard output, for results.
  static var standard: Output { Output(.standardOutput) }
  /// Standard error, for everything else.
  static var error: Output { Output(.standardError) }

  /// How long a line of a command that goes on for long stays in the buffer.
  private static let patience = Duration.milliseconds(100)

  /// The number of bytes that are written at once.
  private static let usualCount = 1 << 16

  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []
  /// When ``flushInTime()`` last wrote the buffer.
  private var lastFlush: ContinuousClock.Instant?
  /// Whether a write has failed, so that there is no point in going on.
  private(set) var isClosed = false
  /// What a request to stop says as soon as a part of the results is written.
  var wordsOnceWritten: StaticString?
  /// Why a write failed, unless the reader closed the pipe: it has read enough.
  private var failure: Errno?
  /// Where messages go, and what is told of results, while requests are served.
  private let answer = Answer.current

  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { flush() }

  /// Writes `line` and a line feed.
  func write(_ line: String) {
    guard !isClosed else { return }
    buffer.append(utf8Of: line)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Output.usualCount { flush() }
  }

  /// Returns a reporter of JSON lines that escapes control characters if it prints to a terminal.
  func json(_ values: ValueDetail, namesStores: Bool) -> JSONLinesReporter {
    JSONLinesReporter(
      forTerminal: descriptor == .standardOutput && Terminal.isInteractive(.output),
      values: values, namesStores: namesStores, pieces: { self.write(bytes: $0) })
  }

  /// Writes `bytes` unchanged.
  func write(bytes: [UInt8]) {
    guard !isClosed else { return }
    // What is long is not copied.
    if bytes.count >= Output.usualCount {
      flush()
      buffer = bytes
    } else {
      buffer += bytes
    }
    if buffer.count >= Output.usualCount { flush() }
  }

  /// Prints a note on stderr, except with `--quiet`; control characters are escaped.
  static func note(_ message: String) {
    guard !Manner.current.isQuiet else { return }
    tell("kvfsck: note: \(message)")
  }

  /// Prints a message on stderr, folded if that is a terminal; control characters are escaped.
  static func tell(_ message: String) {
    FoldedText.lines(
      of: TextReporter.printable(message), width: Terminals.width(of: .error) ?? .max
    ).forEach(error.write)
  }

  /// Writes `text` without a line feed, at once.
  func prompt(_ text: String) {
    guard !isClosed else { return }
    buffer.append(contentsOf: text.utf8)
    flush()
  }

  /// Writes the buffer.
  func flush() {
    guard !isClosed, !buffer.isEmpty else { return }
    Interruption.giveWay()
    if let line = StatusLine.current {
      if descriptor == .standardError { line.erase() }
      if descriptor == .standardOutput, Terminal.isInteractive(.output) { line.end() }
    }
    // Before the write: a reader may ask the process to stop as soon as it sees the first line.
    if let words = wordsOnceWritten {
      Interruption.say(words)
      wordsOnceWritten = nil
    }
    do throws(Errno) {
      if let answer, descriptor == .standardError {
        answer.add(messages: buffer)
      } else {
        try descriptor.writeBytes(buffer)
        answer?.add(results: buffer)
      }
    } catch {
      isClosed = true
      if error != .brokenPipe { failure = error }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes the buffer if lines may have been in it for a tenth of a second, so that the reader sees
  /// them soon, however long the next one takes.
  func flushInTime() {
    let now = ContinuousClock.now
    if let lastFlush, now - lastFlush < Self.patience { return }
    flush()
    lastFlush = now
  }

  /// Writes the buffer, and reports an error if results were lost.
  ///
  /// - Returns: `.failed` in that case.
  func finish() -> ExitStatus {
    flush()
    guard let failure else { return [] }
    StoreOpening.complain("cannot write the results: \(failure.description.lowercased())")
    return .failed
  }
}
