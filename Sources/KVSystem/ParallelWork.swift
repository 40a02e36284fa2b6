import Dispatch

/// Work on a sequence of parts, done on other threads ahead of the thread that takes the results.
///
/// Results are taken in the order in which the parts were given. A part that no other thread has begun
/// is done by the thread that takes its result, so that it never waits for a thread that cannot be
/// had: one that takes results may itself be one of those that all queues share.
package struct ParallelWork<Part: Sendable, Result: Sendable> {
  private let body: @Sendable (Part) -> Result
  private let results = Arrivals<Result>()
  private let waiting = WaitingParts<Part>()
  private var given = 0
  private var taken = 0

  /// Creates work that calls `body` for each part.
  package init(_ body: @escaping @Sendable (Part) -> Result) { self.body = body }

  /// The number of parts whose results have not been taken.
  package var pendingCount: Int { given - taken }

  /// Starts the work on `part`.
  package mutating func give(_ part: Part) {
    let number = given
    given += 1
    waiting.add(part, number)
    DispatchQueue.global().async { [body, results, waiting] in
      guard let part = waiting.take(number) else { return }
      results.add(body(part), number)
    }
  }

  /// Returns the result of the earliest part whose result has not been taken.
  ///
  /// - Precondition: ``pendingCount`` is greater than 0.
  package mutating func take() -> Result {
    let number = taken
    taken += 1
    if let part = waiting.take(number) { return body(part) }
    return results.take(number)
  }
}
