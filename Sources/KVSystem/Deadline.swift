/// When work ends that was given a limited time.
///
/// Loops that may run long ask ``hasPassed`` now and then, and stop with what they have. Whoever has set the
/// deadline asks too, and lets go of the result: what is cut short is no result.
package enum Deadline {
  @TaskLocal private static var end: ContinuousClock.Instant?

  /// Calls `body`, which has `limit` from now on; all the time that it takes where that is `nil`.
  package static func within<Result>(_ limit: Duration?, _ body: () -> Result) -> Result {
    $end.withValue(limit.map { ContinuousClock.now + $0 }, operation: body)
  }

  /// Whether the time is over.
  package static var hasPassed: Bool { end.map { ContinuousClock.now >= $0 } ?? false }
}
