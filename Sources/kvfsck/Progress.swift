import KVBytes
import KVReport
import KVSystem
import SystemPackage

/// Tells how far a run over several stores is: programs on a descriptor, people on a terminal.
struct Progress {
  private let descriptor: FileDescriptor?
  private let maximum: Int

  /// Progress up to `maximum` stores; lines go to `descriptor` if there is one.
  init(descriptor: Int32?, maximum: Int) {
    self.descriptor = descriptor.map { FileDescriptor(rawValue: $0) }
    self.maximum = maximum
  }

  /// `current` of all stores are done; `path` is next.
  func report(_ stage: String, _ current: Int, _ path: String) {
    guard let descriptor else {
      // Of a single store, the line says how far the work on it is.
      if maximum > 1, current < maximum {
        StatusLine.current?.begin("\(stage) \(current + 1) of \(maximum) \(path)")
      }
      return
    }
    // A path with a line feed must not pass for a line of its own. Nobody at the other end is no reason to
    // stop.
    let line = "\(stage) \(current) \(maximum) \(TextReporter.printable(path))\n"
    _ = try? descriptor.writeAll(Array(line.utf8))
  }
}

/// Tells people how many stores a scan has seen, a few times a second.
struct ScanProgress {
  private let start = ContinuousClock.now

  /// `count` stores are done.
  func report(_ count: Int) {
    guard count % 16 == 0, let line = StatusLine.current else { return }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    line.begin("\(count.grouped) stores, \(Int(Double(count) / max(seconds, 0.001))) a second")
  }
}

/// The line at the end of a terminal that shows how far the work is.
///
/// It is on stderr, comes when the work takes more than a second, and goes before anything else is written
/// there.
final class StatusLine: Sendable {
  private struct State {
    var text = ProgressText()
    /// Which of several stores the work is on.
    var subject = ""
    var isShown = false
    var isOver = false
  }

  /// The line of this run; `nil` where no person would see it.
  @TaskLocal static var current: StatusLine?

  private let start = ContinuousClock.now
  private let state = Guarded(State())

  /// Calls `body`, and shows how far its work is where stderr is a terminal.
  static func shown(_ body: () throws -> Void) rethrows {
    guard Terminals.obeyOnError, !Manner.current.isQuiet else {
      try body()
      return
    }
    let line = StatusLine()
    defer { line.erase() }
    try $current.withValue(line) {
      try WorkProgress.told(to: { line.show($0) }, body)
    }
  }

  /// The work is on `subject` now.
  func begin(_ subject: String) {
    let time = ContinuousClock.now - start
    state.use { state in
      state.subject = subject
      if !state.isOver, state.text.isDue(at: time) { draw(subject, &state) }
    }
  }

  private func show(_ step: WorkProgress.Step) {
    let time = ContinuousClock.now - start
    state.use { state in
      guard !state.isOver, let text = state.text.line(after: step, at: time) else { return }
      draw(state.subject.isEmpty ? text : "\(text) (\(state.subject))", &state)
    }
  }

  private func draw(_ text: String, _ state: inout State) {
    state.isShown = true
    // A line that is folded cannot be taken away again.
    let width = Terminals.width(of: .error) ?? 80
    write("\r\u{1b}[K" + TextReporter.printable(text).prefix(width - 1))
  }

  /// Takes the line away, until the work goes on.
  func erase() {
    state.use { state in
      if state.isShown { write("\r\u{1b}[K") }
      state.isShown = false
    }
  }

  /// Takes the line away for good: from now on the results show how far the work is.
  func end() {
    erase()
    state.use { $0.isOver = true }
  }

  private func write(_ text: String) {
    // Nobody has to see it.
    _ = try? FileDescriptor.standardError.writeAll(Array(text.utf8))
  }
}
