/// The time limit of the current task's work.
///
/// Long loops check ``hasPassed`` from time to time and stop with a partial result. Code that sets
/// a deadline checks it too, and discards the result if the time has run out.
package enum Deadline {
  @TaskLocal static var end: ContinuousClock.Instant?

  /// Calls `body` with `limit` as its time from now on, or with unlimited time if `limit` is `nil`.
  package static func within<Result>(_ limit: Duration?, _ body: () -> Result) -> Result {
    until(limit.map { ContinuousClock.now + $0 }, body)
  }

  /// Calls `body`, whose time runs out at `end`, if it is given.
  static func until<Result>(_ end: ContinuousClock.Instant?, _ body: () -> Result) -> Result {
    $end.withValue(end, operation: body)
  }

  /// Whether the time has run out.
  package static var hasPassed: Bool { end.map { ContinuousClock.now >= $0 } ?? false }
}
