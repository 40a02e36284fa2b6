import KVBytes
package import KVSystem

/// The text of the progress line for long work, and when it changes.
package struct ProgressText {
  /// The time after which progress is shown.
  static let delay: Duration = .milliseconds(800)
  /// The least time between two changes of the line.
  static let interval: Duration = .milliseconds(200)

  private var next: Duration
  /// The first step of the stage, and its time.
  private var first: (step: WorkProgress.Step, time: Duration)?
  private var last: WorkProgress.Step?

  /// Creates the progress of work that begins now.
  package init() { next = Self.delay }

  /// Returns whether the line changes at `time`, counted from the start of the work.
  package mutating func isDue(at time: Duration) -> Bool {
    guard time >= next else { return false }
    next = time + Self.interval
    return true
  }

  /// Returns the text of the line after `step`, at `time`; `nil` if it does not change.
  package mutating func line(after step: WorkProgress.Step, at time: Duration) -> String? {
    let isSame =
      last.map { $0.stage == step.stage && $0.total == step.total && $0.done <= step.done }
    last = step
    guard isSame == true, let first else {
      self.first = (step, time)
      return isDue(at: time) ? Self.text(step) : nil
    }
    guard isDue(at: time) else { return nil }
    let seconds = (time - first.time) / .seconds(1)
    let rate = Double(step.done - first.step.done) / max(seconds, 0.001)
    guard rate >= 1, seconds >= 0.2 else { return Self.text(step) }
    let left = Double(step.total - step.done) / rate
    return
      "\(Self.text(step)), \(step.stage.text(ofRate: rate)), \(Self.text(ofSeconds: left)) left"
  }

  /// Returns the beginning of `text` that fits into `width` cells of a terminal, with everything
  /// escaped that would move its cursor.
  package static func fitting(_ text: String, width: Int) -> String {
    let safe = CellText.safe(TextReporter.printable(text), isFirst: true)
    return CellText.prefix(of: safe, width: max(0, width)).text
  }

  /// Returns the part of a line about work of which `done` of `total` took `seconds`: how much is
  /// done, and how long the rest will take; "" if nothing is done or the total was wrong.
  package static func left(_ done: Int, of total: Int, after seconds: Double) -> String {
    guard done > 0, done <= total else { return "" }
    let rest = seconds * Double(total - done) / Double(done)
    return ", \(100 * done / total) %, \(text(ofSeconds: rest)) left"
  }

  private static func text(_ step: WorkProgress.Step) -> String {
    "\(step.stage.text) \(100 * step.done / max(step.total, 1)) %"
  }

  private static func text(ofSeconds seconds: Double) -> String {
    switch seconds {
    case ..<90: "\(Int(seconds.rounded(.up))) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    case ..<360_000: "\(Int((seconds / 3600).rounded())) h"
    default: "days"
    }
  }
}

extension WorkProgress.Stage {
  fileprivate var text: String {
    switch self {
    case .records: "reading records"
    case .damage: "looking for records after damage"
    case .entries: "entries"
    case .aside: "setting entries aside"
    case .parts: "parts of the file"
    case .archive: "reading the archive"
    case .source: "searching for stores"
    }
  }

  fileprivate func text(ofRate rate: Double) -> String {
    switch self {
    case .records where rate < 1e7, .damage where rate < 1e7, .archive where rate < 1e7,
      .source where rate < 1e7:
      "\(Int(rate / 1e3).grouped) kB/s"
    case .records, .damage, .archive, .source: "\(Int(rate / 1e6).grouped) MB/s"
    case .entries, .aside, .parts: "\(Int(rate).grouped) per second"
    }
  }
}
