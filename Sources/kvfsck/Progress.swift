import KVBytes
import KVInput
import KVReport
import KVSystem
import SystemPackage

/// Progress reports for a run over several stores: to a file descriptor for programs, on a terminal
/// for people.
struct Progress {
  private let descriptor: FileDescriptor?
  private let maximum: Int

  /// Creates progress reports up to `maximum` stores, to `descriptor` if it is given.
  init(descriptor: Int32?, maximum: Int) {
    self.descriptor = descriptor.map { FileDescriptor(rawValue: $0) }
    self.maximum = maximum
  }

  /// Reports that `current` of all stores are done, and that `path` is next.
  func report(_ stage: String, _ current: Int, _ path: String) {
    guard let descriptor else {
      // For a single store, the status line shows the progress of the work on it.
      if maximum > 1, current < maximum {
        let place = path.isEmpty ? "" : " \(path)"
        StatusLine.current?.begin(
          "\(stage) \((current + 1).grouped) of \(maximum.grouped)\(place)")
      }
      return
    }
    // Escape line feeds, so that a path cannot look like a line of its own. A reader that is gone
    // is no reason to stop.
    let line = "\(stage) \(current) \(maximum) \(TextReporter.printable(path))\n"
    if let answer = Answer.current, descriptor.rawValue <= FileDescriptor.standardError.rawValue {
      // The standard streams of a server are not the command's.
      answer.add(messages: Array(line.utf8))
    } else {
      try? descriptor.writeBytes(Array(line.utf8))
    }
  }
}

/// Progress reports for a scan: how many stores have been examined, and how much is left, updated a
/// few times a second.
final class ScanProgress {
  private let start = ContinuousClock.now
  /// The number of files below the paths of the scan, once they have been counted.
  private let total = Guarded<Int?>(nil)
  private var passedCount = 0

  /// Creates progress reports for a scan of `roots`, whose files are counted meanwhile if someone
  /// sees the reports.
  init(of roots: [FilePath] = []) {
    guard StatusLine.current != nil, !roots.isEmpty else { return }
    Task.detached { [total] in
      let count = TreeWalk.fileCount(below: roots)
      total.use { $0 = count }
    }
  }

  /// Records that the scan has passed `count` files.
  func pass(_ count: Int) { passedCount = count }

  /// Reports that `count` stores are done.
  func report(_ count: Int) {
    guard count % 16 == 0, let line = StatusLine.current else { return }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let rate = Int(Double(count) / max(seconds, 0.001))
    let left = total.use { $0 }.map { ProgressText.left(passedCount, of: $0, after: seconds) } ?? ""
    line.begin("\(count.counted("store", "stores")), \(rate.grouped) a second\(left)")
  }
}

/// The progress line at the bottom of a terminal.
///
/// It is on stderr, appears when the work takes more than a second, and is erased before anything
/// else is written there.
final class StatusLine: Sendable {
  private struct State {
    var text = ProgressText()
    /// The store, among several, that is being worked on.
    var subject = ""
    var isShown = false
    var isOver = false
  }

  /// The status line of this run; `nil` if no one would see it.
  @TaskLocal static var current: StatusLine?

  private let start = ContinuousClock.now
  private let state = Guarded(State())

  /// Calls `body`, and shows its progress if stderr is a terminal.
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

  /// Reports that work on `subject` begins.
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
    // A line that wraps cannot be erased.
    let width = Terminals.columnCount(of: .error) ?? 80
    write("\r\u{1b}[K" + ProgressText.fitting(text, width: width - 1))
  }

  /// Erases the line until the work goes on.
  func erase() {
    state.use { state in
      if state.isShown { write("\r\u{1b}[K") }
      state.isShown = false
    }
  }

  /// Erases the line for good: from now on, the results show the progress.
  func end() {
    erase()
    state.use { $0.isOver = true }
  }

  private func write(_ text: String) {
    // No one has to see it.
    try? FileDescriptor.standardError.writeBytes(Array(text.utf8))
  }
}
