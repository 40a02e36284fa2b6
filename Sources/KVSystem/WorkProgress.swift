/// How far long work is, for whoever shows that to people.
///
/// Loops that may run long say where they are, once for many of their steps. Where nobody listens, that
/// costs a look at a variable.
package enum WorkProgress {
  /// What is being done, and so what is counted.
  package enum Stage: Sendable {
    /// The records of a log are read; bytes are counted.
    case records
    /// Records are looked for where the log is damaged; bytes are counted.
    case damage
    /// The values of entries are read, to be printed or written.
    case entries
    /// Entries are put into the lost-and-found file.
    case aside
    /// The parts of a file are printed.
    case parts
  }

  /// How far a stage is.
  package struct Step: Hashable, Sendable {
    /// What is being done.
    package let stage: Stage
    /// How much of it is done.
    package let done: Int
    /// How much there is to do.
    package let total: Int

    /// The step at which `done` of `total` are done.
    package init(_ stage: Stage, _ done: Int, of total: Int) {
      self.stage = stage
      self.done = done
      self.total = total
    }
  }

  @TaskLocal private static var listener: (@Sendable (Step) -> Void)?

  /// Calls `body`, and hands each step of its work to `listener`.
  package static func told<Result>(
    to listener: (@Sendable (Step) -> Void)?, _ body: () throws -> Result
  ) rethrows -> Result {
    try $listener.withValue(listener, operation: body)
  }

  /// Says that `done` of `total` are done.
  package static func report(_ stage: Stage, _ done: Int, of total: Int) {
    listener?(Step(stage, done, of: total))
  }

  /// Says that `done` of `total` are done, and returns whether the time for the rest is over.
  package static func isOver(_ stage: Stage, _ done: Int, of total: Int) -> Bool {
    report(stage, done, of: total)
    return Deadline.hasPassed
  }

  /// Hands each of `elements` to `body`, and says how many are done: once for each 128th of them, or more
  /// often where these are many.
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

/// A pass over the records of a log, which says how far it is and ends when its time is over.
package struct WorkPass {
  /// How many bytes lie between two looks at the clock.
  private static let stride = 1 << 20

  private let range: Range<Int>
  private var next: Int

  /// A pass over the bytes in `range`.
  package init(over range: Range<Int>) {
    self.range = range
    next = range.lowerBound + WorkPass.stride
  }

  /// Returns whether the pass ends before the record at `offset`, because the time is over.
  package mutating func isOver(at offset: Int) -> Bool { offset >= next && look(at: offset) }

  private mutating func look(at offset: Int) -> Bool {
    next = offset + WorkPass.stride
    return WorkProgress.isOver(.records, offset - range.lowerBound, of: range.count)
  }
}
