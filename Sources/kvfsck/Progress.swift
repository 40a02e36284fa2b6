import KVBytes
import KVReport
import KVSystem
import SystemPackage

/// Tells how far a run over several stores is: programs on a descriptor, people on a terminal.
struct Progress {
  private let descriptor: FileDescriptor?
  private let maximum: Int
  private let isShown: Bool

  /// Progress up to `maximum` stores; lines go to `descriptor` if there is one.
  init(descriptor: Int32?, maximum: Int) {
    self.descriptor = descriptor.map { FileDescriptor(rawValue: $0) }
    self.maximum = maximum
    // A single store takes no time worth telling, and its report is the better news.
    isShown =
      descriptor == nil && maximum > 1 && Terminal.isInteractive(.error)
      && !Terminal.isInteractive(.output)
  }

  /// Progress up to `entries` of one store, for people.
  init(entries: Int) {
    descriptor = nil
    maximum = entries
    isShown = entries > 100_000 && Terminal.isInteractive(.error)
  }

  /// `current` of all stores are after; `path` is next.
  func report(_ stage: String, _ current: Int, _ path: String) {
    // A path with a line feed must not pass for a line of its own.
    let line = "\(stage) \(current) \(maximum) \(TextReporter.printable(path))\n"
    if let descriptor {
      // Nobody at the other end is no reason to stop.
      _ = try? descriptor.writeAll(Array(line.utf8))
    } else if isShown {
      // A line that is folded cannot be taken away again.
      let width = Terminal.width(of: .error) ?? 80
      Output.error.prompt(
        "\r\u{1b}[K" + (current == maximum ? "" : String(line.dropLast().prefix(width - 1))))
    }
  }
}

/// Tells people how many stores a scan has seen, a few times a second.
struct ScanProgress {
  private let isShown = Terminal.isInteractive(.error)
  private let start = ContinuousClock.now
  private var last = ContinuousClock.now
  private var hasShown = false

  /// `count` stores are done.
  mutating func report(_ count: Int) {
    guard isShown, count % 16 == 0, ContinuousClock.now - last > .milliseconds(200) else { return }
    last = .now
    hasShown = true
    let seconds = (last - start) / .seconds(1)
    let rate = Int(Double(count) / max(seconds, 0.001))
    Output.error.prompt("\r\u{1b}[K\(count) stores, \(rate) a second")
  }

  /// Takes away what is shown.
  func end() {
    if hasShown { Output.error.prompt("\r\u{1b}[K") }
  }
}
