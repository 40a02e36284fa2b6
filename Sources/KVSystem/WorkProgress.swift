/// Progress reports from long work, for display to people.
///
/// Long loops report their progress once in many steps. If no one listens, a report costs one read
/// of a variable.
package enum WorkProgress {
  /// A stage of the work, which determines the unit of progress.
  package enum Stage: Sendable {
    /// Reading the records of a log, in bytes.
    case records
    /// Searching damaged parts of the log for records, in bytes.
    case damage
    /// Reading the values of entries, to be printed or written.
    case entries
    /// Writing entries to the lost-and-found file.
    case aside
    /// Printing the parts of a file.
    case parts
    /// Listing an archive, in bytes of the archive.
    case archive
    /// Searching a disk image or another source for stores, in bytes of all passes over it.
    case source
  }

  /// The progress of a stage.
  package struct Step: Hashable, Sendable {
    /// The stage.
    package let stage: Stage
    /// The amount of work done.
    package let done: Int
    /// The total amount of work.
    package let total: Int

    /// Creates the step at which `done` of `total` is done.
    package init(_ stage: Stage, _ done: Int, of total: Int) {
      self.stage = stage
      self.done = done
      self.total = total
    }
  }

  /// What is called with each report.
  struct Listener: Sendable {
    // A type of its own: a function type as the value of a task local, in code that is compiled for
    // one type of result, crashes in Swift 6.3.
    let hear: @Sendable (Step) -> Void
  }

  @TaskLocal static var listener: Listener?

  /// Calls `body` and passes its progress reports to `listener`.
  package static func told<Result>(
    to listener: @escaping @Sendable (Step) -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    try told(to: Listener(hear: listener), body)
  }

  /// Calls `body`, whose progress no one hears of.
  package static func untold(_ body: () -> Void) { $listener.withValue(nil, operation: body) }

  /// Calls `body` and passes its progress reports to `listener`, if it is given.
  static func told<Result>(
    to listener: Listener?, _ body: () throws -> Result
  ) rethrows -> Result {
    try $listener.withValue(listener, operation: body)
  }

  /// Reports that `done` of `total` is done.
  package static func report(_ stage: Stage, _ done: Int, of total: Int) {
    listener?.hear(Step(stage, done, of: total))
  }

  /// Reports that `done` of `total` is done, and returns whether the time has run out.
  package static func isOver(_ stage: Stage, _ done: Int, of total: Int) -> Bool {
    report(stage, done, of: total)
    return Deadline.hasPassed
  }

  /// Calls `body` with each of `elements`, and reports progress at each 128th of the way, and at
  /// least every 1,024 elements.
  package static func forEach<Elements: Collection, Failure: Error>(
    of elements: Elements, _ stage: Stage,
    _ body: (Elements.Element) throws(Failure) -> Void
  ) throws(Failure) {
    let total = elements.count
    let stride = max(1, min(total / 128, 1 << 10))
    var done = 0
    var next = 0
    for element in elements {
      if done == next {
        report(stage, done, of: total)
        next += stride
      }
      done += 1
      try body(element)
    }
  }
}

/// A pass over the records of a log that reports its progress and stops when the time has run out.
package struct WorkPass {
  /// The number of bytes between two checks of the clock.
  private static let stride = 1 << 20

  private let range: Range<Int>
  private var next: Int

  /// Creates a pass over the bytes in `range`.
  package init(over range: Range<Int>) {
    self.range = range
    next = range.lowerBound + WorkPass.stride
  }

  /// Returns whether the pass has to stop before the record at `offset` because the time has run
  /// out.
  package mutating func isOver(at offset: Int) -> Bool { offset >= next && look(at: offset) }

  private mutating func look(at offset: Int) -> Bool {
    next = offset + WorkPass.stride
    return WorkProgress.isOver(.records, offset - range.lowerBound, of: range.count)
  }
}
