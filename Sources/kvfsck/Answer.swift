import ArgumentParser
import KVSystem

/// What a command prints while `kvfsck serve` runs it.
///
/// Its results go to standard output, and its messages are kept for the line that ends the answer.
/// Those about one of several stores that are worked on at once are kept until it is that store's
/// turn.
final class Answer: Sendable {
  /// The answer to the request that is being served, or about the store that this thread works on;
  /// `nil` in the main thread of a process with a command of its own.
  @TaskLocal static var current: Answer?

  /// The largest number of bytes of all messages: a scan may have one for each of many files.
  private static let messageLimit = 1 << 20

  private struct State {
    var resultCount = 0
    var lastByte: UInt8?
    var messages: [UInt8] = []
    var lostCount = 0
  }

  private let state = Guarded(State())

  /// Throws if requests are served: standard input has no more to offer than these.
  static func refuseStandardInput() throws {
    guard current != nil else { return }
    throw ValidationError("Standard input has the requests; name a file.")
  }

  /// Notes that the command has printed `bytes` as results.
  func add(results bytes: [UInt8]) {
    state.use { state in
      state.resultCount += bytes.count
      state.lastByte = bytes.last ?? state.lastByte
    }
  }

  /// Keeps `bytes`, which are whole lines, as messages.
  func add(messages bytes: [UInt8]) {
    state.use { state in
      if state.messages.count + bytes.count <= Answer.messageLimit {
        state.messages += bytes
      } else {
        state.lostCount += bytes.count { $0 == UInt8(ascii: "\n") }
      }
    }
  }

  /// Returns the messages that were kept since the last call, as they were printed.
  func takeMessages() -> [UInt8] {
    state.use { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  /// The number of bytes that were printed as results.
  var resultCount: Int { state.use { $0.resultCount } }

  /// Whether the results end within a line.
  var endsWithinLine: Bool {
    state.use { $0.lastByte.map { $0 != UInt8(ascii: "\n") } ?? false }
  }

  /// The messages, a string for each line.
  var messages: [String] {
    let (bytes, lostCount) = state.use { ($0.messages, $0.lostCount) }
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    return lostCount == 0 ? lines : lines + ["kvfsck: note: \(lostCount) more lines are left out"]
  }
}
